// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace ht::fuzz {

/// Inputs made of seeds and words: one seed with a few bytes changed, taken away, repeated, put in,
/// or its end exchanged for another's. The same number gives the same input, on any computer.
class Mutator {
 public:
  /// At least one seed.
  Mutator(std::vector<std::string> seeds, std::vector<std::string> words);

  std::string input(std::uint64_t number) const;

 private:
  void change(std::string& text, std::mt19937_64& random) const;

  std::vector<std::string> seeds_, words_;
};

/// The words of a dictionary as libFuzzer reads it: lines NAME="WORD", with \\, \" and \xNN.
std::vector<std::string> dictionary(const std::string& text);

}  // namespace ht::fuzz
