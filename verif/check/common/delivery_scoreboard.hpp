// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

namespace ht::check {

/// What became of packets. `lost` is known at the end only.
struct Deliveries {
  std::uint64_t sent = 0, delivered = 0;
  std::uint64_t lost = 0;        ///< never arrived
  std::uint64_t doubled = 0;     ///< arrived again
  std::uint64_t altered = 0;     ///< arrived in a packet's place, but is no packet that was sent
  std::uint64_t misordered = 0;  ///< arrived before one that was sent earlier on the same flow
  std::uint64_t misrouted = 0;   ///< arrived on another flow, or was put in the wrong place

  bool all_well() const {
    return delivered == sent && lost + doubled + altered + misordered + misrouted == 0;
  }
  Deliveries& operator+=(const Deliveries& other);
  bool operator==(const Deliveries&) const = default;
};

/// Accounts for every packet of a network, whatever machine it is: flows keep order, a packet has a
/// content and a place (an address, say) where it is to be put. Contents should be random: packets
/// are recognised by them, wherever they come out.
class DeliveryScoreboard {
 public:
  enum class Kind : std::uint8_t { Delivered, Lost, Doubled, Altered, Misordered, Misrouted };
  struct Trouble {
    Kind kind;
    std::size_t flow;    ///< where it came out; of a lost one, where it should have
    std::size_t packet;  ///< number in the order of sent(); kUnknown if it is none that was sent
  };
  static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);

  explicit DeliveryScoreboard(std::size_t flows) : flows_(flows) {}

  /// A packet is to arrive on `flow`, after all others of that flow before it. Returns its number.
  std::size_t sent(std::size_t flow, std::uint64_t place, std::span<const std::byte> content);

  /// A packet came out of `flow` (kUnknown: nowhere that packets belong) and was put at `place`.
  Kind arrived(std::size_t flow, std::uint64_t place, std::span<const std::byte> content);

  /// Nothing more will come: what has not arrived is lost.
  void close();

  const Deliveries& deliveries() const { return counts_; }
  /// Everything but good deliveries, in the order in which it was noticed.
  const std::vector<Trouble>& troubles() const { return troubles_; }
  /// Packets of a flow that arrived in order and whole.
  std::uint64_t delivered(std::size_t flow) const { return flows_.at(flow).delivered; }

 private:
  struct Packet {
    std::size_t flow;
    std::uint64_t place;
    std::vector<std::byte> content;
    bool arrived = false;
  };
  struct Flow {
    std::deque<std::size_t> waiting;  ///< packets, in order; those misplaced elsewhere included
    std::uint64_t delivered = 0;
  };

  Kind trouble(Kind kind, std::uint64_t& count, std::size_t flow, std::size_t packet);
  std::size_t find(std::size_t flow, std::span<const std::byte> content) const;

  std::vector<Flow> flows_;
  std::vector<Packet> packets_;
  std::unordered_multimap<std::size_t, std::size_t> by_content_;  ///< hash -> packet
  Deliveries counts_;
  std::vector<Trouble> troubles_;
};

const char* name(DeliveryScoreboard::Kind kind);

}  // namespace ht::check
