// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "sw/host/time.hpp"

namespace ht::sim {

class RankExchange;

/// What one of several things is to be sorted by, and what is said of it.
struct Numbered {
  std::size_t number = 0;
  std::string text;
};

/// Those of all ranks, in order of their numbers; on every rank. Null: this process is alone.
std::vector<Numbered> gather_numbered(RankExchange* ranks, std::vector<Numbered> mine);

/// Which of several errors counts: the least. Time, then number of a node.
using Precedence = std::pair<Picoseconds, std::size_t>;

/// Every rank calls it with what was thrown there, or null. Returns on all the one that counts, or
/// null: where it was thrown the exception itself, elsewhere an Error of its text and code. Null
/// for `ranks`: this process is alone.
std::exception_ptr agree_on(RankExchange* ranks, std::exception_ptr mine, Precedence precedence);

/// The same, and throws it on all, which may then end in order (RankExchange::end_together()).
void throw_together(RankExchange* ranks, std::exception_ptr mine, Precedence precedence);

}  // namespace ht::sim
