// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sw/qcdoc/driver.hpp"
#include "tests/qcdoc/sw/scu_torus.hpp"

namespace ht::test {

/// A torus of units with a driver each, brought up.
class DriverTorus {
 public:
  DriverTorus(const std::vector<int>& machine, const std::vector<int>& application = {},
              const qcdoc::DriverOptions& options = {});

  /// Runs a program on every node. Throws what it throws; REQUIREs in it are Catch's.
  void run(const std::function<void(qcdoc::Driver& driver)>& program,
           std::int64_t limit = 2'000'000);

  ScuTorus torus;
  std::vector<std::unique_ptr<qcdoc::Driver>> drivers;
  ScuPort& port_of(const qcdoc::Driver& driver) { return torus.port(driver.place().physical_node); }
  /// Single errors on all cables that are used, `apart` cycles from one another on average.
  void disturb(std::int64_t apart);
  std::int64_t disturbed = 0;
};

/// `count` words of a node's memory.
std::span<std::uint64_t> words(qcdoc::Driver& driver, std::size_t count);

/// A word that no other (node, index) has.
constexpr std::uint64_t mark(int node, std::uint64_t index) {
  return static_cast<std::uint64_t>(node + 1) << 40 | index * 0x10001;
}

/// A node's neighbour in the application's torus.
int neighbour(const qcdoc::Driver& driver, int direction);

}  // namespace ht::test
