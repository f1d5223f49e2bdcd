// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ht::qmp {

/// What the nodes of one job call together. The n-th global operation of a communicator must be the
/// same on every node of it and as long: no network detects that, and the numbers of some are
/// silently wrong, or all wait for ever. Takes no simulated time. May be called on several threads.
///
/// A job that is simulated by several processes has a log in each, which they keep alike: what is
/// entered in one is entered in the others, some time later.
class CollectiveLog {
 public:
  /// Of a job on `nodes` nodes, by rank. `shared`: there are logs in other processes.
  explicit CollectiveLog(int nodes, bool shared = false) : shared_(shared), nodes_(nodes) {}

  /// The next operation of node `rank` in the communicator of these ranks, in its order; none: all
  /// nodes of the job in theirs. Throws ProtocolError, naming both nodes and what they call, if
  /// another node has come there with something else.
  void enter(int rank, const std::vector<int>& members, std::string_view operation,
             std::size_t bytes);

  /// What has been entered here and is not yet known to the others.
  struct Entry {
    int rank = 0;
    std::vector<int> members;
    std::string operation;
    std::size_t bytes = 0;
  };
  bool has_news() const { return !news_.empty(); }  ///< while no node runs
  std::vector<Entry> take_news();
  /// What another process has entered. Throws as enter() does.
  void enter_other(const Entry& entry);

  /// When all programs have ended: an operation that not all of its nodes have come to, in words. A
  /// node that only sends in it has not noticed.
  std::optional<std::string> left() const;

 private:
  struct Operation {
    std::string name;
    std::size_t bytes = 0;
    int first = 0;            ///< lowest rank of those that have come
    std::size_t entered = 0;  ///< nodes
  };
  /// Of a communicator.
  struct Sequence {
    std::map<int, std::uint64_t> done;  ///< operations, by rank
    std::uint64_t begin = 0;            ///< number of the first that is kept
    std::deque<Operation> open;         ///< not entered by all
  };

  void add(const Entry& entry);

  const bool shared_;
  const int nodes_;
  std::mutex mutex_;
  std::vector<Entry> news_;
  std::map<std::vector<int>, Sequence> communicators_;  ///< by members
};

}  // namespace ht::qmp
