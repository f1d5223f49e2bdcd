// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/solve.hpp"

#include <cmath>

#include "sw/qmp/qmp.h"

namespace ht::machine {

namespace {

template <class Job>
void between_init_and_finalize(const Job& job) {
  QMP_thread_level_t provided = QMP_THREAD_SINGLE;
  QMP_init_msg_passing(nullptr, nullptr, QMP_THREAD_SINGLE, &provided);
  job();
  QMP_finalize_msg_passing();
}

}  // namespace

void WorkCharge::phase(dirac::Phase phase, double begin, double end) {
  if (!listener_) return;
  constexpr const char* names[dirac::kPhases] = {"compute", "halo", "sum"};
  const auto ps = [](double seconds) {
    return static_cast<Picoseconds>(std::llround(seconds * 1e12));
  };
  listener_(names[static_cast<int>(phase)], ps(begin), ps(end));
}

void run_job(const dirac::JobSpec& spec, dirac::JobSink& sink, dirac::WorkMeter& meter) {
  between_init_and_finalize([&] { dirac::run_solve_job(spec, sink, meter); });
}

void run_evolution(const dirac::EvolutionSpec& spec, dirac::EvolutionSink& sink,
                   dirac::WorkMeter& meter) {
  between_init_and_finalize([&] { dirac::run_evolution(spec, sink, meter); });
}

}  // namespace ht::machine
