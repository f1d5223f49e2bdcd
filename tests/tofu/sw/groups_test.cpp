// SPDX-License-Identifier: Apache-2.0
// Two jobs at once on one Tofu machine, kept apart by groups: rtl/tofu/README.md, "Groups".
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "sw/host/errors.hpp"
#include "sw/tofu/functional/functional_tofu.hpp"
#include "sw/tofu/registers.hpp"
#include "tests/qmp/programs.hpp"
#include "tests/tofu/sw/functional_ranks.hpp"
#include "tests/tofu/sw/stray.hpp"

using namespace ht;
using namespace ht::tofu;

namespace {

/// A machine whose halves along an axis have a job each, on a torus of the same shape.
struct Halves {
  Shape machine;
  std::size_t axis;
  std::vector<int> torus;
  std::array<std::shared_ptr<const RankLayout>, 2> layouts;

  Halves(Shape shape, std::size_t split, std::vector<int> ranks)
      : machine(shape), axis(split), torus(std::move(ranks)) {
    for (int job = 0; job < 2; ++job) {
      std::vector<Coordinates> others;
      for (int n = 0; n < machine.nodes(); ++n) {
        if (job_of(n) != job) others.push_back(machine.place(n));
      }
      layouts[static_cast<std::size_t>(job)] =
          RankLayout::of({machine, torus, {false, {}, others}});
    }
  }
  int job_of(int node) const {
    return machine.place(node).at[axis] < machine.length[axis] / 2 ? 0 : 1;
  }
};

}  // namespace

TEST_CASE("Two jobs at once on one Tofu machine keep QMP's promises, though one strays") {
  for (const Halves& halves :
       {Halves({{2, 1, 4, 1, 1, 1}}, 2, {2, 2}), Halves({{4, 1, 1, 2, 1, 1}}, 0, {4}),
        Halves({{2, 4, 1, 1, 3, 1}}, 1, {2, 6})}) {
    for (const auto& promise : qmp::tests::conformance_programs()) {
      INFO(promise.name << " on " << halves.machine.nodes() << " nodes");
      FunctionalTofu machine(halves.machine);
      unsigned strays = 0;
      std::array<int, 2> ran{};
      machine.run([&](int number, host::HardwarePort& port) {
        const int job = halves.job_of(number);
        TransportOptions options;
        options.group = 1 + job;
        Transport transport(port, {halves.machine, number},
                            halves.layouts[static_cast<std::size_t>(job)], options);
        transport.bring_up();
        if (transport.rank() < 0) return;
        if (job == 0 && transport.rank() == 0) {
          for (int n = 0; n < halves.machine.nodes(); ++n) {
            if (halves.job_of(n) == 0) continue;
            CHECK(test::write_into(transport, halves.machine.place(n)) == TniCause::Group);
            ++strays;
          }
        }
        const qmp::Node node(transport);
        promise.program();
        ++ran[static_cast<std::size_t>(job)];
      });
      const int ranks = halves.layouts[0]->ranks();
      CHECK(ran == std::array{ranks, ranks});
      CHECK(strays > 0);
      // Each was counted where it came, and nothing else is anybody's.
      machine.run([&](int number, host::HardwarePort& port) {
        for (std::uint32_t i = 0; i < interfaces_per_node; ++i)
          CHECK(port.read_register(registers::tni::strayed(i)) ==
                (halves.job_of(number) == 1 && i == 1 ? 1U : 0U));
      });
    }
  }
}

TEST_CASE("The ways of a Tofu job stay in its part of the machine") {
  for (const Halves& halves :
       {Halves({{2, 1, 4, 1, 1, 1}}, 2, {2, 2}), Halves({{4, 1, 1, 2, 1, 1}}, 0, {4}),
        Halves({{2, 4, 1, 2, 3, 1}}, 1, {4, 6})}) {
    for (int job = 0; job < 2; ++job) {
      const RankLayout& layout = *halves.layouts[static_cast<std::size_t>(job)];
      for (int from = 0; from < layout.ranks(); ++from) {
        for (int to = 0; to < layout.ranks(); ++to) {
          if (from == to) continue;
          const auto& places = layout.places;
          for (const Coordinates& step :
               way(halves.machine, places[static_cast<std::size_t>(from)],
                   places[static_cast<std::size_t>(to)], layout.way(from, to)))
            CHECK(layout.ours(step));
        }
      }
      CHECK(layout.failed.empty());
    }
  }
}
