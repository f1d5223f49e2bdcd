// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/cable/error_ledger.hpp"
#include "sim/cable/fault_schedule.hpp"
#include "sim/kernel/clock.hpp"

namespace ht::sim {

/// The errors of a cable's line: each is logged in the ledger when it begins, and stays active for
/// as long as it may change symbols, so that for every changed symbol some error answers.
class LineErrors {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  /// `patterns`: FaultPlan::forced there are. Schedule and ledger must outlive it.
  LineErrors(const Clock& sender, const FaultSchedule& schedule, std::size_t patterns,
             ErrorLedger& ledger);

  // Each logs what happens in `slot`, unless that is a part of an error logged before, and returns
  // its number in the ledger.
  std::size_t slip(std::int64_t slot, bool doubled);
  std::size_t forced(std::int64_t slot, std::size_t pattern);
  std::size_t flip(const FaultSchedule::Flip& flip);
  std::size_t outage(std::int64_t slot, std::size_t number);

  /// From now on the error may change symbols in these lanes.
  void activate(std::size_t number, std::uint32_t lanes);
  bool none_active() const { return active_.empty(); }
  /// None may change any other lanes than these any more.
  void keep(std::uint32_t lanes);
  void end_all() { active_.clear(); }

  /// These lanes of the symbol that arrived at `edge`, or of a part of it, are not what was sent.
  /// Throws std::logic_error if no active error answers for one.
  void changed(std::uint32_t lanes, std::int64_t edge, Part part = Part::Whole);

 private:
  struct Active {
    std::size_t number;
    std::uint32_t lanes;
  };
  std::size_t inject(ErrorKind kind, std::int64_t slot, int lane = -1, unsigned bit = 0);

  Clock sender_;
  const FaultSchedule& schedule_;
  ErrorLedger& ledger_;
  std::vector<Active> active_;
  std::vector<std::size_t> outages_, sources_, patterns_;  ///< numbers in the ledger, or kNone
};

}  // namespace ht::sim
