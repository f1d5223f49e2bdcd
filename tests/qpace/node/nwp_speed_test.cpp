// SPDX-License-Identifier: Apache-2.0
// How fast qpace_nwp is, in exact cycles.
#include <catch2/catch.hpp>

#include "sim/qpace/bench/bench.hpp"
#include "sw/qpace/registers.hpp"
#include "tests/qpace/node/nwp_harness.hpp"
#include "tests/qpace/node/nwp_reference.hpp"

namespace {

using namespace ht::test;
namespace nwp = ht::qpace::registers::nwp;

TEST_CASE("latency, first beat in to last beat out") {
  const ht::bench::FifoToDma worst = ht::bench::fifo_to_dma();
  INFO("to the wire " << worst.to_wire << " ps, from it " << worst.from_wire);
  CHECK(worst.cycles() == 57);
}

// GB/s of payload that leaves the port in the steady state.
double throughput(const std::vector<int>& receivers, int packets, int credit) {
  NwpHarness h;
  h.connect_rings(20);
  h.write(nwp::notify_base, 0x100000);
  h.bring_up();
  NwpReference reference(0x100000);
  for (const int l : receivers) {
    const auto n = static_cast<std::uint32_t>(l);
    for (std::uint32_t v = 0; v < 2; ++v) {
      h.write(nwp::base(n, v), 0x10000 * (2 * n + v));
      for (int i = 0; i < packets / credit; ++i) {
        h.post_credit(l, static_cast<int>(v), 0, static_cast<std::uint32_t>(credit));
        reference.credit(l, static_cast<int>(v), 0x10000 * (2 * n + v), 0,
                         static_cast<std::uint32_t>(credit));
      }
    }
  }
  for (int i = 0; i < packets; ++i) {
    for (const int l : receivers) {
      for (int v = 0; v < 2; ++v) h.put(reference.packet(NwpHarness::peer(l), l, v, i, 1));
    }
  }
  h.run_until(
      [&] {
        reference.check(h.beats);
        return reference.complete();
      },
      1000000, "the last packet");
  const std::size_t from = h.beats.size() / 4, to = h.beats.size() * 3 / 4;
  std::size_t payload = 0;
  for (std::size_t i = from; i < to; ++i) payload += h.beats[i].notify ? 0 : 16;
  return static_cast<double>(payload) * 1000 /
         static_cast<double>(h.beats[to].time - h.beats[from].time);
}

TEST_CASE("six links together reach 3.2 GB/s, one alone its wire's limit") {
  CHECK(throughput({0, 1, 2, 3, 4, 5}, 256, 64) >= 3.2);
  CHECK(throughput({0, 1}, 256, 64) >= 2 * 0.93);
  CHECK(throughput({3}, 256, 64) >= 0.93);
}

}  // namespace
