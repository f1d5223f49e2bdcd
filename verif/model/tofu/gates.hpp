// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "verif/model/tofu/tofu_wire_fields.hpp"

namespace ht::model {

/// Operations of barrier gates, as in packets.
enum class GateOperation : std::uint8_t {
  Barrier = tofu::wire::operation::kBarrier,
  And = tofu::wire::operation::kAnd,
  Or = tofu::wire::operation::kOr,
  Xor = tofu::wire::operation::kXor,
  Max = tofu::wire::operation::kMax,
  Sum = tofu::wire::operation::kSum,
  Fsum = tofu::wire::operation::kFsum,
  Broadcast = tofu::wire::operation::kBroadcast,
  MaxLoc = 8  ///< of wide gates only
};
constexpr unsigned kGateOperations = 8, kWideGateOperations = 9;

/// What the host gives to a start: nothing, a 64-bit word, a double, a state of
/// OrderIndependentSum (or, in a broadcast, any 40 bytes). Of wide gates: six words, three doubles,
/// three states.
enum class GateForm : std::uint8_t { None, Word, Double, State };

/// Data of a gate as 64-bit words, least significant first: 40 bytes, and 0 behind; of wide gates
/// all 120.
constexpr std::size_t kStateWords = 5, kWideStates = 3, kWideWords = 6;
using GateData = std::array<std::uint64_t, kStateWords * kWideStates>;

/// Status in packets and results: EMPTY, and errors met anywhere before.
namespace gate_status {
constexpr std::uint8_t kEmpty = 1, kMismatch = 2, kSequence = 4, kAddress = 8, kBroadcast = 16;
constexpr std::uint8_t kErrors = 0x1e;
constexpr std::uint8_t kGroup = 64;  ///< of a channel at this node only
}  // namespace gate_status

/// What ERROR of the barrier interface collects, bit by bit as there
/// (rtl/tofu/gates/tbi_registers.toml).
namespace gate_error {
constexpr std::uint32_t kStartBusy = 1U << 2, kStartUnwired = 1U << 3, kStartOperation = 1U << 4,
                        kStartOperand = 1U << 5, kWiringBusy = 1U << 6, kWiringSelf = 1U << 7,
                        kWiringIncomplete = 1U << 8, kAddress = 1U << 9, kGroup = 1U << 10,
                        kSequence = 1U << 11, kMismatch = 1U << 12, kBroadcast = 1U << 13,
                        kPacketBad = 1U << 14;
}  // namespace gate_error

/// A gate somewhere: coordinates of its node ({c, b[1:0], a, z, y, x}, 19 bits), number, and of
/// which of the node's barrier interfaces, if there are several.
struct GateAddress {
  std::uint32_t node = 0;
  std::uint8_t gate = 0;
  std::uint8_t interface = 0;
  bool operator==(const GateAddress&) const = default;
};

/// A gate's packet without its frame.
struct GatePacket {
  GateAddress to, from;
  std::uint8_t path = 0, group = 0;
  std::uint32_t sequence = 0;  ///< 24 bits
  GateOperation operation = GateOperation::Barrier;
  std::uint8_t status = 0;
  GateData data{};
  bool operator==(const GatePacket&) const = default;
};

/// How a gate is wired; absent endpoints are nullopt.
struct GateWiring {
  std::optional<std::uint8_t> local_source, local_destination;  ///< gates of this node
  std::optional<GateAddress> source, destination;
  std::uint8_t path = 0, group = 0, channel = 0;
};

/// Two data of an operation combined, as the arithmetic of gates with so many states does it:
/// one word or state, or six words or three states. MaxLoc has three pairs of value and place: the
/// larger value, and of equal ones the smaller place (as MPI_MAXLOC does). Barrier and Broadcast
/// have nothing to combine: std::logic_error. Fsum: throws std::invalid_argument if one is no
/// state.
GateData combine(GateOperation operation, const GateData& a, const GateData& b,
                 std::size_t states = 1);
/// The state of a sum of one double.
GateData state_of(double x);
/// Whether the first 40 bytes, or those of each of three, are a state: lanes in order, nothing in
/// the flags of the second.
bool is_state(const GateData& data, std::size_t states = 1);
/// The double a state is rounded to.
double rounded(const GateData& state, std::size_t number = 0);

/// The barrier interface of one node as a reference: what it does, not when. Signals between its
/// gates and sends take no time. [Tofu2012], [Tofu2012ja] section 5; rtl/tofu/README.md, "Barrier
/// gates".
class TofuGates {
 public:
  static constexpr unsigned kGates = 64, kChannels = 8;

