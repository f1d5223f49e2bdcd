// SPDX-License-Identifier: Apache-2.0
// Messages as QMP sees them: declared, started, complete. How they travel: transport_progress.cpp.
#include "sw/tofu/transport.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "sw/host/errors.hpp"
#include "sw/tofu/transport_layout.hpp"

namespace ht::tofu {
namespace {

constexpr const char* axis_names = "xyzabc";

std::string direction_name(qmp::Direction d) {
  return fmt::format("{}{}", d % 2 == 0 ? '+' : '-', axis_names[d / 2]);
}

/// Links to nodes that are not there cannot be trained.
IccOptions icc_options(IccOptions options, const RankLayout* layout) {
  if (layout != nullptr)
    options.links.failed.insert(options.links.failed.end(), layout->failed.begin(),
                                layout->failed.end());
  return options;
}

}  // namespace

Transport::Transport(host::HardwarePort& port, const Place& place, TransportOptions options)
    : Transport(port, place, RankLayout::straight(place.machine), options) {}

Transport::Transport(host::HardwarePort& port, const Place& place,
                     std::shared_ptr<const RankLayout> layout, TransportOptions options)
    : MessageDriver(port, {.memory_unit = memory_beat,
                           .message_unit = 1,  // a put is of any bytes
                           .most_bytes = part_limit << options.network.log2_commands,
                           .says_lengths = true,
                           .start_cost = options.start_cost,
                           .poll_cost = options.network.poll_cost,
                           .copy_bytes_per_us = options.copy_bytes_per_us,
                           .guard_receives = options.guard_receives}),
      layout_(std::move(layout)),
      options_(options),
      icc_(port, place, icc_options(options.icc, layout_.get()), options.profile),
      name_(fmt::format("node {}", place.node)),
      here_(place.coordinates()) {
  if (!layout_) throw UsageError(name_ + ": a transport without a layout of ranks");
  layout_->check(place.machine);
  options.network.interfaces = options.profile.interfaces;
  options.network.epoch = options.icc.links.epoch;
  for (int i = 0; i < options.profile.interfaces; ++i)
    interfaces_.push_back(std::make_unique<NetworkInterface>(port, name_, i, options.network));
  if (const auto rank = layout_->rank(here_)) {
    rank_ = *rank;
    coordinates_ = layout_->coordinates(rank_);
  }
}

Transport::~Transport() = default;

std::string Transport::description() const {
  return fmt::format("Tofu torus {}", fmt::join(layout_->shape, "x"));
}

UtofuNetwork Transport::utofu_network() {
  UtofuNetwork network;
  for (auto& i : interfaces_) network.interfaces.push_back(i.get());
  network.here = here_;
  network.machine = place().machine;
  network.profile = options_.profile;
  network.failed = layout_->avoided();
  network.queues = own_queue;
  return network;
}

// -------------------------------------------------------------------------------------------------
// Streams

std::size_t Transport::stream_to(qmp::Direction direction, qmp::Channel channel) {
  const int axes = static_cast<int>(layout_->shape.size());
  if (rank_ < 0) throw UsageError(fmt::format("{} has no rank", name_));
  if (direction < 0 || direction >= 2 * axes)
    throw UsageError(fmt::format("{}: direction {} on a torus of {} axes", name_, direction, axes));
  const unsigned code = neighbour_code(direction, channel);
  if (const auto known = by_code_.find(code); known != by_code_.end()) return known->second;
  std::vector<int> there = coordinates_;
  const auto axis = static_cast<std::size_t>(direction / 2);
  const int length = layout_->shape[axis];
  there[axis] = (there[axis] + (direction % 2 == 0 ? 1 : length - 1)) % length;
  const int peer = layout_->rank_of(there);
  if (peer == rank_)
    throw UsageError(fmt::format("{}: the axis of direction {} has this node only", name_,
                                 direction_name(direction)));
  const unsigned far = neighbour_code(qmp::opposite(direction), channel);
  return by_code_[code] = add_stream(
             peer, direction % interfaces(), qmp::opposite(direction) % interfaces(), far,
             neighbour_slots(code), neighbour_slots(far), direction_name(direction));
}

std::size_t Transport::stream_to_rank(int rank, qmp::Channel channel) {
  if (rank_ < 0) throw UsageError(fmt::format("{} has no rank", name_));
  if (rank < 0 || rank >= layout_->ranks() || rank == rank_)
    throw UsageError(fmt::format("{}: a message to or from rank {} of {}, by rank {}", name_, rank,
                                 layout_->ranks(), rank_));
  if (const auto known = by_rank_.find({rank, channel}); known != by_rank_.end())
    return known->second;
  const int interface = (rank + rank_) % interfaces();
  const int ranks = layout_->ranks();
  return by_rank_[{rank, channel}] = add_stream(
             rank, interface, interface, routed_code(channel), routed_slots(rank, channel, ranks),
             routed_slots(rank_, channel, ranks), fmt::format("rank {}", rank));
}

std::size_t Transport::add_stream(int peer, int interface, int far_interface, unsigned code,
                                  std::uint64_t slots, std::uint64_t far_slots, std::string name) {
  Stream s;
  s.peer = peer;
  s.interface = interface;
  s.remote.node = layout_->places[static_cast<std::size_t>(peer)];
  s.remote.interface = far_interface;
  s.remote.queue = own_queue;
  s.remote.path = path_bits(layout_->way(rank_, peer));
  if (options_.split_bytes != 0) {
    for (const Path& path :
         disjoint_paths(place().machine, here_, s.remote.node, interfaces(), layout_->avoided()))
      s.paths.push_back(path_bits(path));
  }
  s.code = code;
  s.slots = slots;
  s.far_slots = far_slots;
  s.name = std::move(name);
  streams_.push_back(std::move(s));
  return streams_.size() - 1;
}

// -------------------------------------------------------------------------------------------------
// Messages

Message Transport::message_on(std::size_t stream, bool send) const {
  Message m;
  m.send = send;
  m.stream = stream;
  m.far_end = streams_[stream].name;
  return m;
}

Message Transport::address(qmp::Direction direction, qmp::Channel channel, bool send) {
  return message_on(stream_to(direction, channel), send);
}

qmp::MessageId Transport::declare_send_to(int rank, const void* buffer, std::size_t bytes,
                                          qmp::Channel channel) {
  return declare(message_on(stream_to_rank(rank, channel), true), buffer, bytes);
}

qmp::MessageId Transport::declare_receive_from(int rank, void* buffer, std::size_t bytes,
                                               qmp::Channel channel) {
  return declare(message_on(stream_to_rank(rank, channel), false), buffer, bytes);
}

void Transport::check_start(const Message&) {
  if (shared_ == nullptr) throw UsageError(fmt::format("{}: messages before bring_up()", name_));
}

void Transport::launch(qmp::MessageId id, Message& m) {
  Stream& s = streams_[m.stream];
  m.number = m.send ? s.sends++ : s.receives++;
  m.parts = parts_of(m.bytes, m.bytes).size();
  (m.send ? s.unsent : s.unannounced).push_back(id);
}

// -------------------------------------------------------------------------------------------------
// Gates

void Transport::signal_barrier() {
  if (!gates_) throw UsageError(fmt::format("{}: a barrier before bring_up()", name_));
  gates_->barrier();
}

bool Transport::signal_all(bool mine) {
  if (!gates_) throw UsageError(fmt::format("{}: a vote before bring_up()", name_));
  return gates_->all(mine);
}

bool Transport::signal_any(bool mine) {
  if (!gates_) throw UsageError(fmt::format("{}: a vote before bring_up()", name_));
  return gates_->any(mine);
}

void Transport::sum_states(std::span<std::byte> states) {
  if (!gates_) throw UsageError(fmt::format("{}: a sum before bring_up()", name_));
  StateBytes state;
  if (states.size() % state.size() != 0)
    throw UsageError(fmt::format("{}: {} bytes are no states of sums", name_, states.size()));
  for (std::size_t at = 0; at < states.size(); at += state.size()) {
    std::memcpy(state.data(), states.data() + at, state.size());
    gates_->sum(state);
    std::memcpy(states.data() + at, state.data(), state.size());
  }
}

}  // namespace ht::tofu
