// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>

#include "sw/host/loss_watch.hpp"
#include "sw/qcdoc/driver.hpp"

namespace ht::qcdoc {

/// Lost nodes show as links that are not up, and are reported from neighbour to neighbour by
/// supervisor words: 63:56 D1, 39:8 node, 7:0 link.
class LossProbe final : public host::LossProbe {
 public:
  explicit LossProbe(Driver& driver) : driver_(driver), port_(driver.scu().port()) {}
  std::uint32_t enabled_links() override;
  std::uint32_t links_up() override;
  void tell(const host::SilentLink& silent) override;
  void leave(int link) override;
  std::vector<host::SilentLink> heard() override;

 private:
  Driver& driver_;
  host::HardwarePort& port_;
  bool telling_ = false;  ///< the program has ended: what else comes is dropped
};

}  // namespace ht::qcdoc
