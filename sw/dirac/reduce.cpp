// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/reduce.hpp"

#include <cstring>
#include <string>

#include "sw/host/errors.hpp"
#include "sw/qmp/sum_states.hpp"

namespace ht::dirac {
namespace {

using model::OrderIndependentSum;
constexpr std::size_t kBytes = OrderIndependentSum::kBytes;

void check(QMP_status_t status, const char* what) {
  if (status != QMP_SUCCESS) {
    throw ProtocolError(std::string(what) + " failed: " + QMP_error_string(status));
  }
}

}  // namespace

double Reducer::operator()(LocalSum& sum) {
  const PhaseScope scope(clock_, Phase::Sum);
  if (!sum.reproducible()) {
    double value = sum.plain();
    check(QMP_sum_double(&value), "QMP_sum_double");
    return value;
  }
  OrderIndependentSum::Bytes bytes = sum.state().to_bytes();
  check(QMP_binary_reduction(bytes.data(), kBytes, qmp::merge_sum_state), "QMP_binary_reduction");
  return qmp::load_sum_state(bytes.data()).round();
}

std::vector<double> Reducer::operator()(std::span<LocalSum> sums) {
  std::vector<double> values(sums.size());
  if (kind_ == SumKind::Fast) {
    const PhaseScope scope(clock_, Phase::Sum);
    for (std::size_t i = 0; i < sums.size(); ++i) values[i] = sums[i].plain();
    check(QMP_sum_double_array(values.data(), static_cast<int>(values.size())),
          "QMP_sum_double_array");
    return values;
  }
  std::vector<OrderIndependentSum> states;
  states.reserve(sums.size());
  for (LocalSum& sum : sums) states.push_back(sum.state());
  merge(states);
  for (std::size_t i = 0; i < sums.size(); ++i) values[i] = states[i].round();
  return values;
}

void Reducer::merge(std::span<OrderIndependentSum> states) {
  const PhaseScope scope(clock_, Phase::Sum);
  const std::uint64_t count = states.size();
  std::vector<std::byte> buffer(sizeof count + count * kBytes);
  std::memcpy(buffer.data(), &count, sizeof count);
  std::byte* first = buffer.data() + sizeof count;
  for (std::size_t i = 0; i < count; ++i) qmp::store_sum_state(states[i], first + i * kBytes);
  check(QMP_binary_reduction(buffer.data(), buffer.size(), qmp::merge_sum_states),
        "QMP_binary_reduction");
  for (std::size_t i = 0; i < count; ++i) states[i] = qmp::load_sum_state(first + i * kBytes);
}

}  // namespace ht::dirac
