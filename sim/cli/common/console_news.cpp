// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/console_news.hpp"

#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/cli/common/ranks.hpp"
#include "sim/machine/gather.hpp"

namespace ht::cli {

ConsoleNews::ConsoleNews(machine::Machine& machine, std::function<void()> before)
    : machine_(machine), before_(std::move(before)) {
  machine_.kernel().on_news(
      [this] {
        take(false);
        return !lines_.empty();
      },
      [this] { print(); });
}

void ConsoleNews::finish() {
  take(true);
  print();
}

void ConsoleNews::take(bool all) {
  auto more = machine_.consoles()->take_console(all);
  std::move(more.begin(), more.end(), std::back_inserter(lines_));
}

void ConsoleNews::print() {
  std::vector<machine::ConsoleLine> lines = std::exchange(lines_, {});
  if (machine_.ranks() != nullptr) {
    nlohmann::json mine = nlohmann::json::array();
    for (const auto& l : lines) mine.push_back({l.time, l.node, l.text});
    lines.clear();
    for (const auto& l : machine::gather_lists(machine_.ranks(), std::move(mine)))
      lines.push_back({l[0], l[1], l[2]});
  }
  if (!Ranks::reports() || lines.empty()) return;
  before_();
  machine::print_console(std::move(lines));
}

}  // namespace ht::cli
