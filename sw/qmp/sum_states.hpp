// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>

#include "sw/qmp/qmp.h"
#include "verif/model/common/order_independent_sum.hpp"

// Reduction steps for reproducible sums, as functions of QMP_binary_reduction(): states of
// model::OrderIndependentSum are merged. A machine whose hardware does that (StateSums)
// does it for them.
namespace ht::qmp {

/// A state as it lies in a buffer, OrderIndependentSum::kBytes bytes at any alignment.
model::OrderIndependentSum load_sum_state(const std::byte* at);
void store_sum_state(const model::OrderIndependentSum& sum, std::byte* at);

/// One state of OrderIndependentSum::kBytes bytes.
void merge_sum_state(void* inout, void* in);
/// Their number, 8 bytes, before an array of them: QMP does not pass its function the length.
void merge_sum_states(void* inout, void* in);

/// As many states as `inout` has, at `in`.
void merge_states(std::span<std::byte> inout, const std::byte* in);

/// The states in a buffer that `step` would reduce; empty if it is another function, or the buffer
/// is not of a length that it takes. Their number comes from the length: what is in the buffer may
/// have been damaged on its way.
std::span<std::byte> sum_states_in(void* buffer, std::size_t bytes, QMP_binary_func step);

}  // namespace ht::qmp
