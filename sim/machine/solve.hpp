// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <utility>

#include "sw/dirac/evolve/evolution.hpp"
#include "sw/dirac/job.hpp"
#include "sw/dirac/work_meter.hpp"
#include "sw/host/lattice_kernels.hpp"
#include "sw/host/processor_model.hpp"
#include "sw/host/runtime.hpp"

namespace ht::machine {

/// Lets a node's simulated time pass for the work its program does, by a model of its processor.
class WorkCharge final : public dirac::WorkMeter {
 public:
  /// Hears of phases: name, begin and end in ps.
  using Listener = std::function<void(const char* name, Picoseconds begin, Picoseconds end)>;

  WorkCharge(const host::ProcessorModel& processor, host::Runtime& runtime, Listener listener = {})
      : processor_(processor), runtime_(runtime), listener_(std::move(listener)) {}

  void phase(dirac::Phase phase, double begin, double end) override;

  void hopping(const dirac::HoppingWork& work) override {
    charge(host::hopping_kernel(), work.real_bytes,
           processor_.hopping_time(work.sites, work.real_bytes));
  }
  void pack(const dirac::PackWork& work) override {
    charge(host::pack_kernel(work.multiplied), work.real_bytes,
           processor_.pack_time(work.sites, work.real_bytes, work.multiplied));
  }
  void linear(const dirac::LinearWork& work) override {
    charge(host::linear_kernel(host::spinor_reals, work.spinors_read, work.spinors_written,
                               work.flops),
           work.real_bytes,
           processor_.linear_time(work.sites, work.real_bytes, work.spinors_read,
                                  work.spinors_written, work.flops));
  }
  void kernel(const dirac::KernelWork& work) override {
    charge(work.kernel, work.real_bytes,
           processor_.kernel_time(work.kernel, work.sites, work.real_bytes));
  }

 private:
  void charge(const host::Kernel& kernel, int real_bytes, Picoseconds time) {
    runtime_.compute(time, processor_.memory_share(kernel, real_bytes));
  }

  const host::ProcessorModel& processor_;
  host::Runtime& runtime_;
  Listener listener_;
};

/// The job between QMP's init and finalize, as a QMP program's main() would have it; on a node's
/// fibre.
void run_job(const dirac::JobSpec& spec, dirac::JobSink& sink, dirac::WorkMeter& meter);
/// The same for an evolution.
void run_evolution(const dirac::EvolutionSpec& spec, dirac::EvolutionSink& sink,
                   dirac::WorkMeter& meter);

}  // namespace ht::machine
