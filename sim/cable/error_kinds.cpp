// SPDX-License-Identifier: Apache-2.0
#include "sim/cable/error_kinds.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "sim/cable/fault_plan.hpp"
#include "sw/host/errors.hpp"

namespace ht::sim {
namespace {

using Listed = CountedError::Listed;

void draw_burst(DrawnError& e) {
  const auto lane = static_cast<unsigned>(e.below(e.lanes));
  e.plan.bursts.push_back({e.time, static_cast<unsigned>(e.size), lane});
}

void draw_lost(DrawnError& e) {
  e.plan.lost.push_back({e.time, true});
}

void draw_doubled(DrawnError& e) {
  e.plan.doubled.push_back({e.time, true});
}

void draw_lane_fault(DrawnError& e) {
  const auto lane = static_cast<unsigned>(e.below(e.lanes));
  const auto with = lane_effect(e.kind).two_lanes
                        ? (lane + 1 + static_cast<unsigned>(e.below(e.lanes - 1))) % e.lanes
                        : static_cast<unsigned>(e.below(2));
  e.plan.lane_faults.push_back({e.kind, lane, with, e.time, e.time + e.size});
}

void draw_pull(DrawnError& e) {
  e.plan.pulls.push_back({e.time, e.time + e.size});
  if (e.back != nullptr) e.back->pulls.push_back({e.time, e.time + e.size});
}

void draw_forged(DrawnError& e) {
  e.forge(e.plan, static_cast<std::uint64_t>(e.below(16)));
}

void stick(const LaneFault& fault, std::span<std::uint32_t> groups, std::uint32_t ones) {
  groups[fault.lane] = fault.with != 0 ? ones : 0;
}

void exchange(const LaneFault& fault, std::span<std::uint32_t> groups, std::uint32_t /*ones*/) {
  std::swap(groups[fault.lane], groups[fault.with]);
}

const std::array<ErrorKindDescription, kErrorKinds> kKinds{{
    {.kind = ErrorKind::Bit, .name = "bit"},
    {.kind = ErrorKind::Burst,
     .name = "burst",
     .counted = CountedError{.option = "bursts",
                             .help = "bursts, on random cables at random times",
                             .machine_default = true,
                             .stream = 2,
                             .size = {.value = 32,
                                      .option = "burst-bits",
                                      .key = "burst_bits",
                                      .help = "length of a burst in coded bits",
                                      .least = 2,
                                      .most = 4000,
                                      .remedy = "a burst has 2 to 4000 coded bits"},
                             .draw = draw_burst}},
    {.kind = ErrorKind::Lost,
     .name = "lost",
     .counted =
         CountedError{.option = "lost", .help = "symbols lost", .stream = 3, .draw = draw_lost}},
    {.kind = ErrorKind::Doubled,
     .name = "doubled",
     .counted =
         CountedError{
             .option = "doubled", .help = "symbols doubled", .stream = 4, .draw = draw_doubled}},
    {.kind = ErrorKind::Stuck,
     .name = "stuck",
     .counted = CountedError{.option = "stuck",
                             .help = "lanes stuck for 100 symbols",
                             .stream = 5,
                             .size = {.value = 400'000},
                             .draw = draw_lane_fault},
     .lanes =
         LaneEffect{.what = "stuck bits", .two_lanes = false, .silences = true, .damage = stick}},
    {.kind = ErrorKind::Pulled,
     .name = "pulled",
     .counted = CountedError{.option = "pulled",
                             .help = "cables pulled, and put back after 5 us",
                             .stream = 6,
                             .size = {.value = 5'000'000},
                             .draw = draw_pull}},
    {.kind = ErrorKind::Forced,
     .name = "forced",
     .counted = CountedError{.option = "forged",
                             .help = "packets or words damaged so that the link cannot see it",
                             .listed = Listed::Never,
                             .stream = 7,
                             .hits_packets = true,
                             .draw = draw_forged}},
    {.kind = ErrorKind::Aimed, .name = "aimed"},
    {.kind = ErrorKind::Silent, .name = "silent"},
    {.kind = ErrorKind::Exchanged,
     .name = "exchanged",
     .counted = CountedError{.option = "exchanged",
                             .help = "pairs of lanes exchanged for 100 symbols; cables of one lane "
                                     "have none",
                             .listed = Listed::IfAny,
                             .stream = 8,
                             .size = {.value = 400'000},
                             .draw = draw_lane_fault},
     .lanes =
         LaneEffect{
             .what = "exchanged lanes", .two_lanes = true, .silences = false, .damage = exchange}},
}};

}  // namespace

std::span<const ErrorKindDescription> error_kinds() {
  return kKinds;
}

const ErrorKindDescription& error_kind(ErrorKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

const LaneEffect& lane_effect(ErrorKind kind) {
  const auto& lanes = error_kind(kind).lanes;
  if (!lanes) throw std::logic_error(fmt::format("'{}' is no fault of lanes", name(kind)));
  return *lanes;
}

void require_lanes(ErrorKind kind, unsigned lanes, std::string_view asked) {
  const unsigned least = error_kind(kind).least_lanes();
  if (lanes >= least) return;
  throw UsageError(fmt::format(
      "{}: that takes {} lanes, and a cable of this machine has {}; leave it out, or take a "
      "machine whose cables have more",
      asked, least, lanes));
}

}  // namespace ht::sim
