// SPDX-License-Identifier: Apache-2.0
#include "sim/cable/fault_plan.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "sw/host/errors.hpp"

using Catch::Matchers::Contains;
using ht::sim::FaultPlan;

namespace {
std::string complaint(const FaultPlan& plan) {
  try {
    plan.check(4, 10, "A to B");
  } catch (const ht::UsageError& e) {
    CHECK(e.exit_code() == ht::ExitCode::Usage);
    return e.what();
  }
  return "none";
}
}  // namespace

TEST_CASE("fault plan: bad ones are refused by name") {
  FaultPlan p;
  CHECK(p.empty());
  for (const double rate : {0.0, 1e-6, 1.0}) {
    p.bit_error_rate = rate;
    CHECK(complaint(p) == "none");
  }
  CHECK_FALSE(p.empty());
  for (const double rate : {-1e-9, 1.0000001, std::numeric_limits<double>::quiet_NaN()}) {
    p.bit_error_rate = rate;
    CHECK_THAT(complaint(p), Contains("A to B") && Contains("bit error rate"));
  }
  p = {};
  p.bursts = {{100, 0, {}}};
  CHECK_THAT(complaint(p), Contains("burst of 0 bits"));
  p.bursts = {{100, 5, 4U}};
  CHECK_THAT(complaint(p), Contains("lane 4"));
  p = {};
  p.lost = {{-1, true}};
  CHECK_THAT(complaint(p), Contains("lost symbol"));
  p = {};
  p.lane_faults = {{ht::sim::ErrorKind::Stuck, 9, 1, 0, 5}};
  CHECK_THAT(complaint(p), Contains("lane 9"));
  p.lane_faults = {{ht::sim::ErrorKind::Stuck, 1, 2, 0, 5}};
  CHECK_THAT(complaint(p), Contains("must be 0 or 1"));
  p.lane_faults = {{ht::sim::ErrorKind::Exchanged, 1, 4, 0, 5}};
  CHECK_THAT(complaint(p), Contains("exchanged lanes on lane 4"));
  p.lane_faults = {{ht::sim::ErrorKind::Exchanged, 1, 1, 0, 5}};
  CHECK_THAT(complaint(p), Contains("must differ"));
  p.lane_faults = {{ht::sim::ErrorKind::Exchanged, 1, 3, 0, 5}};
  CHECK(complaint(p) == "none");
  p = {};
  p.bit_errors_from = 10;
  p.bit_errors_until = 5;
  CHECK_THAT(complaint(p), Contains("bit errors"));
  p = {};
  p.aimed = {{5, ht::sim::Target::Idle, 0, {}}};
  CHECK_FALSE(p.empty());
  CHECK_THAT(complaint(p), Contains("without bits"));
  p.aimed[0].bits = {{3, 9}};
  CHECK(complaint(p) == "none");
  p.aimed[0].bits = {{4, 0}};
  CHECK_THAT(complaint(p), Contains("lane 4"));
  p.aimed[0].bits = {{0, 10}};
  CHECK_THAT(complaint(p), Contains("bit 10"));
  p = {};
  p.pulls = {{10, 5}};
  CHECK_THAT(complaint(p), Contains("pulled"));
  p = {};
  p.drawn.bursts = 1;
  CHECK_THAT(complaint(p), Contains("span of time"));
  p.drawn.until = 100;
  CHECK(complaint(p) == "none");
}
