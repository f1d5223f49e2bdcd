// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sw/host/hardware_port.hpp"
#include "sw/tofu/ranks/coordinates.hpp"

namespace ht::tofu {

constexpr int links_per_node = 10;
/// "X+", "X-", "Y+", "Y-", "Z+", "Z-", "A", "B+", "B-", "C": the links' order everywhere.
const char* link_name(int link);
/// The neighbour's link that a link's cable is plugged into.
int far_link(int link);

/// What a link counted since it was reset. Checksums are over whole packets, each once.
struct LinkCounters {
  std::uint32_t sent = 0, retransmitted = 0, accepted = 0;
  std::uint32_t duplicates = 0, gaps = 0, refused = 0;
  std::uint32_t void_sent = 0, void_received = 0;
  std::uint32_t code_errors = 0, framing_errors = 0, header_errors = 0, crc_errors = 0;
  std::uint32_t command_errors = 0, nacks = 0, timeouts = 0, retrains = 0;
  std::uint32_t dropped = 0, flushed = 0;
  std::uint32_t tx_checksum = 0, rx_checksum = 0;
  bool operator==(const LinkCounters&) const = default;
};

struct LinkOptions {
  Picoseconds poll_cost = 500'000;  ///< between two looks at links that train
  Picoseconds up_timeout = 1'000'000'000;
  /// One more after each reset of the node: what is under way is then given up, and answers to it
  /// that still come are told from new ones (first_generation()).
  std::uint32_t epoch = 1;
  std::vector<Coordinates> failed;  ///< nodes that are not there: links to them are left down
};

/// A node's links and its place in the torus. One per node, called only from its fibre.
class Links {
 public:
  /// `name` of the node, for messages: "node 5".
  Links(host::HardwarePort& port, std::string name, const Shape& machine, const Coordinates& here,
        LinkOptions options = {});

  /// Links that have a cable, to a node that is there, in a torus of that shape.
  const std::vector<int>& cabled() const { return cabled_; }

  /// Sets the router's coordinates, and trains the links that have a cable.
  /// Throws TimeoutError naming the first link that did not come up, ProtocolError for a cable that
  /// comes from another node or link than it should.
  void bring_up();
  void take_down();

  /// Throws UsageError for a link there is not.
  LinkCounters read_counters(int link);

  /// Throws ProtocolError naming the first link that has gone down.
  void check();
  /// Throws HardwareError naming the first link whose ERROR says that something was lost, or that
  /// the hardware is broken. Errors that the link has made up for stay as they are.
  void check_errors();

 private:
  std::uint32_t read(std::uint32_t address) { return port_.read_register(address); }
  void write(std::uint32_t address, std::uint32_t value) { port_.write_register(address, value); }
  void check_peer(int link);

  host::HardwarePort& port_;
  std::string name_;
  Shape machine_;
  Coordinates here_;
  LinkOptions options_;
  std::vector<int> cabled_;
};

}  // namespace ht::tofu
