// SPDX-License-Identifier: Apache-2.0
// CHANNEL_RESET while an operation runs, waits and ends.
#include <Vtofu_tbi_top.h>

#include <catch2/catch.hpp>

#include "sw/tofu/registers.hpp"
#include "tests/tofu/gates/tbi_one.hpp"

namespace registers = ht::tofu::registers::tbi;
using ht::model::GateData;
using ht::model::GateForm;
using ht::model::GateOperation;
using ht::model::GatePacket;
using ht::model::GateWiring;
using ht::test::kDone;
using ht::test::OneTbi;
using ht::test::operation_bits;
using ht::test::TbiNet;

TEST_CASE("tbi: after CHANNEL_RESET no old result comes any more") {
  // Channels 1 and 2, each a start gate that answers itself by way of gate 8 or 9.
  const auto wire = [](TbiNet& net, std::uint8_t channel) {
    GateWiring start, gate;
    const auto other = static_cast<std::uint8_t>(channel + 7);
    start.channel = gate.channel = channel;
    start.local_source = start.local_destination = other;
    gate.local_source = gate.local_destination = channel;
    if (channel == 1) gate.source = gate.destination = ht::model::GateAddress{0x222, 20};
    start.group = gate.group = 9;
    net.wire(0, channel, start);
    net.wire(0, other, gate);
  };
  for (const unsigned channel : {1U, 2U}) {
    INFO("channel " << channel);
    TbiNet net({0x111});
    const auto bit = 1U << channel;
    const auto packet = [&](std::uint32_t sequence) {
      GatePacket p;
      p.from = {0x222, 20};
      p.to = {0x111, 8};
      p.group = 9;
      p.sequence = sequence;
      p.operation = GateOperation::Sum;
      p.data = {10};
      return p;
    };
    wire(net, 1);
    wire(net, 2);
    REQUIRE(net.run_until([&] { return net.quiet(); }, 1000));
    net.write(0, registers::result_address(1), 0x40);
    net.write(0, registers::result_address(2), 0x80);
    auto& node = *net.nodes[0];
    node.stall_of_16 = 16;
    // Channel 1's result is on its way into memory, channel 2's waits behind it.
    net.start(0, 1, GateOperation::Sum, GateForm::Word, {1});
    node.arrive(packet(0));
    net.run(60);
    net.start(0, 2, GateOperation::Sum, GateForm::Word, {5});
    net.run(100);
    REQUIRE(net.read(0, registers::channel_busy) == 6);
    REQUIRE(node.dut().mem_valid == 1);
    // What is reset is wired anew, and starts once more; channel 1 then waits for a packet, channel
    // 2 is done at once unless its result has to wait for memory.
    bool is_reset = false;
    std::size_t written = 0;
    node.accesses.push_back({true, registers::channel_reset, bit, [&](std::uint32_t, bool) {
                               is_reset = true;
                               written = node.memory.size();
                             }});
    net.run(50);
    if (channel == 2) REQUIRE(is_reset);  // it disturbs nothing
    if (!is_reset) node.stall_of_16 = 0;
    REQUIRE(net.run_until([&] { return is_reset; }, 20));
    CHECK((net.read(0, registers::channel_busy) & bit) == 0);
    net.write(0, registers::channel_done, bit);
    if (channel == 1) {
      wire(net, 1);
      net.start(0, 1, GateOperation::Sum, GateForm::Word, {1});
      net.run(100);
    }
    node.stall_of_16 = 0;
    REQUIRE(net.run_until([&] { return net.quiet(); }, 500));
    CHECK((net.read(0, registers::channel_done) & bit) == 0);
    if (channel == 1) {
      CHECK((net.status(0, 1) & 3U) == 1);  // busy
      CHECK(node.memory.count(0x80) == 1);
      for (const auto& [address, data] : node.memory) CHECK((address < 0x43 || address >= 0x80));
      node.memory.clear();
      node.arrive(packet(0));
      REQUIRE(net.run_until([&] { return net.quiet(); }, 500));
      CHECK((net.status(0, 1) & 3U) == kDone);
      CHECK(net.result(0, 1) == GateData{11});
      CHECK(node.memory.size() == 3);
    } else {
      CHECK(written == 0);
      CHECK(node.memory.size() == 3);  // channel 1's
      CHECK(node.memory.count(0x80) == 0);
      CHECK(net.status(0, 2) == operation_bits(GateOperation::Sum));
    }
    CHECK(net.errors(0) == 0);
  }
}

TEST_CASE("tbi: a result that is just ending as its channel is reset") {
  // CHANNEL_RESET in every cycle about the end: either the operation has ended before, or it never
  // does.
  unsigned ended = 0, given_up = 0;
  const unsigned late = GENERATE(0U, 1U, 40U);  // until what memory has taken is there
  CAPTURE(late);
  for (unsigned wait = 0; wait < 24 + 2 * late; ++wait) {
    OneTbi x;
    x.node().late = late;
    // STATUS in memory says that all of the result is.
    const auto run = [&x](unsigned cycles) {
      for (unsigned i = 0; i < cycles; ++i) {
        x.net.step();
        if (x.node().memory.contains(0x42)) REQUIRE(x.node().memory.size() == 3);
      }
    };
    x.net.write(0, registers::result_address(1), 0x40);
    x.net.start(0, 1, GateOperation::Sum, GateForm::Word, {1});
    REQUIRE(x.settle());
    x.node().arrive(x.packet(GateOperation::Sum, 10));
    run(wait);
    bool is_reset = false;
    std::size_t written = 0;
    x.node().accesses.push_back({true, registers::channel_reset, 2, [&](std::uint32_t, bool) {
                                   is_reset = true;
                                   written = x.node().memory.size();
                                 }});
    REQUIRE(x.net.run_until([&] { return is_reset; }, 20 + 2 * late));
    const std::uint32_t done = x.net.read(0, registers::channel_done);
    run(100);
    INFO("after " << wait << " cycles");
    CHECK(x.net.read(0, registers::channel_busy) == 0);
    CHECK(x.net.read(0, registers::channel_done) == done);
    CHECK(x.node().memory.size() == written);
    CHECK(written == (done == 2 ? 3U : 0U));
    ++(done == 2 ? ended : given_up);
  }
  CHECK(ended > 3);
  CHECK(given_up > 3);
}
