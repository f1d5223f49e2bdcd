// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "sim/qpace/cable.hpp"
#include "verif/check/qpace/monitor.hpp"
#include "verif/model/qpace/wire.hpp"

namespace ht::test {

using model::Word;
using sim::QpaceCable;
using Sent = std::map<std::int64_t, Word>;      ///< sender's edge -> word; idle left out
using Received = std::map<std::int64_t, Word>;  ///< receiver's edge -> word; idle left out

/// Random traffic: packets, commands and idle gaps, some of them long, until `slots` are filled.
inline Sent traffic(std::uint64_t seed, std::int64_t slots, int busy_percent = 80) {
  std::mt19937_64 r(seed);
  Sent sent;
  std::int64_t at = 0;
  while (at < slots) {
    if (static_cast<int>(r() % 100) >= busy_percent) at += static_cast<std::int64_t>(r() % 60);
    if (r() % 3 == 0) {
      sent[at++] = model::qpace::Command{static_cast<model::qpace::CommandType>(r() % 4),
                                         static_cast<std::uint8_t>(r() % 64)}
                       .word();
      continue;
    }
    model::qpace::DataPacket p;
    p.channel = r() % 8;
    p.sequence = r() % 64;
    p.remote_offset = r() % 32768;
    for (auto& b : p.payload) b = static_cast<std::byte>(r());
    for (const Word& w : p.words()) {
      if (r() % 50 == 0) at += static_cast<std::int64_t>(r() % 4);  // cut-through gaps
      sent[at++] = w;
    }
  }
  return sent;
}

/// Sends all of it over `cable` in windows of `window` ps, receives until `end`, and lets `monitor`
/// (if any) report to the cable's ledger what a receiver would.
inline Received carry(QpaceCable& cable, const Sent& sent, Picoseconds window, Picoseconds end,
                      check::QpaceMonitor* monitor = nullptr,
                      std::vector<model::qpace::DataPacket>* packets = nullptr) {
  Received got;
  auto next = sent.begin();
  const auto& o = cable.options();
  for (Picoseconds now = 0; now < end; now += window) {
    const std::int64_t first = o.receiver.first_edge(now);
    const std::int64_t last = o.receiver.first_edge(now + window);
    for (std::int64_t edge = first; edge < last; ++edge) {
      const Word w = cable.receive(edge);
      if (w != model::kIdleWord) got[edge] = w;
      if (monitor == nullptr) continue;
      const auto e = monitor->push(w);
      if (e.start || e.ok || e.command || e.error) {
        cable.ledger().observe(edge, {e.start, e.ok, e.command, e.error});
      }
      if (e.packet && packets != nullptr) packets->push_back(*e.packet);
    }
    for (; next != sent.end() && o.sender.edge(next->first) < now + window; ++next) {
      cable.send(next->first, next->second);
    }
    cable.transfer(now + window);
  }
  return got;
}

inline sim::CableOptions plain() {
  sim::CableOptions o;
  o.name = "A to B";
  return o;
}

/// Receiver's edge minus sender's, found by search from the definition: a symbol sent at s is taken
/// at the edge t with s + delay in (t - period, t].
inline std::int64_t distance(const sim::CableOptions& o) {
  const Picoseconds arrival = o.sender.edge(0) + o.delay;
  for (std::int64_t n = 0;; ++n) {
    const Picoseconds t = o.receiver.edge(n);
    if (arrival > t - o.receiver.period && arrival <= t) return n;
  }
}

inline Received shifted(const Sent& sent, std::int64_t by) {
  Received r;
  for (const auto& [edge, word] : sent) r[edge + by] = word;
  return r;
}

}  // namespace ht::test
