// SPDX-License-Identifier: Apache-2.0
#include "tests/qcdoc/sw/driver_support.hpp"

#include <random>

namespace ht::test {

DriverTorus::DriverTorus(const std::vector<int>& machine, const std::vector<int>& application,
                         const qcdoc::DriverOptions& options)
    : torus(machine), drivers(static_cast<std::size_t>(torus.size())) {
  torus.run([&](int node, ScuPort& port) {
    auto& driver = drivers[static_cast<std::size_t>(node)];
    driver =
        std::make_unique<qcdoc::Driver>(port, qcdoc::place_on(machine, node, application), options);
    driver->bring_up();
  });
}

void DriverTorus::run(const std::function<void(qcdoc::Driver&)>& program, std::int64_t limit) {
  torus.run([&](int node, ScuPort&) { program(*drivers[static_cast<std::size_t>(node)]); }, limit);
}

void DriverTorus::disturb(std::int64_t apart) {
  auto random = std::make_shared<std::mt19937_64>(7);
  auto next = std::make_shared<std::vector<std::int64_t>>();
  for (int i = 0; i < 12 * torus.size(); ++i)
    next->push_back(torus.cycle() + static_cast<std::int64_t>((*random)() % 2000));
  torus.damage = [this, random, next, apart](std::int64_t cycle, int node, int link, bool bit) {
    std::int64_t& due = (*next)[static_cast<std::size_t>(12 * node + link)];
    if (cycle < due) return bit;
    // Never two in one frame.
    due = cycle + 150 +
          static_cast<std::int64_t>((*random)() % static_cast<std::uint64_t>(2 * apart));
    ++disturbed;
    return !bit;
  };
}

std::span<std::uint64_t> words(qcdoc::Driver& driver, std::size_t count) {
  return {static_cast<std::uint64_t*>(driver.allocate(8 * count, 8)), count};
}

int neighbour(const qcdoc::Driver& driver, int direction) {
  const qcdoc::Fold& fold = *driver.place().fold;
  return fold.application_rank(fold.neighbour(driver.place().physical_node, direction));
}

}  // namespace ht::test
