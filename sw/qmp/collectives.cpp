// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/collectives.hpp"

#include <algorithm>
#include <cstring>

#include "sw/qmp/capabilities.hpp"

namespace ht::qmp {
namespace {

constexpr std::size_t plans_kept = 8;
constexpr std::size_t broadcast_chunk = std::size_t{64} << 10;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Moves the plan that `wanted` accepts to the front; false if there is none.
template <typename List, typename Wanted>
bool bring_to_front(List& plans, Wanted wanted) {
  const auto found = std::find_if(plans.begin(), plans.end(), wanted);
  if (found == plans.end()) return false;
  plans.splice(plans.begin(), plans, found);
  return true;
}

void begin_circulation(Transport& transport) {
  if (GlobalOperations* const operations = transport.global_operations())
    operations->begin_circulation();
}

}  // namespace

RingExchange::RingExchange(Transport& transport, int axis, std::size_t bytes)
    : transport_(transport),
      axis_(axis),
      length_(transport.shape()[static_cast<std::size_t>(axis)]),
      here_(transport.coordinates()[static_cast<std::size_t>(axis)]),
      stride_(round_up(bytes, transport.granularity())),
      blocks_(static_cast<std::byte*>(transport.allocate(
          stride_ * static_cast<std::size_t>(length_), transport.granularity()))) {
  // Padding is sent too: it must not depend on what was in this memory before.
  std::memset(blocks_, 0, stride_ * static_cast<std::size_t>(length_));
  if (transport_.global_operations() != nullptr) return;
  plus_ = declare(+1, length_ / 2);
  minus_ = declare(-1, (length_ - 1) / 2);
}

RingExchange::Way RingExchange::declare(int sign, int steps) {
  Way way;
  const Direction out = direction_of(axis_, sign);
  for (int i = 0; i < steps; ++i) {
    way.sends.push_back(
        transport_.declare_send(out, Channel::Collective, block(here_ - sign * i), stride_));
    way.receives.push_back(transport_.declare_receive(opposite(out), Channel::Collective,
                                                      block(here_ - sign * (i + 1)), stride_));
  }
  return way;
}

std::byte* RingExchange::block(int coordinate) {
  return blocks_ + stride_ * static_cast<std::size_t>((coordinate + length_) % length_);
}

void RingExchange::drain() {
  for (const MessageId m : plus_.sends) transport_.wait(m);
  for (const MessageId m : minus_.sends) transport_.wait(m);
}

void RingExchange::begin() {
  if (!plus_.sends.empty()) transport_.start(plus_.sends[0]);
  if (!minus_.sends.empty()) transport_.start(minus_.sends[0]);
}

void RingExchange::post_receives() {
  for (const MessageId m : plus_.receives) transport_.start(m);
  for (const MessageId m : minus_.receives) transport_.start(m);
}

void RingExchange::complete() {
  if (GlobalOperations* const operations = transport_.global_operations())
    operations->circulate(axis_, blocks_, stride_);
  for (std::size_t i = 0; i < plus_.receives.size(); ++i) {
    for (const Way* way : {&plus_, &minus_}) {
      if (i >= way->receives.size()) continue;
      transport_.wait(way->receives[i]);
      if (i + 1 < way->sends.size()) transport_.start(way->sends[i + 1]);
    }
  }
}

void RingExchange::release() {
  for (const Way* way : {&plus_, &minus_}) {
    for (const MessageId m : way->sends) transport_.undeclare(m);
    for (const MessageId m : way->receives) transport_.undeclare(m);
  }
  transport_.release(blocks_);
}

/// A broadcast of up to `bytes` bytes from rank 0: along x from the origin both ways, from all of
/// those along y, and so on.
class Collectives::Tree {
 public:
  Tree(Transport& transport, std::size_t bytes)
      : transport_(transport),
        bytes_(bytes),
        buffer_(static_cast<std::byte*>(transport.allocate(bytes, transport.granularity()))) {
    std::memset(buffer_, 0, bytes);
    if (transport.global_operations() != nullptr) return;
    const int axes = static_cast<int>(transport.shape().size());
    // It comes along the last axis on which this node is away from the origin.
    int axis = axes - 1;
    while (axis >= 0 && here(axis) == 0) --axis;
    if (axis >= 0) {
      const int half = length(axis) / 2;
      const int sign = here(axis) <= half ? +1 : -1;  // the way it travels
      receive_ = transport_.declare_receive(direction_of(axis, -sign), Channel::Collective, buffer_,
                                            bytes);
      const bool last = sign > 0 ? here(axis) == half : here(axis) == half + 1;
      if (!last) send(axis, sign);
    }
    for (int other = axis + 1; other < axes; ++other) {
      if (length(other) > 1) send(other, +1);
      if (length(other) > 2) send(other, -1);
    }
  }

  std::size_t bytes() const { return bytes_; }

  void run(std::byte* data, std::size_t bytes) {
    if (GlobalOperations* const operations = transport_.global_operations()) {
      if (transport_.rank() == 0) std::memcpy(buffer_, data, bytes);
      operations->broadcast(buffer_, bytes_);
      std::memcpy(data, buffer_, bytes);
      transport_.charge_copy(bytes);
      return;
    }
    drain();
    if (receive_ >= 0) {
      transport_.start(receive_);
      transport_.wait(receive_);
    } else {
      std::memcpy(buffer_, data, bytes);
    }
    for (const MessageId m : sends_) transport_.start(m);
    if (receive_ >= 0) std::memcpy(data, buffer_, bytes);
    transport_.charge_copy(bytes);
  }

