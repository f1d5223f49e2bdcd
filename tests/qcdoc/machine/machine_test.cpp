// SPDX-License-Identifier: Apache-2.0
// QCDOC's driver and Verilated units: words arrive whole over bad cables, a run is the same for any
// number of threads and whether or not idle cycles are skipped, and trouble is reported as what it
// is.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "sw/host/errors.hpp"
#include "sw/qcdoc/registers.hpp"
#include "tests/machine/partitions_apart.hpp"
#include "tests/qcdoc/machine/exchange.hpp"

using namespace ht;
using machine::QcdocMachine;
using machine::QcdocMachineOptions;
using test::Record;
namespace link_map = qcdoc::registers::link;
namespace scu = qcdoc::registers::scu;

namespace {

constexpr Picoseconds us = 1'000'000;

QcdocMachineOptions machine_of(std::vector<int> shape) {
  QcdocMachineOptions o;
  o.shape = std::move(shape);
  o.kernel.threads = 1;
  return o;
}

void check_good(const Record& r) {
  for (const auto& node : r.nodes) CHECK(node.wrong == 0);
  CHECK(r.checksums_agree);
}

// What stands beside every receiver and reads the same bits agrees with the hardware.
void check_models(QcdocMachine& m) {
  for (int n = 0; n < m.size(); ++n) {
    for (unsigned link = 0; link < 12; ++link) {
      auto* const model = m.node(n).receiver_of(link);
      if (model == nullptr) continue;
      INFO("node " << n << " link " << link);
      CHECK(model->close(m.node(n).clock().first_edge(m.kernel().now()) - 1).empty());
    }
  }
}

std::string failure(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing was wrong";
}

}  // namespace

TEST_CASE("QCDOC: words arrive whole, over bad cables too, and both ends counted the same") {
  for (const double rate : {0.0, 1e-4}) {
    auto options = machine_of({2});
    options.errors.bit_error_rate = rate;
    QcdocMachine m(options);
    std::vector<test::Exchange> seen(2);
    REQUIRE(m.run([&](qcdoc::Driver& d) {
      test::exchange(d, 100, 3, seen[static_cast<std::size_t>(d.rank())]);
    }));
    std::uint64_t resent = 0;
    for (const auto& link : m.read_links()) {
      INFO("node " << link.from << " link " << link.link);
      CHECK(link.to == (link.link < 2 ? 1 - link.from : link.from));
      CHECK(link.sent == (link.link < 2 ? 300 : 0));
      CHECK(link.accepted == link.sent);
      CHECK(link.checksums_agree());
      if (link.link < 2) CHECK(link.tx_checksum != 0);
      CHECK((link.retransmitted != 0) == (link.first_retransmission != sim::kNever));
      resent += link.retransmitted;
    }
    for (const auto& node : seen) CHECK(node.wrong == 0);
    check_models(m);
    const auto errors = m.close_ledgers();
    CHECK(errors.balanced());
    CHECK(errors.undetected == 0);
    CHECK((errors.injected > 0) == (rate > 0));
    CHECK((errors.detected > 0) == (rate > 0));
    CHECK((resent > 0) == (rate > 0));
    CHECK((m.first_event(machine::EventKind::Error).node >= 0) == (rate > 0));
  }
}

TEST_CASE("QCDOC: a run is the same for one thread and two, with idle cycles skipped or not") {
  auto options = machine_of({2, 2, 2});
  options.random_phases = true;
  options.errors.bit_error_rate = 2e-5;
  const Record one = test::record(options, 40, 3, 20 * us);
  check_good(one);
  CHECK(one.resent > 0);
  CHECK(one.skipped > one.cycles / 4);
  CHECK(one.rested > one.cycles - one.skipped);  // one link of twelve or more
  const auto same = [&](const Record& other) {
    CHECK(other.nodes == one.nodes);
    CHECK(other.counters == one.counters);
    CHECK(other.cables == one.cables);
    CHECK(other.end == one.end);
    CHECK(other.cycles == one.cycles);
    CHECK(other.injected == one.injected);
  };
  options.kernel.threads = 2;
  const Record two = test::record(options, 40, 3, 20 * us);
  same(two);
  CHECK(two.skipped == one.skipped);
  options.node.skip_idle = false;
  options.kernel.jump = false;
  const Record all = test::record(options, 40, 3, 20 * us);
  same(all);
  CHECK(all.skipped == 0);
  CHECK(all.rested == 0);
}

