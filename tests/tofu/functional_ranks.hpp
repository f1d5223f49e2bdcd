// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>

#include "sw/qmp/node.hpp"
#include "sw/tofu/functional_tofu.hpp"
#include "sw/tofu/transport.hpp"

namespace ht::test {

/// Runs a QMP program on every rank of a machine without hardware, over Tofu's transport.
inline void run_ranks(tofu::FunctionalTofu& machine,
                      const std::shared_ptr<const tofu::RankLayout>& layout,
                      const std::function<void(tofu::Transport&)>& program,
                      const tofu::TransportOptions& options = {}) {
  machine.run([&](int number, host::HardwarePort& port) {
    tofu::Transport transport(port, {machine.shape(), number}, layout, options);
    transport.bring_up();
    if (transport.rank() < 0) return;
    const qmp::Node node(transport);
    program(transport);
  });
}

}  // namespace ht::test
