// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sw/host/errors.hpp"
#include "sw/tofu/utofu/utofu_node.hpp"

namespace ht::tofu {

/// A uTofu call on the node whose program makes it. Hardware that failed is the one error no check
/// foresees.
template <typename Call>
int on_node(Call call) {
  UtofuNode* const node = UtofuNode::current();
  if (node == nullptr) return UTOFU_ERR_NOT_AVAILABLE;
  try {
    return call(*node);
  } catch (const HardwareError&) {
    return UTOFU_ERR_FATAL;
  }
}

}  // namespace ht::tofu
