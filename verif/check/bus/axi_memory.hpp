// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace ht::check {

/// What a manager drives in a cycle, and the memory in the same one. Data: at most 16 bytes.
struct AxiRequest {
  bool awvalid = false, wvalid = false, wlast = false, bready = false;
  bool arvalid = false, rready = false;
  unsigned awid = 0, awlen = 0, arid = 0, arlen = 0;
  std::uint64_t awaddr = 0, araddr = 0;
  std::uint32_t wstrb = 0;
  std::array<std::uint32_t, 4> wdata{};
};
struct AxiReply {
  bool awready = false, wready = false, bvalid = false, arready = false, rvalid = false;
  bool rlast = false;
  unsigned bid = 0, bresp = 0, rid = 0, rresp = 0;
  std::array<std::uint32_t, 4> rdata{};
};

/// A memory behind AXI4 that makes use of every freedom ARM IHI 0022E leaves it: it stalls each
/// channel, takes W before AW, writes bursts in any order between acceptance and answer (of one ID
/// to the same place in turn), and the beats of a burst in any order, answers IDs in any order,
/// interleaves the read data of different IDs, samples what it reads as late as it can. It checks
/// the manager's rules at every edge and throws std::runtime_error where one is broken.
class AxiMemory {
 public:
  struct Options {
    std::uint64_t base = 0;
    std::size_t bytes = 0;
    unsigned beat_bytes = 16;
    unsigned ids = 1;
    unsigned max_beats = 16;
    double stall = 0.3;  ///< chance that a channel does nothing in a cycle
  };
  AxiMemory(const Options& options, std::uint64_t seed);
  /// The same, whose contents lie in `place`, of Options::bytes.
  AxiMemory(const Options& options, std::uint64_t seed, std::span<std::uint8_t> place);

  /// One rising edge: `in` is what the manager drove just before it, with reply(). `reset`: the bus
  /// is in reset, and forgets all that was under way.
  void edge(const AxiRequest& in, bool reset);
  const AxiReply& reply() const { return reply_; }

  std::span<std::uint8_t> bytes;
  /// Accesses that are answered SLVERR, by address; what lies outside of the memory is DECERR.
  std::function<bool(std::uint64_t)> refuses = [](std::uint64_t) { return false; };
  /// All of a burst has taken effect: its ID and address.
  std::function<void(unsigned, std::uint64_t)> on_write;
  bool answers = true;  ///< false: no B and no R, though all is taken
  void stall(double chance) { options_.stall = chance; }

  std::vector<std::uint64_t> written;  ///< beats that have been answered, by ID
  std::uint64_t bursts = 0, beats = 0, interleaved = 0, overtaken = 0;
  bool idle() const { return writes_.empty() && reads_.empty() && !early_; }

 private:
  struct Beat {
    std::array<std::uint32_t, 4> data;
    std::uint32_t strobe;
  };
  struct Write {
    unsigned id;
    std::uint64_t address;
    unsigned length;
    std::vector<Beat> beats;
    std::vector<std::size_t> unseen = {};  ///< of a whole burst: beats that took no effect yet
    bool done = false;                     ///< all did
  };
  struct Read {
    unsigned id;
    std::uint64_t address;
    unsigned length, beat = 0;
  };

  [[noreturn]] void fail(const std::string& what) const;
  void check(const AxiRequest& in) const;
  void check_burst(const char* channel, std::uint64_t address, unsigned length, unsigned id) const;
  void take(const AxiRequest& in);
  void write_some();
  void answer();
  unsigned response(std::uint64_t address) const;
  bool chance(double p) { return std::bernoulli_distribution(p)(random_); }
  std::size_t any(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }

  Options options_;
  std::vector<std::uint8_t> own_;  ///< where `bytes` are, if nobody else has them
  std::mt19937_64 random_;
  AxiReply reply_;
  std::optional<AxiRequest> last_;  ///< of the edge before, for what must stand
  AxiReply last_reply_;
  bool was_reset_ = true;
  std::uint64_t cycle_ = 0;
  std::deque<Write> writes_;    ///< in the order of AW
  std::optional<Write> early_;  ///< data of a burst whose address has not come
  std::deque<Read> reads_;
  unsigned last_read_id_ = 0;
};

}  // namespace ht::check
