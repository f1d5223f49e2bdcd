// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace ht::qmp {

/// How long the messages of one job are at both their ends, where no link says it: hardware that
/// moves the length it was given would take a part of the next message for the rest of this one.
/// Takes no simulated time. May be called on several threads.
///
/// A job that is simulated by several processes has a log in each: what is started at an end in one
/// is started in the others, some time later.
class MessageLog {
 public:
  /// `is_here`: whether a rank is simulated by this process; none: all are.
  explicit MessageLog(std::function<bool(int rank)> is_here = {}) : is_here_(std::move(is_here)) {}

  /// The next message on a stream (any number) between two ranks is started at one of its ends.
  /// Throws ProtocolError, naming both, if the other end is there and not as long.
  void start(bool send, int from, int to, int stream, std::size_t bytes);

  /// An end of a message whose other end is in another process.
  struct Entry {
    bool send = false;
    int from = 0, to = 0, stream = 0;
    std::size_t bytes = 0;
  };
  bool has_news() const { return !news_.empty(); }  ///< while no node runs
  std::vector<Entry> take_news();
  /// What another process has started. Throws as start() does.
  void start_other(const Entry& entry);

  /// The first message that was sent from a rank of this process, and whose receive was not started
  /// yet. Links may store it, and its sender knows nothing of that.
  struct Unreceived {
    int from = 0, to = 0;
    std::size_t bytes = 0;
  };
  std::optional<Unreceived> unreceived() const;

 private:
  struct Ends {
    std::deque<std::size_t> sends, receives;
  };

  void add(const Entry& entry);

  std::function<bool(int)> is_here_;
  std::vector<Entry> news_;
  std::mutex mutex_;
  std::map<std::tuple<int, int, int>, Ends> streams_;
};

}  // namespace ht::qmp