  void drain() {
    for (const MessageId m : sends_) transport_.wait(m);
  }

  void release() {
    for (const MessageId m : sends_) transport_.undeclare(m);
    if (receive_ >= 0) transport_.undeclare(receive_);
    transport_.release(buffer_);
  }

 private:
  int length(int axis) const { return transport_.shape()[static_cast<std::size_t>(axis)]; }
  int here(int axis) const { return transport_.coordinates()[static_cast<std::size_t>(axis)]; }
  void send(int axis, int sign) {
    sends_.push_back(
        transport_.declare_send(direction_of(axis, sign), Channel::Collective, buffer_, bytes_));
  }

  Transport& transport_;
  std::size_t bytes_;
  std::byte* buffer_;
  MessageId receive_ = -1;
  std::vector<MessageId> sends_;
};

Collectives::Collectives(Transport& transport) : transport_(transport) {}
Collectives::~Collectives() = default;

Collectives::Reduction& Collectives::reduction(std::size_t bytes) {
  if (bring_to_front(reductions_, [&](const Reduction& r) { return r.bytes == bytes; })) {
    return reductions_.front();
  }
  if (reductions_.size() == plans_kept) {
    for (auto& ring : reductions_.back().axes) ring->drain();
    for (auto& ring : reductions_.back().axes) ring->release();
    reductions_.pop_back();
  }
  Reduction& r = reductions_.emplace_front();
  r.bytes = bytes;
  for (int axis = 0; axis < static_cast<int>(transport_.shape().size()); ++axis) {
    if (transport_.shape()[static_cast<std::size_t>(axis)] > 1) {
      r.axes.push_back(std::make_unique<RingExchange>(transport_, axis, bytes));
    }
  }
  return r;
}

void Collectives::reduce(void* data, std::size_t bytes, const Combine& combine) {
  if (bytes == 0) return;
  Reduction& r = reduction(bytes);
  if (!r.axes.empty()) begin_circulation(transport_);
  for (std::size_t i = 0; i < r.axes.size(); ++i) {
    RingExchange& ring = *r.axes[i];
    ring.drain();
    std::memcpy(ring.own_block(), data, bytes);
    ring.begin();
    // The first send is on its way before anything else is done: it is what the others wait for.
    if (i == 0) {
      for (auto& axis : r.axes) axis->post_receives();
    }
    ring.complete();
    std::memcpy(data, ring.block(0), bytes);
    for (int c = 1; c < ring.length(); ++c) combine(data, ring.block(c));
  }
}

void Collectives::barrier() {
  if (GlobalSignals* const signals = transport_.global_signals()) {
    signals->signal_barrier();
    return;
  }
  std::byte nothing{};
  reduce(&nothing, 1, [](void*, const void*) {});
}

void Collectives::gather(const void* mine, std::size_t bytes, void* all) {
  if (bytes == 0) return;
  std::vector<std::byte> gathered(bytes);
  std::memcpy(gathered.data(), mine, bytes);
  begin_circulation(transport_);
  for (int axis = 0; axis < static_cast<int>(transport_.shape().size()); ++axis) {
    if (transport_.shape()[static_cast<std::size_t>(axis)] == 1) continue;
    RingExchange ring(transport_, axis, gathered.size());
    std::memcpy(ring.own_block(), gathered.data(), gathered.size());
    ring.begin();
    ring.post_receives();
    ring.complete();
    const std::size_t part = gathered.size();
    gathered.resize(part * static_cast<std::size_t>(ring.length()));
    for (int c = 0; c < ring.length(); ++c) {
      std::memcpy(gathered.data() + part * static_cast<std::size_t>(c), ring.block(c), part);
    }
    ring.drain();
    ring.release();
  }
  transport_.charge_copy(gathered.size());
  std::memcpy(all, gathered.data(), gathered.size());
}

Collectives::Tree& Collectives::tree(std::size_t bytes) {
  if (bring_to_front(trees_, [&](const auto& t) { return t->bytes() == bytes; })) {
    return *trees_.front();
  }
  if (trees_.size() == plans_kept) {
    trees_.back()->drain();
    trees_.back()->release();
    trees_.pop_back();
  }
  return *trees_.emplace_front(std::make_unique<Tree>(transport_, bytes));
}

void Collectives::broadcast(void* data, std::size_t bytes) {
  auto* at = static_cast<std::byte*>(data);
  while (bytes > 0) {
    const std::size_t chunk = std::min(bytes, broadcast_chunk);
    tree(round_up(chunk, transport_.granularity())).run(at, chunk);
    at += chunk;
    bytes -= chunk;
  }
}

void Collectives::release() {
  // Everything is under way before anything is waited for: order does not matter.
  for (Reduction& r : reductions_) {
    for (auto& ring : r.axes) ring->drain();
    for (auto& ring : r.axes) ring->release();
  }
  reductions_.clear();
  for (auto& t : trees_) {
    t->drain();
    t->release();
  }
  trees_.clear();
}

}  // namespace ht::qmp
