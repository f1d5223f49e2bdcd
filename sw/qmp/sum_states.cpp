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
  std::uint64_t count = 0;
  std::memcpy(&count, inout, sizeof count);
  merge_states({static_cast<std::byte*>(inout) + sizeof count, count * state_bytes},
               static_cast<const std::byte*>(in) + sizeof count);
}

void merge_states(std::span<std::byte> inout, const std::byte* in) {
  for (std::size_t at = 0; at < inout.size(); at += state_bytes) merge_at(&inout[at], in + at);
}

std::span<std::byte> sum_states_in(void* buffer, std::size_t bytes, QMP_binary_func step) {
  auto* const first = static_cast<std::byte*>(buffer);
  if (step == merge_sum_state && bytes == state_bytes) return {first, bytes};
  constexpr std::size_t head = sizeof(std::uint64_t);
  if (step != merge_sum_states || bytes < head || (bytes - head) % state_bytes != 0) return {};
  return {first + head, bytes - head};
}

}  // namespace ht::qmp
