// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

/// The probability that QPACE's checks accept damaged data: computed, not quoted. What is exact,
/// and what is estimated, is said at each function; sim/qpace/README.md has the results.
namespace ht::model {

/// Number of code words of weight 6 in a code of `bits` bits, those of the CRC included, whose CRC
/// has the polynomial `polynomial` (without its leading term) of `width` bits. Exact: sums of two
/// syndromes are matched with sums of three. bits >= 6; takes about bits^3 / 6 steps.
std::uint64_t weight6_codewords(std::uint32_t polynomial, unsigned width, unsigned bits);

/// Smallest weight of any code word of that code, if it is 2, 4, or 6 at least and all weights are
/// even (the polynomial is divisible by x + 1); throws std::invalid_argument if it is not
/// divisible. Returns 2, 4, or 6 for "6 or more".
unsigned least_even_weight(std::uint32_t polynomial, unsigned width, unsigned bits);

/// Probability that a packet of 1080 bits (header, payload, CRC-32C) is damaged and accepted when
/// each of these *data* bits is wrong with probability `ber`: the term of weight 6, which is exact,
/// and as an estimate of the others C(n, w) / 2^31 words of each even weight from 8 on.
double packet_risk(double ber, std::uint64_t weight6);

/// What errors on the coded line do to a packet: 1360 bits, 8b/10b.
struct LineRisk {
  /// Code words of the CRC that differ from zero in two, and in three bytes: exact.
  std::uint64_t two_bytes = 0, three_bytes = 0;
  /// Of the latter, those that three inverted line bits can make.
  std::uint64_t three_flips = 0;
  /// Mean number of choices of k of the 1360 bits, for random payload, of which the line code sees
  /// nothing and that make an even number of data bits wrong, in three bytes or more: exact. (The
  /// CRC sees every odd number, and everything in one byte or two.)
  std::array<double, 9> unseen{};
  /// Mean number of choices of k bits after which the packet is accepted. 1 and 2: none. 3: exact,
  /// by enumeration of the code words. From 4 on an estimate: unseen[k] / 2^31.
  std::array<double, 9> ways{};

  /// Probability that a packet is accepted though damaged, at a line bit error rate of `ber` up to
  /// 1e-3.
  double operator()(double ber) const;
};
/// Throws std::logic_error should a code word of two bytes exist.
LineRisk packet_line_risk();

/// Commands: 24 bits under the CRC-16. Exact: all 256 x 255 pairs.
struct CommandRisk {
  std::array<std::uint64_t, 25> weights{};  ///< code words by weight, in data bits
  unsigned line_distance = 0;     ///< fewest inverted line bits that make one command another
  double same_line_distance = 0;  ///< how many ways there are, mean over commands
  /// Probability that a command is taken for another: with independent data bits wrong; with coded
  /// bits wrong.
  double data(double ber) const;
  double line(double ber) const;

 private:
  friend CommandRisk command_risk();
  /// [d]: ways in which d inverted line bits make another command, mean over commands and running
  /// disparities.
  std::array<double, 31> ways_{};
};
CommandRisk command_risk();

}  // namespace ht::model
