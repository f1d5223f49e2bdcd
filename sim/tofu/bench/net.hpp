// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "verif/model/tofu/route.hpp"

class VerilatedContext;
class Vtofu_router_top;
class Vtofu_router_wide;

namespace ht::bench {

/// A beat inside a chip: rtl/tofu/README.md.
struct TofuBeat {
  std::uint64_t low = 0, high = 0;
  std::uint32_t rest = 0;  ///< {parity, bad, last, first, ecc[15:0]}

  bool first() const { return (rest >> 16 & 1U) != 0; }
  bool last() const { return (rest >> 17 & 1U) != 0; }
  bool bad() const { return (rest >> 18 & 1U) != 0; }
  bool operator==(const TofuBeat&) const = default;
};
/// With check bits and parity.
TofuBeat tofu_beat(std::uint64_t low, std::uint64_t high, bool first, bool last, bool bad = false);

struct TofuPacket {
  unsigned from = 0, to = 0;  ///< nodes
  unsigned path = 0;          ///< {c, b[1:0], a}
  unsigned interface = 0;     ///< at the destination, as RouterNet numbers them
  bool response = false;
  unsigned beats = 0;       ///< of payload
  std::uint64_t id = 0;     ///< travels in the second beat; payload is made of it
  std::uint64_t began = 0;  ///< cycle in which it was given to the net
  unsigned source = 0;      ///< interface that sends it; set by TofuNet::send
  unsigned kind = 0;        ///< as in headers
  unsigned group = 0;       ///< of nodes: the job's

  unsigned length() const { return beats + 3; }
};

/// Interfaces of a node with a router that is Verilated so: of the K computer's, and of TofuD's.
template <class Top>
struct RouterInterfaces {
  static constexpr unsigned networks = 4, barriers = 1;
};
template <>
struct RouterInterfaces<Vtofu_router_wide> {
  static constexpr unsigned networks = 6, barriers = 6;
};

/// Routers of a torus, joined by ideal links: `delay` cycles, credits that take as long back. Like
/// a tofu_link they count a packet in tx_room two cycles after its first beat, and a void one no
/// more two cycles after its last.
template <class Top>
class RouterNet {
  std::unique_ptr<VerilatedContext> context_;  // outlives the nodes

 public:
  /// Network interfaces, then barrier interfaces: of the K computer's 0 to 3, and 4.
  static constexpr unsigned networks = RouterInterfaces<Top>::networks,
                            interfaces = networks + RouterInterfaces<Top>::barriers;

  explicit RouterNet(const model::tofu::Shape& shape, unsigned delay = 1);
  ~RouterNet();

  const model::tofu::Shape shape;
  std::uint64_t cycle = 0;

  /// Packets that wait to be injected, by node and interface and class: {0 request, 1 response}.
  std::deque<TofuPacket>& to_send(unsigned node, unsigned interface, bool response);
  void send(const TofuPacket& packet, unsigned interface);
  /// Called with every packet that arrived whole, at its node and interface. Contents are checked
  /// before: a packet that is not what was sent throws std::runtime_error.
  std::function<void(unsigned node, unsigned interface, const TofuPacket&)> arrived;
  /// Whether an interface takes packets of a class now.
  std::function<bool(unsigned node, unsigned interface, bool response)> takes;

  /// May change a header's first beat as it is injected.
  std::function<void(const TofuPacket&, std::uint64_t& low, std::uint64_t& high)> alter;

  bool wrong_parity = false;  ///< of beats that are injected
  /// Share of packets that a link damages; it sends them again behind their bad copy.
  double damage = 0;
  /// Share of cycles in which a link takes nothing.
  double stutter = 0;

  struct Counters {
    std::uint64_t injected = 0, delivered = 0, delivered_beats = 0;
    std::uint64_t link_beats = 0;     ///< over all links
    std::uint64_t damaged = 0;        ///< packets that a link sent twice
    std::uint64_t nullified = 0;      ///< packets that came to a link, or to an interface, as void
    std::uint64_t void_arrived = 0;   ///< those of them that came to an interface
    std::uint64_t last_progress = 0;  ///< cycle
  } counters;

  void step();
  void run(std::uint64_t cycles);
  /// Until every packet that was given to it has arrived; false if for `patience` cycles nothing
  /// moves.
  bool drain(std::uint64_t patience = 2000);
  bool idle() const;
  std::uint64_t in_flight() const { return counters.injected - counters.delivered; }
  Top& router(unsigned node) { return *nodes_[node]->dut; }
  /// Register access of a node; throws std::runtime_error if it is refused. Takes two cycles.
  std::uint32_t read(unsigned node, unsigned address);
  void write(unsigned node, unsigned address, std::uint32_t value);
  bool try_write(unsigned node, unsigned address, std::uint32_t value);
  /// A link takes nothing and brings nothing.
  void stall_link(unsigned node, unsigned port, bool stalled);
  /// The link into this port begins a new session: nothing may be under way on it.
  void new_session(unsigned node, unsigned port);

 private:
  struct Link {  ///< from an output to the peer's input
    unsigned peer = 0, peer_port = 0;
    bool exists = false, stalled = false;
    bool careful = false;  ///< look whether there is room before every packet
    std::deque<std::pair<std::uint64_t, TofuBeat>> wire;          ///< due cycle
    std::deque<std::pair<std::uint64_t, std::uint32_t>> credits;  ///< due cycle, 28 bits
    struct Count {
      std::uint64_t due;
      unsigned channel;
      std::uint32_t units;  ///< modulo 2^32
    };
    std::deque<Count> counts;
    std::array<std::uint32_t, 4> begun{};  ///< units, cumulative
    std::uint32_t credit = 0;              ///< last heard
    std::uint32_t told = 0;                ///< last that the receiver said
    std::vector<TofuBeat> copy;            ///< packet under way
    bool spoil = false;
    std::size_t again = 0;  ///< next beat of the copy to be sent again
    bool repeating = false;
  };
  struct Interface {
    struct Stream {  ///< requests, responses
      std::deque<TofuPacket> queue;
      unsigned at = 0;  ///< next beat of the first
    };
    std::array<Stream, 2> stream;
    std::vector<TofuBeat> arriving;
  };
  struct Node {
    std::unique_ptr<Top> dut;
    std::array<Link, model::tofu::links> link;
    std::array<Interface, interfaces> interface;
  };

  bool access(unsigned node, bool write, unsigned address, std::uint32_t& value);
  void outputs(unsigned node);
  void inputs(unsigned node);
  bool has_room(const Node& node, unsigned port) const;
  void take_from_link(unsigned node, unsigned port);
  void check_route(unsigned node, unsigned port, const TofuBeat& header) const;
  void take_arrived(unsigned node, unsigned interface);
  TofuPacket read(const std::vector<TofuBeat>& beats) const;
  TofuBeat beat_of(const TofuPacket& packet, unsigned index) const;
  bool chance(double p);

  std::vector<std::unique_ptr<Node>> nodes_;
  std::minstd_rand random_{1};
  unsigned delay_;
};

using TofuNet = RouterNet<Vtofu_router_top>;

}  // namespace ht::bench
