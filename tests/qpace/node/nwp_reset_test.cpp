// SPDX-License-Identifier: Apache-2.0
// One link of a node is reset by itself while the others carry traffic: they go on bit for bit, and
// the reset one works again afterwards.
#include <catch2/catch.hpp>
#include <random>

#include "sw/qpace/registers.hpp"
#include "tests/qpace/node/nwp_harness.hpp"

namespace {

using namespace ht::test;
namespace nwp = ht::qpace::registers::nwp;
namespace link = ht::qpace::registers::link;

constexpr int packets = 60;

PutLine random_line(std::mt19937& random, int via, int offset) {
  PutLine line;
  line.address = put_address(via, 0, offset);
  for (auto& word : line.data) word = static_cast<std::uint32_t>(random());
  return line;
}

struct Run {
  std::vector<WireWord> words;  ///< that arrived at the other rings' links, in order
  std::vector<OutBeat> beats;
};

/// Traffic on all rings but that of `quiet`, which is reset at core cycle `at` if `resets`.
Run run(int quiet, int at, bool resets, NwpClocks clocks) {
  NwpHarness h(clocks);
  h.connect_rings(30);
  h.bring_up();
  std::mt19937 random(static_cast<unsigned>(100 * quiet + at));
  const auto used = [quiet](int l) { return l / 2 != quiet / 2; };
  for (int l = 0; l < links; ++l) {
    h.write(nwp::base(static_cast<std::uint32_t>(l), 0), static_cast<std::uint32_t>(1000 * l));
    h.post_credit(l, 0, 0, packets);
    for (int n = 0; n < packets && used(l); ++n) h.put(random_line(random, l, n));
  }
  Run result;
  h.on_arrival = [&](int to, const WireWord& word) {
    if (used(to)) result.words.push_back(word);
  };
  h.run_core(at);
  if (resets)
    h.reset_links(1U << quiet, 20);
  else
    h.run_core(20);
  h.run_core(8000);
  result.beats = h.beats;
  h.on_arrival = nullptr;
  if (!resets) return result;
  const auto q = static_cast<std::uint32_t>(quiet), p = q ^ 1U;
  CHECK(h.read(link::error(q)) == link::error_link_reset.mask);
  CHECK(link::status_state.get(h.read(link::status(q))) == link::status_state_down);
  std::uint32_t sticky = 0;
  for (std::uint32_t l = 0; l < links; ++l) sticky |= h.read(link::error(l)) != 0 ? 1U << l : 0;
  CHECK(nwp::link_status_attention.get(h.read(nwp::link_status)) == sticky);
  h.write(link::error(q), link::error_link_reset.mask);
  h.write(link::control(q), link::control_enable.mask);
  h.run_until([&, tries = 0]() mutable { return ++tries > 3000; }, 4000, "training");
  CHECK(nwp::link_status_up.get(h.read(nwp::link_status)) == 0x3F);
  h.beats.clear();
  h.put(random_line(random, quiet, 0));
  h.put(random_line(random, quiet ^ 1, 0));
  h.run_core(500);
  CHECK(h.beats.size() == 2 * line_beats);
  CHECK((h.read(link::error(p)) & ~link::error_peer_changed.mask) == 0);
  return result;
}

}  // namespace

TEST_CASE("a link that is reset by itself leaves the other five as they are, bit for bit") {
  std::mt19937 random(1);
  for (int quiet = 0; quiet < links; ++quiet) {
    const NwpClocks clocks{4800, 4000, static_cast<Picoseconds>(random() % 4800),
                           static_cast<Picoseconds>(random() % 4000)};
    const int at = static_cast<int>(random() % 2500);
    INFO("link " << quiet << " after " << at << " cycles");
    const Run plain = run(quiet, at, false, clocks), reset = run(quiet, at, true, clocks);
    CHECK(plain.beats.size() == 4 * packets * line_beats);
    CHECK(plain.words == reset.words);
    REQUIRE(plain.beats.size() == reset.beats.size());
    for (std::size_t i = 0; i < plain.beats.size(); ++i) {
      REQUIRE(plain.beats[i].time == reset.beats[i].time);
      REQUIRE(plain.beats[i].address == reset.beats[i].address);
      REQUIRE(plain.beats[i].data == reset.beats[i].data);
    }
  }
}
