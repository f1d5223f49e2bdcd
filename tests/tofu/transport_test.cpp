// SPDX-License-Identifier: Apache-2.0
// QMP over Tofu's network interfaces and barrier gates, their reference models behind the
// registers.
#include "sw/tofu/transport.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "sw/dirac/job.hpp"
#include "sw/host/errors.hpp"
#include "tests/dirac/on_grid.hpp"
#include "tests/qmp/c_programs.h"
#include "tests/qmp/programs.hpp"
#include "tests/tofu/functional_ranks.hpp"

using namespace ht;
using namespace ht::test;
using namespace ht::tofu;

namespace {

constexpr Shape one{}, pair{{1, 1, 1, 2, 1, 1}}, cube{{2, 2, 2, 1, 1, 1}},
    group{{1, 1, 1, 2, 3, 2}}, ring{{1, 1, 4, 1, 1, 1}};

FunctionalTofuOptions shuffled(unsigned seed) {
  FunctionalTofuOptions o;
  if (seed != 0) o.shuffle = seed;
  return o;
}

void conformance(const Shape& shape, const std::shared_ptr<const RankLayout>& layout,
                 const TransportOptions& options = {}) {
  unsigned seed = 0;  // the first in the order of time
  for (const auto& promise : qmp::tests::conformance_programs()) {
    for (const unsigned s : {0U, ++seed}) {
      // It compares the nodes' clocks, and those of a shuffled machine mean nothing.
      if (s != 0 && promise.name == std::string("barrier")) continue;
      INFO(promise.name << ", shuffle " << s);
      FunctionalTofu machine(shape, shuffled(s));
      CHECK_NOTHROW(run_ranks(
          machine, layout, [&](Transport&) { promise.program(); }, options));
    }
  }
}

}  // namespace

TEST_CASE("QMP's promises on one Tofu node, on two over one cable, on a ring of four") {
  for (const Shape& shape : {one, pair, ring}) conformance(shape, RankLayout::straight(shape));
}

TEST_CASE("QMP's promises on 2x2x2 Tofu nodes") {
  conformance(cube, RankLayout::straight(cube));
}

TEST_CASE("QMP's promises on the twelve nodes of a Tofu group") {
  conformance(group, RankLayout::straight(group));
}

TEST_CASE("QMP's promises when Tofu's messages are cut into parts for all interfaces") {
  TransportOptions options;
  options.split_bytes = 64;
  conformance(cube, RankLayout::straight(cube), options);
}

TEST_CASE("Plain QMP programs in C run unchanged on Tofu nodes") {
  std::vector<int> codes;
  for (const auto main : {ping_pong_main, halo_exchange_main}) {
    FunctionalTofu machine(cube);
    run_ranks(machine, RankLayout::straight(cube), [&](Transport&) {
      codes.push_back(qmp::call_main(main, std::vector<std::string>{"program"}));
    });
  }
  CHECK(codes == std::vector<int>(16, 0));
}

// -------------------------------------------------------------------------------------------------
// The application

namespace {

dirac::JobSpec job() {
  dirac::JobSpec spec;
  spec.lattice = {4, 6, 4, 4};
  spec.columns = 2;
  return spec;
}

Finished run_job_on(FunctionalTofu& machine, const std::shared_ptr<const RankLayout>& layout,
                    const dirac::JobSpec& spec) {
  dirac::JobSink sink(spec);
  run_ranks(machine, layout, [&](Transport&) {
    dirac::FreeWork free;
    dirac::run_wilson_job(spec, sink, free);
  });
  return {sink.result(), sink.solution()};
}

void check_same(const Finished& a, const Finished& b) {
  CHECK((a.solution == b.solution));
  CHECK(a.result.correlator == b.result.correlator);
  CHECK(a.result.plaquette.space_space == b.result.plaquette.space_space);
  REQUIRE(a.result.columns.size() == b.result.columns.size());
  for (std::size_t c = 0; c < a.result.columns.size(); ++c)
    CHECK(a.result.columns[c].history == b.result.columns[c].history);
}

}  // namespace

TEST_CASE("The conjugate gradient on Tofu nodes gives the bits of one node") {
  const Finished expected = run_job(job(), {1});
  REQUIRE(expected.result.converged());
  for (const Shape& shape : {one, cube, group}) {
    for (const unsigned seed : {0U, 7U}) {
      INFO(shape.nodes() << " nodes, shuffle " << seed);
      FunctionalTofu machine(shape, shuffled(seed));
      check_same(run_job_on(machine, RankLayout::straight(shape), job()), expected);
    }
  }
}

TEST_CASE("The conjugate gradient on ranks laid round a failed Tofu node gives the same bits") {
  dirac::JobSpec spec = job();
  spec.lattice = {4, 4, 4, 4};
  spec.columns = 1;
  const Finished expected = run_job(spec, {1});
  const Shape machine_shape{{1, 2, 1, 2, 3, 2}};
  for (const tofu::Coordinates& failed :
       {tofu::Coordinates{{0, 0, 0, 0, 1, 0}}, tofu::Coordinates{{0, 1, 0, 1, 2, 1}}}) {
    INFO(text(failed));
    FunctionalTofuOptions options;
    options.failed = {failed};
    FunctionalTofu machine(machine_shape, options);
    RankOptions ranks;
    ranks.failed = {failed};
    const auto layout = RankLayout::of(RankMap(machine_shape, {2, 2, 2}, ranks));
    check_same(run_job_on(machine, layout, spec), expected);
  }
}
