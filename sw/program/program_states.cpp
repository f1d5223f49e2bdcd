// SPDX-License-Identifier: Apache-2.0
#include "sw/program/program_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace ht::program {
namespace {

using State = LoadedProgram::State;

/// Nodes with the same description of what they do.
struct Group {
  std::string description;
  std::vector<int> ranks;
};

std::vector<Group> groups(const std::vector<ProgramState>& all,
                          const std::function<bool(const ProgramState&)>& which) {
  std::vector<Group> groups;
  for (const ProgramState& program : all) {
    if (!which(program)) continue;
    auto group = std::ranges::find(groups, program.description, &Group::description);
    if (group == groups.end()) group = groups.insert(group, {program.description, {}});
    group->ranks.push_back(program.rank);
  }
  return groups;
}

std::string names(const std::vector<ProgramState>& all,
                  const std::function<bool(const ProgramState&)>& which) {
  std::vector<int> ranks;
  for (const ProgramState& program : all) {
    if (which(program)) ranks.push_back(program.rank);
  }
  return ranks.empty() ? std::string() : name_nodes(ranks);
}

}  // namespace

std::vector<std::optional<int>> ProgramStates::exit_codes() const {
  std::vector<std::optional<int>> codes;
  for (const ProgramState& program : all_) {
    const bool ended = program.state == State::Ended || program.state == State::Aborted ||
                       program.state == State::Crashed;
    codes.push_back(ended ? std::optional(program.exit_code) : std::nullopt);
  }
  return codes;
}

std::string ProgramStates::text(bool crashed) const {
  std::string text;
  for (const Group& group :
       groups(all_, [&](const ProgramState& p) { return crashed || p.state != State::Crashed; }))
    text += fmt::format("\n  {}: {}", name_nodes(group.ranks), group.description);
  return text;
}

std::string ProgramStates::ended_early() const {
  const auto list = [&](State state) {
    std::string text;
    for (const Group& g : groups(all_, [&](const ProgramState& p) { return p.state == state; }))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_nodes(g.ranks), g.description);
    return text;
  };
  const std::string ended = list(State::Ended);
  const std::string waiting = list(State::Running);
  if (ended.empty() || waiting.empty()) return {};
  return fmt::format("{}, while others wait: {}", ended, waiting);
}

std::string ProgramStates::failed() const {
  return names(all_, [](const ProgramState& p) {
    return p.exit_code != 0 || p.state == State::Aborted;  // QMP_abort(0)
  });
}

std::string ProgramStates::refused() const {
  return names(all_, [](const ProgramState& p) { return !p.refusals.empty(); });
}

std::string ProgramStates::crashed() const {
  std::string text;
  for (const ProgramState& program : all_) {
    if (program.state == State::Crashed)
      text +=
          fmt::format("{}node {} {}", text.empty() ? "" : "\n", program.rank, program.description);
  }
  return text;
}

std::string name_nodes(std::span<const int> ranks) {
  std::string text = ranks.size() == 1 ? "node" : "nodes";
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += fmt::format("{} {}", i == 0 ? "" : ",", ranks[i]);
    if (last > i) text += fmt::format("-{}", ranks[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace ht::program
