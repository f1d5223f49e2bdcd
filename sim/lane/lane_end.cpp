// SPDX-License-Identifier: Apache-2.0
#include "sim/lane/lane_end.hpp"

namespace ht::sim::lanes {

LaneEnd::LaneEnd(LaneCable& out, LaneCable& in, std::optional<std::uint32_t> state)
    : out_(out), in_(in), bundle_(make_bundle(in.lanes().shape, state)) {
  inputs_.tx = idle_word(bundle_->bytes());
  inputs_.rst = true;
}

// The words that the lanes' own clocks have brought since the last edge. Lanes meet only behind
// registers of the link's clock, so that those of several may be taken at once.
void LaneEnd::receive_lanes(Picoseconds now) {
  const unsigned width = in_.width();
  inputs_.rx_signal = in_.signal(now) ? (1U << bundle_->lanes()) - 1 : 0;
  for (bool again = false;; again = true) {
    std::uint32_t edges = 0;
    for (unsigned lane = 0; lane < bundle_->lanes(); ++lane) {
      const LaneCable::Arrival* const word = in_.arrived(lane, now);
      if (word == nullptr) continue;
      for (unsigned b = 0; b < width; ++b)
        set_bit(inputs_.rx, lane * width + b, bit_of(word->bits, b));
      in_.take(lane);
      edges |= 1U << lane;
    }
    if (again && edges == 0) break;
    if (again) bundle_->eval(false, inputs_);  // the clocks are low first
    inputs_.rx_clk = inputs_.rx_valid = edges;
    bundle_->eval(false, inputs_);
    inputs_.rx_clk = 0;
    if (edges == 0) break;
  }
}

LaneEnd::ToLink LaneEnd::receive(std::int64_t edge, Picoseconds now) {
  receive_lanes(now);
  seen_ = bundle_->outputs();
  if (!inputs_.rst) {
    // The link has told of the words up to the last edge.
    if (seen_.bad != 0) in_.account().bad(edge - 1, now);
    if (seen_.rx_strobe) in_.account().received(edge, seen_.rx);
  }
  return {seen_.rx, seen_.rx_strobe, seen_.tx_pause};
}

void LaneEnd::send(std::int64_t edge, Picoseconds now, const Word& sent, bool reset, bool en) {
  inputs_.rst = reset;
  inputs_.en = en;
  inputs_.tx = reset ? idle_word(bundle_->bytes()) : sent;
  bundle_->eval(true, inputs_);
  if (en) out_.send(edge / in_.lanes().every, now, inputs_.tx, bundle_->outputs().tx);
}

}  // namespace ht::sim::lanes
