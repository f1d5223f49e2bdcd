// SPDX-License-Identifier: Apache-2.0
// A host's end of an Ethernet cable: which frames it takes, and which it says were lost.
#include "sim/qpace/ethernet_port.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <vector>

using namespace ht;
using machine::EthernetPort;
using sim::EthernetNibble;

namespace {

constexpr Picoseconds period = 8'000, all = 4'000 * period;
using Nibbles = std::vector<EthernetNibble>;

sim::EthernetCable cable() {
  sim::CableOptions o;
  o.sender = o.receiver = {period, 0};
  return sim::EthernetCable(o);
}

void run(EthernetPort& port, std::size_t& taken) {
  port.run(
      all, [&](const net::Bytes&, Picoseconds) { ++taken; }, [] { return sim::kNever; },
      [](Picoseconds) {});
}

/// What is on the line while this many frames of 100 bytes go over it, from their first nibble on.
Nibbles on_the_line(int frames) {
  sim::EthernetCable out = cable(), in = cable();
  EthernetPort port(out, in);
  std::size_t none = 0;
  for (int i = 0; i < frames; ++i) port.send(net::Bytes(100, static_cast<std::uint8_t>(i)), 0);
  run(port, none);
  out.transfer(all);
  Nibbles line;
  const std::int64_t first = *out.next_edge();
  while (const auto edge = out.next_edge()) {
    line.resize(static_cast<std::size_t>(*edge - first));
    line.push_back(out.receive(*edge));
  }
  return line;
}

struct Heard {
  std::uint64_t good, lost;
};
Heard heard(const Nibbles& line) {
  sim::EthernetCable out = cable(), in = cable();
  EthernetPort port(out, in);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i].valid) in.send(static_cast<std::int64_t>(100 + i), line[i]);
  }
  in.transfer(all);
  std::size_t taken = 0;
  run(port, taken);
  CHECK(taken == port.frames_in);
  return {port.frames_in, port.bad_frames};
}

}  // namespace

TEST_CASE("an Ethernet port says of each frame once that it was lost, and of noise nothing") {
  // Preamble, bytes with the check sequence, gap: 16 + 208 + 24 nibbles.
  const Nibbles line = on_the_line(3);
  constexpr std::size_t frame = 248;
  REQUIRE(line.size() == 2 * frame + 224);
  const auto check = [&](const std::function<void(Nibbles&)>& damage, std::uint64_t good,
                         std::uint64_t lost) {
    Nibbles damaged = line;
    damage(damaged);
    const Heard h = heard(damaged);
    CHECK(h.good == good);
    CHECK(h.lost == lost);
  };
  check([](Nibbles&) {}, 3, 0);
  for (const std::size_t place : {frame - 1, frame - 12, frame - 23, 2 * frame - 5})
    check([=](Nibbles& n) { n[place] = {0x9, true}; }, 3, 0);  // in a gap
  for (const std::size_t place :
       {std::size_t{15}, std::size_t{16}, std::size_t{100}, std::size_t{223}}) {
    INFO("nibble " << place);
    check([=](Nibbles& n) { n[frame + place].data ^= 4; }, 2,
          1);                                                 // delimiter, data, check sequence
    check([=](Nibbles& n) { n[frame + place] = {}; }, 2, 1);  // a hole
  }
  check([](Nibbles& n) { n[15].data ^= 1, n[2 * frame + 100] = {}; }, 1, 2);
  check([](Nibbles& n) { n[60] = n[90] = {}; }, 2, 1);
}
