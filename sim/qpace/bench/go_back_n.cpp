// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/bench/go_back_n.hpp"

#include <cmath>

namespace ht::bench {
namespace {

constexpr double cycle_ns = 4, packet_cycles = 34, packet_bits = 34 * 40, command_bits = 40;
constexpr double answer_cycles = 4, react_cycles = 5;
constexpr double timeout_cycles = 1024;  // ACK_TIMEOUT

}  // namespace

double go_back_n_rate(double b, Picoseconds cable_delay) {
  const double delay = static_cast<double>(cable_delay) * 1e-3 / cycle_ns;
  const double damaged = -std::expm1(packet_bits * std::log1p(-b));
  const double unheard = -std::expm1(command_bits * std::log1p(-b));
  const double round = packet_cycles - 1 + answer_cycles + react_cycles + 2 * delay;
  const double lost = std::ceil(round / packet_cycles) * packet_cycles + unheard * timeout_cycles;
  return 128 / (cycle_ns * (packet_cycles + lost * damaged / (1 - damaged)));
}

}  // namespace ht::bench
