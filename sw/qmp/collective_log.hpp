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
class CollectiveLog {
 public:
  /// Of a job on `nodes` nodes, by rank.
  explicit CollectiveLog(int nodes) : done_(static_cast<std::size_t>(nodes)) {}

  /// The next operation of node `rank`. Throws ProtocolError, naming both nodes and what they call,
  /// if another node has come there with something else.
  void enter(int rank, std::string_view operation, std::size_t bytes);

 private:
  struct Operation {
    std::string name;
    std::size_t bytes = 0;
    int first = 0;            ///< rank of the node that came first
    std::size_t entered = 0;  ///< nodes
  };

  std::mutex mutex_;
  std::vector<std::uint64_t> done_;  ///< operations, by rank
  std::uint64_t begin_ = 0;          ///< number of the first that is kept
  std::deque<Operation> open_;       ///< not entered by all
};

}  // namespace ht::qmp
