// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/signal_card.hpp"

#include <Vqpace_signal_card.h>
#include <fmt/format.h>

#include <algorithm>

namespace ht::machine {
namespace {

constexpr Picoseconds reset_time = 100'000;
// What is on its way through a synchroniser has arrived after so many edges.
constexpr int settle_edges = 8;

}  // namespace

SignalCard::SignalCard(int number, const sim::Clock& clock, bool skip_idle)
    : number_(number), clock_(clock), skip_idle_(skip_idle), top_(fmt::format("card{}", number)) {
  clock_.check();
  top_->rst = 1;
}

SignalCard::~SignalCard() = default;

void SignalCard::connect_port(int port, sim::LevelCable& in, sim::LevelCable& out) {
  ports_[static_cast<std::size_t>(port)] = {&in, &out, 0};
}

void SignalCard::connect_above(int group, sim::LevelCable& out, sim::LevelCable& in) {
  above_[static_cast<std::size_t>(group)] = {&in, &out, 0};
}

void SignalCard::configure(std::array<std::uint16_t, groups> members, bool root) {
  top_->group_0 = members[0];
  top_->group_1 = members[1];
  top_->root = root ? 3 : 0;
  idle_edges_ = 0;
}

std::string SignalCard::name() const {
  return fmt::format("signal card {}", number_);
}

std::string SignalCard::status() const {
  return top_->fault != 0 ? "a port broke the order of votes" : "a card of the global signal tree";
}

Picoseconds SignalCard::next_change() const {
  Picoseconds next = sim::kNever;
  for (const Wires& w : ports_) {
    if (w.in != nullptr) next = std::min(next, w.in->next_change());
  }
  for (const Wires& w : above_) {
    if (w.in != nullptr) next = std::min(next, w.in->next_change());
  }
  return next;
}

Picoseconds SignalCard::asleep_until() const {
  return idle_edges_ < settle_edges ? now_ : sim::kNever;
}

void SignalCard::run(Picoseconds /*from*/, Picoseconds to) {
  for (;;) {
    if (skip_idle_ && idle_edges_ >= settle_edges)
      edge_ = std::max(edge_, clock_.first_edge(std::min(to, next_change())));
    const Picoseconds next = clock_.edge(edge_);
    if (next >= to) {
      now_ = to;
      return;
    }
    now_ = next;
    step();
    ++edge_;
  }
}

void SignalCard::step() {
  std::uint32_t port_in = 0;
  for (unsigned i = 0; i < ports; ++i) {
    if (ports_[i].in != nullptr)
      port_in |= static_cast<std::uint32_t>(ports_[i].in->receive(now_)) << (2 * i);
  }
  unsigned up_in = 0;
  for (unsigned g = 0; g < groups; ++g) {
    if (above_[g].in != nullptr)
      up_in |= static_cast<unsigned>(above_[g].in->receive(now_)) << (2 * g);
  }
  const bool changed = port_in != top_->port_in || up_in != top_->up_in;
  top_->port_in = port_in;
  top_->up_in = static_cast<std::uint8_t>(up_in);
  top_->rst = now_ < reset_time;
  top_->clk = 0;
  top_->eval();
  top_->clk = 1;
  top_->eval();
  for (unsigned i = 0; i < ports; ++i) send(ports_[i], top_->port_out >> (2 * i) & 3);
  for (unsigned g = 0; g < groups; ++g) send(above_[g], top_->up_out >> (2 * g) & 3U);
  idle_edges_ = changed || !top_->obs_idle || top_->rst ? 0 : idle_edges_ + 1;
}

void SignalCard::send(Wires& wires, unsigned level) {
  if (wires.out == nullptr || level == wires.sent) return;
  wires.sent = static_cast<std::uint8_t>(level);
  wires.out->send(now_, wires.sent);
}

}  // namespace ht::machine