TEST_CASE("QCDOC: links that are left alone are as they would have been, whatever comes when") {
  auto options = machine_of({2, 2});
  options.random_phases = true;
  // Words along one axis at a time, counters cleared at any time: links wake within a byte.
  const auto program = [&options](qcdoc::Driver& d, test::Exchange& seen) {
    auto* words = static_cast<std::uint64_t*>(d.allocate(128, 8));
    std::mt19937_64 random(options.seed);  // the same on all nodes
    for (int i = 0; i < 30; ++i) {
      const int direction = static_cast<int>(random() % 4);
      const std::size_t bytes = 8 * (1 + random() % 8);
      for (std::size_t k = 0; k < 8; ++k) words[k] = (static_cast<std::uint64_t>(i) << 32) + 3 * k;
      const auto send = d.declare_send(direction, qmp::Channel::User, words, bytes);
      const auto receive = d.declare_receive(direction ^ 1, qmp::Channel::User, words + 8, bytes);
      d.runtime().advance(static_cast<Picoseconds>(2000 * (random() % 300)) +
                          2000 * (i % 3 == d.rank() ? 5 : 0));
      if (random() % 4 == 0) {
        const auto link = static_cast<std::uint32_t>(random() % 4);
        d.scu().port().write_register(
            link_map::control(link),
            link_map::control_enable.mask | link_map::control_clear_counters.mask);
      }
      d.start(receive);
      d.start(send);
      d.wait(receive);
      d.wait(send);
      d.undeclare(send);
      d.undeclare(receive);
      for (std::size_t k = 0; k < bytes / 8; ++k) {
        seen.wrong += words[8 + k] != words[k];
        seen.hash = seen.hash * 31 + words[8 + k];
      }
      seen.stamps.push_back(d.runtime().now());
    }
  };
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    INFO("seed " << seed);
    options.seed = seed;
    options.errors.bit_error_rate = seed % 2 == 0 ? 2e-5 : 0;
    options.node.skip_idle = true;
    const Record rests = test::record(options, program);
    options.node.skip_idle = false;
    const Record steps = test::record(options, program);
    CHECK(rests.nodes == steps.nodes);
    CHECK(rests.counters == steps.counters);
    CHECK(rests.cables == steps.cables);
    CHECK(rests.end == steps.end);
    CHECK(rests.rested > 4 * (rests.cycles - rests.skipped));
    CHECK(steps.rested == 0);
    for (const auto& node : rests.nodes) CHECK(node.wrong == 0);
  }
}

TEST_CASE("RestingParts: a link rests after four quiet bytes, from a byte's beginning on") {
  machine::RestingParts links;
  const auto bytes = [&links](int count, std::uint32_t moved, std::uint32_t rests) {
    for (int edge = 0; edge < 8 * count; ++edge) links.edge(moved, rests, (edge + 1) % 8);
  };
  bytes(4, 0, 0b111);  // what was before is not known
  CHECK(links.mask() == 0);
  bytes(1, 0, 0b111);
  CHECK(links.mask() == 0b111);
  bytes(1, 0, 0b111);
  CHECK(links.left_out() == 3 * 8);
  links.edge(0, 0b111, 1);
  links.edge(0, 0b111, 2);
  CHECK(links.wake(0b001, 0b101) == 0b011);
  CHECK(links.behind() == 2);
  CHECK(links.mask() == 0b100);
  CHECK(links.wake(0b001, 0b101) == 0);
  for (int edge = 2; edge < 8; ++edge) links.edge(0, 0b111, (edge + 1) % 8);
  bytes(3, 0, 0b111);
  CHECK(links.mask() == 0b100);
  bytes(1, 0, 0b111);
  CHECK(links.mask() == 0b111);
  CHECK(links.stop() == 0b111);
  bytes(3, 0, 0b111);
  CHECK(links.mask() == 0);
}

