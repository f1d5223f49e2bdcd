// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/collective_log.hpp"

#include <fmt/format.h>

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

}  // namespace

void CollectiveLog::enter(int rank, std::string_view operation, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (shared_) news_.push_back({rank, std::string(operation), bytes});
  add(rank, operation, bytes);
}

std::vector<CollectiveLog::Entry> CollectiveLog::take_news() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

void CollectiveLog::enter_other(const Entry& entry) {
  const std::lock_guard lock(mutex_);
  add(entry.rank, entry.operation, entry.bytes);
}

void CollectiveLog::add(int rank, std::string_view operation, std::size_t bytes) {
  const std::uint64_t number = done_.at(static_cast<std::size_t>(rank))++;
  if (number - begin_ == open_.size()) open_.push_back({std::string(operation), bytes, rank, 0});
  Operation& here = open_[number - begin_];
  if (here.name != operation || here.bytes != bytes)
    throw ProtocolError(fmt::format(
        "global operation {} is {} on node {} and {} on node {}: all nodes must call "
        "the same ones in the same order, with the same lengths",
        number, describe(here.name, here.bytes), here.first, describe(operation, bytes), rank));
  // By rank, not by who came first: several processes are not told of all at once.
  here.first = std::min(here.first, rank);
  ++here.entered;
  while (!open_.empty() && open_.front().entered == done_.size()) {
    open_.pop_front();
    ++begin_;
  }
}

}  // namespace ht::qmp
