// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/hopping.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "sw/host/errors.hpp"

namespace ht::dirac {

template <class T>
HoppingTerm<T>::HoppingTerm(const Geometry& geometry, const LocalLinks<T>& links, PhaseClock& clock,
                            const std::vector<Targets>& targets, Isa isa, int fields)
    : geometry_(geometry),
      clock_(clock),
      fields_(fields),
      kernel_{hop_kernel<T>(1, isa), hop_kernel<T>(-1, isa)} {
  if (std::int64_t{geometry.volume()} * fields > std::numeric_limits<int>::max()) {
    throw UsageError(fmt::format("{} sites a node, {} spinors each: more than 2^31; use more nodes",
                                 geometry.volume(), fields));
  }
  for (const Targets t : targets) {
    plan_[static_cast<std::size_t>(t)] = std::make_unique<Plan>(make_plan(t));
  }
  set_links(links);
}

template <class T>
void HoppingTerm<T>::set_links(const LocalLinks<T>& links) {
  for (const std::unique_ptr<Plan>& plan : plan_) {
    if (!plan) continue;
    for (std::size_t t = 0; t < plan->links.size(); ++t) {
      for (std::size_t axis = 0; axis < 4; ++axis) {
        const auto target = static_cast<std::size_t>(plan->target_begin) + t;
        plan->links[t][2 * axis] = links[target][axis];
        if (const std::int32_t n = plan->neighbours[t][2 * axis + 1]; n >= 0) {
          plan->links[t][2 * axis + 1] =
              links[static_cast<std::size_t>(plan->source_begin + n)][axis];
        }
      }
    }
    for (std::size_t axis = 0; axis < 4; ++axis) {
      plan->links_to_send[axis].clear();
      for (const std::int32_t s : plan->to_send[2 * axis]) {
        plan->links_to_send[axis].push_back(
            links[static_cast<std::size_t>(plan->source_begin + s)][axis]);
      }
    }
  }
}

template <class T>
int HoppingTerm<T>::target_count(Targets targets) const {
  return targets == Targets::All ? geometry_.volume()
                                 : geometry_.parity_count(targets == Targets::Even ? 0 : 1);
}

template <class T>
int HoppingTerm<T>::source_count(Targets targets) const {
  return targets == Targets::All ? geometry_.volume()
                                 : geometry_.parity_count(targets == Targets::Even ? 1 : 0);
}

template <class T>
typename HoppingTerm<T>::Plan HoppingTerm<T>::make_plan(Targets targets) const {
  Plan plan;
  if (targets != Targets::All) {
    if (!geometry_.bipartite()) {
      throw std::logic_error("even and odd sites need even extents of the lattice");
    }
    const int parity = targets == Targets::Even ? 0 : 1;
    plan.target_begin = geometry_.parity_begin(parity);
    plan.source_begin = geometry_.parity_begin(1 - parity);
  }
  plan.target_count = target_count(targets);
  plan.source_count = source_count(targets);
  plan.neighbours.resize(static_cast<std::size_t>(plan.target_count));
  plan.links.resize(plan.neighbours.size());
  // How many of the arrivals a target waits for.
  std::vector<std::size_t> waits_for(plan.neighbours.size(), 0);

  Halo::Slots receive{}, send{};
  for (std::size_t arrival = 0; arrival < arrivals.size(); ++arrival) {
    const int d = arrivals[arrival];
    const auto i = static_cast<std::size_t>(d);
    for (int t = 0; t < plan.target_count; ++t) {
      const int site = plan.target_begin + t;
      if (geometry_.leaves_node(site, d)) continue;
      plan.neighbours[static_cast<std::size_t>(t)][i] =
          geometry_.local_neighbour(site, d) - plan.source_begin;
    }
    // Both ends run through their faces in lexicographic order; a face's targets and the matching
    // face's sources are the same set of coordinates across it.
    for (const int site : geometry_.face(d)) {
      if (const int t = site - plan.target_begin; t >= 0 && t < plan.target_count) {
        plan.neighbours[static_cast<std::size_t>(t)][i] = ~receive[i]++;
        waits_for[static_cast<std::size_t>(t)] = arrival + 1;
      }
      if (const int s = site - plan.source_begin; s >= 0 && s < plan.source_count) {
        plan.to_send[i].push_back(s);
      }
    }
    send[i] = static_cast<int>(plan.to_send[i].size());
  }
  for (int t = 0; t < plan.target_count; ++t) {
    const std::size_t waits = waits_for[static_cast<std::size_t>(t)];
    (waits == 0 ? plan.interior : plan.boundary[waits - 1]).push_back(t);
  }
  plan.halo = std::make_unique<Halo>(receive, send,
                                     sizeof(HalfSpinor<T>) * static_cast<std::size_t>(fields_));
  return plan;
}

template <class T>
typename HoppingTerm<T>::Plan& HoppingTerm<T>::plan_of(Targets targets) {
  Plan* const plan = plan_[static_cast<std::size_t>(targets)].get();
  if (plan == nullptr)
    throw std::logic_error("the hopping term was not prepared for these targets");
  return *plan;
}

template <class T>
void HoppingTerm<T>::apply(Targets targets, int sign, SpinorField<T>& out, const SpinorField<T>& in,
                           std::optional<Targets> next) {
  Plan* const plan = &plan_of(targets);
  Plan* const next_plan = next ? &plan_of(*next) : nullptr;
  if (next == targets)
    throw std::logic_error("a hop's receives cannot start while their buffers are in use");
  if (ahead_.value_or(targets) != targets)
    throw std::logic_error("the hopping term was announced for other targets than these");
  if (in.size() != static_cast<std::size_t>(plan->source_count * fields_) ||
      out.size() != static_cast<std::size_t>(plan->target_count * fields_)) {
    throw std::logic_error("the hopping term was given a field of the wrong size");
  }
  const HopKernel<T>& kernel = kernel_[sign > 0 ? 0 : 1];
  WorkMeter& meter = clock_.meter();
  constexpr int kReal = static_cast<int>(sizeof(T));

  // Starting messages is the processor's work and counts as computing; waiting for them does not.
  if (!ahead_) plan->halo->start_receives();
  ahead_.reset();
  for (int d = 0; d < kDirections; ++d) {
    const auto i = static_cast<std::size_t>(d);
    if (plan->to_send[i].empty()) continue;
    kernel.pack[i]({.fields = fields_,
                    .out = plan->halo->template send_buffer<HalfSpinor<T>>(d),
                    .in = in.data(),
                    .links = plan->links_to_send[i / 2].data(),
                    .sources = plan->to_send[i]});
    meter.pack({.sites = fields_ * static_cast<std::int64_t>(plan->to_send[i].size()),
                .real_bytes = kReal,
                .multiplied = d % 2 == 0});
    plan->halo->start_send(d);
  }
  if (next_plan != nullptr) {
    next_plan->halo->start_receives();
    ahead_ = next;
  }

  HopArguments<T> arguments{.fields = fields_,
                            .out = out.data(),
                            .in = in.data(),
                            .links = plan->links.data(),
                            .neighbours = plan->neighbours.data(),
                            .targets = plan->interior,
                            .halo = {}};
  kernel.interior(arguments);
  if (!plan->interior.empty()) {
    meter.hopping({.sites = fields_ * static_cast<std::int64_t>(plan->interior.size()),
                   .real_bytes = kReal,
                   .boundary = false});
  }
  for (std::size_t arrival = 0; arrival < arrivals.size(); ++arrival) {
    const int d = arrivals[arrival];
    {
      const PhaseScope scope(clock_, Phase::Halo);
      plan->halo->wait_receive(d);
    }
    arguments.halo[static_cast<std::size_t>(d)] =
        plan->halo->template receive_buffer<HalfSpinor<T>>(d);
    arguments.targets = plan->boundary[arrival];
    if (arguments.targets.empty()) continue;
    kernel.boundary(arguments);
    meter.hopping({.sites = fields_ * static_cast<std::int64_t>(arguments.targets.size()),
                   .real_bytes = kReal,
                   .boundary = true});
  }
  const PhaseScope scope(clock_, Phase::Halo);
  plan->halo->wait_sends();
}

template class HoppingTerm<double>;
template class HoppingTerm<float>;

}  // namespace ht::dirac
