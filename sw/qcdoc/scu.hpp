// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sw/host/checked_registers.hpp"
#include "sw/host/hardware_port.hpp"
#include "sw/qcdoc/partition_window.hpp"

namespace ht::qcdoc {

constexpr int links = 12;    ///< 2 * axis for the neighbour at +1, 2 * axis + 1 for the one at -1
constexpr int engines = 24;  ///< 0 to 11 send on link 0 to 11, 12 to 23 receive from it
constexpr int slots = 16;    ///< stored instructions an engine
constexpr std::size_t word_bytes = 8;

/// "+x" .. "-v" for link 0..11.
const char* link_name(int link);
constexpr int send_engine(int link) {
  return link;
}
constexpr int receive_engine(int link) {
  return links + link;
}
/// "the send engine of link +x".
std::string engine_name(int engine);

/// One bit an engine, or one bit a link.
using Mask = std::uint32_t;
constexpr Mask bit(int i) {
  return Mask{1} << i;
}

/// What a DMA engine moves ([QCDOC2004] section 2.2: "block strided access to local memory"): words
/// of 64 bits, in blocks. `pitch` is the distance in bytes from the start of a block to the start
/// of the next, forwards or backwards.
struct Descriptor {
  std::uint64_t address = 0;      ///< byte offset in the node's memory, a multiple of 8
  std::uint32_t block_words = 1;  ///< 1 to 65535
  std::uint32_t blocks = 1;       ///< 1 to 65535
  std::int64_t pitch = 0;         ///< a multiple of 8

  std::uint64_t words() const { return std::uint64_t{block_words} * blocks; }
  bool operator==(const Descriptor&) const = default;
};

/// What is known of a link: its counters, and checksums over the words handed in and accepted.
struct LinkCounters {
  std::uint32_t sent = 0, retransmitted = 0, accepted = 0, refused = 0;
  std::uint32_t header_errors = 0, parity_errors = 0, marker_errors = 0;
  std::uint32_t requests = 0, bursts = 0, bad_acknowledgements = 0, retrains = 0;
  std::uint32_t tx_checksum = 0, rx_checksum = 0;
};

/// Settings of the unit's software; the times are our assumptions about the processor.
struct ScuOptions {
  Picoseconds start_cost = 20'000;              ///< software around the write that starts engines
  Picoseconds poll_cost = 20'000;               ///< software around looking once
  Picoseconds link_up_timeout = 1'000'000'000;  ///< train() gives up after 1 ms
  /// Training of a link that was up may take so long before it goes down with an error, in units
  /// of 4.096 us: 1.024 ms.
  std::uint16_t retrain_timeout = 250;
  PartitionTiming partition;  ///< cables and clocks, for the windows of partition interrupts
};

/// Direct access to the serial communications unit ([QCDOC2004] section 3.3: "the communications
/// API allows the user to control the settings of the DMA units", "only a single write is needed to
/// start up to 24 communications"): descriptors that are stored once and started any number of
/// times, supervisor words, partition interrupts, sets of links for global operations, checksums.
///
/// Called only from the node's fibre. Everything that blocks also serves what comes in meanwhile.
/// Bad arguments throw UsageError before they get to the hardware. What the hardware refuses or
/// reports throws HardwareError, a link that went down ProtocolError, naming node and link.
class Scu {
 public:
  /// `name` of the node, for messages: "node 5".
  Scu(host::HardwarePort& port, std::string name, ScuOptions options = {});

  host::HardwarePort& port() { return port_; }
  const ScuOptions& options() const { return options_; }
  const std::string& name() const { return name_; }

  // --- links -----------------------------------------------------------------------------------
  /// Enables links, without waiting, and sets the size of the memory in the hardware.
  void enable(Mask links);
  /// Enables links and waits until all are up. TimeoutError names the first that is not, and
  /// ProtocolError one whose cable leads to something else than the same axis' other side.
  void train(Mask links);
  /// Takes links down.
  void disable(Mask links);
  /// Takes links down and forgets numbers, checksums and errors; both ends must do so.
  void new_session(Mask links);
  Mask links_up();
  LinkCounters read_counters(int link);
  std::uint32_t rx_checksum(int link);

