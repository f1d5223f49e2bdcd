// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/bench/barrier.hpp"

#include "sim/qpace/machine.hpp"
#include "sw/qmp/collectives.hpp"

namespace ht::bench {

double barrier_time(const BarrierOptions& o) {
  machine::QpaceMachineOptions options;
  options.shape = o.shape;
  options.node.memory_bytes = std::size_t{1} << 20;
  options.node.put_latency = o.host_path / 2;
  options.node.notify_latency = o.host_path - options.node.put_latency;
  options.driver.signal_path = o.host_path / 2;
  options.driver.tree_barrier = o.tree;
  machine::QpaceMachine machine(options);
  Picoseconds time = 0;
  machine.run([&](qpace::Driver& driver) {
    qmp::Collectives collectives(driver);
    collectives.barrier();
    const Picoseconds begin = driver.runtime().now();
    for (int i = 0; i < o.rounds; ++i) collectives.barrier();
    if (driver.rank() == 0) time = driver.runtime().now() - begin;
    collectives.release();
  });
  return static_cast<double>(time) / o.rounds;
}

}  // namespace ht::bench
