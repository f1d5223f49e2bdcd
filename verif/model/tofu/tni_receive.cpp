// SPDX-License-Identifier: Apache-2.0
// What a network interface does with packets that come.
#include <algorithm>
#include <cstring>
#include <utility>

#include "verif/model/tofu/tni_interface.hpp"

namespace ht::model {
namespace {

constexpr std::uint64_t kUnit = 16, kNotice = 32;
constexpr std::uint8_t kWide = 8;

enum class Operation : std::uint8_t { Add, And, Or, Xor, Swap, CompareAndSwap };

std::uint64_t combine(Operation operation, std::uint64_t old, std::uint64_t operand,
                      std::uint64_t compare) {
  switch (operation) {
    case Operation::Add:
      return old + operand;
    case Operation::And:
      return old & operand;
    case Operation::Or:
      return old | operand;
    case Operation::Xor:
      return old ^ operand;
    case Operation::Swap:
      return operand;
    case Operation::CompareAndSwap:
      return old == compare ? operand : old;
  }
  return old;
}

}  // namespace

void TniInterface::receive(const tofu::Packet& frame) {
  constexpr tofu::HeaderField kQueue{tofu::wire::remote::kQueue.low, 3};
  if (frame.nullified) {
    raise(tni_error::kPacket, 0);
  } else if (const auto packet = tni_packet(frame)) {
    receive(*packet);
  } else {
    ++received_;
    raise(tni_error::kPacket, frame.get(kQueue) << 24);
  }
}

void TniInterface::receive(const TniPacket& p) {
  ++received_;
  const std::uint32_t info = (p.queue & (kQueues - 1U)) << 24;
  if (p.to != coordinates_ || p.interface != number_)
    raise(tni_error::kPacket, info);
  else if (!p.response())
    request(p);
  else if (p.group != group_)
    ++strayed_;
  else if (awaited(p))
    answered(p);
  else if (p.message / kMessages != messages_[p.message % kMessages].generation)
    ++late_;
  else
    raise(tni_error::kResponse, info);
  work();
}

bool TniInterface::awaited(const TniPacket& p) const {
  if (!awaits(p.message)) return false;
  const TniCommand& c = messages_[p.message % kMessages].of.command;
  return p.kind == TniKind::Response ||
         (c.kind == TniCommand::Kind::Get && p.offset + p.payload.size() <= c.length);
}

/// What a get brought, or the answer to a command. A fault of the get's own tag waits for the last
/// packet, and comes before what the other end says; so does that not all came.
void TniInterface::answered(const TniPacket& p) {
  Message& m = messages_[p.message % kMessages];
  const TniCommand& c = m.of.command;
  std::uint64_t old = 0;
  if (p.kind == TniKind::Response && p.cause == TniCause::Full && c.kind != TniCommand::Kind::Get) {
    // There was no room for its first packet; the answer to the last one ends it.
    if (m.cause == TniCause::Good) m.cause = p.cause;
    return;
  }
  if (p.kind == TniKind::Response) {
    if (!p.payload.empty())
      std::memcpy(&old, p.payload.data(), std::min(p.payload.size(), sizeof old));
  } else if (!p.payload.empty()) {
    m.came += static_cast<std::uint32_t>(p.payload.size());
    if (m.cause == TniCause::Good && forgotten(m.of)) m.cause = TniCause::Disabled;
    if (m.cause == TniCause::Good) {
      const std::uint64_t at = c.local_offset + p.offset;
      m.cause =
          memory_.check({c.local_tag, at, p.payload.size(), m.of.queue, TniRight::Write, true});
      if (m.cause == TniCause::Good) memory_.write(c.local_tag, at, p.payload);
    }
  }
  if (p.kind != TniKind::Response && !p.last) return;
  TniCause cause = m.cause != TniCause::Good ? m.cause : p.cause;
  const bool all = c.kind != TniCommand::Kind::Get || m.came == c.length;
  if (!all && (cause == TniCause::Good || cause == TniCause::NoticeLost))
    cause = TniCause::DataLost;
  finish(p.message % kMessages, cause, old);
}

/// A packet of a put. One of several must be of a message that is open, and begin where the one
/// before ended.
TniCause TniInterface::put(const TniPacket& p, TniPacket& answer) {
  const auto message = std::tuple(p.from, unsigned{p.source_interface}, unsigned{p.message});
  const bool several = !(p.first && p.last);
  const auto found = open_.find(message);
  const bool known = several && found != open_.end();
  constexpr std::uint32_t kLengths = 0xffffff;
  if (several && p.first && !known && open_.size() >= kOpen) return TniCause::Full;
  if (!p.first && !known) return TniCause::DataLost;
  TniCause cause = p.first ? TniCause::Good : found->second.cause;
  const std::uint32_t begin = p.first ? 0 : found->second.position;
  if (cause == TniCause::Good && p.length != ((begin + p.payload.size()) & kLengths))
    cause = TniCause::DataLost;
  if (cause == TniCause::Good) cause = execute(p, answer);
  if (several && !p.last) open_[message] = {p.length, cause};
  if (known && p.last) open_.erase(found);
  return cause;
}

void TniInterface::request(const TniPacket& p) {
  TniPacket answer;
  answer.kind = TniKind::Response;
  answer.to = p.from;
  answer.from = coordinates_;
  answer.path = p.path;
  answer.interface = p.source_interface;
  answer.group = p.group;
  answer.queue = p.source_queue;
  answer.source_queue = p.queue;
  answer.source_interface = static_cast<std::uint8_t>(number_);
  answer.message = p.message;
  answer.first = answer.last = true;

  const bool strays = p.group != group_;
  strayed_ += strays ? 1 : 0;
  TniCause cause = strays                   ? TniCause::Group
                   : p.kind == TniKind::Put ? put(p, answer)
                                            : execute(p, answer);
  const bool full = cause == TniCause::Full;  // and said at once
  if (!p.answer && !full) return;

  const bool fault = cause != TniCause::Good;
  const bool tells = fault ? cause <= TniCause::Owner : p.notice;
  if (tells && !notice(p, cause)) {
    raise(tni_error::kOverflow, std::uint32_t{p.queue} << 24);
    if (!fault) cause = TniCause::NoticeLost;
  }
  if (cause != TniCause::Good) ++faults_;
  answer.cause = cause;
  // What a get asked for comes, even if it cannot be reported here.
  if (p.kind == TniKind::Get && !fault) {
    send_data(p, answer);
    return;
  }
  sent.push_back(answer);
  ++sent_;
}

TniCause TniInterface::execute(const TniPacket& p, TniPacket& answer) {
  if (control_ == 0 || p.queue >= kQueues || !queues_[p.queue].enabled()) return TniCause::Disabled;
  TniAccess access{p.tag, p.offset, p.payload.size(), p.queue, TniRight::Write, false};
  if (p.kind == TniKind::Get) {
    access.right = TniRight::Read;
    access.length = p.length;
  } else if (p.kind == TniKind::Atomic) {
    access.right = TniRight::Atomic;
    access.length = (p.operation & kWide) != 0 ? 8 : 4;
  }
  if (access.length == 0) return TniCause::Good;
  const TniCause cause = memory_.check(access);
  if (cause != TniCause::Good || p.kind == TniKind::Get) return cause;
  if (p.kind == TniKind::Put) {
    memory_.write(p.tag, p.offset, p.payload);
    return cause;
  }
  const std::uint64_t old = atomic(p);
  answer.payload.resize(sizeof old);
  std::memcpy(answer.payload.data(), &old, sizeof old);
  return cause;
}

std::uint64_t TniInterface::atomic(const TniPacket& p) {
  std::array<std::uint64_t, 2> operands{};
  std::memcpy(operands.data(), p.payload.data(), std::min(p.payload.size(), sizeof operands));
  const auto operation = static_cast<Operation>(p.operation & 7U);
  const std::uint64_t at = memory_.address(p.tag, p.offset);
  if ((p.operation & kWide) != 0) {
    const auto old = memory_.load<std::uint64_t>(at);
    memory_.store(at, combine(operation, old, operands[0], operands[1]));
    return old;
  }
  const auto old = memory_.load<std::uint32_t>(at);
  const auto compare = static_cast<std::uint32_t>(operands[1]);
  memory_.store(at, static_cast<std::uint32_t>(combine(operation, old, operands[0], compare)));
  return old;
}

/// Answers a get, whose access was checked.
void TniInterface::send_data(const TniPacket& request, TniPacket p) {
  p.kind = TniKind::Data;
  std::uint32_t done = 0;
  do {
    const std::uint32_t n = std::min<std::uint32_t>(request.length - done, kTniPayload);
    p.payload.resize(n);
    if (n != 0) memory_.read(request.tag, request.offset + done, p.payload);
    p.offset = done;
    p.first = done == 0;
    done += n;
    p.last = done == request.length;
    p.length = done;
    sent.push_back(p);
    ++sent_;
  } while (done != request.length);
}

/// Writes a notice if its queue is there; false if there is no room for it.
bool TniInterface::notice(const TniPacket& p, TniCause cause) {
  Queue& q = queues_[p.queue % kQueues];
  if (!q.enabled()) return true;  // of a message whose fault was kept: not to be reported
  const unsigned log2 = q.log2(2);
  if (static_cast<std::uint16_t>(q.notices - q.noticed) >= 1U << log2) return false;
  const std::uint64_t phase = ~(std::uint64_t{q.notices} >> log2) & 1;
  const std::uint64_t place = q.notices & ((1U << log2) - 1);
  const auto wide = [](auto x) { return static_cast<std::uint64_t>(x); };
  const std::array<std::uint64_t, 4> entry{
      wide(p.edata) | wide(cause) << 16 | phase << 24 | wide(p.length & 0xffffffU) << 32 |
          wide(p.kind) << 56,
      wide(p.from) | wide(p.source_interface >> 2) << 23 | wide(p.source_queue) << 24 |
          wide(p.source_interface & 3U) << 30,
      p.offset | wide(p.tag) << 40, 0};
  memory_.store(q.base[2] * kUnit + kNotice * place, entry);
  ++q.notices;
  ++entries;
  return true;
}

}  // namespace ht::model
