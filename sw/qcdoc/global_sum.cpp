// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/global_sum.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sw/host/errors.hpp"

namespace ht::qcdoc {

GlobalSum::GlobalSum(Driver& driver, std::size_t most) : driver_(driver), most_(most) {
  const auto longest =
      static_cast<std::size_t>(*std::max_element(driver.shape().begin(), driver.shape().end()));
  blocks_ = static_cast<double*>(
      driver.allocate(std::max(most, std::size_t{1}) * longest * sizeof(double), word_bytes));
}

GlobalSum::~GlobalSum() {
  driver_.release(blocks_);
}

void GlobalSum::operator()(std::span<double> numbers) {
  const std::size_t n = numbers.size();
  if (n > most_) throw UsageError(fmt::format("a global sum of {} numbers, made for {}", n, most_));
  if (n == 0) return;
  driver_.begin_circulation();
  for (std::size_t a = 0; a < driver_.shape().size(); ++a) {
    const auto length = static_cast<std::size_t>(driver_.shape()[a]);
    if (length == 1) continue;
    const auto here = static_cast<std::size_t>(driver_.coordinates()[a]);
    std::copy(numbers.begin(), numbers.end(), blocks_ + here * n);
    driver_.circulate(static_cast<int>(a), blocks_, n * sizeof(double));
    std::copy(blocks_, blocks_ + n, numbers.begin());
    for (std::size_t c = 1; c < length; ++c) {
      for (std::size_t i = 0; i < n; ++i) numbers[i] += blocks_[c * n + i];
    }
  }
}

double GlobalSum::operator()(double number) {
  (*this)(std::span<double>(&number, 1));
  return number;
}

int GlobalSum::hops(std::span<const int> shape, bool doubled) {
  int hops = 0;
  for (const int length : shape) hops += doubled ? length / 2 : length - 1;
  return hops;
}

}  // namespace ht::qcdoc
