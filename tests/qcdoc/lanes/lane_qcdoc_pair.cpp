// SPDX-License-Identifier: Apache-2.0
#include "tests/qcdoc/lanes/lane_qcdoc_pair.hpp"

#include <Vqcdoc_link.h>

namespace ht::test {

// The pair's own cable is not used; its length is how long the ends must be at rest to be in step.
LaneQcdocPair::LaneQcdocPair(const PairOptions& lanes, std::uint64_t seed)
    : QcdocPair(300, seed), lanes_(lanes) {
  for (unsigned i = 0; i < 2; ++i) {
    lanes_.tick[i] = [this, i](const BundleOutputs& out, bool en) { clock(i, out, en); };
    lanes_.source[i] = [this, i](const BundleOutputs&) { return sent_[i]; };
  }
}

void LaneQcdocPair::clock(unsigned i, const BundleOutputs& out, bool en) {
  QcdocEnd& end = i == 0 ? a : b;
  Vqcdoc_link& d = end.dut();
  d.tx_pause = out.tx_pause && pauses;
  Word came = out.rx;
  if (out.rx_strobe && spoil) spoil(i, came);
  d.lane_rx_strobe = out.rx_strobe;
  d.lane_rx_data = came.data[0];
  d.lane_rx_control = came.control & 1U;
  before_edge(end, false, en);
  if (en) {
    sent_[i] = {};
    sent_[i].data[0] = d.lane_data;
    sent_[i].control = d.lane_control;
    if (watch) watch(i, sent_[i], out.tx_pause);
  }
  edge(end);
  if (i == 0) ++cycle;
}

void LaneQcdocPair::step() {
  const auto before = cycle;
  while (cycle == before) lanes_.step();
}

}  // namespace ht::test
