// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/gates/barrier_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sw/host/errors.hpp"

namespace ht::tofu {
namespace {

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

/// Which gates of a rank do what in recursive doubling. Step s is the exchange with rank ^ 2^s:
/// the sender's gate feeds its own receiver and the partner's.
///
///     plain rank:   0 -> 1 -> ... -> steps-1 -> 0
///     folding rank: 0 -> 1 -> 2 -> ... -> steps+1 -> 0     1 takes the extra rank's value in,
///                                                          the last gives it the result
///
/// With one step only, a plain rank too needs a gate besides 0: no gate feeds itself.
struct DoublingRank {
  bool folding;
  int steps;

  bool ends_in_own_gate() const { return folding || steps == 1; }
  int sender(int step) const { return step + (folding ? 1 : 0); }
  int receiver(int step) const {
    return step == steps - 1 && !ends_in_own_gate() ? 0 : sender(step) + 1;
  }
  int last() const { return receiver(steps - 1); }
  int gates() const { return sender(steps - 1) + (ends_in_own_gate() ? 2 : 1); }
};

/// The gate that takes the second trip's packet.
int told_at(int rank, int ranks) {
  if (rank == ranks - 2) return 0;  // the last to be told passes nothing on
  return rank == 0 ? 1 : 2;
}

/// Children of a rank in a tree where every rank's are numbered one after the other.
int children(int rank, int ranks, int fan_out) {
  return std::clamp(ranks - 1 - fan_out * rank, 0, fan_out);
}

}  // namespace

std::string_view text(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::RecursiveDoubling:
      return "recursive doubling";
    case Algorithm::DoubleRing:
      return "double ring";
    case Algorithm::Tree:
      return "tree";
    case Algorithm::WideTree:
      return "wide tree";
  }
  return "?";
}

BarrierPattern::BarrierPattern(Algorithm algorithm, int ranks)
    : algorithm_(algorithm), ranks_(ranks) {
  if (ranks < 1) throw UsageError(fmt::format("barrier gates for {} ranks: 1 at least", ranks));
}

std::vector<GateWiring> BarrierPattern::gates(int rank) const {
  if (rank < 0 || rank >= ranks_)
    throw UsageError(fmt::format("there is no rank {} among {}", rank, ranks_));
  if (ranks_ == 1) return {};
  switch (algorithm_) {
    case Algorithm::RecursiveDoubling:
      return doubling(rank);
    case Algorithm::DoubleRing:
      return ring(rank);
    case Algorithm::Tree:
      return tree(rank, 2);
    case Algorithm::WideTree:
      return tree(rank, 4);
  }
  return {};
}

int BarrierPattern::most_gates() const {
  // Ranks are of few kinds: first ones, middle ones, last ones.
  int most = 0;
  for (int rank = 0; rank < std::min(ranks_, 8); ++rank) {
    most = std::max(most, static_cast<int>(gates(rank).size()));
    most = std::max(most, static_cast<int>(gates(ranks_ - 1 - rank).size()));
  }
  return most;
}

std::vector<GateWiring> BarrierPattern::doubling(int rank) const {
  const int steps = std::bit_width(static_cast<unsigned>(ranks_)) - 1;
  const int core = 1 << steps;
  const int extra = ranks_ - core;  // rank core + i hands in its value at rank i
  const auto role = [&](int r) { return DoublingRank{r < extra, steps}; };
  const auto partner = [&](int step) { return rank ^ (1 << step); };

  if (rank >= core) {
    GateWiring only;
    only.remote_destination = {rank - core, 1};
    only.remote_source = {rank - core, role(rank - core).last()};
    return {only};
  }
  const DoublingRank mine = role(rank);
  std::vector<GateWiring> g(index(mine.gates()));
  for (int s = 0; s < steps; ++s) {
    const DoublingRank theirs = role(partner(s));
    GateWiring& from = g[index(mine.sender(s))];
    GateWiring& to = g[index(mine.receiver(s))];
    from.local_destination = mine.receiver(s);
    from.remote_destination = {partner(s), theirs.receiver(s)};
    to.local_source = mine.sender(s);
    to.remote_source = {partner(s), theirs.sender(s)};
  }
  if (mine.folding) {
    g[0].local_destination = 1;
    g[1].local_source = 0;
    g[1].remote_source = {rank + core, 0};
    g[index(mine.last())].remote_destination = {rank + core, 0};
  }
  if (mine.ends_in_own_gate()) {
    g[index(mine.last())].local_destination = 0;
    g[0].local_source = mine.last();
  }
  return g;
}