TEST_CASE("RestingParts: what software does to a quiet link keeps it awake for four bytes") {
  machine::RestingParts links;
  const auto quiet = [&links](int bytes) {
    for (int edge = 0; edge < 8 * bytes; ++edge) links.edge(0, 0b11, (edge + 1) % 8);
  };
  quiet(4);
  for (int edge = 0; edge < 7; ++edge) links.edge(0, 0b11, edge + 1);
  CHECK(links.wake(0b01, 0b11) == 0);  // it does not rest yet, and would with the next edge
  links.edge(0, 0b11, 0);
  CHECK(links.mask() == 0b10);
  quiet(2);
  CHECK(links.mask() == 0b10);
  quiet(2);
  CHECK(links.mask() == 0b11);
}

TEST_CASE("QCDOC: a link that is switched off at any time goes down as if none ever rested") {
  auto options = machine_of({2, 2});
  options.driver.check_errors = false;
  constexpr std::size_t bytes = 64 * 8;
  // While words along y keep the unit awake: at every edge of the bytes in which the link along x,
  // woken before, falls asleep.
  for (int edge = 32; edge < 80; ++edge) {
    const auto program = [edge](qcdoc::Driver& d, test::Exchange& seen) {
      auto& port = d.scu().port();
      auto* words = static_cast<std::uint64_t*>(d.allocate(2 * bytes, 8));
      const auto send = d.declare_send(2, qmp::Channel::User, words, bytes);
      const auto receive = d.declare_receive(3, qmp::Channel::User, words + bytes / 8, bytes);
      d.start(receive);
      d.start(send);
      d.runtime().advance(us);
      if (d.rank() == 0) {
        const std::uint32_t enable = link_map::control_enable.mask;
        port.write_register(link_map::control(0), enable | link_map::control_clear_counters.mask);
        d.runtime().advance(2000 * edge);
        port.write_register(link_map::control(0), 0);
        d.runtime().advance(us / 4);
        seen.hash = port.read_register(link_map::status(0)) & link_map::status_state.mask;
      }
      d.wait(receive);
      d.wait(send);
      if (d.rank() == 1) port.write_register(link_map::control(1), 0);  // else it trains for ever
      seen.stamps.push_back(d.runtime().now());
    };
    INFO("edge " << edge);
    options.node.skip_idle = true;
    const Record rests = test::record(options, program);
    options.node.skip_idle = false;
    const Record steps = test::record(options, program);
    CHECK(steps.nodes[0].hash == 0);  // DOWN
    CHECK(rests.nodes == steps.nodes);
    CHECK(rests.cables == steps.cables);
  }
}

TEST_CASE("QCDOC: global operations on silent wires, idle cycles skipped or not, are the same") {
  auto options = machine_of({2});
  options.random_phases = true;
  // Engines are stopped, sets of links enabled: what nodes say changes with nothing under way.
  const auto program = [](qcdoc::Driver& d, test::Exchange& seen) {
    auto* words = static_cast<std::uint64_t*>(d.allocate(32, 8));
    for (int i = 0; i < 6; ++i) {
      for (std::size_t k = 0; k < 4; ++k)
        words[k] = static_cast<std::uint64_t>(100 * d.rank() + 7 * i) + k;
      d.runtime().advance(us / 4 + 2000 * (77 * d.rank() + 13 * i));
      d.begin_circulation();
      d.circulate(0, words, 16);
      for (std::size_t k = 0; k < 4; ++k) seen.hash = seen.hash * 31 + words[k];
      d.runtime().advance(3 * us + 2000 * (77 * d.rank() + 13 * i));
      d.broadcast(words, 16);
      seen.stamps.push_back(d.runtime().now());
    }
  };
  for (const std::uint64_t seed : {1U, 4U, 5U}) {
    options.seed = seed;
    options.node.skip_idle = true;
    const Record skips = test::record(options, program);
    options.node.skip_idle = false;
    const Record steps = test::record(options, program);
    CHECK(skips.nodes == steps.nodes);
    CHECK(skips.nodes[0].hash == skips.nodes[1].hash);
    CHECK(skips.cables == steps.cables);
    CHECK(skips.end == steps.end);
    CHECK(skips.skipped > skips.cycles / 2);
  }
}

