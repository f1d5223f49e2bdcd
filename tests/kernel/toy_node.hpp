// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/kernel/kernel.hpp"
#include "sim/qpace/cable.hpp"
#include "verif/check/qpace/monitor.hpp"

namespace ht::test {

/// A node on a ring without any RTL. It sends commands at times given by a hash, answers some of
/// what it hears, and folds everything received, with its time, into one number: whatever goes
/// differently anywhere shows in it.
class ToyNode : public sim::SimNode {
 public:
  struct Options {
    int number = 0;
    sim::Clock clock;
    int messages = 100;             ///< to send, then the program has finished
    int throw_at = -1;              ///< message at which the node throws
    int wait_at = -1;               ///< message at which the program waits for ever
    bool skip = true;               ///< skip edges at which nothing happens
    std::int64_t mean_gap = 200;    ///< edges between messages
    std::int64_t housekeeping = 0;  ///< edges between keep-alives, for ever; 0: none
  };

  explicit ToyNode(const Options& o) : o_(o), next_send_(gap(0)) {}
  void connect(sim::QpaceCable* in, sim::QpaceCable* out) {
    in_.push_back(in);
    out_.push_back(out);
    monitors_.emplace_back();
  }

  std::string name() const override { return "toy " + std::to_string(o_.number); }

  void run(Picoseconds from, Picoseconds to) override {
    if (from != ran_to_) throw std::logic_error("toy: windows do not follow one another");
    ran_to_ = to;
    const std::int64_t end = o_.clock.first_edge(to);
    std::int64_t edge = o_.clock.first_edge(from);
    cycles_.total += static_cast<std::uint64_t>(end - edge);
    while (edge < end) {
      if (o_.skip) {
        std::int64_t next = std::min({end, std::max(edge, next_event()), next_sign(edge)});
        for (const auto* c : in_) next = std::min(next, c->next_edge().value_or(end));
        cycles_.skipped += static_cast<std::uint64_t>(next - edge);
        edge = next;
        if (edge == end) break;
      }
      step(edge++);
    }
  }

  bool finished() const override { return sent_ == o_.messages; }
  Picoseconds asleep_until() const override {
    const std::int64_t next = next_event();
    return next == kNone ? sim::kNever : o_.clock.edge(next);
  }
  Picoseconds next_housekeeping() const override {
    const std::int64_t next = next_sign(o_.clock.first_edge(ran_to_));
    return next == kNone ? sim::kNever : o_.clock.edge(next);
  }
  std::uint64_t progress() const override { return static_cast<std::uint64_t>(sent_); }
  std::string status() const override {
    return waiting() ? "waits for the moon" : "sent " + std::to_string(sent_);
  }
  Cycles cycles() const override { return cycles_; }

  std::uint64_t hash() const { return hash_; }
  std::uint64_t heard() const { return heard_; }

 private:
  static constexpr std::int64_t kNone = INT64_MAX;

  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }
  std::int64_t gap(int n) const {
    const auto h = mix(static_cast<std::uint64_t>(o_.number * 100003 + n) + 99);
    return 1 + static_cast<std::int64_t>(h % static_cast<std::uint64_t>(2 * o_.mean_gap));
  }
  bool waiting() const { return sent_ == o_.wait_at; }
  std::int64_t next_sign(std::int64_t edge) const {
    if (o_.housekeeping == 0) return kNone;
    return (edge + o_.housekeeping - 1) / o_.housekeeping * o_.housekeeping;
  }
  std::int64_t next_event() const {
    std::int64_t next = finished() || waiting() ? kNone : next_send_;
    for (const auto& a : answers_) next = std::min(next, a.edge);
    return next;
  }

  void step(std::int64_t edge) {
    for (std::size_t i = 0; i < in_.size(); ++i) listen(i, edge);
    // At most one word an edge and cable: answers first, then the program's own.
    std::vector<bool> used(out_.size());
    if (next_sign(edge) == edge) {
      used[0] = true;
      out_[0]->send(edge, sign_of_life());
    }
    for (auto a = answers_.begin(); a != answers_.end();) {
      if (a->edge <= edge && !used[a->port]) {
        used[a->port] = true;
        out_[a->port]->send(edge, a->word);
        a = answers_.erase(a);
      } else {
        if (a->edge <= edge) a->edge = edge + 1;
        ++a;
      }
    }
    if (finished() || waiting() || edge < next_send_) return;
    if (sent_ == o_.throw_at) throw std::runtime_error(name() + " broke");
    const std::size_t port = mix(hash_) % out_.size();
    if (used[port]) return;
    out_[port]->send(edge, command(hash_));
    next_send_ = edge + gap(++sent_);
  }

