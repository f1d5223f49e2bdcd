// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "sw/tofu/utofu/utofu.h"

namespace ht::test {

/// Any of uTofu's commands with its arguments, those of other commands too.
struct RandomCommand {
  static constexpr std::size_t kinds = 15, add = 5;  ///< add: utofu_armw8()
  static constexpr std::uint64_t shared_edata = 0x5a5a;

  std::size_t kind = 0;
  utofu_vcq_hdl_t vcq = 0;
  utofu_vcq_id_t remote = 0;
  utofu_stadd_t here = 0, there = 0;
  std::size_t length = 0, stride = 0, blocks = 0, mtu = 0, gap = 0;
  utofu_armw_op operation = UTOFU_ARMW_OP_SWAP;
  std::uint64_t value = 0, expected = 0, edata = 0;
  unsigned long flags = 0;
  std::uintptr_t number = 0;  ///< cbdata

  const char* name() const;
  bool gets() const;
  /// The call.
  int execute() const;
  /// What the call that prepares it returns if it is refused, else what posting it does: cut short
  /// if `wrong` is 0, overwritten if it is 1.
  int post(std::size_t wrong) const;
};

}  // namespace ht::test
