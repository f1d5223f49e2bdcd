// SPDX-License-Identifier: Apache-2.0
// Each class of error by itself: operations that do not fit one another, packets that fit none.
#include <Vtofu_tbi_top.h>

#include <catch2/catch.hpp>

#include "sw/tofu/registers.hpp"
#include "tests/tofu/gates/tbi_one.hpp"
#include "tests/tofu/model/gate_operations.hpp"

namespace registers = ht::tofu::registers::tbi;
namespace model = ht::model;
using ht::test::kAddress;
using ht::test::kBroadcast;
using ht::test::kDone;
using ht::test::kEmpty;
using ht::test::kGroup;
using ht::test::kMismatch;
using ht::test::kSequence;
using ht::test::OneTbi;
using ht::test::operation_bits;
using ht::test::some_nodes;
using ht::test::TbiNet;
using model::GateData;
using model::GateForm;
using model::GateOperation;
using model::tofu::ChipBeat;

namespace {

/// Runs one operation over a pattern whose nodes may do as they like; true if all ended.
bool all_end(TbiNet& net, unsigned channel) {
  return net.run_until(
             [&] {
               for (auto& node : net.nodes) {
                 if (!node->accesses.empty()) return false;
               }
               return net.quiet();
             },
             5000) &&
         [&] {
           for (std::size_t i = 0; i < net.nodes.size(); ++i) {
             if ((net.status(i, channel) & 3U) != kDone) return false;
           }
           return true;
         }();
}

}  // namespace

TEST_CASE("tbi: different operations end with MISMATCH at every node") {
  for (const auto& named : ht::test::all_patterns()) {
    for (const std::size_t n : {2U, 5U, 8U}) {
      INFO(named.name << ", " << n << " nodes");
      const auto coordinates = some_nodes(n);
      TbiNet net(coordinates, n);
      net.wire(named.make({coordinates}));
      const auto of = [&](std::size_t i) {
        return i == n / 2 ? GateOperation::Sum : GateOperation::Xor;
      };
      for (std::size_t i = 0; i < n; ++i) net.start(i, 1, of(i), GateForm::Word, {i + 1});
      REQUIRE(all_end(net, 1));
      std::uint32_t errors = 0;
      for (std::size_t i = 0; i < n; ++i) {
        CHECK((net.status(i, 1) & 0x7fffU) == (kDone | kEmpty | kMismatch | operation_bits(of(i))));
        CHECK(net.result(i, 1) == GateData{});
        errors |= net.errors(i);
      }
      CHECK(errors == model::gate_error::kMismatch);
    }
  }
}

TEST_CASE("tbi: two roots of a broadcast end it with an error at every node") {
  const auto coordinates = some_nodes(6);
  TbiNet net(coordinates, 6);
  net.wire(ht::test::recursive_doubling({coordinates}));
  for (std::size_t i = 0; i < 6; ++i)
    net.start(i, 1, GateOperation::Broadcast, i % 4 == 1 ? GateForm::Word : GateForm::None, {7});
  REQUIRE(all_end(net, 1));
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(net.status(i, 1) ==
          (kDone | kEmpty | kBroadcast | operation_bits(GateOperation::Broadcast)));
}

TEST_CASE("tbi: one operation ahead waits in the other bank, and is right") {
  OneTbi x;
  x.node().arrive(x.packet(GateOperation::Sum, 10, 0));
  x.node().arrive(x.packet(GateOperation::Sum, 100, 1));
  REQUIRE(x.settle());
  CHECK(x.net.read(0, registers::gate_state(8)) == 0x0a000000U);
  for (std::uint64_t k = 0; k < 2; ++k) {
    x.net.start(0, 1, GateOperation::Sum, GateForm::Word, {1});
    REQUIRE(x.settle());
    CHECK(x.status() == (kDone | operation_bits(GateOperation::Sum)));
    CHECK(x.net.result(0, 1) == GateData{k == 0 ? 11U : 101U});
  }
  REQUIRE(x.net.taken.size() == 2);
  CHECK(x.net.taken[0].data == GateData{11});
  CHECK(x.net.taken[0].path == 5);
  CHECK(x.net.taken[1].sequence == 1);
  CHECK(x.net.errors(0) == 0);
}

TEST_CASE("tbi: two operations ahead, behind and twice are SEQUENCE, and the operation ends") {
  for (const std::uint32_t wrong : {2U, 0xffffffU, 0U}) {
    OneTbi x;
    x.node().arrive(x.packet(GateOperation::Sum, 10, 0));
    x.node().arrive(x.packet(GateOperation::Sum, 10, wrong));
    x.net.start(0, 1, GateOperation::Sum, GateForm::Word, {1});
    REQUIRE(x.settle());
    CHECK(x.status() == (kDone | kEmpty | kSequence | operation_bits(GateOperation::Sum)));
    CHECK(x.net.result(0, 1) == GateData{});
    CHECK(x.net.read(0, registers::error_info) == (0x80000000U | 0x222U << 12 | 8U));
    CHECK(x.net.errors(0) == model::gate_error::kSequence);
    CHECK(x.node().dut().irq == 0);
    REQUIRE(x.net.taken.size() == 1);
    CHECK(x.net.taken[0].status == (model::gate_status::kSequence | model::gate_status::kEmpty));
  }
}

