// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/solve.hpp"

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

void run_job(const dirac::JobSpec& spec, dirac::JobSink& sink, dirac::WorkMeter& meter) {
  between_init_and_finalize([&] { dirac::run_solve_job(spec, sink, meter); });
}

void run_evolution(const dirac::EvolutionSpec& spec, dirac::EvolutionSink& sink,
                   dirac::WorkMeter& meter) {
  between_init_and_finalize([&] { dirac::run_evolution(spec, sink, meter); });
}

}  // namespace ht::machine