std::vector<GateWiring> BarrierPattern::ring(int rank) const {
  const int last = ranks_ - 1;
  // First trip: rank 0 sends its value from gate 0; others add theirs in gate 1.
  const auto gathers_at = [](int r) { return r == 0 ? 0 : 1; };
  // Second trip, from `last` to 0 and on: who is told, and by whom.
  const auto teller = [&](int r) {
    return r == 0 ? RemoteGate{last, 1} : RemoteGate{r - 1, told_at(r - 1, ranks_)};
  };
  const int told = rank == last ? 0 : told_at(rank, ranks_);
  std::vector<GateWiring> g(index(std::max(told, gathers_at(rank)) + 1));

  if (rank > 0) {
    g[0].local_destination = 1;
    g[1].local_source = 0;
    g[1].remote_source = {rank - 1, gathers_at(rank - 1)};
  }
  GateWiring& gathering = g[index(gathers_at(rank))];
  if (rank < last) {
    gathering.remote_destination = {rank + 1, 1};
    g[index(told)].remote_source = teller(rank);
    if (told != 0) {
      g[index(told)].remote_destination = {rank + 1, told_at(rank + 1, ranks_)};
      g[index(told)].local_destination = 0;
      g[0].local_source = told;
    }
  } else {
    gathering.remote_destination = {0, told_at(0, ranks_)};
    gathering.local_destination = 0;
    g[0].local_source = 1;
  }
  return g;
}

std::vector<GateWiring> BarrierPattern::tree(int rank, int fan_out) const {
  const auto below = [&](int r) { return children(r, ranks_, fan_out); };
  // Gates 1 to n take the children's values in, n + 1 to 2 n tell them the result; the root, which
  // nobody tells, begins to tell with the gate that was the last to take in.
  const auto tells_at = [&](int r, int child) { return below(r) + child - (r == 0 ? 1 : 0); };
  const auto up = [&](int r) { return below(r); };  // feeds the parent; 0 in a leaf
  const auto told = [&](int r) { return below(r) == 0 ? 0 : tells_at(r, 1); };
  // The first child's subtree is never less deep: taken in last, told first.
  const auto takes_in_at = [&](int r, int child) { return below(r) + 1 - child; };

  const int n = below(rank);
  std::vector<GateWiring> g(index((n == 0 ? 0 : tells_at(rank, n)) + 1));
  for (std::size_t i = 0; i + 1 < g.size(); ++i) {  // a chain through all of them, back to 0
    g[i].local_destination = static_cast<int>(i) + 1;
    g[i + 1].local_source = static_cast<int>(i);
  }
  if (n > 0) {
    g.back().local_destination = 0;
    g[0].local_source = static_cast<int>(g.size()) - 1;
  }
  for (int child = 1; child <= n; ++child) {
    const int c = fan_out * rank + child;
    g[index(takes_in_at(rank, child))].remote_source = {c, up(c)};
    g[index(tells_at(rank, child))].remote_destination = {c, told(c)};
  }
  if (rank > 0) {
    const int parent = (rank - 1) / fan_out;
    const int child = rank - fan_out * parent;
    GateWiring& reports = g[index(up(rank))];
    GateWiring& hears = g[index(told(rank))];
    reports.remote_destination = {parent, takes_in_at(parent, child)};
    hears.remote_source = {parent, tells_at(parent, child)};
    if (n > 0) {  // what was gathered leaves, and what comes back is all there is
      reports.local_destination.reset();
      hears.local_source.reset();
    }
  }
  return g;
}

}  // namespace ht::tofu
