// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/staggered.hpp"

#include <fmt/format.h>

#include <map>
#include <stdexcept>

#include "sw/host/errors.hpp"
#include "sw/host/lattice_kernels.hpp"

namespace ht::dirac {
namespace {

/// Steps of a hop along its axis: +1, -1, +3, -3.
constexpr std::array<int, 4> kSteps{1, -1, 3, -3};

int sign_at(const Coordinates& x, std::size_t mu) {
  // eta: t first, then x, y, z.
  int sum = 0;
  if (mu != 3) sum += x[3];
  if (mu == 1 || mu == 2) sum += x[0];
  if (mu == 2) sum += x[1];
  return sum % 2 == 0 ? 1 : -1;
}

/// The matrices of hops of `steps` along `mu` with phases and boundary factors.
LinkField dressed(const Geometry& geometry, const LinkField& links, std::size_t mu, int steps,
                  double boundary) {
  LinkField out(links.size());
  for (int site = 0; site < geometry.volume(); ++site) {
    const Coordinates x = geometry.global_place(site);
    double factor = sign_at(x, mu);
    for (int step = 0; step < steps; ++step) {
      if ((x[mu] + step) % geometry.lattice()[mu] == geometry.lattice()[mu] - 1) factor *= boundary;
    }
    const Link& from = links[static_cast<std::size_t>(site)];
    Link& to = out[static_cast<std::size_t>(site)];
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t part = 0; part < 2; ++part) to.e[i][j][part] = factor * from.e[i][j][part];
      }
    }
  }
  return out;
}

/// -F(x - steps)^dagger
LinkField backward(LinkShift& shift, LinkField field, int mu, int steps) {
  for (int step = 0; step < steps; ++step) field = shift(field, direction_of(mu, -1));
  for (Link& u : field) {
    u = adjoint(u);
    for (auto& row : u.e) {
      for (auto& element : row) {
        for (double& part : element) part = -part;
      }
    }
  }
  return field;
}

}  // namespace

template <class T>
StaggeredHop<T>::StaggeredHop(LinkShift& shift, const StaggeredLinks& links,
                              const std::array<double, 4>& boundary, PhaseClock& clock)
    : geometry_(shift.geometry()), clock_(clock), kernel_(staggered_kernel<T>()) {
  const bool naik = !links.naik[0].empty();
  hops_ = naik ? 16 : 8;
  depth_ = naik ? 3 : 1;
  if (!geometry_.bipartite())
    throw UsageError("lattice " + to_string(geometry_.lattice()) +
                     ": staggered fermions need even extents");
  for (int axis = 0; naik && axis < 4; ++axis) {
    const int sites = geometry_.local()[static_cast<std::size_t>(axis)];
    if (geometry_.is_cut(axis) && sites < 3)
      throw UsageError(fmt::format(
          "lattice {}: Naik's term reaches three sites, and a node has {} along {}; use fewer "
          "nodes there or a longer lattice",
          to_string(geometry_.lattice()), sites, "xyzt"[axis]));
  }
  std::vector<LinkField> matrices;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (const int steps : {1, 3}) {
      if (steps == 3 && !naik) continue;
      const LinkField forward =
          dressed(geometry_, steps == 1 ? links.hop[mu] : links.naik[mu], mu, steps, boundary[mu]);
      matrices.push_back(forward);
      matrices.push_back(backward(shift, forward, static_cast<int>(mu), steps));
    }
  }
  plan_[0] = make_plan(Targets::Even, matrices);
  plan_[1] = make_plan(Targets::Odd, matrices);
}

