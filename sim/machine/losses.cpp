// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/losses.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace ht::machine {
namespace {

double us(Picoseconds t) {
  return static_cast<double>(t) * 1e-6;
}

}  // namespace

int LossReport::left() const {
  return static_cast<int>(
      std::ranges::count_if(statements, [](const NodeStatement& s) { return !s.lost; }));
}

int LossReport::named() const {
  return static_cast<int>(
      std::ranges::count_if(statements, [](const NodeStatement& s) { return !s.lost && s.named; }));
}

Picoseconds LossReport::longest() const {
  Picoseconds last = gone.front().time;
  for (const NodeStatement& s : statements) {
    if (s.said) last = std::max(last, s.said->time);
  }
  return last - gone.front().time;
}

std::string LossReport::text() const {
  std::string text;
  for (std::size_t i = 0; i < gone.size(); ++i)
    text +=
        fmt::format("{}{} is gone since {:.3f} us", i == 0 ? "" : ", ", names[i], us(gone[i].time));
  text += fmt::format("; {} of {} nodes that are left have said so, the last after {:.3f} us",
                      named(), left(), us(longest()));
  for (const NodeStatement& s : statements) {
    if (s.lost) continue;
    if (s.said) {
      text += fmt::format("\n  node {} at {:.3f} us: {}", s.node, us(s.said->time), s.text);
    } else {
      text += fmt::format("\n  node {}: its program had come to its end", s.node);
    }
  }
  return text;
}

LossError::LossError(LossReport report, const std::string& why_not)
    : Error(ExitCode::Lost,
            report.text() + (why_not.empty() ? "" : "\n  it cannot go on: " + why_not)),
      report_(std::move(report)) {}

}  // namespace ht::machine
