// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/bench/load.hpp"

namespace ht::bench {
using namespace model::tofu;

TofuTraffic::TofuTraffic(TofuNet& net, const TofuLoad& load)
    : net_(&net), load_(load), random_(load.seed) {
  for (const unsigned b : load_.beats) mean_ += b + 3;
  mean_ /= static_cast<double>(load_.beats.size());
}

TofuPacket TofuTraffic::make(unsigned from) {
  const auto below = [&](std::size_t n) { return static_cast<unsigned>(random_() % n); };
  const auto chance = [&](double p) {
    return p > 0 && std::uniform_real_distribution<>(0, 1)(random_) < p;
  };
  const Shape& shape = net_->shape;
  TofuPacket p;
  p.from = from;
  p.to = below(shape.nodes() - 1);
  if (p.to >= from) ++p.to;
  if (from != 0 && chance(load_.hot)) p.to = 0;
  Coordinates turn = shape.place(p.to);
  if (load_.any_path)
    for (const unsigned axis : {A, B, C}) turn[axis] = below(shape.length[axis]);
  p.path = pack_path(turn);
  p.interface = below(4);
  p.response = chance(load_.responses);
  p.beats = load_.beats[below(load_.beats.size())];
  p.id = ++id_;
  p.began = net_->cycle;
  return p;
}

void TofuTraffic::offer() {
  const double a_cycle = load_.offered / mean_ / 4;  // packets an interface
  for (unsigned node = 0; node < net_->shape.nodes(); ++node)
    for (unsigned interface = 0; interface < 4; ++interface) {
      // compared in integers: one draw a cycle and interface
      if (static_cast<double>(random_() >> 11) * 0x1p-53 >= a_cycle) continue;
      const TofuPacket p = make(node);
      offered_beats += p.length();
      if (net_->to_send(node, interface, p.response).size() < 4) net_->send(p, interface);
    }
}

}  // namespace ht::bench
