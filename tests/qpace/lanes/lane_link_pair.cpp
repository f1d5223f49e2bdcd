// SPDX-License-Identifier: Apache-2.0
#include "tests/qpace/lanes/lane_link_pair.hpp"

#include <Vqpace_link_lanes.h>

#include "tests/qpace/link/link_device.hpp"

namespace ht::test {
namespace {

class LinkBeforeLanes final : public LinkModel<Vqpace_link_lanes> {
 public:
  using LinkModel::LinkModel;
  void set_tx_pause(bool pause) override { model_->tx_pause = pause ? 1 : 0; }
};

Word word_of(const WireWord& w) {
  Word word;
  for (unsigned b = 0; b < 4; ++b) word.data[b] = static_cast<std::uint8_t>(w.data >> 8 * b);
  word.control = w.control;
  return word;
}

WireWord wire_of(const Word& word) {
  WireWord w{0, static_cast<std::uint8_t>(word.control)};
  for (unsigned b = 0; b < 4; ++b) w.data |= std::uint32_t{word.data[b]} << 8 * b;
  return w;
}

}  // namespace

std::unique_ptr<LinkDevice> make_link(VerilatedContext* context, unsigned end) {
  auto model = std::make_unique<Vqpace_link_lanes>(context, end == 0 ? "a" : "b");
  auto& port = model->port;
  return std::make_unique<LinkBeforeLanes>(std::move(model), port);
}

LaneLinkPair::LaneLinkPair(const PairOptions& lanes, const Options& link)
    : LinkPair(link, Idle{}), lanes_(lanes) {
  for (unsigned i = 0; i < 2; ++i) {
    core_period_[i] = Femtoseconds{1000} * link.core_period_ps;
    core_next_[i] = Femtoseconds{1000} * link.phase_ps[i];
    lanes_.sink[i] = [this, i](const Word& word) { came_[i] = wire_of(word); };
    lanes_.source[i] = [this, i](const BundleOutputs& out) { return link_edge(i, out); };
  }
  run(12);
  end_reset();
  run(12);
}

// The core clock reaches the lanes only through the link clock, so its edges may be made up for
// here.
Word LaneLinkPair::link_edge(unsigned i, const BundleOutputs& out) {
  const Femtoseconds now = lanes_.now(i);
  for (; core_next_[i] < now; core_next_[i] += core_period_[i]) {
    edge(i, true, false, {}, static_cast<std::uint64_t>(core_next_[i] / 1000));
  }
  set_pause(i, out.tx_pause);
  const WireWord sent = edge(i, false, true, came_[i], static_cast<std::uint64_t>(now / 1000));
  if (watch) watch(i, sent, out.tx_pause);
  if (i == 0) count_cycle();
  return word_of(sent);
}

}  // namespace ht::test
