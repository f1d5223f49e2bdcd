// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>

#include "sw/qcdoc/driver.hpp"

namespace ht::qcdoc {

/// The global sum of [QCDOC2004] section 2.2, for programs that want it without QMP: "every node
/// would place its word in a register used for sending, start a send in the x direction and then
/// receive N_x - 1 words ... This pattern would then be repeated for the y, z and t directions".
/// Words are stored by coordinate and added in that order, so all nodes hold the same bits.
class GlobalSum {
 public:
  /// For up to `most` numbers at once. Throws std::bad_alloc.
  explicit GlobalSum(Driver& driver, std::size_t most = 1);
  ~GlobalSum();
  GlobalSum(const GlobalSum&) = delete;
  GlobalSum& operator=(const GlobalSum&) = delete;

  /// All nodes must call it, with as many numbers each (UsageError for more than `most`).
  void operator()(std::span<double> numbers);
  double operator()(double number);

  /// Hops a word makes, one after the other: N - 1 summed over the axes, or N/2 both ways round.
  static int hops(std::span<const int> shape, bool doubled);

 private:
  Driver& driver_;
  std::size_t most_;
  double* blocks_;
};

}  // namespace ht::qcdoc
