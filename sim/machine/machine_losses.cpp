// SPDX-License-Identifier: Apache-2.0
// The part of a machine that stops, and what nodes say of it.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "sim/machine/gather.hpp"
#include "sim/machine/machine.hpp"
#include "sw/host/errors.hpp"

namespace ht::machine {
namespace {

std::string cable_text(const Machine& m, int node, int link) {
  return fmt::format("the cable from node {} {} to node {}", node, m.link_name(link),
                     m.neighbour(node, link));
}

}  // namespace

void Machine::plan_losses(const Losses& losses, int nodes) {
  if (losses.empty()) return;
  for (const Loss& loss : losses) {
    if (loss.node < 0 || loss.node >= nodes)
      throw UsageError(fmt::format("node {} cannot be lost: the machine has nodes 0 to {}",
                                   loss.node, nodes - 1));
    if (loss.time < 0) throw UsageError("a loss has a time from 0 on");
  }
  losses_ = losses;
  std::ranges::stable_sort(losses_, {}, &Loss::time);
}

// A link names the node at its other end, unless that one has spoken: then it names the cable.
std::string Machine::explain(const std::vector<host::SilentLink>& silent) const {
  std::set<int> speakers;
  for (const auto& s : silent) speakers.insert(s.node);
  std::string text;
  std::set<int> nodes;
  const auto append = [&text](const std::string& what) {
    text += (text.empty() ? "" : ", ") + what + " is gone";
  };
  for (const auto& s : silent) {
    const int peer = neighbour(s.node, s.link);
    const std::string cable = cable_text(*this, s.node, s.link);
    if (speakers.contains(peer)) {
      // Its other end names it as well.
      const bool later = peer < s.node && std::ranges::binary_search(
                                              silent, host::SilentLink{peer, far_link(s.link)});
      if (!later) append(cable);
      continue;
    }
    if (!nodes.insert(peer).second) continue;
    bool all = true;  // that had a cable to it have said so
    for (int link = 0; link < links(); ++link) {
      const int from = neighbour(peer, link);
      all = all && (from == peer ||
                    std::ranges::binary_search(silent, host::SilentLink{from, far_link(link)}));
    }
    append(all ? fmt::format("node {}", peer) : fmt::format("node {}, or {},", peer, cable));
  }
  return text;
}

bool Machine::names(const std::vector<host::SilentLink>& silent, const Loss& loss) const {
  return std::ranges::any_of(silent, [&](const host::SilentLink& s) {
    const int peer = neighbour(s.node, s.link);
    if (!loss.link) return peer == loss.node;
    return (s.node == loss.node && s.link == *loss.link) ||
           (peer == loss.node && far_link(s.link) == *loss.link);
  });
}

void Machine::plan_soft_errors(const host::SoftErrors& soft_errors, std::uint64_t seed) {
  soft_errors_ = soft_errors;
  soft_error_seed_ = seed;
}

void Machine::add_soft_errors(const host::SoftErrorTotals& more) {
  soft_error_totals_ += sum_over_ranks(more);
}

void Machine::share_ends(std::vector<NodeEnd>& ends) const {
  if (!distributed()) return;
  nlohmann::json mine = nlohmann::json::array();
  for (std::size_t node = 0; node < ends.size(); ++node) {
    const NodeEnd& end = ends[node];
    if (!is_local(static_cast<int>(node)) || end.time == sim::kNever) continue;
    nlohmann::json silent = nlohmann::json::array();
    if (end.said) {
      for (const auto& s : end.said->silent) silent.push_back({s.node, s.link});
    }
    mine.push_back({node, end.time, end.fault, end.said.has_value(), end.said ? end.said->time : 0,
                    end.said ? end.said->why : "", silent});
  }
  for (const auto& one : gather_lists(ranks_, std::move(mine))) {
    const std::size_t node = one[0];
    if (is_local(static_cast<int>(node))) continue;
    NodeEnd& end = ends[node];
    end.time = one[1];
    end.fault = one[2];
    if (one[3] == false) continue;
    end.said = {one[4], {}, one[5]};
    for (const auto& s : one[6]) end.said->silent.push_back({s[0], s[1]});
  }
}

LossReport Machine::loss_report(std::vector<std::optional<host::LossStatement>> said,
                                Picoseconds time, const std::vector<Fault>& faults) const {
  LossReport report;
  for (const Loss& loss : losses_) {
    if (loss.time > time) continue;
    report.gone.push_back(loss);
    report.names.push_back(loss.link ? cable_text(*this, loss.node, *loss.link)
                                     : fmt::format("node {}", loss.node));
  }
  for (const Fault& fault : faults) {
    report.gone.push_back({fault.time, fault.node, std::nullopt});
    report.names.push_back(fmt::format("node {} ({})", fault.node, fault.what));
  }
  for (int node = 0; node < size(); ++node) {
    if (!works(node)) continue;
    NodeStatement s;
    s.node = node;
    s.lost = std::ranges::any_of(report.gone,
                                 [&](const Loss& loss) { return loss.node == node && !loss.link; });
    s.said = std::move(said[static_cast<std::size_t>(node)]);
    if (s.lost) s.said.reset();
    if (s.said) {
      const auto& silent = s.said->silent;
      s.text = silent.empty() ? s.said->why : explain(silent);
      s.named =
          std::ranges::all_of(report.gone, [&](const Loss& loss) { return names(silent, loss); });
    }
    report.statements.push_back(std::move(s));
  }
  return report;
}

}  // namespace ht::machine