TEST_CASE("tbi: a packet of another group is GROUP and disturbs no operation") {
  OneTbi x;
  auto foreign = x.packet(GateOperation::Sum, 1000);
  foreign.group = 8;
  x.net.start(0, 1, GateOperation::Sum, GateForm::Word, {1});
  REQUIRE(x.settle());
  x.node().arrive(foreign);
  REQUIRE(x.settle());
  CHECK(x.node().dut().irq == 1);
  CHECK(x.status() == (1U | kGroup | operation_bits(GateOperation::Sum)));
  CHECK(x.net.errors(0) == model::gate_error::kGroup);
  x.node().arrive(x.packet(GateOperation::Sum, 10));
  REQUIRE(x.settle());
  CHECK(x.net.result(0, 1) == GateData{11});
}

TEST_CASE("tbi: a packet from another gate is ADDRESS, and the operation ends") {
  OneTbi x;
  auto stranger = x.packet(GateOperation::Sum, 1000);
  stranger.from.gate = 21;
  x.net.start(0, 1, GateOperation::Sum, GateForm::Word, {1});
  x.node().arrive(stranger);
  REQUIRE(x.settle());
  CHECK(x.status() == (kDone | kEmpty | kAddress | operation_bits(GateOperation::Sum)));
  CHECK(x.net.errors(0) == model::gate_error::kAddress);
  stranger.to.gate = 30;  // not wired: dropped
  x.node().arrive(stranger);
  REQUIRE(x.settle());
  CHECK(x.net.errors(0) == model::gate_error::kAddress);
  CHECK(x.net.taken.size() == 1);
}

TEST_CASE(
    "tbi: bits of beats are corrected, wrong packets dropped and reported, void ones dropped") {
  const auto good = [](OneTbi& x) {
    return model::to_frame(x.packet(GateOperation::Sum, 10)).in_chip();
  };
  struct Case {
    const char* name;
    std::function<void(std::vector<ChipBeat>&)> damage;
    bool arrives, reported;
    unsigned corrected;
  };
  const std::vector<Case> cases{
      {"one bit of data", [](auto& b) { b[2].data[0] ^= 4; }, true, false, 1},
      {"one bit of the code", [](auto& b) { b[0].ecc ^= 0x100; }, true, false, 1},
      {"a bit in both halves", [](auto& b) { b[1].data[0] ^= 1, b[1].data[1] ^= 8; }, true, false,
       1},
      {"two bits", [](auto& b) { b[2].data[1] ^= 5; }, false, true, 0},
      {"wrong CRC",
       [](auto& b) {
         b[5] = ChipBeat::make({b[5].data[0] ^ std::uint64_t{1} << 40, 0}, false, true);
       },
       false, true, 0},
      {"parity of the marks", [](auto& b) { b[3].parity = !b[3].parity; }, false, true, 0},
      {"void",
       [](auto& b) {
         b[5] = ChipBeat::make({0, 0}, false, true, true);
       },
       false, false, 0},
      {"void and short",
       [](auto& b) {
         b[3] = ChipBeat::make({0, 0}, false, true, true);
         b.resize(4);
       },
       false, false, 0},
      {"too short", [](auto& b) { b.erase(b.begin() + 3); }, false, true, 0},
      {"too long", [](auto& b) { b.insert(b.begin() + 3, b[3]); }, false, true, 0},
  };
  for (const auto& c : cases) {
    INFO(c.name);
    OneTbi x;
    x.net.start(0, 1, GateOperation::Sum, GateForm::Word, {1});
    auto beats = good(x);
    c.damage(beats);
    for (const auto& b : beats) x.node().in.push_back(b);
    REQUIRE(x.settle());
    CHECK((x.status() & 3U) == (c.arrives ? kDone : 1U));
    CHECK(x.net.errors(0) == (c.reported ? model::gate_error::kPacketBad : 0));
    CHECK(x.net.read(0, registers::soft_corrected) == c.corrected);
    // The right one comes after all.
    if (!c.arrives) x.node().arrive(x.packet(GateOperation::Sum, 10));
    REQUIRE(x.settle());
    CHECK(x.net.result(0, 1) == GateData{11});
    CHECK(x.node().dut().fault == 0);
  }
}

TEST_CASE("tbi: a frame of another form, kind or node is no gate's packet") {
  OneTbi x;
  const auto frame = model::to_frame(x.packet(GateOperation::Sum, 10));
  const auto send = [&](const model::tofu::Packet& p) {
    for (const auto& b : p.in_chip()) x.node().in.push_back(b);
    REQUIRE(x.settle());
    CHECK(x.net.errors(0) == model::gate_error::kPacketBad);
  };
  for (const auto& [field, value] : std::vector<std::pair<model::tofu::HeaderField, std::uint32_t>>{
           {model::tofu::header::kind, 0},
           {model::tofu::header::to, 0x112},
           {model::tofu::header::interface, 3},
           {model::tofu::header::beats, 2},
           {{124, 4}, 8},
           {{124, 4}, 0}}) {
    auto wrong = frame;
    wrong.set(field, value);
    send(wrong);
  }
}
