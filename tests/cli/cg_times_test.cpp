// SPDX-License-Identifier: Apache-2.0
// The time of an iteration of the conjugate gradient: by hand, and against what the solver does.
#include "sim/bench/cg_times.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "sim/bench/solve_iteration.hpp"
#include "sim/qcdoc/bench/scu_torus.hpp"
#include "sw/dirac/job.hpp"
#include "sw/qcdoc/ppc440.hpp"
#include "sw/qmp/functional_machine.hpp"
#include "sw/tofu/sparc64viiifx.hpp"

using namespace ht;
using bench::CgTimes;
using Lattice = host::LocalLattice;

namespace {

constexpr bench::CgNetwork network{.first_word_ns = 200, .word_ns = 144, .sum_us = 3};

// Picoseconds of one node's work.
struct Work {
  Picoseconds hopping = 0, packing = 0, linear = 0;
};

class ModelMeter final : public dirac::WorkMeter {
 public:
  ModelMeter(const host::ProcessorModel& processor, Work& work)
      : processor_(processor), work_(work) {}
  void hopping(const dirac::HoppingWork& w) override {
    work_.hopping += processor_.hopping_time(w.sites, w.real_bytes);
  }
  void pack(const dirac::PackWork& w) override {
    work_.packing += processor_.pack_time(w.sites, w.real_bytes, w.multiplied);
  }
  void kernel(const dirac::KernelWork&) override {}
  void linear(const dirac::LinearWork& w) override {
    work_.linear +=
        processor_.linear_time(w.sites, w.real_bytes, w.spinors_read, w.spinors_written, w.flops);
  }

 private:
  const host::ProcessorModel& processor_;
  Work& work_;
};

CgTimes qcdoc_times(const Lattice& local) {
  return bench::cg_times(local, qcdoc::Ppc440(local), network);
}

// What node 0 of 16 does in a solve of so many iterations; also the flop reported for all of it.
Work solve(const Lattice& local, const host::ProcessorModel& processor, int iterations,
           double& flops) {
  dirac::JobSpec spec;
  for (std::size_t mu = 0; mu < 4; ++mu) spec.lattice[mu] = 2 * local[mu];
  spec.node_grid = {2, 2, 2, 2};
  spec.max_iterations = iterations;
  spec.tolerance = 1e-30;
  dirac::JobSink sink(spec);
  Work work, others;
  qmp::FunctionalMachine({2, 2, 2, 2}).run([&](qmp::Transport& transport) {
    ModelMeter meter(processor, transport.rank() == 0 ? work : others);
    dirac::run_solve_job(spec, sink, meter);
    return 0;
  });
  flops = sink.result().solve_flops;
  return work;
}

}  // namespace

TEST_CASE("an iteration on 2^4 sites a node, from what its parts take") {
  const host::LocalLattice local{2, 2, 2, 2};
  const qcdoc::Ppc440 p(local);
  const CgTimes t = qcdoc_times(local);
  const auto us = [](Picoseconds time) { return static_cast<double>(time) * 1e-6; };
  // Eight targets; each face has four of them.
  CHECK(t.peak == Approx(5664 * 8 * 1e-3));
  CHECK(t.hopping == Approx(4 * us(p.hopping_time(8, 8))));
  CHECK(t.packing == Approx(4 * 4 * (us(p.pack_time(4, 8, true)) + us(p.pack_time(4, 8, false)))));
  double linear = 0;
  for (const int flops : {48, 96, 72}) linear += us(p.linear_time(8, 8, 2, 1, flops));
  // The diagonals of both hops, in their loops.
  for (const int flops : {120, 72}) linear += us(p.linear_time(8, 8, 1, 0, flops));
  CHECK(t.linear == Approx(linear));
  // 48 half-spinors' words leave for each neighbour. Of eight sites four wait for those from behind
  // along t, which leave before the last are packed, and then have been computed when those come.
  CHECK(us(p.hopping_time(4, 8)) > us(p.pack_time(4, 8, false)));
  CHECK(t.halo_wait == Approx(4 * (0.2 + 47 * 0.144 - us(p.pack_time(4, 8, false)))));
  CHECK(t.sums == Approx(6));
  CHECK(t.efficiency() ==
        Approx(t.peak / (t.hopping + t.packing + t.linear + t.halo_wait + t.sums)));
}

TEST_CASE("what arrives while other sites are computed costs nothing") {
  const auto us = [](Picoseconds time) { return static_cast<double>(time) * 1e-6; };
  // 128 of 648 targets are computed meanwhile; 108 x 12 words of 144 ns.
  CHECK(qcdoc_times({6, 6, 6, 6}).halo_wait == 0);
  // Eight interior sites are computed after all is packed; then the first message is waited for.
  // Its four sites, and those of the next ones, take longer than the others' messages.
  const qcdoc::Ppc440 p({4, 4, 4, 4});
  const double forwards = us(p.pack_time(32, 8, true)), backwards = us(p.pack_time(32, 8, false));
  const double first = forwards + 0.2 + 383 * 0.144;
  const double inner = 4 * (forwards + backwards) + us(p.hopping_time(8, 8));
  CHECK(first > inner);
  CHECK(qcdoc_times({4, 4, 4, 4}).halo_wait == Approx(4 * (first - inner)));
}

TEST_CASE("ASQTAD's halos are three sites deep") {
  // 128 targets, no interior: 96 vectors of six words each way.
  const host::LocalLattice local{4, 4, 4, 4};
  const CgTimes t = bench::cg_times(local, qcdoc::Ppc440(local), network, bench::asqtad_profile());
  CHECK(t.peak == Approx(128 * (2 * 1146 + 78) * 1e-3));
  CHECK(t.halo_wait == Approx(2 * (0.2 + (96 * 6 - 1) * 0.144)));
}

TEST_CASE("an iteration is what the solver does in one") {
  for (const Lattice& local : {Lattice{2, 2, 2, 2}, Lattice{4, 4, 4, 4}, Lattice{2, 4, 4, 2}}) {
    const qcdoc::Ppc440 ppc(local);
    const tofu::Sparc64Viiifx sparc(local);
    for (const host::ProcessorModel* const processor :
         std::initializer_list<const host::ProcessorModel*>{&ppc, &sparc}) {
      double flops_two = 0, flops_three = 0;
      const Work two = solve(local, *processor, 2, flops_two),
                 three = solve(local, *processor, 3, flops_three);
      const CgTimes t = bench::cg_times(local, *processor, network);
      CHECK(t.hopping == Approx(static_cast<double>(three.hopping - two.hopping) * 1e-6));
      CHECK(t.packing == Approx(static_cast<double>(three.packing - two.packing) * 1e-6));
      CHECK(t.linear == Approx(static_cast<double>(three.linear - two.linear) * 1e-6));
      CHECK(t.peak == Approx((flops_three - flops_two) / 16 / processor->peak_flops(8) * 1e6));
    }
  }
}

TEST_CASE("a measurement that is interrupted while its solver runs ends with the interruption") {
  struct Interruption {};
  const Lattice local{2, 2, 2, 2};
  for (const int windows : {1, 200, 5'000}) {
    bench::ScuTorusOptions torus;
    torus.shape = {2};
    machine::QcdocMachine machine(bench::qcdoc_machine(torus));
    int seen = 0;
    const bench::Progress progress = [&](Picoseconds) {
      if (++seen == windows) throw Interruption();
    };
    CHECK_THROWS_AS(bench::simulated_iteration_us(machine, torus.shape, local, qcdoc::Ppc440(local),
                                                  1, progress),
                    Interruption);
  }
}
