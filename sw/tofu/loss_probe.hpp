// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sw/host/loss_watch.hpp"
#include "sw/tofu/transport.hpp"

namespace ht::tofu {

/// Lost nodes show as links that are not up, and are reported from neighbour to neighbour by puts
/// into the transport's shared block.
class LossProbe final : public host::LossProbe {
 public:
  explicit LossProbe(Transport& transport) : transport_(transport) {}
  std::uint32_t enabled_links() override;
  std::uint32_t links_up() override;
  void tell(const host::SilentLink& silent) override;
  void leave(int link) override;
  std::vector<host::SilentLink> heard() override { return transport_.heard_losses(); }

 private:
  Transport& transport_;
  unsigned turn_ = 0;
  std::uint32_t disabled_ = 0;  ///< silent links of this node, which take and drop packets now
};

}  // namespace ht::tofu
