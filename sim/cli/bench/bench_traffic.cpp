// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/bench/bench_traffic.hpp"

#include <algorithm>

#include "sim/plugin/parse.hpp"

namespace ht::cli {

void neighbour_traffic(qmp::Transport& driver, bool own_links, Picoseconds round) {
  std::vector<qmp::MessageId> messages;
  for (int d = 0; d < 2 * static_cast<int>(driver.shape().size()); ++d) {
    if (driver.shape()[static_cast<std::size_t>(d / 2)] == 1 && !own_links) continue;
    for (std::size_t i = 0; i < messages_a_round; ++i) {
      messages.push_back(driver.declare_receive(
          d, qmp::Channel::User, driver.allocate(message_bytes, 128), message_bytes));
      messages.push_back(driver.declare_send(d, qmp::Channel::User,
                                             driver.allocate(message_bytes, 128), message_bytes));
    }
  }
  for (const auto m : messages) driver.start(m);
  while (messages.empty()) driver.runtime().advance(1'000'000'000);
  Picoseconds next = driver.runtime().now();
  for (;;) {
    if (round > 0) {
      next = std::max(next + round, driver.runtime().now() + 1);
      driver.runtime().advance(next - driver.runtime().now());
    }
    for (const auto m : messages) {
      driver.wait(m);
      driver.start(m);
    }
  }
}

Picoseconds round_of(const machine::MachineTraits& traits, Picoseconds link_period, double load) {
  constexpr double bits = 8.0 * messages_a_round * message_bytes;
  return static_cast<Picoseconds>(bits / traits.wire_bits * static_cast<double>(link_period) /
                                  load);
}

std::unique_ptr<machine::Machine> bare_machine(const machine::MachineDescription& type,
                                               const std::vector<int>& shape, bool skip_idle,
                                               const sim::KernelOptions& kernel) {
  machine::MachineOptions options;
  options.type = &type;
  options.machine = shape;
  options.skip_idle = skip_idle;
  options.cable_delay = machine::parse_time("--cable-delay", type.traits().cable_delay);
  machine::BuildRequirements requirements;
  // The network's speed, not the host's.
  requirements.host_path = 0;
  requirements.kill_on_error = false;
  requirements.kernel = kernel;
  return type.build(options, requirements);
}

}  // namespace ht::cli