  explicit TofuGates(std::uint32_t node) : node_(node) {}
  /// Wide gates, of one of several barrier interfaces of a node: operations of six words or three
  /// doubles, and MaxLoc, as TofuD has them.
  static TofuGates wide(std::uint32_t node, std::uint8_t interface) {
    TofuGates gates(node);
    gates.interface_ = interface;
    gates.states_ = kWideStates;
    return gates;
  }

  /// Wires or frees (nullopt) a gate. Returns 0 or the cause (gate_error) why it was refused.
  std::uint32_t wire(unsigned gate, const std::optional<GateWiring>& wiring);
  /// Starts an operation. Returns 0 or the cause why it was refused.
  std::uint32_t start(unsigned channel, GateOperation operation, GateForm form = GateForm::None,
                      const GateData& operand = {});
  /// A packet arrives.
  void receive(const GatePacket& packet);
  /// Gives up a channel's operation; its gates must be wired anew.
  void reset(unsigned channel);
  void acknowledge(unsigned channel) { channels_.at(channel).done = false; }

  /// Packets to be sent, oldest first; the user takes them.
  std::deque<GatePacket> sent;

  struct Channel {
    bool busy = false, done = false;
    GateOperation operation = GateOperation::Barrier;
    std::uint8_t status = 0;     ///< gate_status, since the start
    std::uint32_t sequence = 0;  ///< of the last operation that ended
    GateData result{};
    std::uint64_t completed = 0;  ///< operations since the beginning
  };
  const Channel& channel(unsigned c) const { return channels_.at(c); }
  /// Sticky causes, and clears them.
  std::uint32_t take_errors();
  /// Times a gate fired (a start gate: ended an operation) since it was wired.
  std::uint64_t fired(unsigned gate) const { return gates_.at(gate).fired; }
  /// As GATE_STATE shows it.
  std::uint32_t state(unsigned gate) const;

 private:
  struct Bank {
    std::uint8_t arrived = 0;  ///< bit 0 the signal, bit 1 the packet
    GateOperation operation = GateOperation::Barrier;
    std::uint8_t status = gate_status::kEmpty;
    GateData data{};
  };
  struct Gate {
    std::optional<GateWiring> wiring;
    std::uint32_t sequence = 0;
    bool started = false;
    std::array<Bank, 2> banks;
    std::uint64_t fired = 0;
  };
  /// What arrives at a gate, by packet or by signal.
  struct Arrival {
    std::uint8_t input = 0;  ///< as Bank::arrived
    GatePacket packet;
  };

  void arrive(const Arrival& arrival);
  void add(Gate& gate, Bank& bank, const Arrival& arrival, std::uint8_t trouble);
  void fire_if_complete(unsigned gate);
  void emit(unsigned gate, GateOperation operation, std::uint8_t status, const GateData& data);
  void report(const Gate& gate, std::uint32_t cause, std::uint8_t status);
  void settle();
  unsigned operations() const { return states_ > 1 ? kWideGateOperations : kGateOperations; }

  std::uint32_t node_;
  std::uint8_t interface_ = 0;
  std::size_t states_ = 1;
  std::array<Gate, kGates> gates_;
  std::array<Channel, kChannels> channels_;
  std::uint32_t errors_ = 0;
  std::deque<Arrival> signals_;
};

}  // namespace ht::model
