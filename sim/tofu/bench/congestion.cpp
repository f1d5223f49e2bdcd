// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/bench/congestion.hpp"

#include <algorithm>

#include "sw/tofu/registers.hpp"

namespace ht::bench {

TofuThroughput tofu_throughput(const model::tofu::Shape& shape, const TofuLoad& load, bool in_turn,
                               unsigned cycles) {
  constexpr unsigned cable = 20;
  TofuNet net(shape, cable);
  for (unsigned i = 0; i < shape.nodes(); ++i)
    net.write(i, tofu::registers::icc::router_control, in_turn ? 1 : 0);
  TofuTraffic traffic(net, load);
  std::vector<double> from(shape.nodes(), 0);
  double latency = 0, packets = 0, beats = 0;
  bool counting = false;
  net.arrived = [&](unsigned, unsigned, const TofuPacket& p) {
    if (!counting) return;
    beats += p.length();
    from[p.from] += p.length();
    latency += static_cast<double>(net.cycle - p.began);
    ++packets;
  };
  for (unsigned i = 0; i < cycles + cycles / 2; ++i) {
    counting = i >= cycles / 2;
    traffic.offer();
    net.step();
  }
  const double n = cycles;
  return {beats / n / shape.nodes(), *std::min_element(from.begin(), from.end()) / n,
          latency / std::max(packets, 1.0)};
}

}  // namespace ht::bench
