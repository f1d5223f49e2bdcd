// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sw/dirac/evolve/momenta.hpp"
#include "sw/dirac/gauge/plaquette.hpp"
#include "sw/dirac/operator/link_field.hpp"
#include "sw/dirac/phase_clock.hpp"

namespace ht::dirac {

/// Wilson's plaquette action S = beta sum over plaquettes of (1 - Re tr P / 3), over all nodes.
/// Collective; the same bits on every node grid.
class GaugeAction {
 public:
  GaugeAction(LinkShift& shift, double beta, PhaseClock& clock)
      : shift_(shift), beta_(beta), clock_(clock) {}

  /// Adds the action, one double a site, and the sums of the plaquettes.
  void add(const LinkFields& links, LocalSum& action, PlaquetteSums& plaquettes);

  /// force += W with dS = sum Re tr (T W) for the change dU = T U of every link: minus beta/3 times
  /// the link and what closes its six plaquettes.
  void add_force(const LinkFields& links, LinkFields& force);

 private:
  LinkShift& shift_;
  double beta_;
  PhaseClock& clock_;
};

}  // namespace ht::dirac
