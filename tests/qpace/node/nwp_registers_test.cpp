// SPDX-License-Identifier: Apache-2.0
// The register bus of qpace_nwp: every register of the map, and everything that must be refused.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "sw/qpace/registers.hpp"
#include "tests/qpace/node/nwp_harness.hpp"

namespace {

using ht::test::NwpHarness;
using ht::test::stages;
namespace nwp = ht::qpace::registers::nwp;
namespace link = ht::qpace::registers::link;
namespace uart = ht::qpace::registers::uart;
namespace gmac = ht::qpace::registers::gmac;
using ht::qpace::registers::Access;
using ht::qpace::registers::Register;

struct Word {
  std::uint32_t address;
  const Register* reg;
};

/// The smallest number that a link's register takes.
std::uint32_t smallest(const Register& r) {
  if (r.name == "ACK_TIMEOUT") return link::ack_timeout_min;
  if (r.name == "RETRY_LIMIT") return link::retry_limit_min;
  if (r.name == "TRAIN_TIMEOUT") return link::train_timeout_min;
  if (r.name == "BUSY_PROBE") return link::busy_probe_min;
  if (r.name == "ALIVE_TIMEOUT") return link::alive_timeout_min;
  return 0;
}

// Every register word of a node, in the order of addresses of the tables.
std::vector<Word> all_words() {
  std::vector<Word> words;
  for (const Register& r : nwp::all) {
    for (std::uint32_t i = 0; i < r.count0; ++i) {
      for (std::uint32_t j = 0; j < r.count1; ++j)
        words.push_back({r.address + i * r.stride0 + j * r.stride1, &r});
    }
  }
  for (std::uint32_t i = 0; i < nwp::links; ++i) {
    for (const Register& r : link::all) words.push_back({nwp::link_window(i) + r.address, &r});
  }
  for (std::uint32_t i = 0; i < 2; ++i) {
    for (const Register& r : uart::all) words.push_back({nwp::uart_window(i) + r.address, &r});
  }
  for (const Register& r : gmac::all) words.push_back({nwp::gmac_window(0) + r.address, &r});
  return words;
}

// What a read of every register gives that only writes of it change: neither those that the map
// calls volatile nor those that tell of refused requests.
std::vector<std::uint32_t> snapshot(NwpHarness& h) {
  std::vector<std::uint32_t> values;
  for (const Word& w : all_words()) {
    const bool tells_of_refused = w.address >= nwp::error && w.address <= nwp::error_count;
    if (!w.reg->is_volatile && !tells_of_refused)
      values.push_back(h.access(false, w.address).value);
  }
  REQUIRE(values.size() > 6 * 8 * 4);
  return values;
}

TEST_CASE("registers hold their reset values") {
  NwpHarness h;
  for (int round = 0; round < 2; ++round) {
    int seen = 0;
    for (const Word& w : all_words()) {
      INFO("round " << round << ": " << w.reg->name << " at " << std::hex << w.address);
      const auto reply = h.access(false, w.address);
      CHECK_FALSE(reply.error);
      if (!w.reg->is_volatile) {
        CHECK(reply.value == w.reg->reset);
        ++seen;
      }
    }
    CHECK(seen > 6 * 8 * 4);
    CHECK_FALSE(h.interrupt());
    // Whatever was written, a reset brings it back.
    for (const Word& w : all_words()) {
      if (w.reg->access == Access::ReadWrite)
        h.access(true, w.address, w.reg->max == 0xFFFFFFFF ? 0xA5A5A5A4 : w.reg->max);
    }
    h.reset();
  }
}

TEST_CASE("VERSION tells what was built") {
  NwpHarness h;
  const std::uint32_t version = h.read(nwp::version);
  CHECK(nwp::version_registers.get(version) == 3);
  CHECK(nwp::version_links.get(version) == nwp::links);
  CHECK(nwp::version_channels.get(version) == nwp::channels);
  CHECK(nwp::version_credit_depth.get(version) == nwp::credit_depth);
  CHECK(nwp::version_rx_slots.get(version) >= 2);
}

TEST_CASE("registers that can be written keep what was written, each its own") {
  NwpHarness h;
  const auto value = [](const Word& w) {
    const std::uint32_t any = 0x9E3779B1U * (w.address + 1);
    return w.reg->max == 0xFFFFFFFF ? any
                                    : std::clamp(any & w.reg->mask, smallest(*w.reg), w.reg->max);
  };
  const auto plain = [](const Word& w) {
    // serial ports and Ethernet refuse some values: uart_test.cpp, gmac_test.cpp
    return w.reg->access == Access::ReadWrite && w.address < nwp::uart_window(0) &&
           w.address != link::control((w.address - 0x400) / 64) && w.address != nwp::notify_control;
  };
  for (const Word& w : all_words()) {
    if (plain(w)) h.write(w.address, value(w));
  }
  int seen = 0;
  for (const Word& w : all_words()) {
    if (!plain(w)) continue;
    INFO(w.reg->name << " at " << std::hex << w.address);
    CHECK(h.read(w.address) == (value(w) & w.reg->mask));
    ++seen;
  }
  CHECK(seen > 6 * 8 * 2);
  CHECK(h.read(nwp::error) == 0);
}

TEST_CASE("NOTIFY_BASE switches notifications on, NOTIFY_CONTROL off and on") {
  NwpHarness h;
  CHECK(h.read(nwp::notify_control) == 0);
  h.write(nwp::notify_base, 5);
  CHECK(h.read(nwp::notify_control) == 1);
  h.write(nwp::notify_control, 0);
  CHECK(h.read(nwp::notify_control) == 0);
  CHECK(h.read(nwp::notify_base) == 5);
  h.write(nwp::notify_control, 0xFFFFFFFF);
  CHECK(h.read(nwp::notify_control) == 1);
}

TEST_CASE("addresses without a register are refused, and nothing changes") {
  NwpHarness h;
  std::set<std::uint32_t> known;
  for (const Word& w : all_words()) known.insert(w.address);
  const auto before = snapshot(h);
  std::uint32_t refused = 0;
  for (std::uint32_t address = 0; address < 0x1000; ++address) {
    if (known.count(address)) continue;
    // every hole near registers, and a sample of the rest
    if (address > 0x5C0 && (address < 0x600 || address >= 0x680) && address % 37 != 0) continue;
    for (const bool write : {false, true}) {
      INFO(std::hex << address << (write ? " write" : " read"));
      const auto reply = h.access(write, address, 0xFFFFFFFF);
      REQUIRE(reply.error);
      REQUIRE(reply.value == 0);
      ++refused;
    }
    if (refused == 2) {
      CHECK(h.interrupt());
      CHECK(nwp::error_register_unknown.get(h.read(nwp::error)) == 1);
      CHECK(h.read(nwp::error_info) == address);
      CHECK(h.read(nwp::error_first) == nwp::error_register_unknown.mask);
    }
  }
  CHECK(refused > 200);
  CHECK(h.read(nwp::error_count) == refused);
  const std::uint32_t elsewhere = nwp::error_register_link.mask | nwp::error_register_block.mask;
  CHECK(h.read(nwp::error) == (nwp::error_register_unknown.mask | elsewhere));
  CHECK(snapshot(h) == before);
  h.write(nwp::error, nwp::error_register_unknown.mask);
  CHECK(h.read(nwp::error) == elsewhere);
  CHECK(h.interrupt());
  h.write(nwp::error, 0xFFFFFFFF);
  CHECK(h.read(nwp::error) == 0);
  CHECK_FALSE(h.interrupt());
}

TEST_CASE("writes to read-only registers are refused, and nothing changes") {
  NwpHarness h;
  const auto before = snapshot(h);
  std::uint32_t refused = 0;
  for (const Word& w : all_words()) {
    if (w.reg->access != Access::ReadOnly) continue;
    INFO(w.reg->name << " at " << std::hex << w.address);
    h.write(nwp::error, 0xFFFFFFFF);
    REQUIRE(h.access(true, w.address, 0xFFFFFFFF).error);
    ++refused;
    const auto cause = w.address < nwp::link_window(0)            ? nwp::error_register_read_only
                       : w.address < nwp::link_window(nwp::links) ? nwp::error_register_link
                                                                  : nwp::error_register_block;
    CHECK(h.read(nwp::error) == cause.mask);
    CHECK(h.read(nwp::error_info) == w.address);
    CHECK(h.read(nwp::error_count) == refused);
  }
  CHECK(refused > 6 * 8 + 6 * 16);
  CHECK(snapshot(h) == before);
}

TEST_CASE("ERROR_INFO and ERROR_FIRST keep the first offender until ERROR is clear") {
  NwpHarness h;
  CHECK(h.access(false, 0xFFF).error);
  CHECK(h.access(true, nwp::id).error);
  CHECK(h.read(nwp::error_info) == 0xFFF);
  CHECK(h.read(nwp::error_first) == nwp::error_register_unknown.mask);
  CHECK(h.read(nwp::error) ==
        (nwp::error_register_unknown.mask | nwp::error_register_read_only.mask));
  h.write(nwp::error, nwp::error_register_unknown.mask);
  CHECK(h.access(false, 0xFFE).error);
  CHECK(h.read(nwp::error_info) == 0xFFF);  // ERROR was not clear
  h.write(nwp::error, 0xFFFFFFFF);
  CHECK(h.access(false, 0xFFD).error);
  CHECK(h.read(nwp::error_info) == 0xFFD);
}

TEST_CASE("numbers that a register cannot hold or work with are refused, and nothing changes") {
  NwpHarness h;
  const auto before = snapshot(h);
  std::uint32_t refused = 0, taken = 0;
  for (const Word& w : all_words()) {
    // Ethernet's: gmac_test.cpp
    if (w.reg->max == 0xFFFFFFFF || w.address >= nwp::uart_window(0)) continue;
    INFO(w.reg->name << " at " << std::hex << w.address);
    const std::uint32_t low = w.reg->mask & (~w.reg->mask + 1);  // the unit
    std::vector<std::uint32_t> values{w.reg->max + low, 0x80000000U | low, 0xFFFFFFFF};
    if (low > 1) values.insert(values.end(), {1, low + 1, low / 2});
    if (const std::uint32_t least = smallest(*w.reg); least > 0) {
      values.insert(values.end(), {0, least - low});
      h.write(w.address, least);
      CHECK(h.read(w.address) == least);
      h.write(w.address, w.reg->reset);
    }
    for (const std::uint32_t v : values) {
      INFO("value " << std::hex << v);
      REQUIRE(h.access(true, w.address, v).error);
      ++refused;
      CHECK(h.read(nwp::error) == nwp::error_register_value.mask);
      CHECK(h.read(nwp::error_info) == w.address);
      CHECK(h.read(nwp::error_count) == refused);
      h.write(nwp::error, 0xFFFFFFFF);
    }
    CHECK(h.read(w.address) == w.reg->reset);
    h.write(w.address, w.reg->max);
    CHECK(h.read(w.address) == w.reg->max);
    h.write(w.address, w.reg->reset);
    ++taken;
  }
  CHECK(taken == 6 * 8);
  CHECK(snapshot(h) == before);
}

TEST_CASE("own registers answer in one cycle, channels in at most six") {
  NwpHarness h;
  h.run_core(200);
  CHECK(h.access(false, nwp::scratch).cycles == 1 + stages);
  CHECK(h.access(true, nwp::scratch, 1).cycles == 1 + stages);
  CHECK(h.access(false, nwp::base(3, 4)).cycles <= 5 + 2 * stages);
  CHECK(h.access(true, nwp::base(3, 4), 1).cycles <= 5 + 2 * stages);
  CHECK(h.access(true, nwp::credit_post(3, 4), 1).cycles <= 6 + 3 * stages);
  CHECK(h.access(false, nwp::credit_status(3, 4)).cycles <= 5 + 2 * stages);
}

TEST_CASE("credits: refused when empty, too large, without a base, or when the queue is full") {
  NwpHarness h;
  const std::uint32_t l = 4, v = 6;
  const auto status = nwp::credit_status(l, v);

  CHECK(h.access(true, nwp::credit_post(l, v), 5).error);
  CHECK(h.read(nwp::error) == nwp::error_credit_no_base.mask);
  CHECK(h.read(nwp::error_info) == nwp::credit_post(l, v));
  CHECK(h.read(status) == nwp::credit_status_free.put(4));
  h.write(nwp::error, 0xFFFFFFFF);

  h.write(nwp::base(l, v), 100);
  for (const std::uint32_t packets : {0U, 32768U, 0x80000001U}) {
    CHECK(h.access(true, nwp::credit_post(l, v), packets).error);
    CHECK(h.read(nwp::error) == nwp::error_credit_size.mask);
    h.write(nwp::error, 0xFFFFFFFF);
  }
  CHECK(nwp::credit_status_free.get(h.read(status)) == 4);

  for (std::uint32_t i = 0; i < nwp::credit_depth; ++i) {
    h.write(nwp::credit_post(l, v), 32767 - i);
    CHECK(nwp::credit_status_free.get(h.read(status)) == nwp::credit_depth - 1 - i);
    CHECK(nwp::credit_status_left.get(h.read(status)) == 32767);
  }
  CHECK(h.access(true, nwp::credit_post(l, v), 1).error);
  CHECK(h.read(nwp::error) == nwp::error_credit_full.mask);
  CHECK(h.read(nwp::error_info) == nwp::credit_post(l, v));
  CHECK(h.read(status) == (nwp::credit_status_left.put(32767) | nwp::credit_status_base_set.mask));
  // the neighbours saw nothing of it
  CHECK(h.read(nwp::credit_status(l, v + 1)) == nwp::credit_status_free.put(4));
  CHECK(h.read(nwp::credit_status(l + 1, v)) == nwp::credit_status_free.put(4));
  CHECK(h.access(false, nwp::credit_post(l, v)).value == 0);
}

TEST_CASE("an error in the very cycle in which the last one is cleared is the first one") {
  bool kept = false, cleared = false;
  for (int pause = 0; pause < 12; ++pause) {
    CAPTURE(pause);
    NwpHarness h;
    h.run_core(200);
    CHECK(h.access(false, 0xfff).error);
    CHECK(h.read(nwp::error) == nwp::error_register_unknown.mask);
    ht::test::PutLine line;
    line.address = ht::test::put_address(7, 0, 3);
    h.put_raw(line);
    h.run_core(pause);
    h.write(nwp::error, 0xffffffffU);
    h.run_core(40);
    CHECK(h.read(nwp::error_count) == 2);
    if (h.read(nwp::error) == 0) {
      cleared = true;  // both
      continue;
    }
    kept = true;
    CHECK(h.read(nwp::error) == nwp::error_write_bad_link.mask);
    CHECK(h.read(nwp::error_first) == nwp::error_write_bad_link.mask);
    CHECK(h.read(nwp::error_info) == ht::test::put_address(7, 0, 3));
  }
  CHECK(kept);
  CHECK(cleared);
}

}  // namespace
