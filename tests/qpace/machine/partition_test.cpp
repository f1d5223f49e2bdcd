// SPDX-License-Identifier: Apache-2.0
// One machine as one ring of eight or two rings of four, on the same cables ([QPACE2009] figure 5).
#include <catch2/catch.hpp>
#include <cstring>
#include <mutex>

#include "sim/qpace/machine.hpp"
#include "sw/host/errors.hpp"
#include "sw/qmp/node.hpp"
#include "sw/qmp/qmp.h"
#include "sw/qpace/registers.hpp"
#include "tests/machine/partitions_apart.hpp"

using namespace ht;
using machine::QpaceMachine;
using machine::QpaceMachineOptions;
namespace nwp = qpace::registers::nwp;
namespace link_regs = qpace::registers::link;

namespace {

QpaceMachineOptions row() {
  QpaceMachineOptions options;
  options.shape = {1, 1, 8};
  options.split_axis = 2;
  options.kernel.threads = 2;
  options.kernel.watchdog = 500'000'000;
  options.errors.bit_error_rate = 1e-6;
  options.kill_on_error = true;
  return options;
}

struct Seen {
  int rank = -1, size = 0;
  double sum = 0;
  std::array<int, 2> neighbours{-1, -1};  ///< numbers on the machine of those at +z and -z
};

// A program of several nodes: a sum, a barrier, and who the neighbours are.
std::vector<Seen> run_job(QpaceMachine& m) {
  std::vector<Seen> seen(static_cast<std::size_t>(m.size()));
  std::mutex mutex;
  m.run([&](qpace::Driver& driver) {
    const qmp::Node node(driver);
    QMP_thread_level_t provided = QMP_THREAD_SINGLE;
    QMP_init_msg_passing(nullptr, nullptr, QMP_THREAD_SINGLE, &provided);
    Seen s;
    s.rank = QMP_get_node_number();
    s.size = QMP_get_number_of_nodes();
    for (int round = 0; round < 3; ++round) {
      double value = 1 << driver.place().node;
      QMP_sum_double(&value);
      s.sum = value;
      QMP_barrier();
    }
    auto* buffer = static_cast<std::int32_t*>(driver.allocate(4 * 128, 128));
    for (int way = 0; way < 2; ++way) {
      buffer[0] = driver.place().node;
      const auto send = driver.declare_send(4 + way, qmp::Channel::User, buffer, 128);
      const auto receive =
          driver.declare_receive(4 + (way ^ 1), qmp::Channel::User, buffer + 64, 128);
      driver.start(receive);
      driver.start(send);
      driver.wait(receive);
      driver.wait(send);
      s.neighbours[static_cast<std::size_t>(way ^ 1)] = buffer[64];
      driver.undeclare(send);
      driver.undeclare(receive);
    }
    driver.release(buffer);
    QMP_finalize_msg_passing();
    const std::lock_guard lock(mutex);
    seen[static_cast<std::size_t>(driver.place().node)] = s;
  });
  return seen;
}

void check(const std::vector<Seen>& seen, int ring) {
  for (int n = 0; n < 8; ++n) {
    INFO("node " << n << " of rings of " << ring);
    const Seen& s = seen[static_cast<std::size_t>(n)];
    const int base = n / ring * ring;
    CHECK(s.rank == n - base);
    CHECK(s.size == ring);
    CHECK(s.sum == ((1 << ring) - 1) << base);
    CHECK(s.neighbours[0] == base + (n - base + 1) % ring);
    CHECK(s.neighbours[1] == base + (n - base + ring - 1) % ring);
  }
}

std::uint64_t flushed(QpaceMachine& m) {
  std::uint64_t sum = 0;
  for (const auto& l : m.read_links()) {
    CHECK(l.checksums_agree());
    sum += l.sender.flushed;
  }
  return sum;
}

}  // namespace

TEST_CASE("a ring of eight, two rings of four and a ring of eight again, in one simulation") {
  QpaceMachine m(row());
  check(run_job(m), 8);
  m.repartition(true);
  CHECK(m.partitions() == 2);
  check(run_job(m), 4);
  check(run_job(m), 4);
  m.repartition(false);
  check(run_job(m), 8);
  CHECK(flushed(m) == 0);
  CHECK(m.close_ledgers().undetected == 0);
}

TEST_CASE("redundant interfaces have lanes of their own: one ring, two, and one again") {
  QpaceMachineOptions options = row();
  options.phy.emplace();
  options.phy->lanes.shape = {4, 2};
  options.phy->lanes.skew = 8'000;
  options.phy->most_off = 300'000;
  options.random_phases = true;
  options.random_state = true;
  QpaceMachine m(options);
  check(run_job(m), 8);
  m.repartition(true);
  check(run_job(m), 4);
  m.repartition(false);
  check(run_job(m), 8);
  CHECK(flushed(m) == 0);
  const auto errors = m.close_ledgers();
  CHECK(errors.balanced());
  CHECK(errors.undetected == 0);
}

