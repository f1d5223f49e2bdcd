// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

class Vqpace_nwp;
class Vqpace_signal_card;
class VerilatedContext;

namespace ht::test {

using Picoseconds = std::int64_t;

/// Two wires with a delay. Each wire may have its own; a level may be forced for a time.
struct TwoWires {
  std::array<Picoseconds, 2> delay{20'000, 20'000};
  struct Change {
    Picoseconds time;
    int value;
  };
  struct Forced {
    Picoseconds from, until;
    int level;
  };
  std::array<std::deque<Change>, 2> changes;
  std::array<int, 2> now{0, 0};
  int sent = 0;
  std::vector<Forced> forced;

  void send(Picoseconds time, int level);
  int receive(Picoseconds time);
};

/// Nodes (qpace_nwp, core clock only) and cards of a global signal tree, each with a clock of its
/// own, joined by wires with delays. Nodes are driven through their register bus, one access at a
/// time each.
class SignalNet {
 public:
  /// `leaves[c]` nodes at card c, in order; with more than one card another one joins them. Clocks
  /// have `periods[i % size]` and phases spread over a period; wires are 20 ns long.
  explicit SignalNet(std::vector<int> leaves, std::vector<Picoseconds> periods = {4800});
  ~SignalNet();

  /// Register accesses queue up a node; `then` gets value and error.
  using Then = std::function<void(std::uint32_t value, bool error)>;
  void read(int node, std::uint32_t address, Then then);
  void write(int node, std::uint32_t address, std::uint32_t value, Then then = nullptr);

  /// Called before each clock edge of a node, at which its interrupt line can be looked at.
  std::function<void(int node)> on_edge;
  bool irq(int node) const;

  /// Holds a node in reset for a few of its clocks; the accesses that it has wait.
  void reset(int node) { nodes_[static_cast<std::size_t>(node)].edges = 0; }

  void run(Picoseconds duration);
  /// Until `done()`; throws after `limit`.
  void run_until(const std::function<bool()>& done, Picoseconds limit, const std::string& what);
  /// Runs until the access is through.
  std::uint32_t read_now(int node, std::uint32_t address);
  bool write_now(int node, std::uint32_t address, std::uint32_t value);  ///< false: refused

  int nodes() const { return static_cast<int>(nodes_.size()); }
  Picoseconds now() const { return now_; }
  TwoWires& up(int node) { return nodes_[static_cast<std::size_t>(node)].up; }
  TwoWires& down(int node) { return nodes_[static_cast<std::size_t>(node)].down; }
  Picoseconds period(int node) const { return nodes_[static_cast<std::size_t>(node)].period; }
  /// The card's ports in group 0 and in group 1; by default all of a card's are in 0.
  void set_groups(int card, unsigned group_0, unsigned group_1);
  /// Whether a port of the card's broke the order at any time.
  bool fault(int card) const { return cards_[static_cast<std::size_t>(card)].faulted; }
  bool faulty_now(int card) const { return cards_[static_cast<std::size_t>(card)].faulty; }
  bool idle(int node) const;
  bool card_idle(int card) const;
  /// Edges at which a card that had said idle changed an output although its inputs stood still.
  int restless(int card) const { return cards_[static_cast<std::size_t>(card)].restless; }

 private:
  struct Access {
    bool write;
    std::uint32_t address, value;
    Then then;
  };
  struct Node {
    std::unique_ptr<Vqpace_nwp> top;
    Picoseconds period, phase, next;
    TwoWires up, down;
    std::deque<Access> accesses;
    int edges = 0;
  };
  struct Card {
    std::unique_ptr<Vqpace_signal_card> top;
    Picoseconds period, next;
    std::array<TwoWires, 2> up, down;  ///< to the card above, by group
    int above = -1;                    ///< card, or -1: root
    int port = 0;                      ///< of group 0 there; group 1 has the next
    int edges = 0;
    std::array<std::uint32_t, 2> inputs{};
    std::array<std::uint32_t, 3> outputs{};
    bool idle = false, faulty = false, faulted = false;
    int restless = 0;
  };
  void edge(Node& node, int number);
  void edge(std::size_t card);

  std::unique_ptr<VerilatedContext> context_;
  std::vector<Node> nodes_;
  std::vector<int> card_of_, port_of_;  ///< by node
  std::vector<Card> cards_;
  Picoseconds now_ = 0;
};

}  // namespace ht::test
