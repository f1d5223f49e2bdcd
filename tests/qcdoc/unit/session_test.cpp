// SPDX-License-Identifier: Apache-2.0
// QCDOC links that begin anew, train often, or lose memory under an access.
#include <Vqcdoc_scu.h>

#include <catch2/catch.hpp>

#include "sw/qcdoc/registers.hpp"
#include "tests/qcdoc/unit/node.hpp"
#include "verif/model/qcdoc/wire.hpp"

using namespace ht;
using namespace ht::test;
namespace scu = ht::qcdoc::registers::scu;
namespace link_map = ht::qcdoc::registers::link;

namespace {

constexpr unsigned enable = 1U << 31;

// Both ends of the cable from node 0 to node 1 are disabled, begin a new session, and come up.
void begin_anew(QcdocTorus& t) {
  for (unsigned end : {0U, 1U}) t.write(static_cast<int>(end), link_map::control(end), 0);
  t.run(200);
  for (unsigned end : {0U, 1U})
    t.write(static_cast<int>(end), link_map::control(end), link_map::control_new_session.mask);
  for (unsigned end : {0U, 1U}) t.write(static_cast<int>(end), link_map::control(end), 1);
  t.run(4000);
}

void retrain(QcdocTorus& t) {
  t.write(0, link_map::control(0), 1 | link_map::control_retrain.mask);
  t.run(12'000);
}

// Whether the one word that is sent next arrives as itself.
void check_next_word(QcdocTorus& t) {
  t.nodes[0]->memory[30] = 0xABCD;
  store(t, 0, 0, 1, {8 * 30, 1});
  store(t, 1, 13, 0, {800, 1});
  t.write(1, scu::start, 1U << 13);
  t.write(0, scu::start, 1U | 1U << 24);
  t.run(2000);
  CHECK(t.nodes[1]->memory[100] == 0xABCD);
  CHECK(t.read(0, link_map::tx_checksum(0)) == model::qcdoc::add_to_checksum(0, 0xABCD));
  CHECK(t.read(1, link_map::rx_checksum(1)) == model::qcdoc::add_to_checksum(0, 0xABCD));
}

}  // namespace

TEST_CASE("no word of an old session gets into the new one, wherever it waits") {
  // Four words: done, and the last one waits beside the link. Ten: stopped in the middle.
  const unsigned words = GENERATE(4U, 10U);
  // In the middle of the last access: memory takes the address late, or answers late.
  const unsigned slow = GENERATE(0U, 1U, 2U);
  CAPTURE(words, slow);
  QcdocTorus t({2}, 10);
  REQUIRE(t.bring_up());
  for (unsigned k = 0; k < 20; ++k) t.nodes[0]->memory[k] = 0x100 + k;
  store(t, 0, 0, 0, {0, words});
  if (slow == 2) t.nodes[0]->read_latency = 900;
  if (slow == 1) t.nodes[0]->busy_of_16 = 16;
  t.write(0, scu::start, 1U << 0);
  t.run(slow == 1 ? 30 : 3000);
  t.run(100);
  t.write(0, scu::stop, 1U << 0);
  if (slow == 1) {
    // An access that memory keeps waiting stays, and the new session waits for it; nobody else
    // does.
    t.write(0, link_map::control(0), 0);
    t.run(20);
    t.write(0, link_map::control(0), link_map::control_new_session.mask);
    t.write(0, scu::scratch, 77);
    CHECK(t.read(0, scu::scratch) == 77);
    CHECK(t.read(0, link_map::control(0)) == link_map::control_new_session.mask);
    // Neither training nor a supervisor word comes before it.
    t.write(0, link_map::control(0), 1);
    CHECK(!t.try_write(0, link_map::supervisor_send_high(0), 1));
    t.write(0, scu::error, scu::error_supervisor_busy.mask);
    t.run(3000);
    CHECK(link_map::status_state.get(t.read(0, link_map::status(0))) ==
          link_map::status_state_down);
    CHECK(t.nodes[0]->dut().mem_valid);
    t.nodes[0]->busy_of_16 = 0;
    t.run(100);
    CHECK((t.read(0, link_map::control(0)) & link_map::control_new_session.mask) == 0);
  }
  begin_anew(t);
  CHECK(t.read(0, link_map::tx_checksum(0)) == 0);
  CHECK(t.read(0, scu::active) == 0);
  check_next_word(t);
}

TEST_CASE("a word on its way into memory gets there, whatever becomes of its link") {
  QcdocTorus t({2}, 10);
  REQUIRE(t.bring_up());
  for (unsigned k = 0; k < 6; ++k) t.nodes[0]->memory[k] = 0x200 + k;
  t.nodes[1]->busy_of_16 = 16;
  store(t, 0, 0, 0, {0, 6});
  store(t, 1, 13, 0, {1600, 6});
  t.write(1, scu::start, 1U << 13);
  t.write(0, scu::start, 1U << 0);
  t.run(1500);
  CHECK(t.nodes[1]->dut().mem_valid);
  CHECK(t.nodes[1]->dut().mem_wdata == 0x200);
  for (unsigned end : {0U, 1U}) t.write(static_cast<int>(end), link_map::control(end), 0);
  t.write(1, scu::stop, 1U << 13);
  t.write(0, scu::stop, 1U << 0);
  // A set without STORE would drop what waits in its input, and memory gets another word.
  t.write(1, scu::global_control(0), 1U | enable);
  t.run(50);
  CHECK(t.nodes[1]->dut().mem_valid);
  CHECK(t.nodes[1]->dut().mem_wdata == 0x200);
  t.nodes[1]->busy_of_16 = 0;
  t.run(50);
  CHECK(t.nodes[1]->writes == 1);
  CHECK(t.nodes[1]->memory[200] == 0x200);
  t.write(1, scu::global_control(0), 0);
  begin_anew(t);
  check_next_word(t);
}

TEST_CASE(
    "MEMORY_BYTES lowered under an access that waits: the access is finished, the next refused") {
  QcdocTorus t({2}, 10);
  REQUIRE(t.bring_up());
  t.nodes[0]->busy_of_16 = 16;
  store(t, 0, 0, 0, {64, 4});
  t.write(0, scu::start, 1U);
  t.run(50);
  CHECK(t.nodes[0]->dut().mem_valid);
  t.write(0, scu::memory_bytes, 64);
  for (int i = 0; i < 20; ++i) {
    t.step();
    REQUIRE(t.nodes[0]->dut().mem_valid);
    REQUIRE(t.nodes[0]->dut().mem_address == 8);
  }
  t.nodes[0]->busy_of_16 = 0;
  t.run(200);
  CHECK(t.read(0, scu::error) == scu::error_dma_range.mask);
  CHECK(t.read(0, scu::error_info) == 9);
  CHECK(t.read(0, link_map::count_sent(0)) == 1);
}

TEST_CASE("a new session at the input of a global set that stays") {
  QcdocTorus t({3}, 10);
  REQUIRE(t.bring_up());
  for (unsigned k = 0; k < 6; ++k) t.nodes[0]->memory[k] = 5 + k;
  store(t, 0, 0, 0, {0, 2});
  store(t, 1, 13, 0, {800, 2});
  t.write(1, scu::global_outputs(0), 1U);
  t.write(1, scu::global_control(0), 1U | 1U << 8 | enable);
  t.write(0, scu::start, 1U);  // nobody receives at node 1: words wait there, forwarded already
  t.run(2000);
  begin_anew(t);
  const auto before = t.read(2, link_map::count_accepted(1));
  CHECK(before == 1);
  t.write(1, scu::start, 1U << 13);
  t.write(0, scu::start, 1U);
  t.run(3000);
  CHECK(t.nodes[1]->writes == 2);
  CHECK(t.read(2, link_map::count_accepted(1)) - before == 2);
}

TEST_CASE("supervisor words and partition interrupts are progress between trainings") {
  const bool partition = GENERATE(false, true);
  CAPTURE(partition);
  QcdocTorus t({2}, 10);
  REQUIRE(t.bring_up());
  for (int i : {0, 1}) {
    t.write(i, scu::partition_links, i == 0 ? 1 : 2);
    t.write(i, scu::partition_window, enable | 6);
  }
  for (unsigned i = 0; i < 10; ++i) {
    CAPTURE(i);
    if (partition) {
      t.write(0, scu::partition_raise, 1);
      t.run(1600);
      REQUIRE(t.read(1, scu::partition_present) == 1);
      t.write(1, scu::partition_present, 1);
    } else {
      t.write(0, link_map::supervisor_send_low(0), i);
      t.write(0, link_map::supervisor_send_high(0), i);
      t.run(600);
      REQUIRE(t.read(1, link_map::supervisor_low(1)) == i);
      t.write(1, link_map::supervisor_read(1), 0);
      t.run(600);
    }
    retrain(t);
    REQUIRE(t.read(0, link_map::error(0)) == 0);
    REQUIRE(t.read(1, link_map::error(1)) == 0);
  }
}

TEST_CASE("RETRAIN_LIMIT holds from the next training on, also when set below the count") {
  QcdocTorus t({2}, 10);
  REQUIRE(t.bring_up());
  for (unsigned i = 0; i < 5; ++i) retrain(t);
  CHECK(t.read(0, link_map::error(0)) == 0);
  t.write(0, scu::retrain_limit, 3);
  retrain(t);
  CHECK(t.read(0, link_map::error(0)) == link_map::error_retrain_limit.mask);
  // Disabling and enabling clears the count.
  t.write(0, scu::retrain_limit, 8);
  t.write(0, link_map::error(0), link_map::error_retrain_limit.mask);
  for (unsigned i = 0; i < 10; ++i) {
    if (i % 4 == 0)
      for (unsigned end : {0U, 1U}) {
        t.write(static_cast<int>(end), link_map::control(end), 0);
        t.run(10);
        t.write(static_cast<int>(end), link_map::control(end), 1);
        t.run(6000);
      }
    retrain(t);
  }
  CHECK(t.read(0, link_map::error(0)) == 0);
  CHECK(t.read(1, link_map::error(1)) == 0);
}
