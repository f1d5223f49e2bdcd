// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/pieces.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "sw/host/errors.hpp"

namespace ht::campaign {
namespace {

std::string us(Picoseconds t) {
  return fmt::format("{:.3f} us", static_cast<double>(t) * 1e-6);
}

std::string lane(const std::optional<unsigned>& lane) {
  return lane ? fmt::format("lane {}", *lane) : "all lanes";
}

const char* target(sim::Target t) {
  constexpr const char* names[] = {"idle symbol", "packet", "command", "hello"};
  return names[static_cast<std::size_t>(t)];
}

}  // namespace

PieceFilter::PieceFilter(const ScenarioOptions& options, std::uint64_t run, Scenario& scenario)
    : options_(options), run_(run), scenario_(scenario) {
  scenario_.reduced = options.keep.has_value();
}

bool PieceFilter::next(std::size_t& count) {
  const std::size_t number = scenario_.drawn.errors + scenario_.drawn.messages;
  ++count;
  return !options_.keep || options_.keep->contains(number);
}

void PieceFilter::errors() {
  std::size_t& count = scenario_.drawn.errors;
  const auto filter = [&](auto& list) {
    std::erase_if(list, [&](const auto&) { return !next(count); });
  };
  std::map<std::tuple<Picoseconds, Picoseconds, bool>, bool> pulls;
  for (sim::FaultPlan& plan : scenario_.faults) {
    if (plan.bit_error_rate > 0 && !next(count)) plan.bit_error_rate = 0;
    filter(plan.bursts);
    filter(plan.lost);
    filter(plan.doubled);
    filter(plan.lane_faults);
    std::erase_if(plan.pulls, [&](const sim::FaultPlan::Pull& p) {
      const auto [it, first] = pulls.try_emplace({p.from, p.until, p.silent});
      if (first) it->second = next(count);
      return !it->second;
    });
    filter(plan.forced);
    filter(plan.aimed);
  }
  const int forged = scenario_.forged_cable;
  if (forged >= 0 && scenario_.faults[static_cast<std::size_t>(forged)].forced.empty())
    scenario_.forged_cable = -1;
}

void PieceFilter::close() const {
  if (!options_.keep || options_.keep->empty()) return;
  const Drawn& d = scenario_.drawn;
  if (const std::uint64_t highest = options_.keep->highest(); highest >= d.errors + d.messages)
    throw UsageError(fmt::format("--keep {}: run {} has {} errors and {} messages, numbers 0 to {}",
                                 options_.keep->text(), run_, d.errors, d.messages,
                                 d.errors + d.messages - 1));
}

std::vector<std::string> describe_plan(const sim::FaultPlan& p) {
  std::vector<std::string> lines;
  const auto add = [&lines](std::string line) { lines.push_back(std::move(line)); };
  if (p.bit_error_rate > 0) add(fmt::format("bits inverted at {:g}", p.bit_error_rate));
  for (const auto& b : p.bursts)
    add(fmt::format("burst of {} bits on {} at {}", b.length, lane(b.lane), us(b.time)));
  for (const auto& s : p.lost) add(fmt::format("symbol lost at {}", us(s.time)));
  for (const auto& s : p.doubled) add(fmt::format("symbol doubled at {}", us(s.time)));
  for (const auto& f : p.lane_faults)
    add(fmt::format("{} lane {} from {} to {}", sim::name(f.kind), f.lane, us(f.from),
                    us(f.until)));
  for (const auto& q : p.pulls)
    add(fmt::format("{} from {} to {}", q.silent ? "silent" : "pulled", us(q.from), us(q.until)));
  for (const auto& f : p.forced) add(fmt::format("packet {} forged", f.frame));
  for (const auto& a : p.aimed)
    add(fmt::format("{} bits of the first {} from {} on", a.bits.size(), target(a.target),
                    us(a.time)));
  return lines;
}

}  // namespace ht::campaign