TEST_CASE("every axis of even length can be split, length two into rings of one") {
  for (const int axis : {0, 1, 2}) {
    QpaceMachineOptions options = row();
    options.shape = {2, 2, 4};
    options.split_axis = axis;
    options.split = true;
    QpaceMachine m(options);
    std::mutex mutex;
    int good = 0;
    m.run([&](qpace::Driver& driver) {
      const qmp::Node node(driver);
      QMP_thread_level_t provided = QMP_THREAD_SINGLE;
      QMP_init_msg_passing(nullptr, nullptr, QMP_THREAD_SINGLE, &provided);
      double value = driver.place().partition == 0 ? 1 : 100;
      QMP_sum_double(&value);
      QMP_barrier();
      QMP_finalize_msg_passing();
      const std::lock_guard lock(mutex);
      good += value == 8 * (driver.place().partition == 0 ? 1 : 100);
    });
    CHECK(good == 16);
  }
}

TEST_CASE("only an axis of even length that is wired for it can be split") {
  QpaceMachineOptions options = row();
  options.shape = {1, 1, 3};
  CHECK_THROWS_AS(QpaceMachine(options), UsageError);
  options.shape = {2, 2};
  CHECK_THROWS_AS(QpaceMachine(options), UsageError);
  options.split_axis = -1;
  QpaceMachine plain(options);
  CHECK_THROWS_AS(plain.repartition(true), UsageError);
}

TEST_CASE("what one partition does changes nothing in the other") {
  test::check_partitions_apart([] {
    QpaceMachineOptions options = row();
    options.split = true;
    return std::make_unique<QpaceMachine>(options);
  });
}

TEST_CASE("a wrong selection does not join silently") {
  QpaceMachineOptions options = row();
  options.errors.bit_error_rate = 0;
  QpaceMachine m(options);
  check(run_job(m), 8);
  // Nodes 0 and 3 are switched to one another, as if rings of four were wanted, but nobody tells
  // the links by a new epoch; nodes 4 and 7 stay with what they had.
  const int plus = 4, minus = 5;
  const auto reg = [&](qpace::Driver&, int node) -> host::HardwarePort& { return m.node(node); };
  std::array<std::uint32_t, 8> errors_plus{}, errors_minus{}, state_plus{}, state_minus{};
  m.run([&](qpace::Driver& driver) {
    const int n = driver.rank();
    host::HardwarePort& port = reg(driver, n);
    if (n == 3 || n == 0) {
      const auto link = static_cast<std::uint32_t>(n == 3 ? plus : minus);
      port.write_register(link_regs::control(link), 0);
      port.advance(5'000'000);
      port.write_register(nwp::interface_select, 1U << link);
      port.write_register(link_regs::control(link), link_regs::control_enable.mask);
    }
    port.advance(40'000'000);
    // What node 4 sends to node 3 now goes nowhere, and must not be taken for sent.
    if (n == 4) {
      void* buffer = driver.allocate(128, 128);
      driver.start(driver.declare_send(minus, qmp::Channel::User, buffer, 128));
    }
    port.advance(120'000'000);
    const auto i = static_cast<std::size_t>(n);
    errors_plus[i] = port.read_register(link_regs::error(plus));
    errors_minus[i] = port.read_register(link_regs::error(minus));
    state_plus[i] = link_regs::status_state.get(port.read_register(link_regs::status(plus)));
    state_minus[i] = link_regs::status_state.get(port.read_register(link_regs::status(minus)));
    // So that the machine comes to rest.
    for (std::uint32_t l = 0; l < 6; ++l) port.write_register(link_regs::control(l), 0);
  });
  // Each found another peer than it had: reported, and what was not acknowledged flushed.
  CHECK(link_regs::error_peer_changed.get(errors_plus[3]) == 1);
  CHECK(link_regs::error_peer_changed.get(errors_minus[0]) == 1);
  // The ends they left hear nobody: no longer up once something was to be sent.
  CHECK(state_minus[4] != link_regs::status_state_up);
  // Everybody else is as before.
  for (const std::size_t n : {1U, 2U, 5U, 6U}) {
    CHECK(errors_plus[n] == 0);
    CHECK(errors_minus[n] == 0);
    CHECK(state_plus[n] == link_regs::status_state_up);
  }
}

TEST_CASE("one end switched and the other not: the link does not come up") {
  QpaceMachineOptions options = row();
  options.errors.bit_error_rate = 0;
  options.driver.link_up_timeout = 50'000'000;
  options.kill_on_error = false;
  QpaceMachine m(options);
  const QpaceMachine::DriverProgram select = [&](qpace::Driver& driver) {
    if (driver.rank() == 3) {
      driver.take_down();
      qpace::Place place = driver.place();
      place.redundant = 1U << 4;
      driver.move(place);
      driver.bring_up();
    }
  };
  CHECK_THROWS_WITH(m.run(select), Catch::Contains("node 3: link +z did not come up"));
}
