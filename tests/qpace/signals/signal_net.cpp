// SPDX-License-Identifier: Apache-2.0
#include "tests/qpace/signals/signal_net.hpp"
#include "tests/support/power_on.hpp"

#include <Vqpace_nwp.h>
#include <Vqpace_signal_card.h>
#include <verilated.h>

#include <algorithm>
#include <stdexcept>

namespace ht::test {
namespace {

constexpr int reset_edges = 8;

}  // namespace

void TwoWires::send(Picoseconds time, int level) {
  if (level == sent) return;
  for (unsigned w = 0; w < 2; ++w) {
    const int value = level >> w & 1;
    if (value != (sent >> w & 1)) changes[w].push_back({time + delay[w], value});
  }
  sent = level;
}

int TwoWires::receive(Picoseconds time) {
  for (unsigned w = 0; w < 2; ++w) {
    while (!changes[w].empty() && changes[w].front().time <= time) {
      now[w] = changes[w].front().value;
      changes[w].pop_front();
    }
  }
  for (const Forced& f : forced) {
    if (f.from <= time && time < f.until) return f.level;
  }
  return now[0] | now[1] << 1;
}

SignalNet::SignalNet(std::vector<int> leaves, std::vector<Picoseconds> periods)
    : context_(power_on()) {
  context_->threads(1);
  std::size_t clocks = 0;
  const auto clock = [&] {
    const Picoseconds period = periods[clocks % periods.size()];
    const Picoseconds phase = static_cast<Picoseconds>(clocks * 1777) % period;
    ++clocks;
    return std::pair{period, phase};
  };
  const int top = static_cast<int>(leaves.size());
  for (int c = 0; c < top; ++c) {
    for (int i = 0; i < leaves[static_cast<std::size_t>(c)]; ++i) {
      const auto [period, phase] = clock();
      Node n{std::make_unique<Vqpace_nwp>(context_.get()), period, phase, phase, {}, {}, {}, 0};
      n.top->rst = 1;
      n.top->link_rst = 0x3F;
      nodes_.push_back(std::move(n));
      card_of_.push_back(c);
      port_of_.push_back(i);
    }
  }
  const int cards = top > 1 ? top + 1 : 1;
  for (int c = 0; c < cards; ++c) {
    const auto [period, phase] = clock();
    Card card{
        std::make_unique<Vqpace_signal_card>(context_.get()), period, phase, {}, {}, -1, 0, 0};
    card.top->rst = 1;
    if (cards > 1 && c < top) {
      card.above = top;
      card.port = 2 * c;
    }
    card.top->root = card.above < 0 ? 3 : 0;
    card.top->group_1 = 0;
    card.top->group_0 = 0;
    cards_.push_back(std::move(card));
  }
  for (int c = 0; c < top; ++c) set_groups(c, (1U << leaves[static_cast<std::size_t>(c)]) - 1, 0);
  if (cards > 1) {
    unsigned ports = 0;
    for (int c = 0; c < top; ++c) ports |= 1U << (2 * c);
    set_groups(top, ports, 0);
  }
}

SignalNet::~SignalNet() {
  Verilated::threadContextp(context_.get());  // as ~NwpNode
}

void SignalNet::set_groups(int card, unsigned group_0, unsigned group_1) {
  auto& top = *cards_[static_cast<std::size_t>(card)].top;
  top.group_0 = static_cast<std::uint16_t>(group_0);
  top.group_1 = static_cast<std::uint16_t>(group_1);
}

bool SignalNet::irq(int node) const {
  return nodes_[static_cast<std::size_t>(node)].top->irq;
}
bool SignalNet::idle(int node) const {
  return nodes_[static_cast<std::size_t>(node)].top->obs_idle;
}

bool SignalNet::card_idle(int card) const {
  return cards_[static_cast<std::size_t>(card)].idle;
}

void SignalNet::read(int node, std::uint32_t address, Then then) {
  nodes_[static_cast<std::size_t>(node)].accesses.push_back({false, address, 0, std::move(then)});
}
void SignalNet::write(int node, std::uint32_t address, std::uint32_t value, Then then) {
  nodes_[static_cast<std::size_t>(node)].accesses.push_back(
      {true, address, value, std::move(then)});
}

void SignalNet::edge(Node& n, int number) {
  auto& top = *n.top;
  top.signal_in = static_cast<std::uint8_t>(n.down.receive(now_));
  top.clk = 0;
  top.eval();
  const bool acked = top.reg_valid && top.reg_ack;
  const std::uint32_t value = top.reg_rdata;
  const bool error = top.reg_error;
  top.rst = n.edges < reset_edges;
  if (n.edges >= reset_edges && on_edge) on_edge(number);
  top.clk = 1;
  top.eval();
  ++n.edges;
  if (acked) {
    top.reg_valid = 0;
    const Access done = std::move(n.accesses.front());
    n.accesses.pop_front();
    if (done.then) done.then(value, error);
  } else if (!top.reg_valid && !n.accesses.empty() && n.edges > reset_edges) {
    top.reg_valid = 1;
    top.reg_write = n.accesses.front().write;
    top.reg_address = static_cast<std::uint16_t>(n.accesses.front().address);
    top.reg_wdata = n.accesses.front().value;
  }
  n.up.send(now_, top.signal_out);
}

void SignalNet::edge(std::size_t number) {
  Card& c = cards_[number];
  auto& top = *c.top;
  std::uint32_t in = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (static_cast<std::size_t>(card_of_[i]) == number)
      in |= static_cast<std::uint32_t>(nodes_[i].up.receive(now_)) << (2 * port_of_[i]);
  }
  for (Card& below : cards_) {
    if (below.above != static_cast<int>(number)) continue;
    for (int g = 0; g < 2; ++g)
      in |= static_cast<std::uint32_t>(below.up[static_cast<std::size_t>(g)].receive(now_))
            << (2 * (below.port + g));
  }
  top.port_in = in;
  std::uint8_t from_above = 0;
  if (c.above >= 0) {
    for (unsigned g = 0; g < 2; ++g)
      from_above |= static_cast<std::uint8_t>(c.down[g].receive(now_) << (2 * g));
  }
  top.up_in = from_above;
  top.clk = 0;
  top.eval();
  top.rst = c.edges < reset_edges;
  top.clk = 1;
  top.eval();
  const std::array<std::uint32_t, 2> inputs{top.port_in, top.up_in};
  const std::array<std::uint32_t, 3> outputs{top.port_out, top.up_out, top.fault};
  if (c.idle && inputs == c.inputs && outputs != c.outputs) ++c.restless;
  c.inputs = inputs;
  c.outputs = outputs;
  c.faulty = c.edges >= reset_edges && top.fault != 0;
  c.faulted = c.faulted || c.faulty;
  c.idle = c.edges >= reset_edges && top.obs_idle != 0;
  ++c.edges;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (static_cast<std::size_t>(card_of_[i]) == number)
      nodes_[i].down.send(now_, static_cast<int>(top.port_out >> (2 * port_of_[i]) & 3));
  }
  for (Card& below : cards_) {
    if (below.above != static_cast<int>(number)) continue;
    for (int g = 0; g < 2; ++g)
      below.down[static_cast<std::size_t>(g)].send(
          now_, static_cast<int>(top.port_out >> (2 * (below.port + g)) & 3));
  }
  for (unsigned g = 0; g < 2; ++g) c.up[g].send(now_, top.up_out >> (2 * g) & 3);
}

