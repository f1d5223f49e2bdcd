// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/ranks.hpp"

#include <cstdlib>
#include <string>

#include "sw/host/errors.hpp"
#ifdef HYPERTORUS_MPI
#define OMPI_SKIP_MPICXX 1  // the C interface only
#include <mpi.h>

#include "sim/kernel/mpi_ranks.hpp"
#endif

namespace ht::cli {
namespace {

// What OpenMPI's mpirun passes to the processes it starts.
int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace

bool Ranks::reports() {
  return from_environment("OMPI_COMM_WORLD_RANK", 0) == 0;
}

bool Ranks::several() {
  return from_environment("OMPI_COMM_WORLD_SIZE", 1) > 1;
}

Ranks::Ranks() {
  if (!several()) return;
#ifdef HYPERTORUS_MPI
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  exchange_ = std::make_unique<sim::MpiRanks>();
#else
  throw UsageError(
      "started by mpirun, but built without MPI: install OpenMPI's development package "
      "and configure again");
#endif
}

Ranks::~Ranks() {
  if (exchange_ == nullptr) return;
  exchange_.reset();
#ifdef HYPERTORUS_MPI
  MPI_Finalize();
#endif
}

}  // namespace ht::cli
