// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "sw/qmp/transport.hpp"
#include "sw/tofu/utofu/utofu.h"

namespace ht::test {

/// What the nodes of a random program know of one another: ids, by rank.
struct RandomCallsBoard {
  explicit RandomCallsBoard(int nodes)
      : vcqs(static_cast<std::size_t>(nodes)), gates(static_cast<std::size_t>(nodes)) {}
  std::vector<std::vector<utofu_vcq_id_t>> vcqs;
  std::vector<std::vector<utofu_vbg_id_t>> gates;
};

/// A node's part of a program of random uTofu calls, one in four of them wrong in some way: every
/// call with what it returned and gave, all notices, what memory holds after each round. Nothing of
/// it depends on when things happen, so that it must be the same on every network. The fibre that
/// calls has a node's QMP and uTofu; `board` is that of all nodes, which run on one thread.
std::vector<std::string> random_calls(qmp::Transport& transport, RandomCallsBoard& board,
                                      unsigned seed, int rounds);

}  // namespace ht::test
