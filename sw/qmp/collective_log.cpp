// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/collective_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "sw/host/errors.hpp"

namespace ht::qmp {
namespace {

std::string describe(std::string_view name, std::size_t bytes) {
  const char* article = name.starts_with('e') ? "an" : "a";
  return bytes == 0 ? fmt::format("{} {}", article, name)
                    : fmt::format("{} {} of {} bytes", article, name, bytes);
}

/// "global operation 3", of which communicator.
std::string numbered(std::uint64_t number, const std::vector<int>& members) {
  constexpr std::size_t most = 8;
  std::string text = fmt::format("global operation {}", number);
  if (members.empty()) return text;
  const auto end = members.begin() + static_cast<std::ptrdiff_t>(std::min(members.size(), most));
  return fmt::format("{} of the communicator of nodes {}{}", text,
                     fmt::join(members.begin(), end, ", "), members.size() > most ? ", ..." : "");
}

}  // namespace

void CollectiveLog::enter(int rank, const std::vector<int>& members, std::string_view operation,
                          std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const Entry entry{rank, members, std::string(operation), bytes};
  if (shared_) news_.push_back(entry);
  add(entry);
}

std::vector<CollectiveLog::Entry> CollectiveLog::take_news() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

void CollectiveLog::enter_other(const Entry& entry) {
  const std::lock_guard lock(mutex_);
  add(entry);
}

void CollectiveLog::add(const Entry& entry) {
  Sequence& in = communicators_[entry.members];
  const std::uint64_t number = in.done[entry.rank]++;
  if (number - in.begin == in.open.size())
    in.open.push_back({entry.operation, entry.bytes, entry.rank, 0});
  Operation& here = in.open[number - in.begin];
  if (here.name != entry.operation || here.bytes != entry.bytes)
    throw ProtocolError(fmt::format(
        "{} is {} on node {} and {} on node {}: all nodes must call the same ones in the same "
        "order, with the same lengths",
        numbered(number, entry.members), describe(here.name, here.bytes), here.first,
        describe(entry.operation, entry.bytes), entry.rank));
  // By rank, not by who came first: several processes are not told of all at once.
  here.first = std::min(here.first, entry.rank);
  ++here.entered;
  const std::size_t nodes =
      entry.members.empty() ? static_cast<std::size_t>(nodes_) : entry.members.size();
  while (!in.open.empty() && in.open.front().entered == nodes) {
    in.open.pop_front();
    ++in.begin;
  }
}

std::optional<std::string> CollectiveLog::left() const {
  for (const auto& [members, in] : communicators_) {
    if (in.open.empty()) continue;
    const Operation& first = in.open.front();
    const auto done = [&in = in](int rank) {
      const auto found = in.done.find(rank);
      return found == in.done.end() ? 0 : found->second;
    };
    int missing = 0;
    if (members.empty()) {
      while (done(missing) > in.begin) ++missing;
    } else {
      missing = *std::ranges::find_if(members, [&](int rank) { return done(rank) <= in.begin; });
    }
    return fmt::format("{} is {} on node {}, and the program of node {} ended without it",
                       numbered(in.begin, members), describe(first.name, first.bytes), first.first,
                       missing);
  }
  return std::nullopt;
}

}  // namespace ht::qmp
