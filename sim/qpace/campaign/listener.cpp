// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/campaign/listener.hpp"

#include <algorithm>
#include <cstring>

#include "verif/model/qpace/wire.hpp"

namespace ht::campaign {
namespace {

constexpr std::size_t kBeats = 8;

sim::Complaint complaint_of(check::QpaceMonitor::Anomaly anomaly) {
  using Anomaly = check::QpaceMonitor::Anomaly;
  switch (anomaly) {
    case Anomaly::None:
      return sim::Complaint::None;
    case Anomaly::Code:
      return sim::Complaint::Code;
    case Anomaly::Framing:
      return sim::Complaint::Framing;
    case Anomaly::Check:
      return sim::Complaint::Check;
    case Anomaly::Command:
      return sim::Complaint::Command;
  }
  return sim::Complaint::None;
}

}  // namespace

sim::Complaint QpaceListener::observed(int link, std::int64_t edge, const sim::Observation& seen) {
  return complaint_of(
      receiver(link).observed(edge, {seen.start, seen.ok, seen.command, seen.error}));
}

void QpaceListener::written(std::uint64_t address, const std::array<std::uint32_t, 4>& data,
                            bool last, bool notification) {
  if (notification) {
    const std::size_t channel = (data[1] >> 8 & 7U) * QpaceTraffic::channels + (data[1] & 7U);
    traffic_.notified(std::min(channel, arrived_.size() - 1), data[0],
                      arrived_[std::min(channel, arrived_.size() - 1)]);
    return;
  }
  if (beat_ == 0) address_ = address;
  std::memcpy(line_.data() + 16 * beat_, data.data(), 16);
  ++beat_;
  if (!last && beat_ < kBeats) return;
  beat_ = 0;
  line(address_);
}

void QpaceListener::line(std::uint64_t address) {
  const std::uint64_t at = address / qpace::line_bytes;
  const auto& inboxes = traffic_.inboxes();
  for (std::size_t i = 0; i < inboxes.size(); ++i) {
    const Inbox& inbox = inboxes[i];
    if (inbox.lines == 0 || at < inbox.first_line || at >= inbox.first_line + inbox.lines) continue;
    ++arrived_[i];
    board_.arrived(inbox.flow, at - inbox.first_line, line_);
    return;
  }
  board_.arrived(check::DeliveryScoreboard::kUnknown, at, line_);
}

void QpaceCableLog::carried(std::int64_t slot, const model::Word& sent,
                            const model::Word* /*received*/) {
  using namespace model::qpace;
  if (sent == model::kIdleWord) return;
  if (sent.control == 0) {
    if (frames_.empty()) return;
    frames_.back().last = slot;
    frames_.back().words.push_back(sent);
  } else {
    frames_.push_back({slot, slot, sent.lane(0), {sent}});
  }
}

void QpaceCableLog::inserted(std::int64_t /*slot*/, const model::Word& /*received*/) {}

bool QpaceCableLog::was_sent(const std::vector<model::Word>& words) const {
  return std::any_of(frames_.begin(), frames_.end(),
                     [&](const Frame& f) { return f.words == words; });
}

std::string QpaceCableLog::place(std::int64_t slot) const {
  using namespace model::qpace;
  const auto after = std::upper_bound(frames_.begin(), frames_.end(), slot,
                                      [](std::int64_t s, const Frame& f) { return s < f.first; });
  if (after == frames_.begin()) return "idle";
  const Frame& f = *std::prev(after);
  if (slot > f.last) return "idle";
  if (f.code == kCommand) return "command";
  if (f.code == kHello) return "hello";
  if (slot == f.first) return "header";
  return slot == f.last && f.words.size() == kPacketWords ? "CRC" : "payload";
}

}  // namespace ht::campaign
