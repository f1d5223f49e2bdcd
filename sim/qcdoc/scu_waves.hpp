// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/machine/trace.hpp"

class Vqcdoc_scu;

namespace ht::machine {

/// The waves of a QCDOC node. `top` must outlive them.
TraceTop scu_trace_top(Vqcdoc_scu& top);

}  // namespace ht::machine
