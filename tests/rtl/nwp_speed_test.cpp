// SPDX-License-Identifier: Apache-2.0
// How fast qpace_nwp is, in exact cycles.
#include <catch2/catch.hpp>

#include "sw/qpace/registers.hpp"
#include "tests/rtl/nwp_harness.hpp"
#include "tests/rtl/nwp_reference.hpp"

namespace {

using namespace ht::test;
namespace nwp = ht::qpace::registers::nwp;

// From the edge that takes the first beat of a line to the edge at which the last beat of its
// packet leaves the peer, without a cable, one packet at a time.
struct Latency {
  Picoseconds whole = 0;    ///< the longest
  Picoseconds to_wire = 0;  ///< the longest, to the link edge that puts the header on the wire
  Picoseconds from_wire = 0;
};

Latency measure(Picoseconds phase) {
  NwpHarness h({.link_phase = phase});
  h.connect_rings();
  h.bring_up();
  h.write(nwp::base(1, 0), 0);
  Picoseconds header = 0;
  h.on_wire = [&](int to, WireWord& word) {
    if (to == 1 && word.control == 1 && (word.data & 0xFF) == 0xFB) header = h.now();
  };
  Latency worst;
  // The clocks' pattern repeats after 24 ns = 5 core cycles.
  for (int slot = 0; slot < 5; ++slot) {
    h.post_credit(1, 0, 0, 1);
    h.run_core(200 + (5 + slot - (h.now() / 4800) % 5) % 5);
    h.beats.clear();
    h.first_beats_in.clear();
    h.put({put_address(0, 0, 0), {}});
    h.run_core(200);
    REQUIRE(h.first_beats_in.size() == 1);
    REQUIRE(h.beats.size() == line_beats);
    const Picoseconds in = h.first_beats_in[0], out = h.beats.back().time;
    worst.whole = std::max(worst.whole, out - in);
    worst.to_wire = std::max(worst.to_wire, header - in);
    worst.from_wire = std::max(worst.from_wire, out - header);
  }
  return worst;
}

TEST_CASE("latency, first beat in to last beat out") {
  Latency worst;
  for (Picoseconds phase = 0; phase < 4800; phase += 50) {
    const Latency l = measure(phase);
    worst.whole = std::max(worst.whole, l.whole);
    worst.to_wire = std::max(worst.to_wire, l.to_wire);
    worst.from_wire = std::max(worst.from_wire, l.from_wire);
  }
  const auto cycles = [](Picoseconds ps) { return (ps + 3999) / 4000; };
  INFO(worst.whole << " ps, to the wire " << worst.to_wire << ", from it " << worst.from_wire);
  CHECK(cycles(worst.whole) == 57);
  // two nodes whose clocks know nothing of one another
  CHECK(cycles(worst.to_wire + worst.from_wire) == 57);
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