void SignalNet::run(Picoseconds duration) {
  const Picoseconds end = now_ + duration;
  for (;;) {
    Picoseconds next = end;
    for (const Node& n : nodes_) next = std::min(next, n.next);
    for (const Card& c : cards_) next = std::min(next, c.next);
    now_ = next;
    if (now_ >= end) return;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].next != now_) continue;
      edge(nodes_[i], static_cast<int>(i));
      nodes_[i].next += nodes_[i].period;
    }
    for (std::size_t c = 0; c < cards_.size(); ++c) {
      if (cards_[c].next != now_) continue;
      edge(c);
      cards_[c].next += cards_[c].period;
    }
  }
}

void SignalNet::run_until(const std::function<bool()>& done, Picoseconds limit,
                          const std::string& what) {
  const Picoseconds end = now_ + limit;
  while (!done()) {
    if (now_ >= end) throw std::runtime_error("signal net: too long: " + what);
    run(1200);
  }
}

std::uint32_t SignalNet::read_now(int node, std::uint32_t address) {
  std::uint32_t result = 0;
  bool done = false, failed = false;
  read(node, address, [&](std::uint32_t value, bool error) {
    result = value;
    failed = error;
    done = true;
  });
  run_until([&] { return done; }, 10'000'000, "a read");
  if (failed) throw std::runtime_error("signal net: a read was refused");
  return result;
}

bool SignalNet::write_now(int node, std::uint32_t address, std::uint32_t value) {
  bool done = false, good = false;
  write(node, address, value, [&](std::uint32_t, bool error) {
    good = !error;
    done = true;
  });
  run_until([&] { return done; }, 10'000'000, "a write");
  return good;
}

}  // namespace ht::test
