// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/campaign/listener.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace ht::campaign {
namespace {

using check::TofuReader;
using sim::Complaint;

Complaint complaint_of(const TofuReader::Anomalies& a) {
  if (a.code) return Complaint::Code;
  if (a.framing) return Complaint::Framing;
  if (a.header) return Complaint::Header;
  if (a.crc) return Complaint::Check;
  return a.control ? Complaint::Command : Complaint::None;
}

// A whole packet or hello, to be compared.
std::vector<std::uint64_t> words_of(const TofuReader::Event& e, const model::Beat& beat) {
  if (e.hello) return {beat.word[0], beat.word[1]};
  if (!e.packet) return {};
  std::vector<std::uint64_t> words(e.packet->header.begin(), e.packet->header.end());
  for (const auto& b : e.packet->payload) words.insert(words.end(), b.begin(), b.end());
  return words;
}

}  // namespace

void TofuReceiver::differ(const std::string& what) {
  if (complaints_.size() < 3) complaints_.push_back(what);
}

void TofuReceiver::close() {
  if (pending_) differ(fmt::format("edge {}: nothing was observed of a beat that matters", edge_));
  pending_ = false;
}

void TofuReceiver::received(std::int64_t edge, const model::Beat& beat) {
  close();
  edge_ = edge;
  event_ = reader_.push(beat);
  pending_ = event_.start || event_.ok || event_.error || event_.control;
  if (event_.error)
    frames_.push_back({first_ < 0 ? edge : first_, edge, complaint_of(event_.anomalies), {}});
  if (event_.anomalies.any() || event_.ok) first_ = -1;
  if (event_.start) first_ = edge;
  if (event_.control) frames_.push_back({edge, edge, Complaint::None, {event_.control->word()}});
  if (!event_.ok) return;
  const std::int64_t begin =
      event_.packet ? edge - static_cast<std::int64_t>(event_.packet->beats()) + 1 : edge;
  frames_.push_back({begin, edge, Complaint::None, words_of(event_, beat)});
  if (!event_.packet) return;
  const auto ahead =
      static_cast<std::uint8_t>(event_.packet->get(model::tofu::header::sequence) - expected_);
  if (ahead == 0) {
    ++expected_;
    frames_.back().in_turn = true;
    checksum_.add(*event_.packet);
  } else if (ahead < 128) {
    gaps_.push_back(edge);
  }
}

Complaint TofuReceiver::observed(std::int64_t edge, const sim::Observation& seen, unsigned state) {
  if (state_ == 2 && state == 1) losses_.push_back(edge);
  state_ = state;
  const TofuReader::Event none;
  const TofuReader::Event& e = edge == edge_ ? event_ : none;
  if (seen.start != e.start || seen.ok != e.ok || seen.command != e.control.has_value() ||
      (seen.error || seen.command_error) != e.error)
    differ(
        fmt::format("edge {}: start/ok/command/error {:d}{:d}{:d}{:d}, by the wire format "
                    "{:d}{:d}{:d}{:d}",
                    edge, seen.start, seen.ok, seen.command, seen.error || seen.command_error,
                    e.start, e.ok, e.control.has_value(), e.error));
  if (edge == edge_) pending_ = false;
  return complaint_of(e.anomalies);
}

void TofuCableLog::carried(std::int64_t slot, const model::Beat& sent,
                           const model::Beat* /*received*/) {
  const TofuReader::Event e = reader_.push(sent);
  if (e.ok) sent_.insert(words_of(e, sent));
  if (e.control) sent_.insert({e.control->word()});
  if (e.ok && e.packet && e.packet->get(model::tofu::header::sequence) == next_) {
    ++next_;
    checksum_.add(*e.packet);
  }
  if (sent == model::kIdleBeat) return;
  const char* what = "payload";
  if (e.start) {
    what = "header";
    beats_ = 1;
  } else if (e.hello) {
    what = "hello";
  } else if (sent.control == 0) {
    ++beats_;
    what = beats_ == 2 ? "header" : "payload";
  } else {
    what = sent.byte(0) == model::tofu::kIdle ? "command" : "CRC";
  }
  log_.push_back({slot, what});
}

const char* TofuCableLog::place(std::int64_t slot) const {
  const auto at = std::ranges::lower_bound(log_, slot, {}, &Sent::slot);
  return at != log_.end() && at->slot == slot ? at->what : "idle";
}

}  // namespace ht::campaign
