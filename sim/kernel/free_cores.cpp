// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/free_cores.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace ht::sim {
namespace {

// Whoever runs for an instant only, such as a task of the kernel's, is in few of the looks.
constexpr int looks = 9;
constexpr std::chrono::milliseconds between{2};

}  // namespace

int free_cores(int cores, std::string_view text) {
  // "0.20 0.18 0.12 1/80 11206": the fourth is how many threads run or want to, of how many.
  for (int field = 0; field < 3; ++field)
    text.remove_prefix(std::min(text.find(' '), text.size() - 1) + 1);
  int running = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), running);
  if (end.ec != std::errc{} || end.ptr == text.data() + text.size() || *end.ptr != '/')
    return cores;
  return std::clamp(cores - (running - 1), 1, cores);
}

int usable_cores() {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (sched_getaffinity(0, sizeof usable, &usable) == 0) return std::max(1, CPU_COUNT(&usable));
  return std::max(1,
                  static_cast<int>(std::thread::hardware_concurrency()));  // more than 1024 cores
}

int free_cores() {
  const int cores = usable_cores();
  if (cores == 1) return 1;
  std::array<int, looks> found{};
  for (int& free : found) {
    std::this_thread::sleep_for(between);
    std::string line;
    std::ifstream file("/proc/loadavg");
    std::getline(file, line);
    free = free_cores(cores, line);
  }
  std::ranges::nth_element(found, found.begin() + looks / 2);
  return found[looks / 2];
}

}  // namespace ht::sim
