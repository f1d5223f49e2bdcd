// SPDX-License-Identifier: Apache-2.0
// What a job asks of its spec, tells its meter, and how it spends simulated time.
#include "sw/dirac/job.hpp"

#include <zlib.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "sw/host/errors.hpp"
#include "sw/qmp/node.hpp"
#include "tests/dirac/on_grid.hpp"

using namespace ht;
using namespace ht::test;
using Catch::Contains;
using dirac::JobSpec;
using dirac::Phase;

namespace {

/// Adds up the work of all nodes and charges a fixed time for every site.
class CountingMeter final : public dirac::WorkMeter {
 public:
  struct Total {
    std::int64_t interior = 0, boundary = 0, packed = 0, multiplied = 0;
    std::int64_t linear_flops = 0, linear_bytes = 0;
    std::array<double, dirac::kPhases> phase{};
  };
  CountingMeter(Total& total, Picoseconds per_site) : total_(total), per_site_(per_site) {}

  void hopping(const dirac::HoppingWork& w) override {
    (w.boundary ? total_.boundary : total_.interior) += w.sites;
    charge(w.sites);
  }
  void pack(const dirac::PackWork& w) override {
    (w.multiplied ? total_.multiplied : total_.packed) += w.sites;
  }
  void kernel(const dirac::KernelWork&) override {}
  void linear(const dirac::LinearWork& w) override {
    total_.linear_flops += w.sites * w.flops;
    total_.linear_bytes += w.sites * 24 * w.real_bytes * (w.spinors_read + w.spinors_written);
  }
  void phase(Phase phase, double begin, double end) override {
    total_.phase[static_cast<std::size_t>(phase)] += end - begin;
  }

 private:
  void charge(std::int64_t sites) {
    if (per_site_ == 0) return;
    qmp::Node::current_transport()->runtime().advance(per_site_ * sites);
  }
  Total& total_;
  Picoseconds per_site_;
};

struct Metered {
  dirac::JobResult result;
  CountingMeter::Total total;
};

Metered metered(const JobSpec& spec, const std::vector<int>& grid, Picoseconds per_site = 0) {
  dirac::JobSink sink(spec);
  Metered out;
  on_grid(grid, [&] {
    CountingMeter meter(out.total, per_site);
    dirac::run_solve_job(spec, sink, meter);
  });
  out.result = sink.result();
  return out;
}

void check_refused(const JobSpec& spec, const std::string& what) {
  INFO("expected complaint: " << what);
  try {
    dirac::validate(spec);
    FAIL("was accepted");
  } catch (const UsageError& error) {
    CHECK_THAT(error.what(), Contains(what));
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
  }
}

}  // namespace

TEST_CASE("bad specs are refused by name", "[job]") {
  const JobSpec good;
  CHECK_NOTHROW(dirac::validate(good));
  const auto with = [&](auto change) {
    JobSpec spec = good;
    change(spec);
    return spec;
  };
  check_refused(with([](JobSpec& s) { s.node_grid = {3}; }), "x extent 4 is not divided by 3");
  check_refused(with([](JobSpec& s) { s.lattice = {4, 4, 4, 7}; }), "even extents");
  check_refused(with([](JobSpec& s) { s.fermions.kappa = 0; }), "kappa 0");
  check_refused(with([](JobSpec& s) { s.fermions.kappa = NAN; }), "kappa nan");
  check_refused(with([](JobSpec& s) { s.boundary[2] = INFINITY; }), "boundary");
  check_refused(with([](JobSpec& s) { s.source.position = {0, 4, 0, 0}; }), "y coordinate 4");
  check_refused(with([](JobSpec& s) { s.source.position = {0, 0, 0, -1}; }), "t coordinate -1");
  check_refused(with([](JobSpec& s) { s.source = {true, {}, 0, 5}; }), "width 0");
  check_refused(with([](JobSpec& s) { s.source = {true, {}, 2, 0}; }), "0 iterations");
  check_refused(with([](JobSpec& s) { s.columns = 13; }), "columns 13");
  check_refused(with([](JobSpec& s) { s.columns = 0; }), "columns 0");
  check_refused(with([](JobSpec& s) { s.tolerance = 0; }), "tolerance 0");
  check_refused(with([](JobSpec& s) { s.tolerance = 1; }), "tolerance 1");
  check_refused(with([](JobSpec& s) { s.max_iterations = 0; }), "at least 1");
  check_refused(with([](JobSpec& s) {
                  s.gauge = std::make_shared<GlobalGauge>(
                      dirac::generate_gauge(dirac::FieldKind::Unit, 0, {2, 2, 2, 2}));
                }),
                "holds a 2x2x2x2 lattice");
  // A machine whose shape does not divide the lattice, when no grid was named.
  CHECK_THROWS_AS(run_job(good, {3}), UsageError);
}

