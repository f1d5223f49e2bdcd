// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sw/dirac/work_meter.hpp"
#include "sw/host/runtime.hpp"
namespace ht::host { struct PowerXCell8i { static constexpr double peak_gflops_double = 102.4, peak_gflops_single = 204.8; }; }
namespace ht::cli {
class WorkCharge final : public dirac::WorkMeter {
 public:
  WorkCharge(const host::PowerXCell8i&, host::Runtime& r) : runtime_(r) {}
  void hopping(const dirac::HoppingWork& w) override { runtime_.advance(w.sites * 37500); }
  void pack(const dirac::PackWork& w) override { runtime_.advance(w.sites * 10000); }
  void linear(const dirac::LinearWork& w) override { runtime_.advance(w.sites * 20000); }
 private:
  host::Runtime& runtime_;
};
}