template <class T>
typename StaggeredHop<T>::Plan StaggeredHop<T>::make_plan(
    Targets targets, const std::vector<LinkField>& matrices) const {
  const int parity = targets == Targets::Even ? 0 : 1;
  const int first = geometry_.parity_begin(parity), from = geometry_.parity_begin(1 - parity);
  const Coordinates& local = geometry_.local();
  Plan plan;

  // The slots of a halo are the other node's sources within `depth` slices of the face, in
  // lexicographic order; both ends count the same global coordinates.
  Halo::Slots receive{}, send{};
  std::array<std::map<Coordinates, std::int32_t>, kDirections> slot;
  for (int d = 0; d < kDirections; ++d) {
    const auto i = static_cast<std::size_t>(d), axis = i / 2;
    if (!geometry_.is_cut(static_cast<int>(axis))) continue;
    const bool up = d % 2 == 0;
    for (std::int64_t index = 0; index < volume_of(local); ++index) {
      Coordinates at = coordinates_of(index, local);
      const bool low = at[axis] < depth_, high = at[axis] >= local[axis] - depth_;
      const auto parity_of = [&](const Coordinates& x) {
        int sum = 0;
        for (std::size_t k = 0; k < 4; ++k) sum += x[k] + geometry_.origin()[k];
        return (sum % 2 + 2) % 2;
      };
      if (up ? high : low) {
        if (parity_of(at) == 1 - parity) plan.to_send[i].push_back(geometry_.site_at(at) - from);
      }
      if (up ? low : high) {
        at[axis] += up ? local[axis] : -local[axis];
        if (parity_of(at) == 1 - parity) slot[i].emplace(at, receive[i]++);
      }
    }
    send[i] = static_cast<int>(plan.to_send[i].size());
  }

  const int count = target_count(targets);
  for (int t = 0; t < count; ++t) {
    const Coordinates& x = geometry_.place(first + t);
    bool local_only = true;
    for (int hop = 0; hop < hops_; ++hop) {
      const int kinds = hops_ / 4;
      const auto axis = static_cast<std::size_t>(hop / kinds);
      const int steps = kSteps[static_cast<std::size_t>(hop % kinds)];
      Coordinates y = x;
      y[axis] += steps;
      std::int32_t index = 0;
      if (geometry_.is_cut(static_cast<int>(axis)) && (y[axis] < 0 || y[axis] >= local[axis])) {
        const auto d = static_cast<std::size_t>(direction_of(static_cast<int>(axis), steps));
        index = ~slot[d].at(y);
        local_only = false;
      } else {
        y[axis] = (y[axis] % local[axis] + local[axis]) % local[axis];
        index = geometry_.site_at(y) - from;
      }
      plan.neighbours.push_back(index);
      const Link& u = matrices[static_cast<std::size_t>(hop)][static_cast<std::size_t>(first + t)];
      if (hop % 2 == 0) plan.matrices.emplace_back();
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          for (int part = 0; part < 2; ++part)
            plan.matrices.back().e[i][j][2 * (hop % 2) + part] =
                static_cast<T>(u.e[i][j][static_cast<std::size_t>(part)]);
        }
      }
    }
    (local_only ? plan.interior : plan.boundary).push_back(t);
  }
  plan.halo = std::make_unique<Halo>(receive, send, sizeof(ColourVector<T>));
  return plan;
}

template <class T>
void StaggeredHop<T>::compute(const Plan& plan, const std::vector<std::int32_t>& sites,
                              ColourField<T>& out, const ColourField<T>& in) const {
  if (sites.empty()) return;
  StaggeredArguments<T> arguments{.out = out.data(),
                                  .in = in.data(),
                                  .hops = hops_,
                                  .matrices = plan.matrices.data(),
                                  .neighbours = plan.neighbours.data(),
                                  .targets = sites,
                                  .halo = {}};
  const int kinds = hops_ / 4;
  for (int hop = 0; hop < hops_; ++hop) {
    const int d = direction_of(hop / kinds, kSteps[static_cast<std::size_t>(hop % kinds)]);
    arguments.halo[static_cast<std::size_t>(hop)] =
        plan.halo->template receive_buffer<ColourVector<T>>(d);
  }
  kernel_(arguments);
  clock_.meter().kernel({.sites = static_cast<std::int64_t>(sites.size()),
                         .real_bytes = static_cast<int>(sizeof(T)),
                         .kernel = host::staggered_kernel(hops_ == 16)});
}