TEST_CASE("the meter is told all work there is", "[job]") {
  JobSpec spec;
  spec.lattice = {8, 4, 8, 4};
  spec.field = dirac::FieldKind::Hot;
  const std::int64_t half = dirac::volume_of(spec.lattice) / 2;
  for (const std::vector<int>& grid : {std::vector{1}, std::vector{2, 1, 2}}) {
    const Metered run = metered(spec, grid);
    const std::int64_t iterations = run.result.columns[0].iterations;
    // Applications of D to half the sites: right-hand side 1, M^dagger of it 2, four an iteration,
    // residual of the complement 2, other half of the solution 1, residual of the whole 2.
    const std::int64_t hops = 4 * iterations + 8;
    CHECK(run.total.interior + run.total.boundary == hops * half);
    const bool cut = grid.size() > 1;
    // Cut at two planes of x and two of z: 6 of 8 rows inside of 4 x 4 x 4 x 4 ... 2 x 2 of 4 x 4.
    CHECK(run.total.interior == (cut ? hops * half / 4 : hops * half));
    const std::int64_t faces = cut ? hops * half / 2 * 2 : 0;  // 4 directions, a quarter each
    CHECK(run.total.packed + run.total.multiplied == faces);
    CHECK(run.total.packed == run.total.multiplied);
    // An iteration moves three fields of half the lattice for each of three operations, and loads
    // one for each of two diagonals, done where the hop has its result.
    CHECK(run.total.linear_bytes >= iterations * half * 192 * 11);
    CHECK(run.total.linear_bytes < (iterations + 4) * half * 192 * 11);
  }
}

TEST_CASE("simulated time is split into computing, halos and sums", "[job]") {
  JobSpec spec;
  spec.lattice = {8, 8, 8, 8};
  const Metered slow = metered(spec, {2, 2, 2}, 1'000'000);
  REQUIRE(slow.result.nodes.size() == 8);
  for (const dirac::NodeTimes& t : slow.result.nodes) {
    double sum = 0;
    for (const double s : t.split) {
      CHECK(s > 0);
      sum += s;
    }
    CHECK(sum == Approx(t.solve).epsilon(1e-9));
    CHECK(t.total > t.solve);
    // 4 half-lattice hops an iteration over 256 local sites at 1 us, and two more before.
    const double compute = (4 * slow.result.columns[0].iterations + 2) * 256 * 1e-6;
    // Starting messages and reading the clock take a little, too.
    CHECK(t.split[0] >= compute);
    CHECK(t.split[0] < 1.02 * compute);
  }
  CHECK(slow.result.solve_seconds() >= slow.result.nodes[0].solve);
  for (std::size_t i = 0; i < slow.total.phase.size(); ++i) {
    double nodes = 0;
    for (const dirac::NodeTimes& t : slow.result.nodes) nodes += t.split[i];
    CHECK(slow.total.phase[i] >= nodes * (1 - 1e-9));
  }
  // The interior (1/8 of the sites, 32 us) hides the halos' 6 us each; without computing they show.
  const Metered idle = metered(spec, {2, 2, 2}, 0);
  const auto halo = static_cast<std::size_t>(Phase::Halo);
  CHECK(slow.result.nodes[0].split[halo] < 0.5 * idle.result.nodes[0].split[halo]);
  CHECK(slow.result.solution_crc32 == idle.result.solution_crc32);
}

TEST_CASE("the sink's checksum covers the whole solution", "[job]") {
  JobSpec spec;
  spec.lattice = {2, 2, 2, 2};
  spec.columns = 2;
  dirac::JobSink sink(spec);
  CHECK_THROWS_AS(sink.result(), std::logic_error);
  sink.put_common({});
  CHECK(sink.solution().size() == 2 * 16 * 192);
  std::array<double, 24> site{};
  for (int column = 0; column < 2; ++column) {
    for (std::int64_t x = 15; x >= 0; --x) {
      const std::uint32_t before = sink.result().solution_crc32;
      site.fill(static_cast<double>(100 * column + x + 1));
      sink.put_solution(column, x, site.data());
      CHECK(sink.result().solution_crc32 != before);
    }
  }
  double first = 0;
  std::memcpy(&first, sink.solution().data() + (16 + 3) * 192, sizeof first);
  CHECK(first == 104);
  CHECK(sink.result().solution_crc32 ==
        crc32(0, reinterpret_cast<const Bytef*>(sink.solution().data()), 2 * 16 * 192));
  CHECK_THROWS_AS(sink.put_solution(2, 0, site.data()), std::out_of_range);
}
