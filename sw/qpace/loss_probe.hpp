// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sw/host/loss_watch.hpp"

namespace ht::qpace {

/// Lost nodes show as links that are not up, and are reported to all by a kill over the global
/// signal tree, whose number names the link: 15 one, 14:3 node, 2:0 link. All nodes hear of the
/// same one.
class LossProbe final : public host::LossProbe {
 public:
  explicit LossProbe(host::HardwarePort& port) : port_(port) {}
  std::uint32_t enabled_links() override;
  std::uint32_t links_up() override;
  void tell(const host::SilentLink& silent) override;
  void leave(int link) override;
  std::vector<host::SilentLink> heard() override;

 private:
  host::HardwarePort& port_;
  bool told_ = false;
};

}  // namespace ht::qpace
