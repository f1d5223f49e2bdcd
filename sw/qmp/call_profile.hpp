// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "sw/host/time.hpp"

namespace ht::qmp {

/// What the program of one node spends in calls of the network, and what it sends by messages.
class CallProfile {
 public:
  struct Calls {
    std::uint64_t count = 0;
    Picoseconds time = 0;  ///< from the call to its return, waiting included
  };
  struct Traffic {
    std::uint64_t messages = 0, bytes = 0;
  };

  void add_call(std::string_view name, Picoseconds time);
  /// The same for a call from `begin` to `end`, which the listener hears of, too.
  void add_call(std::string_view name, Picoseconds begin, Picoseconds end);
  using Listener = std::function<void(std::string_view name, Picoseconds begin, Picoseconds end)>;
  /// Called on the node's fibre at every call's end.
  void listen(Listener listener) { listener_ = std::move(listener); }
  /// A message of `bytes` to rank `to` has been started.
  void add_message(int to, std::uint64_t bytes);

  /// The same of another profile, of calls to `name` and of messages to `to`.
  void add_calls(std::string_view name, const Calls& calls);
  void add_traffic(int to, const Traffic& traffic);

  /// By the function's name.
  const std::map<std::string, Calls, std::less<>>& calls() const { return calls_; }
  /// By the rank it went to.
  const std::map<int, Traffic>& sent() const { return sent_; }
  /// Of all calls.
  Calls total() const;

 private:
  std::map<std::string, Calls, std::less<>> calls_;
  std::map<int, Traffic> sent_;
  Listener listener_;
};

}  // namespace ht::qmp
