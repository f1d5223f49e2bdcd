// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "sw/host/errors.hpp"
#include "sw/qmp/transport.hpp"

namespace ht::qmp {

/// What a Transport keeps of each message that is declared: its own `Message`, which stays where it
/// is until it is removed. A number that was given back is given out again, the lowest first.
template <typename Message>
class MessageTable {
 public:
  /// `owner` says what errors begin with: "node 3".
  explicit MessageTable(std::function<std::string()> owner) : owner_(std::move(owner)) {}

  MessageId add(Message message) {
    if (given_back_.empty()) given_back_.insert(static_cast<MessageId>(messages_.size()));
    const MessageId id = given_back_.extract(given_back_.begin()).value();
    messages_.emplace(id, std::move(message));
    return id;
  }
  /// Throws UsageError for a number that is not given out.
  Message& at(MessageId id) {
    const auto found = messages_.find(id);
    if (found == messages_.end())
      throw UsageError(fmt::format("{}: message {} was never declared", owner_(), id));
    return found->second;
  }
  void remove(MessageId id) {
    if (messages_.erase(id) != 0) given_back_.insert(id);
  }
  bool empty() const { return messages_.empty(); }

  /// Numbers and messages.
  auto begin() { return messages_.begin(); }
  auto end() { return messages_.end(); }

  /// Throws std::logic_error: a message that `is` "sending 128 bytes to +x" cannot be `done` so
  /// ("freed", "started again").
  [[noreturn]] void in_flight(std::string_view done, std::string_view is) const {
    throw std::logic_error(fmt::format("{}: a message in flight was {}: {}", owner_(), done, is));
  }

 private:
  std::function<std::string()> owner_;
  std::map<MessageId, Message> messages_;
  std::set<MessageId> given_back_;  ///< without these, numbers are 0 to the last, without a gap
};

}  // namespace ht::qmp
