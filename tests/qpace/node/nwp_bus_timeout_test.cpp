// SPDX-License-Identifier: Apache-2.0
// A link whose clock stands still must not hang the register bus, and its late answers must not be
// taken for those of later requests.
#include <catch2/catch.hpp>
#include <optional>
#include <random>

#include "sw/qpace/registers.hpp"
#include "tests/qpace/node/nwp_harness.hpp"

namespace {

using ht::test::links;
using ht::test::NwpHarness;
using ht::test::RegisterReply;
using ht::test::stages;
namespace nwp = ht::qpace::registers::nwp;
namespace link = ht::qpace::registers::link;
namespace uart = ht::qpace::registers::uart;

/// Three characters wait in serial port 0, which hears itself.
void fill_serial_port(NwpHarness& h) {
  h.run_core(200);
  h.write(uart::divisor(0), 8);
  h.write(uart::control(0), uart::control_loopback.mask | uart::control_trigger.put(1));
  for (const std::uint32_t c : {'A', 'B', 'C'}) h.write(uart::data(0), c);
  h.run_core(800);
  REQUIRE(uart::status_rx_level.get(h.read(uart::status(0))) == 3);
}

void expect_characters(NwpHarness& h) {
  CHECK(uart::status_rx_level.get(h.read(uart::status(0))) == 3);
  CHECK(h.read(uart::error(0)) == 0);
  for (const std::uint32_t c : {'A', 'B', 'C'})
    CHECK(h.read(uart::data(0)) == (uart::data_valid.mask | c));
}

TEST_CASE("a link without a clock: bus error with its cause, and everything else goes on") {
  NwpHarness h;
  h.run_core(200);
  h.link_clock_runs = false;
  const RegisterReply first = h.access(false, link::ack_timeout(2));
  CHECK(first.error);
  CHECK(first.value == 0);
  CHECK(first.cycles == nwp::block_timeout + 1 + 2 * stages);
  CHECK(h.interrupt());
  CHECK(h.read(nwp::error) == nwp::error_register_timeout.mask);
  CHECK(h.read(nwp::error_first) == nwp::error_register_timeout.mask);
  CHECK(h.read(nwp::error_info) == link::ack_timeout(2));
  CHECK(h.read(nwp::error_count) == 1);

  // again: refused at once, since the first request is still on its way
  const RegisterReply second = h.access(true, link::retry_limit(2), 3);
  CHECK(second.error);
  CHECK(second.cycles == 1 + stages);
  CHECK(h.read(nwp::error_count) == 2);

  // the node's own registers, channels and the other links are not affected by this one
  CHECK(h.access(true, nwp::scratch, 5).cycles == 1 + stages);
  h.write(nwp::base(2, 1), 7);
  h.post_credit(2, 1, 0, 3);
  CHECK(h.access(false, link::ack_timeout(3)).cycles == nwp::block_timeout + 1 + 2 * stages);

  h.link_clock_runs = true;
  h.run_core(20);
  CHECK(h.read(link::ack_timeout(2)) == 0x400);
  CHECK(h.read(link::retry_limit(2)) == 16);
  CHECK(h.read(link::ack_timeout(3)) == 0x400);
  h.write(nwp::error, 0xFFFFFFFF);
  CHECK_FALSE(h.interrupt());
}

TEST_CASE(
    "a write that timed out does nothing when the clock comes back, whatever the bus says then") {
  for (int pause = 0; pause < 20; ++pause) {
    CAPTURE(pause);
    NwpHarness h;
    h.run_core(200);
    h.link_clock_runs = false;
    CHECK(h.access(true, link::ack_timeout(4), 77).error);
    // The bus holds another write while the late one is carried out: to NOTIFY_BASE, which agrees
    // with RETRY_LIMIT in the six bits of the address that a link sees.
    h.access(true, nwp::scratch, 0x1234);
    h.run_core(pause);
    h.link_clock_runs = true;
    for (int i = 0; i < 20; ++i) h.write(nwp::notify_base, 0x99);
    CHECK(h.read(link::ack_timeout(4)) == 0x400);
    CHECK(h.read(link::retry_limit(4)) == 16);
    CHECK(h.read(link::control(4)) == 0);
    CHECK(h.read(nwp::error) == nwp::error_register_timeout.mask);
  }
}

TEST_CASE(
    "a request to a serial port that timed out does nothing when the clock comes back, whatever "
    "the "
    "bus says then") {
  // BASE of this channel agrees with DATA in the seven bits of the address that a port sees: what
  // reads it takes a character.
  const std::uint32_t like_data = nwp::base(5, 0);
  REQUIRE((like_data & 0x7F) == (uart::data(0) & 0x7F));
  const std::uint32_t line = uart::control_loopback.mask | uart::control_trigger.put(1);
  for (int pause = 0; pause < 20; ++pause) {
    for (const bool write : {true, false}) {
      CAPTURE(pause, write);
      NwpHarness h;
      fill_serial_port(h);
      h.io_clock_runs = false;
      const std::uint32_t address = write ? uart::control(0) : uart::data(0);
      CHECK(h.access(write, address, line | uart::control_two_stop.mask).error);
      CHECK(h.access(write, address, line).error);  // at once
      h.access(false, like_data);
      h.run_core(pause);
      h.io_clock_runs = true;
      for (int i = 0; i < 20; ++i) h.access(i % 2 == 0, like_data, 0x99);
      CHECK(h.read(uart::control(0)) == line);
      expect_characters(h);
      CHECK(h.read(nwp::error) == nwp::error_register_timeout.mask);
    }
  }
}

TEST_CASE(
    "a serial port's clock that comes back as the time is up: the request is whole, or none") {
  const std::uint32_t line = uart::control_loopback.mask | uart::control_trigger.put(1);
  int whole = 0, none = 0;
  constexpr int limit = nwp::block_timeout;
  for (int at = limit - 24; at < limit + 12; ++at) {
    CAPTURE(at);
    NwpHarness h;
    fill_serial_port(h);
    h.io_clock_runs = false;
    int left = at;
    h.sink_ready = [&] {  // asked every core cycle
      if (--left == 0) h.io_clock_runs = true;
      return true;
    };
    const bool late = h.access(true, uart::control(0), line | uart::control_two_stop.mask).error;
    for (int i = 0; i < 20; ++i) h.access(i % 2 == 0, nwp::base(5, 0), 0x99);
    const std::uint32_t control = h.read(uart::control(0));
    CHECK((control & ~uart::control_two_stop.mask) == line);
    if (!late) CHECK(control != line);
    (control != line ? whole : none) += 1;
    expect_characters(h);
  }
  CHECK(whole > 5);
  CHECK(none > 5);
}

TEST_CASE("a clock that comes and goes at random: what is answered is right") {
  NwpHarness h;
  h.run_core(200);
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  // what each ACK_TIMEOUT and BUSY_PROBE may hold; two values after a write without an answer
  struct Cell {
    std::uint32_t value;
    std::optional<std::uint32_t> other;
  };
  Cell cells[links][2];
  for (auto& row : cells) {
    row[0] = {0x400, {}};
    row[1] = {0x4000, {}};
  }
  int next = 300;
  h.sink_ready = [&] {  // asked every core cycle
    if (--next < 0) {
      h.link_clock_runs = !h.link_clock_runs;
      next = static_cast<int>(h.link_clock_runs ? below(150)
                              : below(3) == 0   ? below(1500)
                                                : below(30));
    }
    return true;
  };
  int answered = 0, refused = 0, torn = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::uint32_t l = below(links), which = below(2);
    const std::uint32_t address = which == 0 ? link::ack_timeout(l) : link::busy_probe(l);
    Cell& cell = cells[l][which];
    if (below(2) == 0) {
      const std::uint32_t value = (1 + below(0xFFFF)) << (8 * which);
      const RegisterReply reply = h.access(true, address, value);
      if (!reply.error)
        cell = {value, {}};
      else if (reply.cycles > 1) {  // it may have been carried out just as the time was up
        cell.other = value;
        ++torn;
      }
      (reply.error ? refused : answered) += 1;
    } else {
      const RegisterReply reply = h.access(false, address);
      (reply.error ? refused : answered) += 1;
      if (reply.error) continue;
      INFO("access " << i << ", link " << l << ", register " << which);
      REQUIRE((reply.value == cell.value || (cell.other && reply.value == *cell.other)));
      cell = {reply.value, {}};
    }
  }
  CHECK(answered > 1000);
  CHECK(refused > 200);
  CHECK(torn > 10);
  h.sink_ready = [] { return true; };
  h.link_clock_runs = true;
  h.run_core(50);
  for (std::uint32_t l = 0; l < links; ++l)
    CHECK((h.read(link::ack_timeout(l)) == cells[l][0].value ||
           h.read(link::ack_timeout(l)) == cells[l][0].other));
}

}  // namespace