TEST_CASE("QCDOC: phases of clocks and bytes change times, and nothing else") {
  auto options = machine_of({2, 2});
  const Record before = test::record(options, 20, 2);
  check_good(before);
  std::set<Picoseconds> ends{before.end};
  options.random_phases = true;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    options.seed = seed;
    const Record r = test::record(options, 20, 2);
    check_good(r);
    for (std::size_t i = 0; i < r.nodes.size(); ++i) CHECK(r.nodes[i].hash == before.nodes[i].hash);
    ends.insert(r.nodes[0].stamps.back());
  }
  CHECK(ends.size() > 3);
}

TEST_CASE("QCDOC: a slow memory costs time only") {
  auto options = machine_of({2, 2});
  const Record before = test::record(options, 20, 2);
  options.node.memory_stalls = 200;
  const Record slow = test::record(options, 20, 2);
  check_good(slow);
  CHECK(slow.nodes[0].hash == before.nodes[0].hash);
  CHECK(slow.nodes[0].stamps.back() > before.nodes[0].stamps.back());
}

TEST_CASE("QCDOC: a six-dimensional machine, seen as one of four and of six dimensions") {
  auto options = machine_of({2, 2, 2, 2, 2, 2});
  if (GENERATE(true, false)) options.application = {4, 4, 2, 2};
  options.kernel.threads = 2;
  const Record r = test::record(options, 6, 1);
  REQUIRE(r.nodes.size() == 64);
  check_good(r);
  for (const auto& node : r.nodes) CHECK(node.stamps.size() == 1);
}

TEST_CASE("QCDOC: everything resumes after a node that did not take part for long") {
  const Record r = test::record(machine_of({2, 2}), 10, 3, 300 * us);
  check_good(r);
  for (const auto& node : r.nodes) {
    CHECK(node.stamps[0] < 100 * us);
    CHECK(node.stamps[2] > 300 * us);
  }
  CHECK(r.nodes[3].stamps[1] < 100 * us);  // two hops away: its neighbours had sent already
  CHECK(r.skipped > r.cycles / 2);         // words that wait cost nothing
}

TEST_CASE("QCDOC: a node that waits for what nobody sends is named by the watchdog") {
  auto options = machine_of({2});
  options.kernel.watchdog = 200 * us;
  QcdocMachine m(options);
  try {
    m.run([](qcdoc::Driver& driver) {
      if (driver.rank() == 0) return;
      void* buffer = driver.allocate(80, 8);
      const auto id = driver.declare_receive(0, qmp::Channel::User, buffer, 80);
      driver.start(id);
      driver.wait(id);
    });
    FAIL("nobody noticed");
  } catch (const TimeoutError& e) {
    const std::string what = e.what();
    INFO(what);
    CHECK(what.find("node 1: ") != std::string::npos);
    CHECK(what.find("receiving 80 bytes from +x") != std::string::npos);
    CHECK(what.find("node 0: finished") != std::string::npos);
  }
}

TEST_CASE("QCDOC: partition interrupts reach all nodes at once, whatever the skew") {
  auto options = machine_of({2, 2});
  options.random_phases = true;
  QcdocMachine m(options);
  std::array<std::vector<Picoseconds>, 4> when;  // by who raised it
  REQUIRE(m.run([&](qcdoc::Driver& d) {
    qcdoc::Scu& unit = d.scu();
    unit.set_partition(d.place().partition_links(), d.place().diameter());
    for (int raiser = 0; raiser < 4; ++raiser) {
      const qcdoc::Mask bits = 0x11U + static_cast<unsigned>(raiser);
      if (d.rank() == raiser) unit.raise(bits);
      const qcdoc::Mask got = unit.wait_partition(0x7F);
      CHECK(got == bits);
      when[static_cast<std::size_t>(raiser)].push_back(d.runtime().now());
      d.runtime().advance(us);  // all have seen it
    }
    const std::uint32_t error = m.node(d.rank()).read_register(scu::error);
    CHECK(error == 0);
  }));
  for (const auto& times : when) {
    REQUIRE(times.size() == 4);
    const auto [first, last] = std::minmax_element(times.begin(), times.end());
    CHECK(*last - *first < us / 2);
  }
}

