// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "sw/qcdoc/ppc440_schedule.hpp"

namespace ht::qcdoc::ppc440 {

/// A repetition of a kernel's step on one site, with the addresses it reaches for.
struct Repetition {
  std::vector<std::uint64_t> loads;
  std::vector<std::uint64_t> touches;  ///< a line each
  std::vector<std::uint64_t> stores;   ///< of the site, after its last repetition
  bool to_send = false;                ///< stores go past the cache
  int integers = 0, instructions = 0, chains = 1;
  std::vector<std::int64_t> ready;  ///< for the scheduler: when each load has its data
};

/// Goes over the sites of a sweep in order, x fastest, and over those of the same sweep again.
/// Neighbours beyond the local lattice are in buffers, one a direction, filled anew for each sweep.
class Walk {
 public:
  Walk(const Sweep& sweep, const CoreTiming& core);

  void next(Repetition& repetition);

  int repetitions_of_site() const { return repetitions_; }
  /// How many before it is used a repetition's lines are touched.
  int repetitions_ahead() const { return ahead_; }
  std::int64_t warm_sites() const { return warm_; }
  std::int64_t measured_sites() const { return measured_; }

 private:
  struct Region {
    std::uint64_t base = 0, entry = 0;  ///< bytes
  };
  Region reserve(std::int64_t entries, int reals, bool external);
  std::int64_t site() const;
  std::uint64_t gathered(const host::KernelStep& step, std::size_t index, int field, int& reals);
  void add_loads(Repetition& r, std::uint64_t address, int reals) const;

  Sweep sweep_;
  int integers_of_step_, integers_of_site_;
  int repetitions_ = 0, ahead_ = 1;
  std::int64_t half_ = 1, warm_ = 0, measured_ = 0;

  std::uint64_t embedded_ = 0, external_ = DataMemory::embedded_bytes;
  std::vector<Region> fields_;
  std::array<Region, 3> links_;
  std::array<std::array<Region, 8>, 3> halos_;
  Region out_;

  std::int64_t number_ = 0;  ///< of the site, of all sweeps
  std::size_t step_ = 0;
  int time_ = 0;
  std::array<std::array<std::int64_t, 8>, 3> slots_{};  ///< used of each halo
};

}  // namespace ht::qcdoc::ppc440
