// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "sw/qmp/transport.hpp"

namespace ht::qmp {

/// One axis' part of an all-to-all exchange: every node of a ring gets every node's block. Blocks
/// travel both ways round at once, so that it takes length/2 messages one after the other, and are
/// kept by coordinate, so that every node sees the same blocks in the same order.
class RingExchange {
 public:
  /// `bytes` > 0 a node; `axis` of length > 1.
  RingExchange(Transport& transport, int axis, std::size_t bytes);
  ~RingExchange() = default;
  RingExchange(const RingExchange&) = delete;
  RingExchange& operator=(const RingExchange&) = delete;

  int length() const { return length_; }
  /// Block of the node at `coordinate` on this axis; write one's own before begin().
  std::byte* block(int coordinate);
  std::byte* own_block() { return block(here_); }

  /// Waits until the blocks of the last exchange were sent and may be overwritten.
  void drain();
  void begin();          ///< starts the first sends
  void post_receives();  ///< starts all receives; may come before or after begin()
  void complete();       ///< receives and forwards the rest
  /// After drain(): gives messages and memory back.
  void release();

 private:
  /// Blocks travelling one way: message i goes on what message i - 1 brought.
  struct Way {
    std::vector<MessageId> sends, receives;
  };
  Way declare(int sign, int steps);

  Transport& transport_;
  int axis_, length_, here_;
  std::size_t stride_;
  std::byte* blocks_;
  Way plus_, minus_;
};

/// Operations of all nodes of a communicator together.
class CollectiveOperations {
 public:
  using Combine = std::function<void(void* inout, const void* in)>;

  virtual ~CollectiveOperations() = default;
  /// data = data(rank 0) op data(rank 1) op ...: `combine` must be associative up to rounding; all
  /// nodes get the same bits.
  virtual void reduce(void* data, std::size_t bytes, const Combine& combine) = 0;
  /// all = the nodes' `mine`, by rank; `bytes` from each.
  virtual void gather(const void* mine, std::size_t bytes, void* all) = 0;
  /// Rank 0's data for everybody.
  virtual void broadcast(void* data, std::size_t bytes) = 0;
  virtual void barrier() = 0;
};

/// QMP's global operations of a whole machine, over messages to neighbours. Buffers and messages of
/// an operation are kept for the next one of the same size.
class Collectives final : public CollectiveOperations {
 public:
  explicit Collectives(Transport& transport);
  ~Collectives() override;

  /// Combined along x first, then y, ...
  void reduce(void* data, std::size_t bytes, const Combine& combine) override;
  void gather(const void* mine, std::size_t bytes, void* all) override;
  void broadcast(void* data, std::size_t bytes) override;
  void barrier() override;
  /// Gives back everything that is kept.
  void release();

 private:
  struct Reduction {
    std::size_t bytes;
    std::vector<std::unique_ptr<RingExchange>> axes;
  };
  class Tree;

  Reduction& reduction(std::size_t bytes);
  Tree& tree(std::size_t bytes);

  Transport& transport_;
  std::list<Reduction> reductions_;         ///< most recently used first
  std::list<std::unique_ptr<Tree>> trees_;  ///< most recently used first
};

}  // namespace ht::qmp