  // --- DMA -------------------------------------------------------------------------------------
  /// Stores an instruction. `next` is the slot of the one that follows when it is done.
  void store(int engine, int slot, const Descriptor& what, std::optional<int> next = {});
  /// One register write: starts that stored instruction of all engines of the mask.
  void start(Mask engines, int slot);
  /// Stops engines after the word they are at.
  void stop(Mask engines);
  /// Looks which engines of the mask are done since they were started.
  Mask done(Mask engines);
  /// Waits until all engines of the mask are done.
  void wait(Mask engines, std::string_view what = "DMA engines");

  // --- supervisor words ------------------------------------------------------------------------
  /// Sends one, when the neighbour has read the one before.
  void send_supervisor(int link, std::uint64_t word);
  /// Takes a word, or says no.
  using SupervisorHandler = std::function<bool(int link, std::uint64_t word)>;
  /// Called, while some call of this class blocks or looks, for each word that comes, and now for
  /// those that are kept; it must not block. What it does not take, or what comes while there is
  /// none, is kept for take_supervisor().
  void on_supervisor(SupervisorHandler handler);
  /// The oldest word kept of those that came over a link; looks for new ones first.
  std::optional<std::uint64_t> take_supervisor(int link);
  /// Those kept that have this top byte, from all links, without looking for new ones.
  std::vector<std::uint64_t> take_kept(std::uint64_t top_byte);

  // --- partition interrupts --------------------------------------------------------------------
  /// Links to this node's partition, whose diameter is `diameter` hops, and windows of 2^log2_ticks
  /// ticks of the global clock; 0: the least that partition_window.hpp allows. UsageError if they
  /// are shorter than that.
  void set_partition(Mask links, int diameter, int log2_ticks = 0);
  /// Raises interrupts (7 bits): all nodes of the partition see them at the end of a window.
  void raise(Mask bits);
  /// Waits until one of those is presented; returns those that are, and clears them.
  Mask wait_partition(Mask bits);
  /// Those that are presented now, cleared.
  Mask take_partition(Mask bits);

  // --- global operations -----------------------------------------------------------------------
  /// A set of links: what comes in on `input` goes out on `outputs` and to memory, `words` words
  /// of it; later ones only to memory. UsageError if it overlaps the other set, or itself.
  struct GlobalSet {
    int input = 0;
    Mask outputs = 0;
    std::uint32_t words = 1;  ///< 1 to 65535
    bool operator==(const GlobalSet&) const = default;
  };
  /// Writes outputs and limit of set 0 or 1, which must not be enabled.
  void prepare_set(int set, const GlobalSet& what);
  /// One register write: the prepared set works from now on.
  void enable_set(int set);
  void disable_set(int set);
  /// Words sent on a link for the first time, modulo 2^32.
  std::uint32_t words_sent(int link);

  /// Serves what came in: completions, supervisor words, partition interrupts, errors.
  void serve();
  /// Clears the unit's sticky errors.
  void clear_errors();
  /// Reads all registers of sticky errors, the links' and the unit's, also those of links that
  /// nobody uses. Throws HardwareError naming node, link and register if there is an error.
  void check_errors();

 private:
  void set_up();
  std::uint32_t read(std::uint32_t address) { return registers_.read(address); }
  void write(std::uint32_t address, std::uint32_t value) { registers_.write(address, value); }
  void check_engine(int engine, int slot) const;
  void check_descriptor(const Descriptor& what, int engine, int slot) const;
  void check_link(int link) const;
  void check_mask(Mask mask, int bits, const char* of) const;
  void serve_supervisor();
  void check_links();
  [[noreturn]] void usage(const std::string& what) const;

  host::HardwarePort& port_;
  std::string name_;
  ScuOptions options_;
  host::CheckedRegisters registers_;
  bool set_up_ = false;
  Mask active_ = 0;  ///< engines started and not known to be done
  Mask done_ = 0;
  Mask present_ = 0;
  Mask supervisor_sent_ = 0;  ///< links whose last word may not have been read
  SupervisorHandler handler_;
  std::array<std::deque<std::uint64_t>, links> kept_;
  std::array<GlobalSet, 2> sets_;
  std::array<bool, 2> set_prepared_{}, set_enabled_{};
};

}  // namespace ht::qcdoc
