// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/gates/gate_collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sw/host/errors.hpp"
#include "verif/model/common/order_independent_sum.hpp"

namespace ht::tofu {

GateCollectives::GateCollectives(BarrierInterface& interface, std::vector<Coordinates> ranks,
                                 int rank, Options options)
    : interface_(interface),
      rank_(rank),
      ranks_(static_cast<int>(ranks.size())),
      channel_(options.channel) {
  const BarrierPattern pattern(options.algorithm, ranks_);
  const std::vector<GateWiring> gates = pattern.gates(rank);
  const auto number = [&](int gate) {
    return gate == 0 ? options.channel : options.first_gate + gate - 1;
  };
  if (options.first_gate < channels_per_node || number(pattern.most_gates() - 1) >= gates_per_node)
    throw UsageError(fmt::format(
        "{}: {} over {} nodes takes {} gates, the first {} and others from {} on: they end at {}",
        interface.name(), text(options.algorithm), ranks_, pattern.most_gates(), options.channel,
        options.first_gate, gates_per_node - 1));
  const auto place = [&](const std::optional<RemoteGate>& gate) {
    std::optional<GatePlace> result;
    if (gate) result = GatePlace{ranks[static_cast<std::size_t>(gate->rank)], number(gate->gate)};
    return result;
  };
  const auto local = [&](const std::optional<int>& gate) {
    std::optional<int> result;
    if (gate) result = number(*gate);
    return result;
  };
  for (std::size_t g = 0; g < gates.size(); ++g) {
    GateSetting s;
    s.channel = channel_;
    s.group = options.group;
    s.local_source = local(gates[g].local_source);
    s.local_destination = local(gates[g].local_destination);
    s.source = place(gates[g].remote_source);
    s.destination = place(gates[g].remote_destination);
    if (s.destination && options.path)
      s.path = options.path(rank, gates[g].remote_destination->rank);
    used_.push_back(number(static_cast<int>(g)));
    interface_.wire(used_.back(), s);
  }
}

void GateCollectives::release() {
  for (const int gate : used_) interface_.free(gate);
  used_.clear();
}

GateResult GateCollectives::finish(const char* what) {
  const GateResult r = interface_.wait(channel_);
  if (!r.good()) throw ProtocolError(fmt::format("{} by barrier gates: {}", what, r.error));
  return r;
}

void GateCollectives::barrier() {
  if (ranks_ == 1) return;
  interface_.start(channel_, GateOperation::Barrier);
  finish("barrier");
}

std::uint64_t GateCollectives::reduce(GateOperation operation, std::uint64_t word) {
  if (ranks_ == 1) return word;
  interface_.start(channel_, operation, word);
  return finish("reduction").word();
}

double GateCollectives::sum(double x) {
  start_sum(x);
  return finish_sum();
}

void GateCollectives::start_sum(double x) {
  if (ranks_ > 1) {
    interface_.start_sum(channel_, x);
    return;
  }
  model::OrderIndependentSum s;  // alone, too, the sum of -0 is +0
  s.add(x);
  alone_ = s.round();
}

double GateCollectives::finish_sum() {
  return ranks_ > 1 ? finish("sum").rounded() : alone_;
}

void GateCollectives::sum(StateBytes& state) {
  if (ranks_ == 1) return;
  interface_.start_state(channel_, GateOperation::Fsum, state);
  state = finish("sum").data;
}

void GateCollectives::broadcast(int root, void* bytes, std::size_t count) {
  if (root < 0 || root >= ranks_)
    throw UsageError(fmt::format("a broadcast from rank {}: there are {}", root, ranks_));
  if (ranks_ == 1) return;
  auto* const at = static_cast<std::byte*>(bytes);
  for (std::size_t done = 0; done < count; done += sizeof(StateBytes)) {
    const std::size_t n = std::min(count - done, sizeof(StateBytes));
    StateBytes piece{};
    if (rank_ == root) {
      std::memcpy(piece.data(), at + done, n);
      interface_.start_state(channel_, GateOperation::Broadcast, piece);
    } else {
      interface_.start(channel_, GateOperation::Broadcast);
    }
    const GateResult r = finish("broadcast");
    if (rank_ != root) std::memcpy(at + done, r.data.data(), n);
  }
}

}  // namespace ht::tofu
