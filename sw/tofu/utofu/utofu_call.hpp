// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sw/host/errors.hpp"
#include "sw/qmp/node.hpp"
#include "sw/tofu/utofu/utofu_node.hpp"

namespace ht::tofu {

/// A uTofu call's result, which is reported to the program's user unless it is success, or an
/// answer that programs wait by: nothing yet, no room yet.
int answer(int rc);

/// As in UTOFU_ERR_FULL.
const char* error_name(int rc);

/// A uTofu call, by its `name`, on the node whose program makes it. Hardware that failed is the one
/// error no check foresees.
template <typename Call>
int on_node(Call call, const char* name = __builtin_FUNCTION()) {
  UtofuNode* const node = UtofuNode::current();
  if (node == nullptr) return answer(UTOFU_ERR_NOT_AVAILABLE);
  const qmp::Node::Call timed(name);
  try {
    return answer(call(*node));
  } catch (const HardwareError&) {
    return answer(UTOFU_ERR_FATAL);
  }
}

}  // namespace ht::tofu
