// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/evolve/trajectory.hpp"

#include "sw/dirac/evolve/kernels.hpp"

namespace ht::dirac {

MolecularDynamics::MolecularDynamics(const EvolutionSpec& spec, const Geometry& geometry,
                                     PhaseClock& clock)
    : spec_(spec),
      geometry_(geometry),
      clock_(clock),
      reduce_(SumKind::Reproducible, clock),
      shift_(geometry),
      gauge_(shift_, spec.beta, clock) {
  if (spec.flavours == 0) return;
  flavours_ = std::make_unique<TwoFlavours>(
      geometry, reduce_, clock,
      TwoFlavours::Options{
          .kappa = spec.kappa,
          .mu = spec.mu,
          .boundary = spec.boundary,
          .limits = {
              .tolerance = spec.tolerance, .max_iterations = spec.max_iterations, .progress = {}}});
}

void MolecularDynamics::refresh(int trajectory) {
  const auto number = static_cast<std::uint32_t>(trajectory);
  for (std::size_t mu = 0; mu < 4; ++mu) {
    momenta[mu].resize(links[mu].size());
    for (int site = 0; site < geometry_.volume(); ++site) {
      NormalStream random(UniformStream(
          spec_.seed,
          {static_cast<std::uint32_t>(geometry_.global_index(site)),
           static_cast<std::uint32_t>(Draw::Momentum) | static_cast<std::uint32_t>(mu), number}));
      momenta[mu][static_cast<std::size_t>(site)] = draw_momentum(random);
    }
  }
  if (flavours_) fresh_action_ = flavours_->refresh(links, spec_.seed, number);
}

LinkFields MolecularDynamics::force() {
  LinkFields out;
  for (std::size_t mu = 0; mu < 4; ++mu) out[mu].assign(links[mu].size(), Link{});
  gauge_.add_force(links, out);
  if (flavours_) flavours_->add_force(links, out);
  return out;
}

void MolecularDynamics::move_momenta(double step) {
  const LinkFields w = force();
  for (std::size_t mu = 0; mu < 4; ++mu) {
    LinkField change(w[mu].size());
    for (std::size_t site = 0; site < change.size(); ++site)
      change[site] = traceless_antihermitian(w[mu][site]);
    dirac::add(momenta[mu], step, change);
  }
}

void MolecularDynamics::move_links(double step) {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (std::size_t site = 0; site < links[mu].size(); ++site) {
      Link p = momenta[mu][site];
      for (auto& row : p.e) {
        for (auto& z : row) {
          for (double& part : z) part *= step;
        }
      }
      links[mu][site] = multiply(exponential(p), links[mu][site]);
    }
    charge(clock_, link_update_kernel(), links[mu].size());
  }
}

void MolecularDynamics::integrate() {
  const double step = spec_.length / spec_.steps;
  if (spec_.integrator == Integrator::Leapfrog) {
    move_momenta(step / 2);
    for (int n = 1; n <= spec_.steps; ++n) {
      move_links(step);
      move_momenta(n < spec_.steps ? step : step / 2);
    }
    return;
  }
  constexpr double lambda = 0.1931833275037836;
  move_momenta(lambda * step);
  for (int n = 1; n <= spec_.steps; ++n) {
    move_links(step / 2);
    move_momenta((1 - 2 * lambda) * step);
    move_links(step / 2);
    move_momenta((n < spec_.steps ? 2 : 1) * lambda * step);
  }
}

MolecularDynamics::Energy MolecularDynamics::energy(bool fresh) {
  Energy e;
  LocalSum kinetic = reduce_.local(), action = reduce_.local();
  add_kinetic_energy(momenta, kinetic);
  PlaquetteSums sums;
  gauge_.add(links, action, sums);
  std::array<model::OrderIndependentSum, 5> states{
      sums.space_space, sums.space_time, sums.link_trace, kinetic.state(), action.state()};
  reduce_.merge(states);
  sums = {states[0], states[1], states[2]};
  e.plaquette = sums.plaquette(geometry_.global_volume());
  e.kinetic = states[3].round();
  e.gauge = states[4].round();
  if (flavours_) e.fermions = fresh ? fresh_action_ : flavours_->action(links);
  return e;
}

}  // namespace ht::dirac
