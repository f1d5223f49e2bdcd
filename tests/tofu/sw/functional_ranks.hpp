// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>

#include "sw/qmp/node.hpp"
#include "sw/tofu/functional/functional_tofu.hpp"
#include "sw/tofu/transport.hpp"
#include "sw/tofu/utofu/utofu_node.hpp"

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

/// The same with uTofu beside QMP.
inline void run_utofu_ranks(tofu::FunctionalTofu& machine,
                            const std::shared_ptr<const tofu::RankLayout>& layout,
                            const std::function<void(tofu::Transport&)>& program,
                            const tofu::TransportOptions& options = {}) {
  constexpr std::uint8_t group = 2;  // the transport's gates are another
  const auto with_utofu = [&](tofu::Transport& transport) {
    const tofu::UtofuNode utofu(transport.barrier(), transport.utofu_network(),
                                transport.first_own_gate(), group);
    program(transport);
  };
  run_ranks(machine, layout, with_utofu, options);
}

}  // namespace ht::test