TEST_CASE("QCDOC: what its parity does not see, the checksums do") {
  auto options = machine_of({2});
  options.faults.resize(24);
  options.faults[0].forced.push_back(machine::forged_word(5, 17));
  QcdocMachine m(options);
  std::vector<test::Exchange> seen(2);
  REQUIRE(m.run([&](qcdoc::Driver& d) {
    test::exchange(d, 20, 1, seen[static_cast<std::size_t>(d.rank())]);
  }));
  CHECK(seen[1].wrong == 1);
  CHECK(seen[0].wrong == 0);
  for (const auto& link : m.read_links())
    CHECK(link.checksums_agree() == !(link.from == 0 && link.link == 0));
  CHECK(m.close_ledgers().undetected == 1);
  const auto event = m.first_event(machine::EventKind::Undetected);
  CHECK(event.node == 1);
  CHECK(event.link == 1);
}

TEST_CASE("QCDOC: bad machines are refused, and refused registers named") {
  const auto refused = [](QcdocMachineOptions o, const std::string& why) {
    const std::string what = failure([&] { QcdocMachine m(std::move(o)); });
    INFO(what);
    CHECK(what.find(why) != std::string::npos);
  };
  refused(machine_of({2, 2, 2, 2, 2, 2, 2}), "1 to 6 axes");
  auto fold = machine_of({2, 2});
  fold.application = {3};
  refused(fold, "2x2");
  auto cuts = machine_of({4});
  cuts.cuts = "x:3+1";
  refused(cuts, "x");
  auto phase = machine_of({2});
  phase.node.byte_phase = 8;
  refused(phase, "byte phase 8");
  QcdocMachine m(machine_of({2}));
  const std::string what = failure(
      [&] { m.run([&](qcdoc::Driver& d) { m.node(d.place().node).write_register(scu::id, 1); }); });
  INFO(what);
  CHECK(what.find("writing register 0x000 was refused by the serial communications unit") !=
        std::string::npos);
  CHECK_THROWS_AS(m.node(0).post_write(0, 0, 0, 128), std::logic_error);
}

TEST_CASE("QCDOC: partitions run side by side") {
  auto options = machine_of({4, 2});
  options.cuts = "y:1+1";
  QcdocMachine m(options);
  CHECK(m.partitions() == 2);
  std::vector<test::Exchange> seen(8);
  std::vector<int> ranks(8, -1);
  REQUIRE(m.run([&](qcdoc::Driver& d) {
    const auto number = static_cast<std::size_t>(d.place().node);
    ranks[number] = d.rank();
    test::exchange(d, 5, 1, seen[number]);
  }));
  for (const auto& node : seen) CHECK(node.wrong == 0);
  CHECK(ranks == std::vector<int>{0, 1, 2, 3, 0, 1, 2, 3});
  for (const auto& link : m.read_links()) {
    const bool inside =
        link.from != link.to && m.partition_of(link.from) == m.partition_of(link.to);
    CHECK((link.sent > 0) == inside);
  }
}

TEST_CASE("QCDOC: what one partition does, or that it fails, changes nothing in the other") {
  test::check_partitions_apart([] {
    QcdocMachineOptions o = machine_of({4, 2});
    o.cuts = "y:1+1";
    o.kernel.threads = 2;
    o.random_phases = true;
    o.errors.bit_error_rate = 1e-6;
    return std::make_unique<QcdocMachine>(o);
  });
}
