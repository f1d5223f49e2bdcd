// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/machine/trace.hpp"

class Vqpace_nwp;

namespace ht::machine {

/// The waves of a QPACE node. `top` must outlive them.
TraceTop nwp_trace_top(Vqpace_nwp& top);

}  // namespace ht::machine
