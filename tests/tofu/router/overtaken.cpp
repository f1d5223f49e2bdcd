// SPDX-License-Identifier: Apache-2.0
#include "tests/tofu/router/overtaken.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "sim/tofu/bench/net.hpp"
#include "sw/tofu/registers.hpp"

namespace ht::test {
namespace registers = ht::tofu::registers::icc;
using namespace bench;

Overtaking contend(const Contention& c) {
  TofuNet net({{3, 1, 1, 1, 1, 1}, {}}, 1);
  net.write(1, registers::router_control, c.in_turn ? 1 : 0);
  // Senders: the interfaces of node 1, then what comes from node 0.
  std::vector<unsigned> since(c.local + 1), count(c.local + 1);
  Overtaking result;
  net.arrived = [&](unsigned node, unsigned, const TofuPacket& p) {
    if (node != 2) return;
    const unsigned sender = p.from == 0 ? c.local : p.source;
    for (unsigned i = 0; i <= c.local; ++i)
      if (i != sender) result.worst = std::max(result.worst, ++since[i]);
    since[sender] = 0;
    ++count[sender];
  };
  std::uint64_t id = 0;
  const auto offer = [&](const TofuPacket& p, unsigned interface) {
    if (net.to_send(p.from, interface, p.response).size() < 3) net.send(p, interface);
  };
  const std::uint64_t begin = net.cycle;
  while (net.cycle < begin + c.cycles) {
    offer({0, 2, 0, 0, false, c.beats[2], ++id, 0}, 0);
    for (unsigned i = 0; i < c.local; ++i) {
      if (net.cycle > begin + 300) offer({1, 2, 0, i, false, c.beats[0], ++id, 0}, i);
      if (c.responses && net.cycle > begin + 300 + c.phases[i])
        offer({1, 1, 0, i, true, c.beats[1], ++id, 0}, i);
    }
    net.step();
  }
  result.fewest = *std::min_element(count.begin(), count.end());
  return result;
}

}  // namespace ht::test
