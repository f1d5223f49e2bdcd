// SPDX-License-Identifier: Apache-2.0
// The Verilated barrier interface that a test is of: the K computer's, or one of TofuD's.
#pragma once
#include <cstddef>

#ifdef HT_TBI_WIDE
#include <Vtofu_tbi_wide.h>
#else
#include <Vtofu_tbi_top.h>
#endif

namespace ht::test {

#ifdef HT_TBI_WIDE
using TbiTop = Vtofu_tbi_wide;
inline constexpr std::size_t tbi_states = 3, tbi_words = 6;
inline constexpr unsigned tbi_interfaces = 6;
#else
using TbiTop = Vtofu_tbi_top;
inline constexpr std::size_t tbi_states = 1, tbi_words = 1;
inline constexpr unsigned tbi_interfaces = 1;
#endif

}  // namespace ht::test
