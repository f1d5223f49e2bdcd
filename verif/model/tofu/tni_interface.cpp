// SPDX-License-Identifier: Apache-2.0
#include "verif/model/tofu/tni_interface.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ht::model {
namespace {

constexpr std::uint64_t kUnit = 16, kDescriptor = 64, kOffsets = std::uint64_t{1} << 40;
constexpr std::uint32_t kMostDirect = 32, kOperations = 6;
constexpr std::uint8_t kOperationWide = 8;

std::uint64_t bits(std::uint64_t word, unsigned low, unsigned width) {
  return word >> low & ((std::uint64_t{1} << width) - 1);
}

}  // namespace

TniCommand TniCommand::from_bytes(const Bytes& w) {
  TniCommand c;
  c.kind = static_cast<Kind>(bits(w[0], 0, 8));
  c.flags = static_cast<std::uint8_t>(bits(w[0], 8, 8));
  c.operation = static_cast<std::uint8_t>(bits(w[0], 16, 8));
  c.queue = static_cast<std::uint8_t>(bits(w[0], 24, 6));
  c.interface = static_cast<std::uint8_t>(bits(w[0], 30, 2) | bits(w[0], 55, 1) << 2);
  c.to = static_cast<std::uint32_t>(bits(w[0], 32, 19));
  c.path = static_cast<std::uint8_t>(bits(w[0], 51, 4));
  c.length = static_cast<std::uint32_t>(bits(w[1], 0, 24));
  c.local_tag = static_cast<std::uint32_t>(bits(w[1], 24, 18));
  c.edata = static_cast<std::uint16_t>(bits(w[1], 48, 16));
  c.local_offset = bits(w[2], 0, 40);
  c.remote_offset = bits(w[3], 0, 40);
  c.remote_tag = static_cast<std::uint32_t>(bits(w[3], 40, 18));
  std::copy_n(w.begin() + 4, 4, c.data.begin());
  return c;
}

TniCommand::Bytes TniCommand::to_bytes() const {
  Bytes w{};
  const auto wide = [](auto x) { return static_cast<std::uint64_t>(x); };
  w[0] = wide(kind) | wide(flags) << 8 | wide(operation) << 16 | wide(queue) << 24 |
         wide(interface & 3U) << 30 | wide(to) << 32 | wide(path) << 51 |
         wide(interface >> 2) << 55;
  w[1] = wide(length) | wide(local_tag) << 24 | wide(edata) << 48;
  w[2] = local_offset;
  w[3] = remote_offset | wide(remote_tag) << 40;
  std::copy(data.begin(), data.end(), w.begin() + 4);
  return w;
}

TniInterface::TniInterface(std::uint32_t coordinates, unsigned number, TniReach memory)
    : coordinates_(coordinates), number_(number), memory_(std::move(memory)) {}

bool TniInterface::waiting() const {
  return std::any_of(held_.begin(), held_.end(), [](const auto& h) { return h.has_value(); });
}

bool TniInterface::idle() const {
  const auto busy = [](const Message& m) { return m.busy; };
  return !waiting() && std::none_of(messages_.begin(), messages_.end(), busy) &&
         std::all_of(queues_.begin(), queues_.end(), [this](const Queue& q) {
           return !q.enabled() || control_ == 0 || q.producer == q.consumer;
         });
}

std::optional<unsigned> TniInterface::free_message() const {
  for (unsigned i = 1; i <= kMessages; ++i) {
    const unsigned number = (last_message_ + i) % kMessages;
    if (!messages_[number].busy) return number;
  }
  return std::nullopt;
}

/// A number is kept for every queue that is enabled and has none.
bool TniInterface::number_for(unsigned queue) const {
  std::array<bool, kQueues> has{};
  std::size_t left = 0;
  for (const Message& m : messages_) {
    if (m.busy)
      has[m.of.queue] = true;
    else
      ++left;
  }
  std::size_t lacking = 0;
  for (unsigned q = 0; q < kQueues; ++q) lacking += queues_[q].enabled() && !has[q] ? 1 : 0;
  return has[queue] ? left > lacking : left != 0;
}

/// The queue whose command begins next, in turn.
std::optional<unsigned> TniInterface::next_held() const {
  for (unsigned i = 1; i <= kQueues; ++i) {
    const unsigned q = (last_queue_ + i) % kQueues;
    if (held_[q] && (forgotten(*held_[q]) || number_for(q))) return q;
  }
  return std::nullopt;
}

/// Does commands as long as there is a number for one; one more of each queue is fetched ahead.
void TniInterface::work() {
  for (;;) {
    fetch();
    const auto queue = next_held();
    if (!queue) return;
    const Held held = *held_[*queue];
    held_[*queue].reset();
    last_queue_ = *queue;
    if (forgotten(held)) continue;
    const unsigned message = *free_message();
    messages_[message] = {true, held, TniCause::Good, 0, false, messages_[message].generation};
    last_message_ = message;
    start(message);
  }
}

/// Its queue was disabled since.
bool TniInterface::forgotten(const Held& held) const {
  const Queue& q = queues_[held.queue];
  return !q.enabled() || q.generation != held.generation;
}

