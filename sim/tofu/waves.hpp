// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/machine/trace.hpp"

class Vtofu_icc;

namespace ht::machine {

/// The waves of a Tofu node. `top` must outlive them.
TraceTop tofu_trace_top(Vtofu_icc& top);

}  // namespace ht::machine
