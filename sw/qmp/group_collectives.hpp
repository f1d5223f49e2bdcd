// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include "sw/qmp/collectives.hpp"
#include "sw/qmp/transport.hpp"

namespace ht::qmp {

/// Global operations of some of a machine's nodes, or of all in another order: along a binomial
/// tree of messages by number, on Channel::Collective. Where the hardware does not route, a
/// Forwarder carries them.
class GroupCollectives final : public CollectiveOperations {
 public:
  /// `members`: ranks on the machine, in the group's order, of which `here` is this node's place.
  GroupCollectives(Transport& transport, std::vector<int> members, int here);

  /// Whether a transport can do it for more than one node.
  static bool possible(Transport& transport);

  void reduce(void* data, std::size_t bytes, const Combine& combine) override;
  void gather(const void* mine, std::size_t bytes, void* all) override;
  void broadcast(void* data, std::size_t bytes) override;
  void barrier() override;

 private:
  /// To, or from, a member; waits for it.
  void move(bool send, int member, std::byte* buffer, std::size_t bytes);
  void send(int to, const void* data, std::size_t bytes);
  void receive(int from, void* data, std::size_t bytes);
  int size() const { return static_cast<int>(members_.size()); }

  Transport& transport_;
  std::vector<int> members_;
  int here_;
};

}  // namespace ht::qmp
