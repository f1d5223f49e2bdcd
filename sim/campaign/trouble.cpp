// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/trouble.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string>

namespace ht::campaign {

using sim::FaultPlan;

namespace {

constexpr std::array named = {"bits",   "short",   "long",      "lost",    "doubled",
                              "stuck",  "pulled",  "silent",    "idle",    "commands",
                              "hellos", "headers", "unplugged", "stopped", "upsets"};

/// The faults of lanes that have no enumerator of their own.
std::vector<sim::ErrorKind> further_lane_faults() {
  std::vector<sim::ErrorKind> kinds;
  for (const auto& kind : sim::error_kinds()) {
    if (kind.lanes && kind.kind != sim::ErrorKind::Stuck) kinds.push_back(kind.kind);
  }
  return kinds;
}

/// The fault of lanes that it draws, if it is one.
std::optional<sim::ErrorKind> lane_fault(Trouble trouble) {
  if (trouble == Trouble::Stuck) return sim::ErrorKind::Stuck;
  const auto number = static_cast<std::size_t>(trouble);
  if (number < named.size()) return std::nullopt;
  return further_lane_faults().at(number - named.size());
}

}  // namespace

std::vector<Trouble> troubles() {
  std::vector<Trouble> all;
  for (std::size_t i = 0; i < named.size() + further_lane_faults().size(); ++i)
    all.push_back(static_cast<Trouble>(i));
  return all;
}

std::vector<Trouble> packet_troubles() {
  std::vector<Trouble> all = troubles();
  all.resize(static_cast<std::size_t>(Trouble::Headers) + 1);
  return all;
}

const char* name(Trouble trouble) {
  const auto number = static_cast<std::size_t>(trouble);
  return number < named.size() ? named[number] : sim::name(*lane_fault(trouble));
}

Trouble trouble_of(sim::ErrorKind kind) {
  for (const Trouble trouble : troubles()) {
    if (lane_fault(trouble) == kind) return trouble;
  }
  throw std::logic_error(std::string(sim::name(kind)) + " is no fault of lanes");
}

unsigned least_lanes(Trouble trouble) {
  const auto kind = lane_fault(trouble);
  return kind ? sim::error_kind(*kind).least_lanes() : 1;
}

bool looks_for_words(Trouble trouble) {
  return trouble >= Trouble::Idle && trouble <= Trouble::Headers;
}

TroubleDraw::TroubleDraw(Draw draw, TroubleLimits limits, std::vector<Route> routes,
                         std::vector<std::size_t> cables, std::vector<FaultPlan>& plans)
    : draw_(draw),
      limits_(std::move(limits)),
      routes_(std::move(routes)),
      cables_(std::move(cables)),
      plans_(plans) {}

void TroubleDraw::add(Trouble trouble) {
  if (const auto kind = lane_fault(trouble)) return lane_faults(*kind);
  switch (trouble) {
    case Trouble::Bits:
      return bits();
    case Trouble::Short:
      return bursts(2, 10);
    case Trouble::Long:
      return bursts(11, limits_.longest_burst);
    case Trouble::Lost:
    case Trouble::Doubled:
      return slips(trouble == Trouble::Doubled);
    case Trouble::Pulled:
    case Trouble::Silent:
      return pull(trouble == Trouble::Silent);
    case Trouble::Idle:
      return aim(sim::Target::Idle, limits_.idle, 8);
    case Trouble::Commands:
      return aim(sim::Target::Command, limits_.command, 8);
    case Trouble::Hellos:
      return aim(sim::Target::Hello, limits_.hello, 6);
    case Trouble::Headers:
      return aim(sim::Target::Packet, limits_.header, 4);
    case Trouble::Unplugged:
      return pull_one(false, true);
    case Trouble::Stopped:
      return stop_node();
    case Trouble::Stuck:   // a fault of lanes
    case Trouble::Upsets:  // of nodes: draw_node_events()
      break;
  }
}

// Mostly one that carries messages, or the acknowledgements of some.
std::size_t TroubleDraw::cable() {
  if (draw_.once_in(4)) return cables_[draw_.below(cables_.size())];
  const Route& m = routes_[draw_.below(routes_.size())];
  return static_cast<std::size_t>(draw_.once_in(3) ? m.to * limits_.links + limits_.far_link(m.link)
                                                   : m.from * limits_.links + m.link);
}

FaultPlan& TroubleDraw::plan() {
  FaultPlan& plan = plans_[cable()];
  // Links never fall silent: what hits nothing now would hit something while counters are read.
  plan.waits_until = limits_.last_error;
  return plan;
}

// Mostly while there is traffic.
Picoseconds TroubleDraw::time() {
  return draw_.once_in(4) ? draw_.between(limits_.first_error, limits_.last_error)
                          : draw_.between(limits_.links_up, limits_.busy_until);
}

unsigned TroubleDraw::lane() {
  return static_cast<unsigned>(draw_.below(limits_.lanes));
}

void TroubleDraw::bits() {
  const double rate = limits_.rates[draw_.below(limits_.rates.size())];
  const bool everywhere = draw_.once_in(2);
  const std::size_t one = cable();
  for (const std::size_t i : cables_) {
    if (!everywhere && i != one) continue;
    FaultPlan& p = plans_[i];
    p.bit_error_rate = rate;
    p.bit_errors_from = limits_.first_error;
    p.bit_errors_until = limits_.last_error;
  }
}

void TroubleDraw::bursts(int shortest, int longest) {
  for (auto n = draw_.between(1, 8); n > 0; --n) {
    FaultPlan::Burst b{time(), static_cast<unsigned>(draw_.between(shortest, longest)), {}};
    if (!draw_.once_in(4)) b.lane = lane();
    plan().bursts.push_back(b);
  }
}

void TroubleDraw::slips(bool doubled) {
  for (auto n = draw_.between(1, 8); n > 0; --n) {
    FaultPlan& p = plan();
    (doubled ? p.doubled : p.lost).push_back({time(), !draw_.once_in(4)});
  }
}

void TroubleDraw::lane_faults(sim::ErrorKind kind) {
  for (auto n = draw_.between(1, 2); n > 0; --n) {
    const Picoseconds from = time();
    FaultPlan& p = plan();
    sim::LaneFault fault{kind, lane(), 0, from, from};
    if (sim::lane_effect(kind).two_lanes) {
      const auto others = static_cast<unsigned>(draw_.below(limits_.lanes - 1));
      fault.with = (fault.lane + 1 + others) % limits_.lanes;
    } else {
      fault.with = draw_.once_in(2) ? 1 : 0;
    }
    fault.until += duration(40'000, 2'000'000);
    p.lane_faults.push_back(fault);
  }
}

// Both directions of the cable.
void TroubleDraw::pull(bool silent) {
  for (auto n = silent ? draw_.between(1, 4) : 1; n > 0; --n) pull_one(silent, false);
}

void TroubleDraw::pull_one(bool silent, bool for_good) {
  const auto forth = static_cast<int>(cable());
  const int to = limits_.neighbour(forth / limits_.links, forth % limits_.links);
  const int back = to * limits_.links + limits_.far_link(forth % limits_.links);
  const Picoseconds from = std::max(time(), for_good ? limits_.unplugged_from : 0);
  const FaultPlan::Pull p{
      from, from + (for_good ? limits_.unplugged : duration(50'000, limits_.longest_outage)),
      silent};
  plans_[static_cast<std::size_t>(forth)].pulls.push_back(p);
  if (back != forth) plans_[static_cast<std::size_t>(back)].pulls.push_back(p);
}

// Its state stays: what the machine sees is that all its cables are dead for a time.
void TroubleDraw::stop_node() {
  const auto node = static_cast<int>(cable()) / limits_.links;
  const Picoseconds from = time(), length = duration(50'000, limits_.longest_outage);
  const FaultPlan::Pull p{from, from + length, draw_.once_in(2) && limits_.sees_silence};
  for (int link = 0; link < limits_.links; ++link) {
    const int to = limits_.neighbour(node, link);
    if (to == node) continue;
    plans_[static_cast<std::size_t>(node * limits_.links + link)].pulls.push_back(p);
    plans_[static_cast<std::size_t>(to * limits_.links + limits_.far_link(link))].pulls.push_back(
        p);
  }
  stops_.push_back({node, from, length});
}

void TroubleDraw::aim(sim::Target target, unsigned symbols, int most) {
  for (auto n = draw_.between(1, most); n > 0; --n) {
    FaultPlan::Aimed a{time(), target, static_cast<unsigned>(draw_.below(symbols)), {}};
    // Hellos are rare once the links are up.
    if (target == sim::Target::Hello && draw_.once_in(2))
      a.time = draw_.between(limits_.first_error,
                             limits_.last_hello > 0 ? limits_.last_hello : limits_.links_up);
    for (auto bits = draw_.between(1, 4); bits > 0; --bits)
      a.bits.push_back({lane(), static_cast<unsigned>(draw_.below(limits_.bits))});
    // A bit named twice would be inverted back.
    std::sort(a.bits.begin(), a.bits.end(), [](const auto& x, const auto& y) {
      return x.lane != y.lane ? x.lane < y.lane : x.bit < y.bit;
    });
    a.bits.erase(std::unique(a.bits.begin(), a.bits.end(),
                             [](const auto& x, const auto& y) {
                               return x.lane == y.lane && x.bit == y.bit;
                             }),
                 a.bits.end());
    plan().aimed.push_back(a);
  }
}

// Short ones as likely as long ones: evenly on a logarithmic scale, in doublings.
Picoseconds TroubleDraw::duration(Picoseconds shortest, Picoseconds longest) {
  int doublings = 0;
  while (shortest << (doublings + 1) <= longest) ++doublings;
  const Picoseconds at_least = shortest << draw_.between(0, doublings);
  return std::min(longest, draw_.between(at_least, 2 * at_least));
}

std::vector<Trouble> draw_troubles(Draw draw, std::vector<Trouble> choice, TroubleDraw& into,
                                   int rounds) {
  std::vector<Trouble> drawn;
  for (; rounds > 0; --rounds) {
    const std::size_t sorts =
        draw.once_in(10) ? choice.size() : std::min<std::size_t>(choice.size(), 1 + draw.below(3));
    for (std::size_t i = 0; i < sorts; ++i) {
      std::swap(choice[i], choice[i + draw.below(choice.size() - i)]);
      if (std::ranges::find(drawn, choice[i]) == drawn.end()) drawn.push_back(choice[i]);
      into.add(choice[i]);
    }
  }
  return drawn;
}

}  // namespace ht::campaign
