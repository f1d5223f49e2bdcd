// SPDX-License-Identifier: Apache-2.0
// Cycles of idle QCDOC nodes are skipped, eight at a time and each node by itself, beside a twin
// that skips none: wires, interrupts, memories and registers stay the same.
#include <Vqcdoc_scu.h>

#include <catch2/catch.hpp>
#include <random>

#include "sw/qcdoc/registers.hpp"
#include "tests/qcdoc/unit/node.hpp"

using namespace ht::test;
namespace scu = ht::qcdoc::registers::scu;
namespace link_map = ht::qcdoc::registers::link;

namespace {

constexpr unsigned links = 4;

/// The same machine twice; what is done to one is done to the other, in the same cycle.
struct Twins {
  QcdocTorus skips{{2, 2}, 10, 1024}, steps{{2, 2}, 10, 1024};
  std::uint64_t differences = 0, first = 0;

  template <typename F>
  void both(F f) {
    for (QcdocTorus* t : {&skips, &steps}) {
      while (t->cycle % 8 != 0) t->step();
      t->skip_idle = false;  // the host may come in any cycle
      f(*t);
      while (t->cycle % 8 != 0) t->step();
      t->skip_idle = t == &skips;
    }
  }

  void run(std::uint64_t cycles) {
    REQUIRE(skips.cycle == steps.cycle);
    for (std::uint64_t i = 0; i < cycles; ++i) {
      skips.step();
      steps.step();
      for (std::size_t n = 0; n < steps.nodes.size(); ++n) {
        const bool same = skips.wires(n) == steps.wires(n) &&
                          skips.nodes[n]->dut().irq == steps.nodes[n]->dut().irq &&
                          skips.nodes[n]->dut().obs_state == steps.nodes[n]->dut().obs_state;
        if (!same && differences++ == 0) first = steps.cycle;
      }
    }
  }

  void compare() {
    CAPTURE(first, steps.cycle);
    CHECK(differences == 0);
    for (std::size_t n = 0; n < steps.nodes.size(); ++n)
      CHECK((skips.nodes[n]->memory == steps.nodes[n]->memory));
    const unsigned own[] = {
        scu::error,          scu::error_info,  scu::error_count,       scu::active,
        scu::done,           scu::link_status, scu::supervisor_status, scu::partition_present,
        scu::global_count(0)};
    for (int node = 0; node < 4; ++node) {
      const auto compare_one = [&](unsigned address) {
        CAPTURE(node, address);
        std::uint32_t seen[2], *at = seen;
        both([&](QcdocTorus& t) { *at++ = t.read(node, address); });
        CHECK(seen[0] == seen[1]);
      };
      for (unsigned address : own) compare_one(address);
      for (unsigned l = 0; l < links; ++l)
        for (unsigned address :
             {link_map::status(l), link_map::tx_checksum(l), link_map::rx_checksum(l),
              link_map::count_sent(l), link_map::count_retransmitted(l),
              link_map::count_accepted(l), link_map::count_request(l), link_map::count_burst(l),
              link_map::count_bad_ack(l)})
          compare_one(address);
    }
  }
};

}  // namespace

TEST_CASE("skipping idle cycles changes nothing") {
  for (unsigned seed : {1U, 2U, 3U}) {
    CAPTURE(seed);
    Twins t;
    for (QcdocTorus* torus : {&t.skips, &t.steps}) {
      // Now and then a flipped bit, in the silence as well.
      torus->damage = [torus, seed](int node, int l, bool bit) {
        const std::uint64_t when = torus->cycle * 16 + static_cast<std::uint64_t>(node * 4 + l);
        return l < static_cast<int>(links) && when % 48'611 == seed ? !bit : bit;
      };
      for (auto& node : torus->nodes)
        for (std::size_t i = 0; i < node->memory.size(); ++i)
          node->memory[i] = i * 0x9E3779B97F4A7C15U;
    }
    t.both([](QcdocTorus& torus) { REQUIRE(torus.bring_up()); });
    t.both([seed](QcdocTorus& torus) {
      for (int node = 0; node < 4; ++node) {
        torus.write(node, scu::partition_links, 0xF);
        // One of them without windows: it passes on what comes.
        torus.write(node, scu::partition_window, (seed == 3 && node == 2 ? 0 : 1U << 31) | 6);
        for (unsigned l = 0; l < links; ++l) {
          store(torus, node, l, 0, {8 * 64 * l, 5});
          store(torus, node, 12 + l, 0, {8 * (512 + 64 * l), 5});
        }
      }
      // What comes from -1 goes on to +2.
      torus.write(3, scu::global_outputs(0), 1U << 2);
      torus.write(3, scu::global_control(0), 1U | 1U << 8 | 1U << 31);
    });
    std::mt19937_64 random(seed);
    for (int action = 0; action < 60; ++action) {
      t.run(8 * (1 + random() % (random() % 4 == 0 ? 600 : 20)));
      const int node = static_cast<int>(random() % 4);
      const auto l = static_cast<unsigned>(random() % links);
      const auto what = random() % 8;
      const auto value = static_cast<std::uint32_t>(random());
      t.both([&](QcdocTorus& torus) {
        // Refusals (busy) are the same in both.
        if (what < 3) torus.try_write(node, scu::start, 1U << l);
        if (what >= 3 && what < 5) torus.try_write(node, scu::start, 1U << (12 + l));
        if (what == 5) torus.write(node, scu::partition_raise, value & 0x7F);
        if (what == 6) {
          torus.try_write(node, link_map::supervisor_send_low(l), value);
          torus.try_write(node, link_map::supervisor_send_high(l), ~value);
        }
        if (what == 7) {
          for (unsigned i = 0; i < links; ++i) torus.write(node, link_map::supervisor_read(i), 0);
          torus.write(node, scu::partition_present, value & 0x7F);
        }
      });
    }
    t.run(8000);
    t.compare();
    CHECK(t.steps.skipped == 0);
    // Of four nodes' cycles.
    CHECK(t.skips.skipped > 2 * t.skips.cycle);
  }
}
