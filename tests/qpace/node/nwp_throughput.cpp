// SPDX-License-Identifier: Apache-2.0
#include "tests/qpace/node/nwp_throughput.hpp"

#include "sw/qpace/registers.hpp"
#include "tests/qpace/node/nwp_harness.hpp"
#include "tests/qpace/node/nwp_reference.hpp"

namespace ht::test {

namespace nwp = ht::qpace::registers::nwp;

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

}  // namespace ht::test
