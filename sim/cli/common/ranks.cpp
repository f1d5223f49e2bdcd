// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/ranks.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "sim/kernel/agreement.hpp"
#include "sw/host/errors.hpp"
#ifdef HYPERTORUS_MPI
#define OMPI_SKIP_MPICXX 1  // the C interface only
#include <mpi.h>

#include "sim/kernel/mpi_ranks.hpp"
#include "sw/host/sanitizers.hpp"
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

std::string Ranks::name() {
  if (reports()) return {};
  return fmt::format("process {} of {}: ", from_environment("OMPI_COMM_WORLD_RANK", 0),
                     from_environment("OMPI_COMM_WORLD_SIZE", 1));
}

// From Ranks(), so that the destructor ends MPI if they are not the same.
Ranks::Ranks(const std::string& started_as) : Ranks() {
  if (!several()) return;
#ifdef HYPERTORUS_MPI
  {
    int provided = 0;
    // What OpenMPI's components had when it unloads them is theirs.
    [[maybe_unused]] const host::sanitizer::MayLeak components;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  }
  exchange_ = std::make_unique<sim::MpiRanks>();
  compare(started_as, [](std::size_t rank, const std::string& other, const std::string& first) {
    return fmt::format(
        "process {} was started as \"{}\", and process 0 as \"{}\": start the same program, with "
        "the same arguments, in all of them",
        rank, other, first);
  });
#else
  static_cast<void>(started_as);
  throw UsageError(
      "started by mpirun, but built without MPI: install OpenMPI's development package "
      "and configure again");
#endif
}

Ranks::~Ranks() {
  if (exchange_ == nullptr) return;
  exchange_.reset();
#ifdef HYPERTORUS_MPI
  host::sanitizer::look_for_leaks();  // what OpenMPI loses when it ends is its own
  MPI_Finalize();
#endif
}

void Ranks::compare(const std::string& mine, const Complaint& complaint) {
  if (exchange_ == nullptr) return;
  const std::vector<std::string> all = exchange_->gather(mine);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    exchange_->end_together();
    throw UsageError(complaint(rank, all[rank], all[0]));
  }
}

void Ranks::begin() {
  if (exchange_ != nullptr) {
    exchange_->end_together(false);
    sim::throw_together(exchange_.get(), nullptr, {});
  }
  begun_ = true;
}

void Ranks::end() {
  if (exchange_ != nullptr) exchange_->end_together();
}

Ranks::Verdict Ranks::fail(int code, const std::string& error) {
  if (exchange_ == nullptr || exchange_->ends_together()) return {code, error, reports()};
  if (begun_) {
    // They may be in the middle of anything, and MPI would wait for them.
    static_cast<void>(exchange_.release());
    return {code, name() + error, true};
  }
  try {
    sim::throw_together(exchange_.get(),
                        std::make_exception_ptr(Error(static_cast<ExitCode>(code), error)),
                        {0, exchange_->rank()});
  } catch (const Error& e) {
    return {static_cast<int>(e.exit_code()), e.what(), reports()};
  }
  return {code, error, reports()};
}

}  // namespace ht::cli
