// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/kernel/sim_node.hpp"
#include "sim/machine/state_bits.hpp"
#include "sim/machine/trace.hpp"
#include "sw/host/fibre.hpp"
#include "sw/host/hardware_port.hpp"

namespace ht::machine {

/// What the nodes of all machines share: a memory, and a program on a fibre that reaches the
/// node's hardware over a register bus and waits for it. The hardware itself, its clocks and its
/// cables are the derived class's, which calls run_program() whenever time has come to an
/// instant at which the program may go on.
///
/// Between window ends it touches nothing of other nodes.
class ProgramNode : public sim::SimNode, public host::HardwarePort {
 public:
  /// What a derived class says of itself.
  struct Traits {
    int links;               ///< cables a node has
    Picoseconds reset_time;  ///< ps from power-on until a program may start
    const char* hardware;    ///< what refuses register accesses, for people: "network processor"
  };

  ~ProgramNode() override;

  /// Starts a program on this node's fibre at the current time; one at a time.
  void start(std::function<void()> program);

  /// Throws an unfinished program away: its stack is unwound, and what it still asks of the
  /// hardware meanwhile is not done.
  void abandon();

  /// From now on `look` is called on the program's fibre, about every `every`, while it waits or
  /// lets time pass; what it throws comes out there. Empty: no more.
  void watch(Picoseconds every, std::function<void()> look);

  /// Writes a wave file of this node; after its cables are plugged in and before the first run().
  virtual void trace(const TraceOptions& options) = 0;
  virtual void close_trace() = 0;

  /// The bits of its hardware, to be flipped; none, if nobody listed them (sim/machine/README.md).
  virtual StateBits state_bits() { return {}; }

  /// Reports to the ledgers of its cables all that is known so far; while no node runs.
  virtual void tell_ledgers() {}

  // What the kernel sees.
  std::string name() const override;
  bool finished() const override { return lingers_ || wait_ == Wait::Finished; }
  /// Its program has ended, and serves others.
  bool lingers() const { return lingers_; }
  std::uint64_t progress() const override { return progress_; }
  std::uint64_t pauses() const override { return pauses_; }
  Picoseconds computing_until() const override { return wait_ == Wait::Time ? wake_ : now_; }
  /// What the program does and since when, then hardware_status().
  std::string status() const override;
  Cycles cycles() const override { return cycles_; }

  // What the node's program sees.
  Picoseconds now() const override { return now_; }
  void advance(Picoseconds duration) override;
  void pause(Picoseconds duration) override;
  void wait(std::string_view what) override;
  void linger(const std::function<void()>& service) override;
  std::uint32_t read_register(std::uint32_t address) override;
  void write_register(std::uint32_t address, std::uint32_t value) override;
  host::NodeMemory& memory() override { return memory_; }

  int rank() const { return rank_; }
  int link_count() const { return traits_.links; }

  /// When link `link` first sent something again for damage, or kNever.
  Picoseconds first_retransmission(int link) const {
    return first_retransmission_[static_cast<std::size_t>(link)];
  }
  /// When link `link` first sent something again because its peer had had no room, or kNever.
  Picoseconds first_replay(int link) const { return first_replay_[static_cast<std::size_t>(link)]; }
  /// Something that a link sent again: for damage, or (`replay`) because its peer had had no room.
  struct Resend {
    Picoseconds time;
    unsigned link;
    bool replay;
  };
  /// From now on all of them are kept until they are forgotten; nothing is before this call.
  void keep_resends() { keeps_resends_ = true; }
  const std::vector<Resend>& resends() const { return resends_; }
  void forget_resends() { resends_.clear(); }
  /// When link `link` first rejected what it received, or kNever.
  Picoseconds first_error(int link) const { return first_error_[static_cast<std::size_t>(link)]; }

 protected:
  ProgramNode(int rank, std::size_t memory_bytes, const Traits& traits);

  /// What the program waits for.
  enum class Wait { Ready, Time, Event, Register, Finished };

  /// Puts the access on the register bus; end_access() when it was answered.
  virtual void begin_access(std::uint32_t address, bool write, std::uint32_t value) = 0;
  /// States of links and queues, for the watchdog's list.
  virtual std::string hardware_status() const = 0;

  /// Resumes the program if it can go on now; true if it ran.
  bool run_program();
  /// When it can go on by itself, or kNever.
  Picoseconds program_due() const;
  bool waits_for(Wait what) const { return wait_ == what; }
  /// Something happened that wait() may wait for.
  void notify() { event_ = true; }
  /// The register bus answered.
  void end_access(std::uint32_t value, bool failed);
  void note_retransmission(unsigned link);
  void note_replay(unsigned link);
  void note_error(unsigned link);

  const int rank_;
  host::NodeMemory memory_;
  Picoseconds now_ = 0;
  Cycles cycles_;
  std::uint64_t progress_ = 0, pauses_ = 0;

 private:
  void suspend(Wait reason);
  void let_pass(Picoseconds duration, std::string_view what);
  void look();
  std::uint32_t access_register(std::uint32_t address, bool write, std::uint32_t value);

  Traits traits_;
  std::unique_ptr<host::Fibre> fibre_;
  Wait wait_ = Wait::Finished;
  Picoseconds wake_ = 0;
  bool event_ = false;
  std::function<void()> look_;  ///< of watch()
  Picoseconds look_every_ = 0;
  Picoseconds look_due_ = sim::kNever;
  bool lingers_ = false;
  bool abandoned_ = false;  ///< the program's stack is being unwound: nothing may block
  std::string_view waiting_for_;
  Picoseconds waiting_since_ = 0;
  bool register_failed_ = false;
  std::uint32_t register_value_ = 0;
  bool keeps_resends_ = false;
  std::vector<Resend> resends_;
  std::vector<Picoseconds> first_retransmission_, first_replay_, first_error_;  ///< by link
};

}  // namespace ht::machine
