// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <tuple>

namespace ht::qmp {

/// How long the messages of one job are at both their ends, where no link says it: hardware that
/// moves the length it was given would take a part of the next message for the rest of this one.
/// Takes no simulated time. May be called on several threads.
class MessageLog {
 public:
  /// The next message on a stream (any number) between two ranks is started at one of its ends.
  /// Throws ProtocolError, naming both, if the other end is there and not as long.
  void start(bool send, int from, int to, int stream, std::size_t bytes);

 private:
  struct Ends {
    std::deque<std::size_t> sends, receives;
  };

  std::mutex mutex_;
  std::map<std::tuple<int, int, int>, Ends> streams_;
};

}  // namespace ht::qmp
