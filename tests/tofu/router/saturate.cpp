// SPDX-License-Identifier: Apache-2.0
#include "tests/tofu/router/saturate.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <tuple>

#include "sim/tofu/bench/load.hpp"

namespace ht::test {

using namespace bench;

void saturate(TofuNet& net, unsigned cycles) {
  TofuLoad load;
  load.offered = 8;
  load.any_path = true;
  TofuTraffic traffic(net, load);
  std::uint64_t received = 0, overtaken = 0, window = 0, poorest = ~std::uint64_t{0};
  // Of one interface, class, way and destination: in order. (Queues of different interfaces are
  // different streams.)
  std::map<std::tuple<unsigned, unsigned, unsigned, bool, unsigned>, std::uint64_t> last;
  net.arrived = [&](unsigned, unsigned, const TofuPacket& p) {
    ++received;
    ++window;
    // ids count up over all of a source's interfaces: `source` is in the id's stream
    auto& before = last[{p.from, p.to, p.path, p.response, p.source}];
    if (p.id <= before) ++overtaken;
    before = p.id;
  };
  for (unsigned i = 0; i < cycles; ++i) {
    traffic.offer();
    net.step();
    if (i % 500 == 499) {
      if (i > 500) poorest = std::min(poorest, window);
      window = 0;
    }
  }
  // In 500 cycles every node could take 500 beats and more: half a longest packet is little.
  CHECK(poorest > net.shape.nodes() / 2);
  REQUIRE(net.drain());
  CHECK(received == net.counters.injected);
  CHECK(overtaken == 0);
}

}  // namespace ht::test
