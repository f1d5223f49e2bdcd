// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/machine_impl.hpp"

namespace ht::machine {
template class TofuMachineOf<TofuNode>;
}  // namespace ht::machine