template <class T>
void StaggeredHop<T>::apply(Targets targets, ColourField<T>& out, const ColourField<T>& in,
                            std::optional<Targets> next) {
  if (targets == Targets::All || next == targets || ahead_.value_or(targets) != targets)
    throw std::logic_error("the staggered hop was announced, or asked, for other sites");
  Plan& plan = plan_[static_cast<std::size_t>(targets)];
  if (!ahead_) plan.halo->start_receives();
  ahead_.reset();
  for (int d = 0; d < kDirections; ++d) {
    const auto i = static_cast<std::size_t>(d);
    if (plan.to_send[i].empty()) continue;
    auto* to = plan.halo->template send_buffer<ColourVector<T>>(d);
    for (const std::int32_t source : plan.to_send[i]) *to++ = in[static_cast<std::size_t>(source)];
    clock_.meter().kernel({.sites = static_cast<std::int64_t>(plan.to_send[i].size()),
                           .real_bytes = static_cast<int>(sizeof(T)),
                           .kernel = host::copy_kernel(host::colour_vector_reals)});
    plan.halo->start_send(d);
  }
  if (next) {
    plan_[static_cast<std::size_t>(*next)].halo->start_receives();
    ahead_ = next;
  }
  compute(plan, plan.interior, out, in);
  {
    const PhaseScope scope(clock_, Phase::Halo);
    plan.halo->wait_receives();
  }
  compute(plan, plan.boundary, out, in);
  const PhaseScope scope(clock_, Phase::Halo);
  plan.halo->wait_sends();
}

template <class T>
StaggeredMatrix<T>::StaggeredMatrix(StaggeredHop<T>& hop, Linear<T, ColourVector>& linear,
                                    Targets targets, double mass)
    : hop_(hop),
      linear_(linear),
      targets_(targets),
      others_(targets == Targets::Even ? Targets::Odd : Targets::Even),
      mass_(mass),
      other_(static_cast<std::size_t>(hop.target_count(others_))) {
  if (!(mass > 0)) throw UsageError(fmt::format("a staggered mass of {}: give one above 0", mass));
}

template <class T>
double StaggeredMatrix<T>::apply(Field& out, const Field& in) {
  hop_.apply(others_, other_, in, targets_);
  hop_.apply(targets_, out, other_);
  linear_.scale_add(out, 4 * mass_ * mass_, in, -1);
  return linear_.product(in, out);
}

template <class T>
typename StaggeredMatrix<T>::Field StaggeredMatrix<T>::prepare(const Field& here,
                                                               const Field& there) {
  Field out(size());
  hop_.apply(targets_, out, there);
  linear_.scale_add(out, 2 * mass_, here, -1);
  return out;
}

template <class T>
typename StaggeredMatrix<T>::Field StaggeredMatrix<T>::reconstruct(const Field& solution,
                                                                   const Field& there) {
  Field out(other_.size());
  hop_.apply(others_, out, solution);
  linear_.scale_add(out, 1 / (2 * mass_), there, -1 / (2 * mass_));
  return out;
}

template <class T>
std::pair<double, double> StaggeredMatrix<T>::residual(
    const std::array<const Field*, 2>& source, const std::array<const Field*, 2>& solution) {
  LocalSum residual = linear_.local(), norm = linear_.local();
  for (std::size_t i = 0; i < 2; ++i) {
    Field r(source[i]->size());
    hop_.apply(i == 0 ? targets_ : others_, r, *solution[1 - i]);
    linear_.scale_add(r, -2 * mass_, *solution[i], -1);
    linear_.add(r, 1, *source[i]);
    linear_.add_norm2_to(residual, r);
    linear_.add_norm2_to(norm, *source[i]);
  }
  const double above = linear_.reduce(residual);
  return {above, linear_.reduce(norm)};
}

template class StaggeredHop<double>;
template class StaggeredHop<float>;
template class StaggeredMatrix<double>;
template class StaggeredMatrix<float>;

}  // namespace ht::dirac
