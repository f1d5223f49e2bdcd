// SPDX-License-Identifier: Apache-2.0
// TofuD's barrier interfaces: results of 120 bytes, the registers of their words, and gates of two
// interfaces of one node.
#include <catch2/catch.hpp>
#include <cstring>

#include "sw/tofu/registers.hpp"
#include "tests/tofu/gates/tbi_one.hpp"

namespace registers = ht::tofu::registers::tbi;
using namespace ht::test;
using ht::model::GateAddress;
using ht::model::GateData;
using ht::model::GateForm;
using ht::model::GateOperation;
using ht::model::GateWiring;

namespace {

constexpr std::uint32_t kNode = 0x333;
constexpr unsigned kFirst = 1, kSecond = 5;  // interfaces

/// Interface 1 and interface 5 of a node: each one's start gate 2 signals gate 8 and sends to the
/// other one's, and each gate 8 signals its start gate.
struct Two {
  Two() : net({kNode, kNode}, 7, {kFirst, kSecond}) {
    for (std::size_t i = 0; i < 2; ++i) {
      const auto other = static_cast<std::uint8_t>(i == 0 ? kSecond : kFirst);
      GateWiring start, gate;
      start.channel = gate.channel = 2;
      start.group = gate.group = 3;
      start.local_source = start.local_destination = 8;
      gate.local_source = gate.local_destination = 2;
      start.destination = GateAddress{kNode, 8, other};
      gate.source = GateAddress{kNode, 2, other};
      net.wire(i, 2, start);
      net.wire(i, 8, gate);
    }
    REQUIRE(net.run_until([&] { return net.quiet(); }, 2000));
  }
  GateData operate(GateOperation operation, GateForm form, const GateData& a, const GateData& b) {
    net.start(0, 2, operation, form, a);
    net.start(1, 2, operation, form, b);
    REQUIRE(net.run_until([&] { return net.quiet(); }, 2000));
    CHECK(net.taken.empty());
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(net.nodes[i]->broken == 0);
      CHECK(net.nodes[i]->refused == 0);
      CHECK(net.errors(i) == 0);
      CHECK(net.status(i, 2) == (kDone | operation_bits(operation)));
    }
    CHECK(net.result(0, 2) == net.result(1, 2));
    return net.result(0, 2);
  }
  TbiNet net;
};

GateData words(std::uint64_t first) {
  GateData d{};
  for (std::size_t w = 0; w < tbi_words; ++w) d[w] = first * (w + 1);
  return d;
}

}  // namespace

TEST_CASE("tbi, three states: gates of two interfaces of one node") {
  Two x;
  CHECK(x.operate(GateOperation::Sum, GateForm::Word, words(5), words(7)) == words(12));
  const auto place = [](std::uint64_t value, std::uint64_t where) {
    return GateData{value, where, 9, where, value, where};
  };
  CHECK(x.operate(GateOperation::MaxLoc, GateForm::Word, place(3, 1), place(4, 2)) ==
        GateData{4, 2, 9, 1, 4, 2});
  GateData a{}, b{};
  const std::array<double, tbi_states> p{1.5, -3e100, 1e-300}, q{0.25, 3e100, 7};
  std::memcpy(a.data(), p.data(), sizeof p);
  std::memcpy(b.data(), q.data(), sizeof q);
  const GateData sums = x.operate(GateOperation::Fsum, GateForm::Double, a, b);
  for (std::size_t i = 0; i < tbi_states; ++i) CHECK(ht::model::rounded(sums, i) == p[i] + q[i]);
}

TEST_CASE("tbi, three states: a result of 120 bytes comes into memory before its status") {
  Two x;
  constexpr std::uint32_t at = 0x40;
  x.net.write(0, registers::result_address(2), at);
  const GateData sum = x.operate(GateOperation::Xor, GateForm::Word, words(11), words(6));
  const auto& memory = x.net.nodes[0]->memory;
  REQUIRE(memory.size() == 8);
  for (std::uint32_t i = 0; i < 8; ++i) {
    const auto& beat = memory.at(at + i);
    CHECK(beat[0] == sum[2 * i]);
    if (i < 7) CHECK(beat[1] == sum[2 * i + 1]);
  }
  CHECK((memory.at(at + 7)[1] & 0xff) == (kDone | operation_bits(GateOperation::Xor)));
  CHECK(x.net.nodes[1]->memory.empty());
}

TEST_CASE("tbi, three states: what registers refuse") {
  Two x;
  const auto refused = [&](unsigned address, std::uint32_t value, std::uint32_t cause) {
    INFO("register " << address);
    CHECK_FALSE(x.net.try_write(0, address, value));
    CHECK(x.net.errors(0) == cause);
  };
  refused(registers::operand_more(0, 20), 1, registers::error_register_unknown.mask);
  refused(registers::result_more(7, 20), 1, registers::error_register_unknown.mask);
  refused(0xa00, 1, registers::error_register_unknown.mask);
  refused(registers::result_more(3, 19), 1, registers::error_register_read_only.mask);
  refused(registers::start(2), 9, registers::error_start_operation.mask);
  refused(registers::start(2), 0x28, registers::error_start_operation.mask);  // MAXLOC of doubles
  // The last of three states is out of order.
  for (unsigned w = 0; w < 30; ++w)
    x.net.write(0, w < 10 ? registers::operand(2, w) : registers::operand_more(2, w - 10), 0);
  x.net.write(0, registers::operand_more(2, 19), 0x02000000);
  refused(registers::start(2), 0x36, registers::error_start_operand.mask);
  // A gate is not wired to itself, but to the same one of another interface.
  x.net.write(0, registers::gate_source(9), kNode | 9U << 24 | 1U << 23);
  refused(registers::gate_control(9), 0x0000000d, registers::error_wiring_self.mask);
  x.net.write(0, registers::gate_source(9), kNode | 9U << 24 | 1U << 30);
  CHECK(x.net.try_write(0, registers::gate_control(9), 0x0008000d));
  CHECK(x.net.read(0, registers::gate_source(9)) == (kNode | 9U << 24 | 1U << 30));
}