/// Fetches a command of every queue that has any, holds none, and has room for its completion.
void TniInterface::fetch() {
  for (unsigned number = 0; control_ != 0 && number < kQueues; ++number) {
    Queue& q = queues_[number];
    const auto unread = static_cast<std::uint16_t>(q.completions - q.completed);
    if (held_[number] || !q.enabled() || q.producer == q.consumer ||
        unread + q.in_flight >= 1U << q.log2(1))
      continue;
    const std::uint64_t place = q.consumer & ((1U << q.log2(0)) - 1);
    held_[number] = Held{number, q.generation, q.consumer,
                         TniCommand::from_bytes(memory_.load<TniCommand::Bytes>(
                             q.base[0] * kUnit + kDescriptor * place))};
    ++q.consumer;
    ++q.in_flight;
  }
}

bool TniInterface::possible(const TniCommand& c) const {
  using Kind = TniCommand::Kind;
  if (c.kind > Kind::Atomic) return false;
  if (c.kind == Kind::PutDirect && c.length > kMostDirect) return false;
  if (c.kind == Kind::Atomic) {
    const unsigned size = (c.flags & TniCommand::kWide) != 0 ? 8 : 4;
    return c.operation < kOperations && c.remote_offset % size == 0;
  }
  return c.kind == Kind::Nothing || c.remote_offset + c.length <= kOffsets;
}

void TniInterface::start(unsigned number) {
  using Kind = TniCommand::Kind;
  const Held& m = messages_[number].of;
  const TniCommand& c = m.command;
  if (!possible(c)) {
    raise(tni_error::kDescriptor, m.queue << 24 | m.index);
    finish(number, TniCause::Descriptor);
    return;
  }
  const bool local = c.kind == Kind::Put || c.kind == Kind::Get;
  if (local && c.length != 0) {
    const TniCause cause =
        memory_.check({c.local_tag, c.local_offset, c.length, m.queue, TniRight::Read, true});
    if (cause != TniCause::Good) {
      finish(number, cause);
      return;
    }
  }
  TniPacket p;
  p.to = c.to;
  p.from = coordinates_;
  p.path = c.path;
  p.interface = c.interface;
  p.group = static_cast<std::uint8_t>(group_);
  p.offset = c.remote_offset;
  p.tag = c.remote_tag;
  p.queue = c.queue;
  p.source_queue = static_cast<std::uint8_t>(m.queue);
  p.source_interface = static_cast<std::uint8_t>(number_);
  p.message = static_cast<std::uint8_t>(number + kMessages * messages_[number].generation);
  p.edata = c.edata;
  p.first = p.last = p.answer = true;
  p.notice = (c.flags & TniCommand::kRemoteNotice) != 0;
  p.length = c.length;
  switch (c.kind) {
    case Kind::Nothing:
      finish(number, TniCause::Good);
      return;
    case Kind::Get:
      p.kind = TniKind::Get;
      sent.push_back(p);
      ++sent_;
      return;
    case Kind::Atomic:
      p.kind = TniKind::Atomic;
      p.length = (c.flags & TniCommand::kWide) != 0 ? 8 : 4;
      p.operation = static_cast<std::uint8_t>(
          c.operation | ((c.flags & TniCommand::kWide) != 0 ? kOperationWide : 0));
      p.payload.resize(2 * sizeof c.data[0]);
      std::memcpy(p.payload.data(), c.data.data(), p.payload.size());
      sent.push_back(p);
      ++sent_;
      return;
    default:
      send_put(c, p);
  }
}

/// Cuts a put into packets.
void TniInterface::send_put(const TniCommand& c, TniPacket p) {
  std::uint32_t done = 0;
  do {
    const std::uint32_t n = std::min<std::uint32_t>(c.length - done, kTniPayload);
    p.payload.resize(n);
    if (n != 0) {
      if (c.kind == TniCommand::Kind::PutDirect)
        std::memcpy(p.payload.data(), c.data.data(), n);
      else
        memory_.read(c.local_tag, c.local_offset + done, p.payload);
    }
    p.offset = c.remote_offset + done;
    p.first = done == 0;
    done += n;
    p.last = p.answer = done == c.length;
    p.length = done;
    sent.push_back(p);
    ++sent_;
  } while (done != c.length);
}

void TniInterface::expire() {
  constexpr unsigned kGenerations = 16;
  open_.clear();
  for (unsigned i = 0; i < kMessages; ++i) {
    Message& m = messages_[i];
    if (!m.busy) continue;
    m.generation = (m.generation + 1) % kGenerations;
    finish(i, TniCause::Timeout);
  }
  work();
}

/// A command is done: its completion, if one is wanted or it failed.
void TniInterface::finish(unsigned number, TniCause cause, std::uint64_t old) {
  messages_[number].busy = false;
  const Held& m = messages_[number].of;
  Queue& q = queues_[m.queue];
  if (forgotten(m)) return;
  --q.in_flight;
  const bool noticed = (m.command.flags & TniCommand::kLocalNotice) != 0;
  if ((m.command.flags & TniCommand::kCompletion) == 0 && !noticed && cause == TniCause::Good)
    return;
  const unsigned log2 = q.log2(1);
  const std::uint64_t phase = ~(std::uint64_t{q.completions} >> log2) & 1;
  const std::uint64_t place = q.completions & ((1U << log2) - 1);
  const std::uint64_t word =
      m.index | static_cast<std::uint64_t>(cause) << 16 | (phase | (noticed ? 2U : 0U)) << 24;
  memory_.store(q.base[1] * kUnit + kUnit * place, std::array<std::uint64_t, 2>{word, old});
  ++q.completions;
  ++entries;
}

}  // namespace ht::model
