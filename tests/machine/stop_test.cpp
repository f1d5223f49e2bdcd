// SPDX-License-Identifier: Apache-2.0
// A machine may be stopped at any time (Ctrl-C, a limit): its programs are unwound from wherever
// they are, with messages under way. A destructor that throws then ends the process.
#include <catch2/catch.hpp>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sim/qcdoc/machine.hpp"
#include "sim/qpace/machine.hpp"
#include "sim/tofu/machine.hpp"
#include "sw/qmp/node.hpp"
#include "sw/qmp/qmp.h"

using namespace ht;

namespace {

constexpr int doubles = 24;
constexpr int stops = 60;

struct Free {
  void operator()(QMP_msghandle_t h) const { QMP_free_msghandle(h); }
  void operator()(QMP_msgmem_t m) const { QMP_free_msgmem(m); }
};
template <typename Handle>
using Held = std::unique_ptr<std::remove_pointer_t<Handle>, Free>;

/// From where to where node 0 exchanged messages, summed and met the others.
struct Round {
  Picoseconds begin = 0, end = 0;
};

Round exchange_once(qmp::Transport& transport) {
  const qmp::Node node(transport);
  QMP_thread_level_t provided = QMP_THREAD_SINGLE;
  QMP_init_msg_passing(nullptr, nullptr, QMP_THREAD_SINGLE, &provided);
  const std::span<const int> shape = transport.shape();
  QMP_declare_logical_topology(shape.data(), static_cast<int>(shape.size()));
  std::vector<double> data(4 * doubles, 1);
  std::vector<Held<QMP_msgmem_t>> memories;
  QMP_msghandle_t parts[4];
  for (int i = 0; i < 4; ++i) {
    memories.emplace_back(
        QMP_declare_msgmem(&data[static_cast<std::size_t>(i) * doubles], doubles * sizeof(double)));
    const int direction = i % 2 == 0 ? 1 : -1;
    parts[i] = i < 2 ? QMP_declare_receive_relative(memories.back().get(), 0, direction, 0)
                     : QMP_declare_send_relative(memories.back().get(), 0, direction, 0);
  }
  const Held<QMP_msghandle_t> all(QMP_declare_multiple(parts, 4));
  Round round;
  round.begin = transport.runtime().now();
  QMP_start(all.get());
  QMP_wait(all.get());
  double sum = 1;
  QMP_sum_double(&sum);
  QMP_barrier();
  round.end = transport.runtime().now();
  return round;
}

template <typename Machine, typename Options>
void check_stops(const Options& options) {
  Round round;
  Machine whole(options);
  REQUIRE(whole.run_everywhere([&](qmp::Transport& transport, int number) {
    const Round mine = exchange_once(transport);
    if (number == 0) round = mine;
  }));
  for (int i = 0; i < stops; ++i) {
    Machine machine(options);
    const Picoseconds limit = round.begin + (round.end - round.begin) * i / stops;
    INFO("stopped at " << limit << " ps, between " << round.begin << " and " << round.end);
    CHECK_FALSE(machine.run_everywhere(
        [](qmp::Transport& transport, int) { exchange_once(transport); }, limit));
  }
}

}  // namespace

TEST_CASE("a QPACE machine is stopped at any time") {
  machine::QpaceMachineOptions options;
  options.shape = {2};
  check_stops<machine::QpaceMachine>(options);
}

TEST_CASE("a QCDOC machine is stopped at any time") {
  machine::QcdocMachineOptions options;
  options.shape = {2};
  check_stops<machine::QcdocMachine>(options);
}

TEST_CASE("a Tofu machine is stopped at any time") {
  machine::TofuMachineOptions options;
  options.shape = {{2, 1, 1, 1, 1, 1}, {true, true, true}};
  check_stops<machine::TofuMachine>(options);
}
