// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "sw/host/hardware_port.hpp"
#include "sw/tofu/profile.hpp"
#include "sw/tofu/ranks/coordinates.hpp"
#include "sw/tofu/registers.hpp"

namespace ht::tofu {

constexpr int gates_per_node = 64;
constexpr int channels_per_node = 8;  ///< channel c starts and ends at gate c; 0 is the system's

/// Operations of barrier gates, as in packets and in the register START.
enum class GateOperation : std::uint8_t {
  Barrier,
  And,
  Or,
  Xor,
  Max,
  Sum,
  Fsum,
  Broadcast,
  MaxLoc  ///< of gates of several words: pairs of a value and a place
};

/// A gate somewhere in the machine.
struct GatePlace {
  Coordinates node;
  int gate = 0;
  int interface = 0;  ///< of the node's network interfaces, where several have gates
};

/// What a gate's registers say.
struct GateSetting {
  int channel = 0;
  std::uint8_t group = 0;  ///< packets of another group are refused
  std::optional<int> local_source, local_destination;
  std::optional<GatePlace> source, destination;
  /// Where the first ABC leg to the destination leads (A, B, C); by default to its own A, B, C.
  std::optional<std::array<int, 3>> path;
};

/// 320 bits in two lanes: model::OrderIndependentSum::Bytes, or 40 bytes of a broadcast.
using StateBytes = std::array<std::byte, 40>;
constexpr std::size_t most_states = 3, most_words = 6;  ///< of an operation (Profile)

/// How an operation ended.
struct GateResult {
  bool empty = false;     ///< there is no datum: a barrier, an error, or nobody gave one
  bool mismatch = false;  ///< participants started different operations
  bool other = false;     ///< a packet of a wrong sequence or from a wrong gate, two broadcasts
  std::string error;      ///< the hardware's words for the two above
  StateBytes data{};      ///< of the datum; a word in the first 8
  std::array<StateBytes, most_states - 1> more{};  ///< of gates of several states

  bool good() const { return !mismatch && !other; }
  std::uint64_t word(std::size_t number = 0) const;
  /// A sum's state, rounded once.
  double rounded(std::size_t number = 0) const;
};

/// What the software around an access costs, and where results are looked for.
struct BarrierOptions {
  Picoseconds start_cost = 20'000;  ///< software around the write that starts
  Picoseconds poll_cost = 20'000;   ///< software around looking once
  /// Results come into the node's memory, where looking for them costs no register access; else
  /// they are read from registers.
  bool results_in_memory = true;
};

/// Direct access to the barrier interface of a node: 64 gates that are wired, 8 channels that are
/// started and looked at ([Tofu2012] section 5). One per node, called only from its fibre.
///
/// Bad arguments throw UsageError before they get to the hardware; what the hardware refuses, or a
/// fault that has blocked it, throws HardwareError.
class BarrierInterface {
 public:
  /// `name` of the node, for messages: "node 5". Memory for results is taken at first use.
  /// `interface`: which of the node's, if the profile has several.
  BarrierInterface(host::HardwarePort& port, std::string name, BarrierOptions options = {},
                   int interface = 0, const Profile& profile = {});
  ~BarrierInterface();
  BarrierInterface(const BarrierInterface&) = delete;
  BarrierInterface& operator=(const BarrierInterface&) = delete;

  host::HardwarePort& port() { return port_; }
  const std::string& name() const { return name_; }

  /// Wires a gate, whatever it was before. It begins with its first operation: all gates of a
  /// pattern, on all nodes, are wired before any is started.
  void wire(int gate, const GateSetting& setting);
  void free(int gate);

  /// Starts an operation to which this node contributes nothing, or a word, a double, a state.
  /// UsageError if one is under way.
  void start(int channel, GateOperation operation);
  void start(int channel, GateOperation operation, std::uint64_t word);
  void start_sum(int channel, double x);
  /// The same of several: as many as the profile has, or less; the others are 0.
  void start(int channel, GateOperation operation, std::span<const std::uint64_t> words);
  void start_sum(int channel, std::span<const double> x);
  void start_state(int channel, GateOperation operation, const StateBytes& state);

  bool busy(int channel) const;
  /// The result once the operation has ended; it is given once. UsageError if none was started.
  std::optional<GateResult> poll(int channel);
  /// Blocks until it has.
  GateResult wait(int channel);
  /// What is to be done whenever wait() has looked in vain: others of the node's software get on.
  void while_waiting(std::function<void()> work) { while_waiting_ = std::move(work); }
  /// Gives the operation up. The gates of its pattern must be wired anew, at all nodes.
  void reset(int channel);

  /// Sticky errors met since the last call (fields of registers::tbi::error), whatever the channel:
  /// packets that came to a wrong gate or are of another group.
  std::uint32_t take_errors();
  /// Throws HardwareError if the hardware has an error that no call has reported.
  void check_errors();

 private:
  struct Channel {
    bool busy = false;
    bool aimed = false;  ///< the hardware knows where its result goes
    GateOperation operation = GateOperation::Barrier;
  };
  std::uint32_t read(std::uint32_t address);
  void write(std::uint32_t address, std::uint32_t value);
  void request(std::uint32_t address, std::uint32_t value, const std::string& what);
  void go(int channel, GateOperation operation, std::uint32_t form,
          std::span<const std::uint32_t> words);
  std::byte* slot(int channel);
  std::size_t result_bytes() const;
  std::size_t slot_bytes() const;
  void collect_errors();
  GateResult result(const Channel& channel, std::uint32_t status) const;
  [[noreturn]] void usage(const std::string& what) const;

  host::HardwarePort& port_;
  std::string name_;
  BarrierOptions options_;
  int interface_;
  Profile profile_;
  std::uint32_t base_;
  std::array<Channel, channels_per_node> channels_;
  std::array<bool, gates_per_node> wired_{};
  std::byte* results_ = nullptr;
  std::uint32_t errors_ = 0;  ///< that no call has reported
  std::uint32_t info_ = 0;    ///< the first of those that no operation tells
  std::function<void()> while_waiting_;
};

}  // namespace ht::tofu
