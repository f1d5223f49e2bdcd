// SPDX-License-Identifier: Apache-2.0
#include "verif/check/qpace/receiver.hpp"

#include <algorithm>

namespace ht::check {
namespace {

constexpr std::size_t kMostDifferences = 4;
constexpr int kSignalLost = 64;  // words, as in rtl/qpace/README.md

std::string text(const QpaceReceiver::Pulses& p) {
  std::string s;
  if (p.start) s += " start";
  if (p.ok) s += " ok";
  if (p.command) s += " command";
  if (p.error) s += " error";
  return s.empty() ? " nothing" : s;
}

}  // namespace

void QpaceReceiver::received(std::int64_t edge, const model::Word& word) {
  const std::uint64_t codes = monitor_.counts().code_errors;
  const QpaceMonitor::Event e = monitor_.push(word);
  if (monitor_.counts().code_errors != codes) {
    errors_in_a_row_ = edge == error_edge_ + 1 ? errors_in_a_row_ + 1 : 1;
    error_edge_ = edge;
    if (errors_in_a_row_ >= kSignalLost) signal_losses_.push_back(edge);
  }
  if (e.ok || e.command) frames_.push_back(edge);
  if (e.command || e.hello) answers_.push_back(edge);
  if (e.ok) contents_.push_back({edge, e.packet, e.hello});
  if (e.packet) sequence(edge, e.packet->sequence);
  const Pulses pulses{e.start, e.ok, e.command, e.error};
  if (pulses != Pulses{}) expected_.push_back({edge, pulses, e.anomaly});
}

void QpaceReceiver::sequence(std::int64_t edge, unsigned number) {
  const unsigned ahead = (number - next_sequence_) % model::qpace::kSequences;
  if (ahead == 0) next_sequence_ = (number + 1) % model::qpace::kSequences;
  if (ahead > 0 && ahead < model::qpace::kSequences / 2) gaps_.push_back(edge);
}

QpaceMonitor::Anomaly QpaceReceiver::observed(std::int64_t edge, const Pulses& pulses) {
  for (; !expected_.empty() && expected_.front().edge < edge; expected_.pop_front())
    differ(expected_.front().edge, expected_.front().pulses, {});
  if (expected_.empty() || expected_.front().edge != edge) {
    differ(edge, {}, pulses);
    return QpaceMonitor::Anomaly::None;
  }
  const Expected e = expected_.front();
  expected_.pop_front();
  if (e.pulses != pulses) differ(edge, e.pulses, pulses);
  return e.anomaly;
}

std::vector<model::Word> QpaceReceiver::frame_at(std::int64_t edge) const {
  const auto it = std::lower_bound(contents_.begin(), contents_.end(), edge,
                                   [](const Content& c, std::int64_t at) { return c.edge < at; });
  const auto listed = [](const auto& words) {
    return std::vector<model::Word>(words.begin(), words.end());
  };
  if (it == contents_.end() || it->edge != edge) return {};
  return it->packet ? listed(it->packet->words()) : listed(it->hello->words());
}

void QpaceReceiver::retransmits(std::int64_t edge) {
  retransmissions_.push_back(edge);
}

void QpaceReceiver::differ(std::int64_t edge, const Pulses& expected, const Pulses& got) {
  if (differences_.size() < kMostDifferences)
    differences_.push_back("edge " + std::to_string(edge) + ": expected" + text(expected) +
                           ", got" + text(got));
}

const std::vector<std::string>& QpaceReceiver::close() {
  for (; !expected_.empty(); expected_.pop_front())
    differ(expected_.front().edge, expected_.front().pulses, {});
  return differences_;
}

std::vector<std::int64_t> QpaceReceiver::timeouts(std::int64_t patience) const {
  std::vector<std::int64_t> edges;
  std::int64_t before = -1;
  for (const std::int64_t at : retransmissions_) {
    const auto heard = std::upper_bound(answers_.begin(), answers_.end(), at);
    const std::int64_t last = heard == answers_.begin() ? -1 : *std::prev(heard);
    // The packets after the first of a series follow it closely.
    if (at - std::max(last, before) >= patience) edges.push_back(at);
    before = at;
  }
  return edges;
}

}  // namespace ht::check
