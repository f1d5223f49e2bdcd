// SPDX-License-Identifier: Apache-2.0
#include "tests/tofu/model/gate_patterns.hpp"

#include <stdexcept>

namespace ht::test {
namespace {

class Builder {
 public:
  explicit Builder(const PatternOptions& options)
      : options_(options),
        pattern_(options.nodes.size()),
        next_(options.nodes.size(), options.first) {
    if (options.nodes.size() < 2) throw std::invalid_argument("a pattern has at least two nodes");
    for (std::size_t i = 0; i < options.nodes.size(); ++i) gate(i, start());
  }

  std::size_t nodes() const { return options_.nodes.size(); }
  unsigned start() const { return options_.channel; }
  unsigned fresh(std::size_t node) {
    gate(node, next_[node]);
    return next_[node]++;
  }
  void signal(std::size_t node, unsigned from, unsigned to) {
    auto& out = gate(node, from).local_destination;
    auto& in = gate(node, to).local_source;
    if (out || in) throw std::logic_error("a gate has one signal in and one out");
    out = static_cast<std::uint8_t>(to);
    in = static_cast<std::uint8_t>(from);
  }
  void packet(std::size_t node, unsigned from, std::size_t other, unsigned to) {
    auto& out = gate(node, from).destination;
    auto& in = gate(other, to).source;
    if (out || in) throw std::logic_error("a gate has one packet in and one out");
    out = model::GateAddress{options_.nodes[other], static_cast<std::uint8_t>(to)};
    in = model::GateAddress{options_.nodes[node], static_cast<std::uint8_t>(from)};
  }
  GatePattern take() { return std::move(pattern_); }

 private:
  model::GateWiring& gate(std::size_t node, unsigned number) {
    auto& g = pattern_[node][number];
    g.channel = options_.channel;
    g.group = options_.group;
    return g;
  }

  const PatternOptions& options_;
  GatePattern pattern_;
  std::vector<unsigned> next_;
};

}  // namespace

GatePattern recursive_doubling(const PatternOptions& options) {
  Builder b(options);
  const std::size_t n = b.nodes();
  unsigned steps = 0;
  while (n >> (steps + 1) != 0) ++steps;
  const std::size_t core = std::size_t{1} << steps, rest = n - core;

  std::vector<std::vector<unsigned>> at(core);  // gates that send in step 0, 1, ..., and the last
  for (std::size_t i = 0; i < core; ++i) {
    const bool folds = i < rest;
    at[i].push_back(folds ? b.fresh(i) : b.start());
    for (unsigned j = 0; j + 1 < steps; ++j) at[i].push_back(b.fresh(i));
    // The start gate ends the operation, if that is not to wire it to itself or to miss a fold.
    const bool own = !folds && steps > 1;
    at[i].push_back(own ? b.start() : b.fresh(i));
    if (folds) {
      b.signal(i, b.start(), at[i].front());
      b.packet(core + i, b.start(), i, at[i].front());
    }
    if (!own) b.signal(i, at[i].back(), b.start());
    if (folds) b.packet(i, at[i].back(), core + i, b.start());
  }
  for (std::size_t i = 0; i < core; ++i) {
    for (unsigned j = 0; j < steps; ++j) {
      const std::size_t partner = i ^ (std::size_t{1} << j);
      b.signal(i, at[i][j], at[i][j + 1]);
      b.packet(i, at[i][j], partner, at[partner][j + 1]);
    }
  }
  return b.take();
}

GatePattern double_ring(const PatternOptions& options) {
  Builder b(options);
  const std::size_t n = b.nodes();
  unsigned before = b.start();
  for (std::size_t i = 1; i < n; ++i) {
    const unsigned collects = b.fresh(i);
    b.signal(i, b.start(), collects);
    b.packet(i - 1, before, i, collects);
    before = collects;
  }
  b.signal(n - 1, before, b.start());
  std::size_t from = n - 1;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const unsigned passes = b.fresh(i);
    b.packet(from, before, i, passes);
    b.signal(i, passes, b.start());
    from = i;
    before = passes;
  }
  return b.take();
}

GatePattern binary_tree(const PatternOptions& options) {
  Builder b(options);
  const std::size_t n = b.nodes();
  std::vector<unsigned> top(n);  // gate whose packet goes up; at the root the one with the result
  for (std::size_t i = n; i-- > 0;) {
    top[i] = b.start();
    for (std::size_t child = 2 * i + 1; child <= 2 * i + 2 && child < n; ++child) {
      const unsigned joins = b.fresh(i);
      b.signal(i, top[i], joins);
      b.packet(child, top[child], i, joins);
      top[i] = joins;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    unsigned from = i == 0 ? top[0] : b.start();
    const bool leaf = 2 * i + 1 >= n;
    if (i != 0 && !leaf) from = b.fresh(i);
    if (i != 0) {
      // The parent's gates that send down were made before: one for each child, in order.
      const std::size_t parent = (i - 1) / 2;
      b.packet(parent, top[parent], i, from);
      if (2 * parent + 2 < n && i == 2 * parent + 1) {
        const unsigned second = b.fresh(parent);
        b.signal(parent, top[parent], second);
        top[parent] = second;
      }
    }
    if (!leaf) top[i] = from;
  }
  for (std::size_t i = 0; 2 * i + 1 < n; ++i) b.signal(i, top[i], b.start());
  return b.take();
}

}  // namespace ht::test
