// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sw/dirac/operator/fermion_matrix.hpp"
#include "sw/dirac/operator/halo.hpp"
#include "sw/dirac/operator/hopping.hpp"
#include "sw/dirac/operator/staggered_kernel.hpp"
#include "sw/dirac/operator/staggered_links.hpp"

namespace ht::dirac {

/// The staggered hopping term over all nodes, on the sites of one parity, in MILC's normalisation:
///   (D chi)(x) = sum_mu [ F_mu(x) chi(x + mu) - F_mu(x - mu)^dagger chi(x - mu)
///                       + N_mu(x) chi(x + 3 mu) - N_mu(x - 3 mu)^dagger chi(x - 3 mu) ],
/// F and N the matrices of one and of three hops times the phase
///   eta_t = 1, eta_x = (-1)^t, eta_y = (-1)^(t + x), eta_z = (-1)^(t + x + y)
/// and, where the hop leaves the last slice of the lattice, the boundary's factor. 570 flop a site
/// without the hops of three, 1146 with them. D is antihermitian for boundary factors of modulus 1.
/// Collective.
///
/// Every node keeps the matrices of its sites' backward hops too, so colour vectors alone travel:
/// one message a direction, of one slice or of three.
template <class T>
class StaggeredHop {
 public:
  /// Throws UsageError for a lattice with an odd extent, and, with hops of three, for an axis that
  /// is cut into fewer than three sites a node.
  StaggeredHop(LinkShift& shift, const StaggeredLinks& links, const std::array<double, 4>& boundary,
               PhaseClock& clock);

  int target_count(Targets targets) const {
    return geometry_.parity_count(targets == Targets::Even ? 0 : 1);
  }
  int flops() const { return hops_ * 66 + (hops_ - 1) * 6; }

  /// out[targets] = (D in); `in` holds the sites of the other parity. `next` as for HoppingTerm.
  void apply(Targets targets, ColourField<T>& out, const ColourField<T>& in,
             std::optional<Targets> next = std::nullopt);

 private:
  struct Plan {
    /// [target][hop]: a source of this node, or ~(slot in the hop's direction's halo).
    std::vector<std::int32_t> neighbours;
    std::vector<HopPair<T>> matrices;  ///< [target][hop / 2], signs and phases in them
    std::vector<std::int32_t> interior, boundary;
    std::array<std::vector<std::int32_t>, kDirections> to_send;
    std::unique_ptr<Halo> halo;
  };

  Plan make_plan(Targets targets, const std::vector<LinkField>& matrices) const;
  void compute(const Plan& plan, const std::vector<std::int32_t>& sites, ColourField<T>& out,
               const ColourField<T>& in) const;

  const Geometry& geometry_;
  PhaseClock& clock_;
  LoopOn<StaggeredArguments<T>> kernel_;
  int hops_;   ///< 8 or 16, in the order of the sum above
  int depth_;  ///< slices a halo has: 1 or 3
  std::array<Plan, 2> plan_;
  std::optional<Targets> ahead_;
};

/// A = 4 m^2 - D D on the sites of one parity: what M^dagger M of M = 2 m + D is there.
template <class T>
class StaggeredMatrix final : public PositiveMatrix<T, ColourVector> {
 public:
  using Field = ColourField<T>;

  /// `mass` is above 0 (UsageError).
  StaggeredMatrix(StaggeredHop<T>& hop, Linear<T, ColourVector>& linear, Targets targets,
                  double mass);
  std::size_t size() const override {
    return static_cast<std::size_t>(hop_.target_count(targets_));
  }
  double apply(Field& out, const Field& in) override;

  /// The right-hand side of A x_p = 2 m b_p - D b_(1-p), for M x = b.
  Field prepare(const Field& here, const Field& there);
  /// x of the other parity: (b_(1-p) - D x_p) / (2 m).
  Field reconstruct(const Field& solution, const Field& there);
  /// |b - M x|^2 and |b|^2 of the whole system; fields are of the targets and of the others.
  std::pair<double, double> residual(const std::array<const Field*, 2>& source,
                                     const std::array<const Field*, 2>& solution);

 private:
  StaggeredHop<T>& hop_;
  Linear<T, ColourVector>& linear_;
  Targets targets_, others_;
  double mass_;
  Field other_;
};

}  // namespace ht::dirac
