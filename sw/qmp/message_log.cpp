// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/message_log.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sw/host/errors.hpp"
#include "sw/qmp/message_lengths.hpp"

namespace ht::qmp {

void MessageLog::start(bool send, int from, int to, int stream, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const Entry entry{send, from, to, stream, bytes};
  if (is_here_ && !is_here_(send ? to : from)) news_.push_back(entry);
  add(entry);
}

std::vector<MessageLog::Entry> MessageLog::take_news() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

void MessageLog::start_other(const Entry& entry) {
  const std::lock_guard lock(mutex_);
  // Of two others it is no news that anybody here could use.
  if (is_here_(entry.send ? entry.to : entry.from)) add(entry);
}

void MessageLog::add(const Entry& entry) {
  const auto& [send, from, to, stream, bytes] = entry;
  Ends& ends = streams_[{from, to, stream}];
  (send ? ends.sends : ends.receives).push_back(bytes);
  if (ends.sends.empty() || ends.receives.empty()) return;
  const std::size_t sent = ends.sends.front(), room = ends.receives.front();
  ends.sends.pop_front();
  ends.receives.pop_front();
  if (sent > room) throw ProtocolError(too_short(from, sent, to, room));
  if (sent < room)
    throw ProtocolError(fmt::format(
        "node {} receives {} bytes from its neighbour node {}, which sends {}: the links of this "
        "machine do not say where a message ends; make both ends as long, or use --any-lengths",
        to, room, from, sent));
}

std::optional<MessageLog::Unreceived> MessageLog::unreceived() const {
  for (const auto& [key, ends] : streams_) {
    const auto& [from, to, stream] = key;
    if (is_here_ && !is_here_(from)) continue;
    // For those of no bytes nothing was sent.
    const auto sent = std::ranges::find_if(ends.sends, [](std::size_t bytes) { return bytes > 0; });
    if (sent != ends.sends.end()) return Unreceived{from, to, *sent};
  }
  return std::nullopt;
}

}  // namespace ht::qmp
