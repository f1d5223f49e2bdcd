// SPDX-License-Identifier: Apache-2.0
// What the registers refuse, and what they are for the host.
#include <Vtofu_tbi_top.h>

#include <catch2/catch.hpp>

#include "sw/tofu/registers.hpp"
#include "tests/tofu/gates/tbi_one.hpp"

namespace registers = ht::tofu::registers::tbi;
namespace model = ht::model;
using ht::test::kEmpty;
using ht::test::OneTbi;
using model::GateOperation;

TEST_CASE("tbi: registers refuse what they should") {
  OneTbi x;
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

TEST_CASE("tbi: two errors in one cycle are counted as two") {
  auto bad = model::to_frame(OneTbi().packet(GateOperation::Sum, 10));
  bad.set(model::tofu::header::kind, 0);
  auto other = OneTbi().packet(GateOperation::Barrier, 0);
  other.group = 10;
  for (const auto& frame : {bad, model::to_frame(other)}) {
    // Somewhere there the request is refused as the packet is found.
    for (unsigned wait = 0; wait < 24; ++wait) {
      CAPTURE(wait);
      OneTbi x;
      for (const auto& b : frame.in_chip()) x.node().in.push_back(b);
      x.net.run(wait);
      CHECK_FALSE(x.net.try_write(0, 0x020, 0));
      REQUIRE(x.settle());
      CHECK(x.net.read(0, registers::error_count) == 2);
    }
  }
}

TEST_CASE("tbi: the host may poll, be interrupted, and acknowledge") {
  OneTbi x;
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
