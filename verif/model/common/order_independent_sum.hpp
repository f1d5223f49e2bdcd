// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ht::model {

/// A sum of doubles that is a function of the *multiset* of what was added: neither the order of
/// the additions nor the shape of the tree of merges changes one bit of it.
///
/// State: two lanes and three sticky flags (NaN, +Inf, -Inf). With e the biased exponent of an
/// input (subnormals count as e = 1, without hidden bit), its group is e / 64; a lane holds the
/// inputs of one group as a signed integer in units of 2^(64 group - 1075). The two highest groups
/// that occurred are kept; what lies below is dropped. Zeros open no group.
///
/// Error of n addends: |round() - exact sum| <= n 2^-64 max|x| + half a unit in the last place of
/// the result. It is correctly rounded when all addends lie in two groups, not always.
/// Capacity: 2^35 addends (a lane is 152 bits wide where it is stored).
/// After Fujitsu's US 7,873,688; the format is that of the barrier gates of this project.
class OrderIndependentSum {
 public:
  static constexpr std::size_t kBytes = 40;
  /// Two little-endian 160-bit numbers: bits 151:0 sum (two's complement), 156:152 group,
  /// 159:157 flags {-Inf, +Inf, NaN} (first lane only). The first lane has the higher group; a
  /// missing lane is group 0 with sum 0, so that all-zero bytes are the empty sum.
  using Bytes = std::array<std::byte, kBytes>;

  /// Adds one number. About 2 ns.
  void add(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto biased = static_cast<unsigned>(bits >> 52) & 0x7ffU;
    if (biased - 1 >= 0x7feU) {  // zero, subnormal, infinite or not a number
      add_special(bits, biased);
      return;
    }
    const std::uint64_t significand = (bits & kFraction) | (std::uint64_t{1} << 52);
    add_integer(biased >> 6, significand, biased & 63U, bits >> 63);
  }
  void add(std::span<const double> values) {
    for (const double x : values) add(x);
  }

  /// Adds all that `other` holds.
  void merge(const OrderIndependentSum& other);

  /// The sum, rounded once to nearest even. NaN if a NaN or infinities of both signs were added; an
  /// infinity if one was added or the sum is too large. A sum of zeros of either sign is +0.
  double round() const;

  Bytes to_bytes() const;
  /// Any 40 bytes are accepted. Lanes in the wrong order are a state that to_bytes() never makes:
  /// they were damaged on their way, and the sum is NaN, whatever is merged with it.
  static OrderIndependentSum from_bytes(std::span<const std::byte, kBytes> bytes);

  bool operator==(const OrderIndependentSum&) const = default;

 private:
  static constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;

  /// A 192-bit two's complement integer, low word first, and the group it counts in.
  struct Lane {
    std::array<std::uint64_t, 3> word{};
    unsigned group = 0;
    bool operator==(const Lane&) const = default;

    void add(std::uint64_t w0, std::uint64_t w1, std::uint64_t w2) {
      unsigned __int128 s = static_cast<unsigned __int128>(word[0]) + w0;
      word[0] = static_cast<std::uint64_t>(s);
      s = static_cast<unsigned __int128>(word[1]) + w1 + static_cast<std::uint64_t>(s >> 64);
      word[1] = static_cast<std::uint64_t>(s);
      word[2] += w2 + static_cast<std::uint64_t>(s >> 64);
    }
  };

  void add_integer(unsigned group, std::uint64_t significand, unsigned shift,
                   std::uint64_t negative) {
    unsigned __int128 v = static_cast<unsigned __int128>(significand) << shift;
    const std::uint64_t mask = 0 - negative;
    v = (v ^ ((static_cast<unsigned __int128>(mask) << 64) | mask)) + negative;
    Lane* lane = &high_;
    if (group != high_.group) {
      if (group != low_.group) {
        if (group < low_.group) return;
        open(group);
      }
      if (group != high_.group) lane = &low_;
    }
    lane->add(static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(v >> 64), mask);
  }

  void open(unsigned group);
  void add_special(std::uint64_t bits, unsigned biased);

  Lane high_, low_;  ///< groups differ, high_ above low_, unless both are 0 (then low_ is empty)
  std::uint64_t flags_ = 0;
};

}  // namespace ht::model
