// SPDX-License-Identifier: Apache-2.0
// Wrong bits in the memories: soft errors, and faults.
#include <Vtofu_tbi_top.h>

#include <catch2/catch.hpp>

#include "sw/tofu/registers.hpp"
#include "tests/tofu/gates/tbi_one.hpp"

namespace registers = ht::tofu::registers::tbi;
using ht::model::GateData;
using ht::model::GateForm;
using ht::model::GateOperation;
using ht::test::kDone;
using ht::test::OneTbi;
using ht::test::operation_bits;

TEST_CASE("tbi: one wrong bit in a memory is corrected, two are reported and block the outputs") {
  for (std::uint32_t memory = 0; memory < 8; ++memory) {
    for (std::uint32_t bits = 1; bits <= 2; ++bits) {
      INFO("memory " << memory << ", bits " << bits);
      OneTbi x;
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
    OneTbi x;
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
