// SPDX-License-Identifier: Apache-2.0
// Bringing a node up, and waiting until all are.
#include <fmt/format.h>

#include <cstring>

#include "sw/host/errors.hpp"
#include "sw/tofu/transport.hpp"
#include "sw/tofu/transport_layout.hpp"

namespace ht::tofu {
namespace {

/// No two working nodes are farther apart, even round those that failed.
std::uint64_t longest_way(const Shape& machine, std::size_t failed) {
  std::uint64_t hops = 2 * failed;
  for (std::size_t a = 0; a < 6; ++a) {
    const auto length = static_cast<std::uint64_t>(machine.length[a]);
    hops += a < 3 && !machine.ring[a] ? length - 1 : length / 2;
  }
  return hops;
}

}  // namespace

void Transport::bring_up() {
  icc_.bring_up();
  bring_up_interfaces();
}

void Transport::bring_up_interfaces() {
  if (shared_ != nullptr) return;
  if (options_.group != 0) {
    icc_.set_group(options_.group);
    for (auto& i : interfaces_) i->set_group(options_.group);
  }
  lay_shared_block();
  if (rank_ >= 0) {
    const BarrierPattern pattern(options_.collectives, layout_->ranks());
    GateCollectives::Options gates;
    gates.algorithm = options_.collectives;
    gates.channel = own_channel;
    gates.first_gate = first_own_gate_ = options_.profile.gates - (pattern.most_gates() - 1);
    gates.group = gate_group(1);
    gates.path = layout_->path;
    gates_ = std::make_unique<GateCollectives>(icc_.barrier(), layout_->places, rank_, gates);
    icc_.barrier().while_waiting([this] { progress(); });
  }
  meet();
}

void Transport::lay_shared_block() {
  const int ranks = layout_->ranks();
  const std::size_t bytes = routed_slots(qmp::routed_channels * ranks, qmp::Channel::User, ranks);
  auto* const block = static_cast<std::byte*>(allocate(bytes, 128));
  std::memset(block, 0, bytes);
  TagSetting shared;
  shared.base = *port_.memory().offset_of(block);
  shared.length = bytes;
  shared.owner = own_queue;
  shared.read = shared.atomic = false;
  TagSetting memory = shared;
  memory.base = 0;
  memory.length = port_.memory().size();
  for (auto& i : interfaces_) {
    i->enable();
    // Tags before the queue: an early packet is refused, since the queue is not there, and sent
    // again.
    i->set_tag(i->tag(own_queue, shared_tag), shared);
    i->set_tag(i->tag(own_queue, memory_tag), memory);
    i->open(own_queue);
  }
  shared_ = block;
}

TniCause Transport::tell_neighbour(const Coordinates& there, int slot, std::uint64_t count) {
  NetworkInterface& i = interface(0);
  Descriptor d;
  d.command = TniCommand::PutImmediate;
  d.remote.node = there;
  d.remote.queue = own_queue;
  d.remote.path = there.address() >> 15;
  d.length = memory_beat;
  d.far.tag = i.tag(own_queue, shared_tag);
  d.far.offset = static_cast<std::uint64_t>(slot) * memory_beat;
  std::memcpy(d.data.data(), &count, sizeof count);
  i.submit(own_queue, d);
  i.ring(own_queue);
  for (;;) {
    if (const auto c = i.take_completion(own_queue)) return c->cause;
    check_hardware();
    port_.wait("a neighbour's answer");
  }
}

// In round n everybody tells its neighbours n, when its neighbours have told it n - 1: then all
// within n hops are there. Only neighbours are spoken to, because a way is only known to be up when
// both its ends have said so.
void Transport::meet() {
  struct Neighbour {
    Coordinates node;
    int link;
  };
  std::vector<Neighbour> neighbours;
  for (const int link : icc_.links().cabled()) {
    const Coordinates there = *place().machine.neighbour(here_, link);
    if (layout_->ours(there)) neighbours.push_back({there, link});
  }
  const std::uint64_t rounds = longest_way(place().machine, layout_->failed.size());
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    for (const Neighbour& n : neighbours) {
      for (;;) {
        const TniCause cause = tell_neighbour(n.node, far_link(n.link), round);
        if (cause == TniCause::Good) break;
        if (cause != TniCause::Disabled)
          throw ProtocolError(fmt::format("{}: meeting {}: {}", name_, text(n.node), text(cause)));
        port_.advance(options_.meeting_retry);
      }
    }
    for (const Neighbour& n : neighbours) {
      const auto told = [&] {
        std::uint64_t count = 0;
        std::memcpy(&count, shared_ + static_cast<std::size_t>(n.link) * memory_beat, sizeof count);
        return count >= round;
      };
      while (!told()) {
        check_hardware();
        port_.wait("the other nodes to come up");
      }
    }
  }
}

}  // namespace ht::tofu
