// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "sim/output/results.hpp"

namespace ht::cli {

struct PairArguments {
  std::string a, b;  ///< JSON documents
  int rows = 8;
  std::string json;
};

/// `hypertorus report A B`: two runs side by side: what ran, its time and errors, links by load and
/// by retransmission, and messages by pair of nodes where both have them. Throws DataError for a
/// file that is no such document, UsageError for a bad number. Returns 0.
int pair_report(const PairArguments& arguments, Results& results);

}  // namespace ht::cli
