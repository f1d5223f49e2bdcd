// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/sum_states.hpp"

#include <cstdint>
#include <cstring>

namespace ht::qmp {
namespace {

using model::OrderIndependentSum;
constexpr std::size_t state_bytes = OrderIndependentSum::kBytes;

void merge_at(std::byte* inout, const std::byte* in) {
  OrderIndependentSum sum = load_sum_state(inout);
  sum.merge(load_sum_state(in));
  store_sum_state(sum, inout);
}

std::uint64_t count_at(const void* buffer) {
  std::uint64_t count = 0;
  std::memcpy(&count, buffer, sizeof count);
  return count;
}

}  // namespace

OrderIndependentSum load_sum_state(const std::byte* at) {
  return OrderIndependentSum::from_bytes(std::span<const std::byte, state_bytes>(at, state_bytes));
}

void store_sum_state(const OrderIndependentSum& sum, std::byte* at) {
  const OrderIndependentSum::Bytes bytes = sum.to_bytes();
  std::memcpy(at, bytes.data(), state_bytes);
}

void merge_sum_state(void* inout, void* in) {
  merge_at(static_cast<std::byte*>(inout), static_cast<const std::byte*>(in));
}

void merge_sum_states(void* inout, void* in) {
  const std::uint64_t count = count_at(inout);
  auto* const a = static_cast<std::byte*>(inout) + sizeof count;
  const auto* const b = static_cast<const std::byte*>(in) + sizeof count;
  for (std::uint64_t i = 0; i < count; ++i) merge_at(a + i * state_bytes, b + i * state_bytes);
}

std::span<std::byte> sum_states_in(void* buffer, std::size_t bytes, QMP_binary_func step) {
  auto* const first = static_cast<std::byte*>(buffer);
  if (step == merge_sum_state && bytes == state_bytes) return {first, bytes};
  constexpr std::size_t head = sizeof(std::uint64_t);
  if (step != merge_sum_states || bytes < head || (bytes - head) % state_bytes != 0 ||
      (bytes - head) / state_bytes != count_at(buffer))
    return {};
  return {first + head, bytes - head};
}

}  // namespace ht::qmp
