// SPDX-License-Identifier: Apache-2.0
// The registers of a network interface.
#include <algorithm>

#include "verif/model/tofu/tni_interface.hpp"

namespace ht::model {
namespace {

using namespace tni_register;

constexpr std::uint32_t kLetters = 0x544e4930, kMostTags = 0x40000, kMostQueueControl = 0x1fff,
                        kMostIndex = 0xffff, kErrors = 0x1ff, kBeatBits = 144, kTag = 0x3ffff,
                        kBusy = 1U << 30, kAll = 1U << 31, kShortestLimit = 6, kLongestLimit = 16,
                        kMostGroups = 63, kMostGeneration = 15;
constexpr std::uint64_t kUnit = 16;

}  // namespace

/// Whether software's index is not behind the last one, and not beyond what is there.
bool TniInterface::Queue::may_be(unsigned which, std::uint16_t index) const {
  const auto step = [](std::uint16_t to, std::uint16_t from) {
    return static_cast<std::uint16_t>(to - from);
  };
  if (which == kProducer) {
    const auto full = static_cast<std::uint16_t>(consumer + (1U << log2(0)));
    return step(index, producer) <= step(full, producer);
  }
  return which == kCompleted ? step(index, completed) <= step(completions, completed)
                             : step(index, noticed) <= step(notices, noticed);
}

void TniInterface::raise(std::uint32_t error, std::uint32_t info) {
  if (error_ == 0) error_info_ = info;
  error_ |= error;
}

TniInterface::Answer TniInterface::read(unsigned address) {
  if (address >= kQueue) {
    const Queue& q = queues_[(address - kQueue) / 16 % kQueues];
    const unsigned which = address % 16;
    if (address < kQueue + 16 * kQueues && which <= kNoticed) {
      switch (which) {
        case kWorking:
          return {q.control};
        case kProducer:
          return {q.producer};
        case kConsumer:
          return {q.consumer};
        case kCompleted:
          return {q.completed};
        case kNoticed:
          return {q.noticed};
        default:
          return {q.base[which - kCommands]};
      }
    }
  }
  switch (address) {
    case kId:
      return {kLetters};
    case kControl:
      return {control_};
    case kError:
      return {error_};
    case kErrorInfo:
      return {error_info_};
    case kTableBase:
      return {table_base_};
    case kTableTags:
      return {memory_.tags};
    case kSent:
      return {sent_};
    case kReceived:
      return {received_};
    case kFaults:
      return {faults_};
    case kTimeLimit:
      return {time_limit_};
    case kLate:
      return {late_};
    case kGroup:
      return {group_};
    case kStrayed:
      return {strayed_};
    case kGeneration:
      return {generation_};
    case kTableForget:
      return {forgetting() ? kBusy : 0};
    case kCacheHits:
    case kCacheMisses:
    case kInject:
      return {};
    default:
      raise(tni_error::kUnknown, address);
      return {0, true};
  }
}

bool TniInterface::forgetting() const {
  return std::any_of(messages_.begin(), messages_.end(),
                     [](const Message& m) { return m.busy && m.blocks; });
}

/// Nothing is kept here, but commands that are under way still use it.
void TniInterface::forget(std::uint32_t value) {
  for (Message& m : messages_) {
    const TniCommand& c = m.of.command;
    const bool local = c.kind == TniCommand::Kind::Put || c.kind == TniCommand::Kind::Get;
    m.blocks =
        m.busy && local && c.length != 0 && ((value & kAll) != 0 || c.local_tag == (value & kTag));
  }
}

TniInterface::Answer TniInterface::write(unsigned address, std::uint32_t value) {
  if (address >= kQueue && address < kQueue + 16 * kQueues && address % 16 <= kNoticed) {
    const Answer answer =
        write_queue(queues_[(address - kQueue) / 16], address % 16, address, value);
    work();
    return answer;
  }
  switch (address) {
    case kControl:
      if (value > 1) return {0, true};
      control_ = value;
      work();
      return {};
    case kError:
      error_ &= ~(value & kErrors);
      return {};
    case kTableBase:
      table_base_ = value;
      memory_.table = value * kUnit;
      return {};
    case kTableTags:
      if (value > kMostTags) return {0, true};
      memory_.tags = value;
      return {};
    case kTableForget:
      if (forgetting()) return {0, true};
      forget(value);
      return {};
    case kTimeLimit:
      if (value < kShortestLimit || value > kLongestLimit) return {0, true};
      time_limit_ = value;
      return {};
    case kGroup:
      if (value > kMostGroups) return {0, true};
      group_ = value;
      return {};
    case kGeneration:
      if (value > kMostGeneration || control_ != 0 ||
          std::any_of(messages_.begin(), messages_.end(), [](const Message& m) { return m.busy; }))
        return {0, true};
      generation_ = value;
      for (Message& m : messages_) m.generation = value;
      return {};
    case kInject:
      return {0, (value & 0xff) >= kBeatBits || (value >> 8 & 0xff) >= kBeatBits};
    case kId:
    case kErrorInfo:
    case kCacheHits:
    case kCacheMisses:
    case kSent:
    case kReceived:
    case kFaults:
    case kLate:
    case kStrayed:
      raise(tni_error::kReadOnly, address);
      return {0, true};
    default:
      raise(tni_error::kUnknown, address);
      return {0, true};
  }
}

TniInterface::Answer TniInterface::write_queue(Queue& q, unsigned which, unsigned address,
                                               std::uint32_t value) {
  const auto index = static_cast<std::uint16_t>(value);
  switch (which) {
    case kWorking:
      if (value > kMostQueueControl) return {0, true};
      if (q.enabled() && (value & 1) != 0) {
        if (value == q.control) return {};
        raise(tni_error::kQueueBusy, address);
        return {0, true};
      }
      if ((value & 1) != 0) {
        q.producer = q.consumer = q.completed = q.noticed = q.completions = q.notices = 0;
        q.in_flight = 0;
        ++q.generation;
      }
      q.control = value;
      return {};
    case kConsumer:
      raise(tni_error::kReadOnly, address);
      return {0, true};
    case kProducer:
    case kCompleted:
    case kNoticed:
      if (value > kMostIndex || (q.enabled() && !q.may_be(which, index))) return {0, true};
      (which == kProducer ? q.producer : which == kCompleted ? q.completed : q.noticed) = index;
      return {};
    default:
      if (q.enabled()) {
        raise(tni_error::kQueueBusy, address);
        return {0, true};
      }
      q.base[which - kCommands] = value;
      return {};
  }
}

}  // namespace ht::model
