// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "sw/dirac/evolve/evolution.hpp"
#include "sw/dirac/evolve/gauge_action.hpp"
#include "sw/dirac/evolve/two_flavours.hpp"

namespace ht::dirac {

/// Links and momenta of a node, and how they move. Collective.
class MolecularDynamics {
 public:
  MolecularDynamics(const EvolutionSpec& spec, const Geometry& geometry, PhaseClock& clock);

  LinkFields links, momenta;

  /// Draws momenta and pseudofermions; functions of seed, trajectory and site.
  void refresh(int trajectory);
  /// Moves both through a trajectory of `steps` steps.
  void integrate();
  /// Force W of all actions: sum Re tr (T W) is what the actions change by for dU = T U.
  LinkFields force();
  /// One number a term of H: momenta, links, pseudofermions.
  struct Energy {
    double kinetic = 0, gauge = 0, fermions = 0;
    Plaquette plaquette;
  };
  /// `fresh`: right after refresh(), when the pseudofermions' action is known.
  Energy energy(bool fresh);
  int iterations() const { return flavours_ ? flavours_->iterations() : 0; }

 private:
  void move_momenta(double step);
  void move_links(double step);

  const EvolutionSpec spec_;
  const Geometry& geometry_;
  PhaseClock& clock_;
  Reducer reduce_;
  LinkShift shift_;
  GaugeAction gauge_;
  std::unique_ptr<TwoFlavours> flavours_;
  double fresh_action_ = 0;
};

}  // namespace ht::dirac
