// SPDX-License-Identifier: Apache-2.0
// Each class of error by itself, soft errors, what is refused, and how long things take.
#include <Vtofu_tbi_top.h>

#include <catch2/catch.hpp>

#include "sw/tofu/registers.hpp"
#include "tests/model/gate_operations.hpp"
#include "tests/rtl/tofu_tbi_node.hpp"

namespace registers = ht::tofu::registers::tbi;
namespace model = ht::model;
using ht::test::some_nodes;
using ht::test::TbiNet;
using model::GateData;
using model::GateForm;
using model::GateOperation;
using model::GatePacket;
using model::GateWiring;
using model::tofu::ChipBeat;

namespace {

constexpr std::uint32_t kDone = 2, kEmpty = 0x100, kMismatch = 0x200, kSequence = 0x400,
                        kAddress = 0x800, kBroadcast = 0x1000, kGroup = 0x4000;

std::uint32_t operation_bits(GateOperation o) {
  return static_cast<std::uint32_t>(o) << 4;
}

/// One node: start gate 1 signals gate 8, which waits for a packet of gate 20 of another node as
/// well, signals gate 1 and answers.
struct One {
  One() : net({0x111}) {
    GateWiring start, gate;
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
  GatePacket packet(GateOperation operation, std::uint64_t value,
                    std::uint32_t sequence = 0) const {
    GatePacket p;
    p.from = {0x222, 20};
    p.to = {0x111, 8};
    p.group = 9;
    p.sequence = sequence;
    p.operation = operation;
    p.status = operation == GateOperation::Barrier ? 1 : 0;
    p.data = {value};
    return p;
  }
  ht::test::TbiNode& node() { return *net.nodes[0]; }
  std::uint32_t status() { return net.status(0, 1); }
  bool settle() {
    return net.run_until([&] { return net.quiet(); }, 1000);
  }
  TbiNet net;
};

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
  One x;
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
    One x;
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
  One x;
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
  One x;
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
  const auto good = [](One& x) {
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
    One x;
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
  One x;
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

TEST_CASE("tbi: one wrong bit in a memory is corrected, two are reported and block the outputs") {
  for (std::uint32_t memory = 0; memory < 8; ++memory) {
    for (std::uint32_t bits = 1; bits <= 2; ++bits) {
      INFO("memory " << memory << ", bits " << bits);
      One x;
      const bool monitor = memory == registers::inject_memory_monitor;
      // Read by what follows: an operand is read at START, a bank by the packet after it.
      x.net.write(0, registers::inject, memory | bits << 4);
      x.net.start(0, 1, GateOperation::Sum, GateForm::Word, {1});
      x.net.run(40);
      x.node().arrive(x.packet(GateOperation::Sum, 10));
      x.net.run(100);
      if (bits == 1 && !monitor) {
        CHECK(x.net.result(0, 1) == GateData{11});
        CHECK(x.status() == (kDone | operation_bits(GateOperation::Sum)));
        CHECK(x.net.read(0, registers::soft_corrected) == 1);
        CHECK(x.net.errors(0) == 0);
        CHECK(x.node().dut().fault == 0);
        CHECK(x.net.taken.size() == 1);
        continue;
      }
      if (memory == registers::inject_memory_result) {
        // Read by the host: it must not be believed.
        bool ended = false, refused = false;
        x.node().accesses.push_back({false, registers::result(1, 0), 0, [&](std::uint32_t, bool r) {
                                       ended = true;
                                       refused = r;
                                     }});
        REQUIRE(x.net.run_until([&] { return ended; }, 100));
        CHECK(refused);
        x.net.run(10);
      }
      CHECK(x.node().dut().fault == 1);
      CHECK(x.node().dut().irq == 1);
      CHECK((x.net.read(0, registers::error) & registers::error_fault.mask) != 0);
      const auto sent = x.net.taken.size();
      CHECK(sent == (memory == registers::inject_memory_result ? 1U : 0U));
      x.node().arrive(x.packet(GateOperation::Sum, 10, 1));
      x.net.run(200);
      CHECK(x.net.taken.size() == sent);
      CHECK(x.node().memory.empty());
    }
  }
}

TEST_CASE("tbi: a fault while a result goes into memory does not hold up the register bus") {
  for (const std::uint32_t memory :
       {registers::inject_memory_result, registers::inject_memory_monitor}) {
    INFO("memory " << memory);
    One x;
    x.net.write(0, registers::result_address(1), 0x40);
    x.net.start(0, 1, GateOperation::Sum, GateForm::Word, {1});
    REQUIRE(x.settle());
    x.node().stall_of_16 = 16;  // memory takes nothing
    x.node().arrive(x.packet(GateOperation::Sum, 10));
    if (memory == registers::inject_memory_result)
      x.net.write(0, registers::inject, memory | 2U << 4);
    x.net.run(40);
    if (memory == registers::inject_memory_monitor) {
      REQUIRE(x.node().dut().mem_valid == 1);
      x.net.write(0, registers::inject, memory | 1U << 4);
      x.node().arrive(x.packet(GateOperation::Sum, 10, 1));
      x.net.run(40);
    }
    CHECK(x.node().dut().fault == 1);
    CHECK(x.node().dut().mem_valid == 0);
    unsigned answers = 0;
    const auto count = [&](std::uint32_t, bool) { ++answers; };
    for (unsigned word = 0; word < 10; ++word)
      x.node().accesses.push_back({false, registers::result(1, word), 0, count});
    x.node().accesses.push_back({true, registers::channel_reset, 2, count});
    x.node().accesses.push_back({false, registers::error, 0, count});
    x.net.run(200);
    REQUIRE(answers == 12);
    x.node().stall_of_16 = 0;
    x.net.run(200);
    CHECK(x.node().memory.empty());
    CHECK((x.status() & kDone) == 0);
  }
}

TEST_CASE("tbi: after CHANNEL_RESET no old result comes any more") {
  // Channels 1 and 2, each a start gate that answers itself by way of gate 8 or 9.
  const auto wire = [](TbiNet& net, std::uint8_t channel) {
    GateWiring start, gate;
    const auto other = static_cast<std::uint8_t>(channel + 7);
    start.channel = gate.channel = channel;
    start.local_source = start.local_destination = other;
    gate.local_source = gate.local_destination = channel;
    if (channel == 1) gate.source = gate.destination = model::GateAddress{0x222, 20};
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
  for (unsigned wait = 0; wait < 24; ++wait) {
    One x;
    x.net.write(0, registers::result_address(1), 0x40);
    x.net.start(0, 1, GateOperation::Sum, GateForm::Word, {1});
    REQUIRE(x.settle());
    x.node().arrive(x.packet(GateOperation::Sum, 10));
    x.net.run(wait);
    bool is_reset = false;
    std::size_t written = 0;
    x.node().accesses.push_back({true, registers::channel_reset, 2, [&](std::uint32_t, bool) {
                                   is_reset = true;
                                   written = x.node().memory.size();
                                 }});
    REQUIRE(x.net.run_until([&] { return is_reset; }, 20));
    const std::uint32_t done = x.net.read(0, registers::channel_done);
    x.net.run(100);
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

TEST_CASE("tbi: registers refuse what they should") {
  One x;
  CHECK(x.net.read(0, registers::id) == 0x54544249U);
  const auto refused = [&](unsigned address, std::uint32_t value, std::uint32_t cause) {
    INFO("register " << address);
    CHECK_FALSE(x.net.try_write(0, address, value));
    CHECK(x.net.read(0, registers::error_info) == address);
    CHECK(x.net.read(0, registers::error_first) == cause);
    CHECK(x.net.errors(0) == cause);
  };
  namespace error = model::gate_error;
  refused(0x020, 0, registers::error_register_unknown.mask);
  refused(0x500, 0, registers::error_register_unknown.mask);
  refused(registers::start(0) + 3, 0, registers::error_register_unknown.mask);
  refused(registers::result(0, 0) + 10, 0, registers::error_register_unknown.mask);
  refused(registers::id, 0, registers::error_register_read_only.mask);
  refused(registers::status(3), 0, registers::error_register_read_only.mask);
  refused(registers::result(3, 9), 0, registers::error_register_read_only.mask);
  refused(registers::gate_state(3), 0, registers::error_register_read_only.mask);
  refused(registers::start(2), 0, error::kStartUnwired);
  refused(registers::start(1), 8, error::kStartOperation);
  refused(registers::start(1), 0x40, error::kStartOperation);
  refused(registers::start(1), 0x10, error::kStartOperation);  // a barrier with data
  x.net.write(0, registers::operand(1, 9), 0x02000000);
  refused(registers::start(1), 0x36, error::kStartOperand);
  refused(registers::gate_source(8), 0, error::kWiringBusy);
  refused(registers::gate_control(9), 0x00000001, error::kWiringIncomplete);
  refused(registers::gate_control(9), 0x00000003, error::kWiringIncomplete);  // no outputs
  refused(registers::gate_control(9), 0x0000090b, error::kWiringSelf);
  refused(registers::gate_control(9), 0x0009000b, error::kWiringSelf);
  refused(registers::gate_control(2), 0x0000003b, error::kWiringIncomplete);  // of channel 1
  x.net.write(0, registers::gate_source(9), 0x09000111);
  refused(registers::gate_control(9), 0x0000000d, error::kWiringSelf);
  x.net.write(0, registers::gate_destination(9), 0x09100111);
  refused(registers::gate_control(9), 0x00000013, error::kWiringSelf);
  CHECK(x.net.read(0, registers::gate_control(9)) == 0);
  x.net.write(0, registers::start(1), 0);
  refused(registers::start(1), 0, error::kStartBusy);
  refused(registers::gate_control(8), 0, error::kWiringBusy);
  refused(registers::gate_control(20), 0x00120023 | 8, error::kWiringBusy);  // into a busy channel
  CHECK(x.net.read(0, registers::channel_busy) == 2);
  x.net.write(0, registers::channel_reset, 2);
  CHECK(x.net.read(0, registers::channel_busy) == 0);
  refused(registers::start(1), 0, error::kStartUnwired);
}

TEST_CASE("tbi: the host may poll, be interrupted, and acknowledge") {
  One x;
  x.net.write(0, registers::done_enable, 2);
  x.net.start(0, 1, GateOperation::Barrier);
  x.node().arrive(x.packet(GateOperation::Barrier, 0));
  REQUIRE(x.settle());
  CHECK(x.node().dut().irq == 1);
  CHECK(x.net.read(0, registers::channel_done) == 2);
  x.net.write(0, registers::channel_done, 2);
  CHECK(x.node().dut().irq == 0);
  CHECK(x.status() == kEmpty);
  CHECK(x.net.read(0, registers::packets_in) == 1);
  CHECK(x.net.read(0, registers::packets_out) == 1);
}

TEST_CASE("tbi: ten cycles from the last beat in to the first beat out of a gate") {
  for (const auto operation : {GateOperation::Barrier, GateOperation::Sum, GateOperation::Fsum}) {
    One x;
    const bool data = operation != GateOperation::Barrier;
    auto packet = x.packet(operation, 0);
    x.net.start(0, 1, operation,
                !data                             ? GateForm::None
                : operation == GateOperation::Sum ? GateForm::Word
                                                  : GateForm::Double,
                {5});
    REQUIRE(x.net.run_until([&] { return x.node().accesses.empty(); }, 200));
    x.net.run(50);
    x.node().arrive(packet);
    REQUIRE(x.settle());
    const auto cycles = x.node().first_beat_out - x.node().last_beat_in;
    CHECK(cycles == 8);
    CHECK(cycles <= 10);  // tofu.gate_cycles
  }
}

TEST_CASE("tbi: operations of different channels overlap") {
  const auto coordinates = some_nodes(8);
  const auto time = [&](unsigned channels) {
    TbiNet net(coordinates, 3);
    net.longest_way = 1;
    for (unsigned c = 0; c < channels; ++c)
      net.wire(
          ht::test::recursive_doubling({coordinates, static_cast<std::uint8_t>(c), 3, 8 + 4 * c}));
    for (std::size_t i = 0; i < 8; ++i) {
      for (unsigned c = 0; c < channels; ++c) net.start(i, c, GateOperation::Barrier);
    }
    const auto begin = net.cycle;
    REQUIRE(net.run_until([&] { return net.quiet(); }, 5000));
    const auto cycles = net.cycle - begin;
    for (std::size_t i = 0; i < 8; ++i) {
      for (unsigned c = 0; c < channels; ++c) CHECK((net.status(i, c) & 3U) == kDone);
    }
    return cycles;
  };
  const auto one = time(1), eight = time(8);
  INFO("one channel " << one << " cycles, eight " << eight);
  // One after the other they would take eight times as long; the starts alone take eight each.
  CHECK(eight < 4 * one);
  CHECK(eight < one + 7 * 9 + 30);
}

TEST_CASE("tbi: cycles in which nothing happens may be left out") {
  const auto coordinates = some_nodes(5);
  const auto history = [&](bool skip, std::uint64_t& skipped) {
    TbiNet net(coordinates, 7);
    for (auto& node : net.nodes) node->skip_idle = skip;
    net.wire(ht::test::binary_tree({coordinates}));
    std::mt19937_64 r(1);
    std::vector<std::uint64_t> seen;
    for (int k = 0; k < 20; ++k) {
      const auto job = ht::test::random_job(5, r);
      for (std::size_t i = 0; i < 5; ++i) {
        net.run(r() % 50);
        net.start(i, 1, job.operation, job.forms[i], job.operands[i]);
      }
      REQUIRE(net.run_until([&] { return net.quiet(); }, 3000));
      seen.push_back(net.cycle);
      for (std::size_t i = 0; i < 5; ++i) {
        REQUIRE(net.result(i, 1) == job.expected);
        seen.push_back(net.nodes[i]->first_beat_out);
      }
    }
    for (const auto& node : net.nodes) skipped += node->skips;
    return seen;
  };
  std::uint64_t none = 0, many = 0;
  CHECK(history(false, none) == history(true, many));
  CHECK(none == 0);
  CHECK(many > 1000);
}
