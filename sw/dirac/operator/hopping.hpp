// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "sw/dirac/gauge/local_gauge.hpp"
#include "sw/dirac/operator/halo.hpp"
#include "sw/dirac/operator/hop_kernel.hpp"
#include "sw/dirac/operator/lattice.hpp"
#include "sw/dirac/operator/spinor.hpp"
#include "sw/dirac/phase_clock.hpp"

namespace ht::dirac {

/// Which sites the hopping term is computed on; its source are their neighbours: the sites of the
/// other parity, or all sites.
enum class Targets : std::uint8_t { Even = 0, Odd = 1, All = 2 };

/// The Wilson hopping term over all nodes,
///   (D psi)(x) = sum_mu (1 - s gamma_mu) U_mu(x) psi(x + mu)
///                     + (1 + s gamma_mu) U_mu(x - mu)^dagger psi(x - mu),
/// s = +1: Chroma's D and MILC's D^dagger; s = -1 the other two. DeGrand-Rossi gamma matrices.
/// 1320 flop a site. Collective: every node calls apply() alike.
///
/// Half-spinors for other nodes are sent, sites that need none are computed meanwhile, and each of
/// the others is computed whole, in the same order of operations, as soon as the last of its halos
/// is there. So a site's bits depend on no node grid.
template <class T>
class HoppingTerm {
 public:
  /// `links` as from fermion_links(); copied. `clock` is kept. Messages are declared here, for the
  /// given targets only. Even and Odd need a bipartite lattice. Fields of apply() have
  /// `fields` spinors a site, a fifth dimension on which the term does nothing; one message a
  /// direction carries all of them. Throws UsageError for 2^31 spinors a node or more.
  HoppingTerm(const Geometry& geometry, const LocalLinks<T>& links, PhaseClock& clock,
              const std::vector<Targets>& targets, Isa isa = Isa::Auto, int fields = 1);

  /// The next apply() uses other links.
  void set_links(const LocalLinks<T>& links);

  /// Local sites, of one field, of the target or source of `targets`.
  int target_count(Targets targets) const;
  int source_count(Targets targets) const;

  /// out[target] = (D in); `in` holds the source's sites. They may not overlap.
  ///
  /// With `next` the hop that every node applies after this one is known, and its receives are
  /// started as soon as this one's sends are: a neighbour needs one of those before it can go on to
  /// the next hop, so what it sends then finds its place whatever the two nodes' speeds. Nothing
  /// else may be received from neighbours, and no other hop applied (std::logic_error), before
  /// that; `next` has buffers of its own, so it is not `targets`.
  void apply(Targets targets, int sign, SpinorField<T>& out, const SpinorField<T>& in,
             std::optional<Targets> next = std::nullopt);

 private:
  struct Plan {
    int target_begin = 0, target_count = 0, source_begin = 0, source_count = 0;
    std::vector<Neighbours> neighbours;  ///< [target]
    std::vector<TargetLinks<T>> links;   ///< [target]
    std::vector<std::int32_t> interior;  ///< targets
    /// Targets that need halos, by the last of them to be waited for: arrivals[i].
    std::array<std::vector<std::int32_t>, kDirections> boundary;
    std::array<std::vector<std::int32_t>, kDirections> to_send;  ///< sources, by slot
    std::array<std::vector<Matrix<T>>, 4> links_to_send;         ///< [axis][slot], forwards
    std::unique_ptr<Halo> halo;
  };

  /// Directions in the order in which their halos are waited for: neighbours send forwards first,
  /// along x first, and what is sent forwards comes from the neighbour behind.
  static constexpr std::array<int, kDirections> arrivals{1, 0, 3, 2, 5, 4, 7, 6};

  Plan make_plan(Targets targets) const;
  Plan& plan_of(Targets targets);

  const Geometry& geometry_;
  PhaseClock& clock_;
  int fields_;
  std::array<HopKernel<T>, 2> kernel_;  ///< sign +1, -1
  std::array<std::unique_ptr<Plan>, 3> plan_;
  std::optional<Targets> ahead_;  ///< whose receives have been started already
};

}  // namespace ht::dirac
