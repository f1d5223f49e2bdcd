// SPDX-License-Identifier: Apache-2.0
// The time of an iteration of the conjugate gradient: by hand, and against what the solver does.
#include "sim/bench/cg_times.hpp"

#include <catch2/catch.hpp>
#include <cmath>

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
    dirac::run_wilson_job(spec, sink, meter);
    return 0;
  });
  flops = sink.result().solve_flops;
  return work;
}

}  // namespace

TEST_CASE("an iteration on 2^4 sites a node, by hand") {
  const CgTimes t = qcdoc_times({2, 2, 2, 2});
  // Eight targets; each face has four of them. Cycles of 2 ns.
  CHECK(t.peak == Approx(5664 * 8 * 1e-3));
  CHECK(t.hopping == Approx(4 * 8 * 840 * 2e-3));
  CHECK(t.packing == Approx(4 * 4 * 4 * (84 + 36) * 2e-3));
  CHECK(t.linear == Approx(5 * 8 * 72 * 2e-3));  // bound by loads and stores
  // 48 half-spinors' words leave when all is packed; no site can be computed before they are here.
  CHECK(t.halo_wait == Approx(4 * (0.2 + 47 * 0.144)));
  CHECK(t.sums == Approx(6));
  CHECK(t.efficiency() == Approx(45.312 / (53.76 + 15.36 + 5.76 + 27.872 + 6)));
}

TEST_CASE("what arrives while interior sites are computed costs nothing") {
  // 256 of 1296 sites: 128 x 1.68 us; 108 x 12 words of 144 ns.
  const CgTimes large = qcdoc_times({6, 6, 6, 6});
  CHECK(large.halo_wait == 0);
  const CgTimes four = qcdoc_times({4, 4, 4, 4});
  CHECK(four.halo_wait == Approx(4 * (0.2 + 383 * 0.144 - 8 * 1.68)));
  // The longest message is waited for though others left after it: 64 half-spinors each way along x
  // and y, then 16 along z and t.
  const CgTimes slab = qcdoc_times({2, 2, 8, 8});
  const double packed_after = 2 * 16 * (84 + 36) * 2e-3;
  CHECK(slab.halo_wait == Approx(4 * (0.2 + (64 * 12 - 1) * 0.144 - packed_after)));
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
