// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

// Of the tests of what runs write and how they end.
namespace ht::test {

using Words = std::vector<std::string>;

/// Two short runs.
inline const Words functional{"run",       "qpace",   "--network",   "functional", "--nodes", "2",
                              "--lattice", "4x2x2x2", "--tolerance", "1e-3",       "--quiet"};
inline const Words simulated{"run",         "qpace", "--nodes",   "2", "--lattice", "4x2x2x2",
                             "--tolerance", "1e-3",  "--threads", "1", "--quiet"};

inline Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

inline std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline bool one_line(const Outcome& outcome) {
  return std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1 &&
         outcome.err.starts_with("hypertorus: ");
}

}  // namespace ht::test
