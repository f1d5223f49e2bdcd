// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/solve.hpp"

#include "sw/qmp/qmp.h"

namespace ht::machine {

void run_job(const dirac::JobSpec& spec, dirac::JobSink& sink, dirac::WorkMeter& meter) {
  QMP_thread_level_t provided = QMP_THREAD_SINGLE;
  QMP_init_msg_passing(nullptr, nullptr, QMP_THREAD_SINGLE, &provided);
  dirac::run_solve_job(spec, sink, meter);
  QMP_finalize_msg_passing();
}

}  // namespace ht::machine
