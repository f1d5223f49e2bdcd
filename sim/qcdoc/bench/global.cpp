// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/bench/global.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/qcdoc/bench/scu_torus.hpp"
#include "sw/host/errors.hpp"
#include "sw/qcdoc/driver.hpp"
#include "sw/qmp/collectives.hpp"

namespace ht::bench {
namespace {

void add(void* into, const void* from) {
  double a = 0, b = 0;
  std::memcpy(&a, into, sizeof a);
  std::memcpy(&b, from, sizeof b);
  a += b;
  std::memcpy(into, &a, sizeof a);
}

}  // namespace

GlobalTimes qcdoc_global_times(const std::vector<int>& shape, Software software, int rounds) {
  constexpr Picoseconds apart = 5'000'000;  // until everybody waits for the next broadcast
  ScuTorusOptions torus;
  torus.shape = shape;
  machine::QcdocMachineOptions options = qcdoc_machine(torus);
  if (software == Software::None) {
    options.driver.scu.start_cost = options.driver.scu.poll_cost = 0;
    options.driver.agree = false;
  }
  machine::QcdocMachine machine(options);
  double sum_us = 0;
  std::vector<Picoseconds> begins(static_cast<std::size_t>(rounds));
  std::vector<std::vector<Picoseconds>> ends(static_cast<std::size_t>(machine.size()));
  machine.run([&](qcdoc::Driver& driver) {
    const int rank = driver.rank();
    host::Runtime& runtime = driver.runtime();
    qmp::Collectives collectives(driver);
    const auto sum = [&] {
      double mine = rank + 1;
      collectives.reduce(&mine, sizeof mine, add);
      if (mine != 0.5 * machine.size() * (machine.size() + 1))
        throw ProtocolError(fmt::format("node {}: a global sum is wrong: {}", rank, mine));
    };
    sum();  // stores the instructions
    const Picoseconds begin = runtime.now();
    for (int i = 0; i < rounds; ++i) sum();
    if (rank == 0) sum_us = static_cast<double>(runtime.now() - begin) * 1e-6 / rounds;
    for (int i = -1; i < rounds; ++i) {
      if (rank == 0) runtime.advance(apart);
      if (rank == 0 && i >= 0) begins[static_cast<std::size_t>(i)] = runtime.now();
      std::int64_t word = rank == 0 ? i : -2;
      collectives.broadcast(&word, sizeof word);
      if (word != i) throw ProtocolError(fmt::format("node {}: a broadcast is wrong", rank));
      if (i >= 0) ends[static_cast<std::size_t>(rank)].push_back(runtime.now());
    }
    collectives.release();
  });
  require_delivered(machine);
  double broadcast_us = 0;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    Picoseconds last = 0;
    for (const auto& end : ends) last = std::max(last, end[i]);
    broadcast_us += static_cast<double>(last - begins[i]) * 1e-6 / rounds;
  }
  return {sum_us, broadcast_us};
}

GlobalCost GlobalCost::fit(double four, double eight, double four_by_four) {
  const double hop = (eight - four) / 2;
  return {four_by_four - four - 2 * hop, hop};
}

double GlobalCost::us(const std::vector<int>& shape, const std::vector<int>& measured,
                      double measured_us) const {
  const auto beyond_start = [&](const std::vector<int>& torus) {
    double us = 0;
    for (const int length : torus)
      if (length > 1) us += axis + hop * (length / 2);
    return us;
  };
  return measured_us + beyond_start(shape) - beyond_start(measured);
}

}  // namespace ht::bench
