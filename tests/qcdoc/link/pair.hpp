// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <vector>

class Vqcdoc_link;
class VerilatedContext;

namespace ht::test {

/// Counts of an end's event pulses.
struct QcdocEvents {
  std::uint64_t sent = 0, retransmitted = 0, accepted = 0, refused = 0, header = 0, parity = 0;
  std::uint64_t marker = 0, request = 0, burst = 0, bad_ack = 0, retrain = 0;
  std::uint64_t rx_error = 0;  ///< observation port
};

/// One qcdoc_link with a host that hands in words and one that takes them.
class QcdocEnd {
 public:
  QcdocEnd(VerilatedContext* context, unsigned port, std::uint64_t seed);
  ~QcdocEnd();
  QcdocEnd(const QcdocEnd&) = delete;

  std::deque<std::uint64_t> to_send;
  std::vector<std::uint64_t> received;
  std::deque<std::uint64_t> sup_to_send;
  std::vector<std::uint64_t> sup_received;
  std::deque<std::uint8_t> int_to_send;
  std::vector<std::uint8_t> int_received;
  double send_eagerness = 1;  ///< chance a cycle that a word is offered
  double take_eagerness = 1;  ///< chance a cycle that a waiting word is taken; 0: idle receive
  double read_eagerness = 1;  ///< of supervisor words
  QcdocEvents events;
  std::uint64_t first_taken = 0, last_taken = 0;  ///< cycles

  bool up() const;
  bool idle() const;
  Vqcdoc_link& dut() { return *dut_; }

 private:
  friend class QcdocPair;
  void before_edge(bool serial_in, bool slot);
  void after_edge(std::uint64_t cycle);
  bool chance(double p);

  std::unique_ptr<Vqcdoc_link> dut_;
  std::mt19937_64 random_;
  bool awake_ = false;  ///< it left its first reset; until then outputs may be anything
};

/// Two ends, and a cable of `delay` bits each way between them.
class QcdocPair {
  std::unique_ptr<VerilatedContext> context_;  // outlives the ends

 public:
  /// `phases`: cycle modulo 8 in which each end's bytes begin.
  QcdocPair(unsigned delay, std::uint64_t seed, unsigned phase_a = 0, unsigned phase_b = 0);
  virtual ~QcdocPair();

  QcdocEnd a, b;
  std::uint64_t cycle = 0;
  /// What the cable makes of the bit that direction d (0: a to b) delivers in this cycle.
  std::function<bool(int direction, std::uint64_t cycle, bool bit)> damage;

  /// If set, a cable in place of the pair's own: given the bit that direction d puts on the line in
  /// this cycle, it returns the one that arrives.
  std::function<bool(int direction, std::uint64_t cycle, bool bit)> carry;

  /// One cycle of the clock.
  virtual void step();
  void run(std::uint64_t cycles);
  /// Until `done`, at most `limit` cycles; false if that was not enough.
  bool run_until(const std::function<bool()>& done, std::uint64_t limit);
  /// Enables both ends and waits until they are up.
  bool bring_up(std::uint64_t limit = 20'000);
  /// Drops the oldest bit of the cable of direction d, or repeats it: what follows is early or
  /// late.
  void lose_bit(int direction);
  void double_bit(int direction);

 protected:
  /// A cycle of one end: before its clock's edge, then the edge.
  static void before_edge(QcdocEnd& end, bool serial_in, bool slot);
  void edge(QcdocEnd& end);

 private:
  QcdocPair(std::unique_ptr<VerilatedContext> context, unsigned delay, std::uint64_t seed,
            unsigned phase_a, unsigned phase_b);
  std::deque<bool> wire_[2];
  unsigned phase_[2];
};

}  // namespace ht::test
