// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ht::qmp {

/// What the nodes of one job call together. The n-th global operation must be the same on every
/// node and as long: no network detects that, and the numbers of some are silently wrong, or all
/// wait for ever. Takes no simulated time. May be called on several threads.
///
/// A job that is simulated by several processes has a log in each, which they keep alike: what is
/// entered in one is entered in the others, some time later.
class CollectiveLog {
 public:
  /// Of a job on `nodes` nodes, by rank. `shared`: there are logs in other processes.
  explicit CollectiveLog(int nodes, bool shared = false)
      : shared_(shared), done_(static_cast<std::size_t>(nodes)) {}

  /// The next operation of node `rank`. Throws ProtocolError, naming both nodes and what they call,
  /// if another node has come there with something else.
  void enter(int rank, std::string_view operation, std::size_t bytes);

  /// What has been entered here and is not yet known to the others.
  struct Entry {
    int rank = 0;
    std::string operation;
    std::size_t bytes = 0;
  };
  bool has_news() const { return !news_.empty(); }  ///< while no node runs
  std::vector<Entry> take_news();
  /// What another process has entered. Throws as enter() does.
  void enter_other(const Entry& entry);

 private:
  struct Operation {
    std::string name;
    std::size_t bytes = 0;
    int first = 0;            ///< lowest rank of those that have come
    std::size_t entered = 0;  ///< nodes
  };

  void add(int rank, std::string_view operation, std::size_t bytes);

  const bool shared_;
  std::mutex mutex_;
  std::vector<Entry> news_;
  std::vector<std::uint64_t> done_;  ///< operations, by rank
  std::uint64_t begin_ = 0;          ///< number of the first that is kept
  std::deque<Operation> open_;       ///< not entered by all
};

}  // namespace ht::qmp
