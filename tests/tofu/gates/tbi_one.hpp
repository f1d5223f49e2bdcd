// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <catch2/catch.hpp>

#include "tests/tofu/gates/tbi_node.hpp"

namespace ht::test {

// Bits of STATUS.
inline constexpr std::uint32_t kDone = 2, kEmpty = 0x100, kMismatch = 0x200, kSequence = 0x400,
                               kAddress = 0x800, kBroadcast = 0x1000, kGroup = 0x4000;

inline std::uint32_t operation_bits(model::GateOperation o) {
  return static_cast<std::uint32_t>(o) << 4;
}

/// One node: start gate 1 signals gate 8, which waits for a packet of gate 20 of another node as
/// well, signals gate 1 and answers.
struct OneTbi {
  OneTbi() : net({0x111}) {
    model::GateWiring start, gate;
    start.channel = gate.channel = 1;
    start.group = gate.group = 9;
    start.local_source = start.local_destination = 8;
    gate.local_source = gate.local_destination = 1;
    gate.source = gate.destination = model::GateAddress{0x222, 20};
    gate.path = 5;
    net.wire(0, 1, start);
    net.wire(0, 8, gate);
    REQUIRE(net.run_until([&] { return net.quiet(); }, 1000));
  }
  model::GatePacket packet(model::GateOperation operation, std::uint64_t value,
                           std::uint32_t sequence = 0) const {
    model::GatePacket p;
    p.from = {0x222, 20};
    p.to = {0x111, 8};
    p.group = 9;
    p.sequence = sequence;
    p.operation = operation;
    p.status = operation == model::GateOperation::Barrier ? 1 : 0;
    p.data = {value};
    return p;
  }
  TbiNode& node() { return *net.nodes[0]; }
  std::uint32_t status() { return net.status(0, 1); }
  bool settle() {
    return net.run_until([&] { return net.quiet(); }, 1000);
  }
  TbiNet net;
};

}  // namespace ht::test