  void listen(std::size_t i, std::int64_t edge) {
    const model::Word w = in_[i]->receive(edge);
    const auto e = monitors_[i].push(w);
    if (e.start || e.ok || e.command || e.error) {
      in_[i]->ledger().observe(edge, {e.start, e.ok, e.command, e.error});
    }
    if (w == model::kIdleWord) return;
    ++heard_;
    hash_ =
        mix(hash_ ^ w.data ^ (std::uint64_t{w.control} << 40)) + static_cast<std::uint64_t>(edge);
    if (hash_ % 4 == 0 && w != sign_of_life())
      answers_.push_back({edge + 3, i, command(hash_ >> 8)});
  }

  static model::Word sign_of_life() {
    return model::qpace::Command{model::qpace::CommandType::Ack, 0}.word();
  }
  static model::Word command(std::uint64_t h) {
    return model::qpace::Command{static_cast<model::qpace::CommandType>(h % 4),
                                 static_cast<std::uint8_t>((h >> 2) % 64)}
        .word();
  }

  struct Answer {
    std::int64_t edge;
    std::size_t port;
    model::Word word;
  };

  Options o_;
  std::vector<sim::QpaceCable*> in_, out_;
  std::vector<check::QpaceMonitor> monitors_;
  std::deque<Answer> answers_;
  std::int64_t next_send_;
  int sent_ = 0;
  std::uint64_t hash_ = 1, heard_ = 0;
  Picoseconds ran_to_ = 0;
  Cycles cycles_;
};

/// A ring of toy nodes with cables both ways.
struct ToyRing {
  int nodes = 5;
  ToyNode::Options node;
  sim::FaultPlan faults;
  std::uint64_t seed = 1;
  std::function<unsigned(int)> rank_of;  ///< of a node, if there are several
  unsigned rank = 0;                     ///< this one

  /// Null for other ranks' nodes.
  std::vector<ToyNode*> build(sim::Kernel& kernel) const {
    std::vector<ToyNode*> ring;
    for (int i = 0; i < nodes; ++i) {
      if (rank_of && rank_of(i) != rank) {
        ring.push_back(nullptr);
        kernel.add_remote_node(rank_of(i));
        continue;
      }
      ToyNode::Options o = node;
      o.number = i;
      o.clock.phase = (i * 777) % o.clock.period;
      auto n = std::make_unique<ToyNode>(o);
      ring.push_back(n.get());
      kernel.add_node(std::move(n));
    }
    for (int i = 0; i < nodes; ++i) {
      const int j = (i + 1) % nodes;
      sim::QpaceCable* right = cable(kernel, i, j);
      sim::QpaceCable* left = cable(kernel, j, i);
      ToyNode *a = ring[static_cast<std::size_t>(i)], *b = ring[static_cast<std::size_t>(j)];
      if (a != nullptr) a->connect(left, right);
      if (b != nullptr) b->connect(right, left);
    }
    return ring;
  }

 private:
  sim::QpaceCable* cable(sim::Kernel& kernel, int from, int to) const {
    sim::CableOptions o;
    o.name = "toy " + std::to_string(from) + " to " + std::to_string(to);
    o.number = static_cast<std::uint32_t>(kernel.cable_count());
    o.sender = o.receiver = node.clock;
    o.sender.phase = (from * 777) % o.sender.period;
    o.receiver.phase = (to * 777) % o.receiver.period;
    o.seed = seed;
    o.faults = faults;
    auto c = std::make_unique<sim::QpaceCable>(o);
    sim::QpaceCable* raw = c.get();
    kernel.add_cable(std::move(c), static_cast<std::size_t>(from), static_cast<std::size_t>(to));
    return raw;
  }
};

}  // namespace ht::test
