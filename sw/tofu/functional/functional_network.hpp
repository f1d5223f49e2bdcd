// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "sw/host/fibre.hpp"
#include "sw/host/time.hpp"
#include "sw/tofu/gates/barrier_latency.hpp"
#include "sw/tofu/profile.hpp"
#include "sw/tofu/ranks/paths.hpp"
#include "verif/model/tofu/gates.hpp"
#include "verif/model/tofu/tni_packet.hpp"

// What the parts of a machine without hardware share: functional_tofu.hpp.
namespace ht::tofu {

/// Of a network interface, in cycles: round numbers near the Verilog's, without claim.
struct InterfaceTiming {
  std::int64_t command = 30;  ///< from the write of PRODUCER to the first beat out
  std::int64_t receive = 15;  ///< from the last beat in to memory written
  std::int64_t answer = 10;   ///< from memory written, or read, to the first beat of the answer
};

/// How a machine without hardware keeps time, and what a node has.
struct FunctionalTofuOptions {
  Profile profile;
  /// Of gates and packets; a packet's beats are those of a barrier's, or of one with data.
  BarrierTiming timing;
  InterfaceTiming interfaces;
  Picoseconds register_cost = 100'000;  ///< of an access over the processor's bus
  /// If given, time means nothing: programs, packets and results take turns in a random order that
  /// this decides, so that packets overtake one another as they like.
  std::optional<unsigned> shuffle;
  std::size_t memory_bytes = std::size_t{256} << 20;  ///< what is not touched costs nothing
  std::size_t stack_bytes = host::Fibre::default_stack_bytes;
  std::vector<Coordinates> failed;  ///< nodes that are not there: no program, no way through
  /// Seconds of this process' processor time, for each node that can go on, in which something must
  /// happen: programs may poll memory for ever. 0: no limit.
  double processor_timeout = 0;
};

/// A result of a barrier channel, of one of the node's barrier interfaces.
struct FunctionalResult {
  std::uint32_t interface, channel;
};

/// Something on its way: a packet to a node, or a barrier channel's result to its host.
struct FunctionalEvent {
  Picoseconds due = 0;
  std::size_t node = 0;
  std::variant<model::GatePacket, model::TniPacket, FunctionalResult> what;
  std::uint64_t number = 0;  ///< among events of the same time, the first comes first
};

/// What a node's parts see of the machine.
class FunctionalNetwork {
 public:
  virtual ~FunctionalNetwork() = default;
  virtual const Shape& shape() const = 0;
  virtual const FunctionalTofuOptions& options() const = 0;
  Picoseconds cycle() const { return options().profile.cycle; }
  virtual bool link_enabled(const Coordinates& node, int link) const = 0;
  /// Links on a packet's way. Nothing if it leads out of the machine or by a failed node: then the
  /// packet is lost.
  virtual std::optional<int> hops(std::uint32_t from, std::uint32_t to,
                                  std::uint32_t path) const = 0;
  /// A packet is about to be sent, and may be changed; false: it is lost.
  virtual bool leaves(model::GatePacket& packet) = 0;
  virtual bool leaves(model::TniPacket& packet) = 0;
  /// Something will happen at `event.due`.
  virtual void post(FunctionalEvent event) = 0;
};

}  // namespace ht::tofu
