// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ht::campaign {

/// A set of numbers from 0, kept as ranges: "0,3,17-220". Adding in any order costs a logarithm.
class NumberRanges {
 public:
  using Range = std::pair<std::uint64_t, std::uint64_t>;  ///< first and last

  NumberRanges() = default;
  /// Of any numbers, in any order.
  explicit NumberRanges(const std::vector<std::size_t>& numbers);
  /// Reads what text() writes; an empty text is the empty set. Throws UsageError that begins with
  /// `option` if it is anything else, or names a number twice.
  static NumberRanges parse(const std::string& option, const std::string& text);

  /// All of [first, last]; those that are there already stay.
  void add(std::uint64_t first, std::uint64_t last);
  void add(std::uint64_t number) { add(number, number); }
  bool contains(std::uint64_t number) const;
  /// How many numbers.
  std::uint64_t size() const;
  bool empty() const { return ranges_.empty(); }
  /// Of a set that is not empty.
  std::uint64_t lowest() const { return ranges_.begin()->first; }
  std::uint64_t highest() const { return ranges_.rbegin()->second; }
  /// In order, with gaps between them.
  std::vector<Range> ranges() const { return {ranges_.begin(), ranges_.end()}; }
  std::string text() const;

  bool operator==(const NumberRanges&) const = default;

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  ///< last, by first
};

}  // namespace ht::campaign
