// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/gates/host_allreduce.hpp"

#include <fmt/format.h>

#include <bit>

#include "sw/host/errors.hpp"

namespace ht::tofu {

HostAllreduce::HostAllreduce(BarrierInterface& interface, const std::vector<Coordinates>& ranks,
                             int rank, Options options)
    : interface_(interface),
      options_(options),
      steps_(static_cast<int>(std::bit_width(ranks.size())) - 1) {
  if (!std::has_single_bit(ranks.size()) || options.first_channel < 0 ||
      options.first_channel + steps_ > channels_per_node)
    throw UsageError(
        fmt::format("a sum by hosts over {} nodes: 2^k nodes, and k channels from {} on",
                    ranks.size(), options.first_channel));
  if (rank < 0 || rank >= static_cast<int>(ranks.size()))
    throw UsageError(fmt::format("there is no rank {} among {}", rank, ranks.size()));
  for (int step = 0; step < steps_; ++step) {
    const int channel = options.first_channel + step;
    GateSetting s;
    s.channel = channel;
    s.group = options.group;
    s.source = GatePlace{ranks[static_cast<std::size_t>(rank ^ (1 << step))], channel};
    s.destination = s.source;
    interface.wire(channel, s);
  }
}

double HostAllreduce::sum(double x) {
  for (int step = 0; step < steps_; ++step) {
    const int channel = options_.first_channel + step;
    interface_.start(channel, GateOperation::Broadcast, std::bit_cast<std::uint64_t>(x));
    const GateResult r = interface_.wait(channel);
    if (!r.good() || r.empty) throw ProtocolError("a sum by hosts: " + r.error);
    interface_.port().advance(options_.step_cost);
    x += std::bit_cast<double>(r.word());
  }
  return x;
}

}  // namespace ht::tofu
