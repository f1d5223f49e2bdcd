// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>

#include "sw/dirac/operator/clover.hpp"
#include "sw/dirac/operator/domain_wall.hpp"
#include "sw/dirac/operator/hopping.hpp"
#include "sw/dirac/operator/wilson.hpp"
#include "sw/dirac/source.hpp"
#include "sw/dirac/system/system.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace ht::dirac {
namespace {

/// What the matrices of spinors have in common: CG on M^dagger M of some M.
template <class T>
class SpinorSystem : public System<T, Spinor> {
 public:
  using Field = SpinorField<T>;

  SpinorSystem(const SystemParts& parts, const std::vector<Targets>& targets)
      : geometry_(parts.geometry),
        fields_(parts.spec.fermions.fields()),
        linear_(parts.clock, parts.reduce),
        hop_(parts.geometry, fermion_links<T>(parts.geometry, parts.links, parts.spec.boundary),
             parts.clock, targets, Isa::Auto, fields_) {}

  Field source(const ColourField<double>& colours, int spin) override {
    return spinor_source<T>(colours, spin);
  }
  SolverResult solve(Field& x, const Field& prepared, const SolverLimits& limits,
                     CgCheckpoint<T>& checkpoint) override {
    return solve_cg(matrix(), linear_, x, prepared, limits, &checkpoint);
  }
  double solver_residual(const Field& x, const Field& prepared) override {
    Field r(prepared.size());
    matrix().apply(r, x, false);
    const double above = linear_.scale_add_norm2(r, 1, prepared, -1);
    return std::sqrt(above / linear_.norm2(prepared));
  }
  Field quark(const Field& solution) override { return solution; }

  PositiveMatrix<T>& positive() override {
    if (!normal_) normal_.emplace(matrix());
    return *normal_;
  }
  Field positive_source(const Field& prepared) override {
    Field out(prepared.size());
    matrix().apply(out, prepared, true);
    return out;
  }
  Linear<T>& linear() override { return linear_; }

 protected:
  virtual FermionMatrix<T>& matrix() = 0;

  WholeField<T> split(const Field& whole) const {
    auto two = halves(whole, static_cast<std::size_t>(geometry_.parity_count(0) * fields_));
    return {{std::move(two[0]), std::move(two[1])}};
  }

  const Geometry& geometry_;
  int fields_;
  Linear<T> linear_;
  HoppingTerm<T> hop_;

 private:
  std::optional<NormalMatrix<T>> normal_;
};

template <class T>
class FullWilson final : public SpinorSystem<T> {
 public:
  using Field = SpinorField<T>;

  explicit FullWilson(const SystemParts& parts)
      : SpinorSystem<T>(parts, {Targets::All}),
        matrix_(this->hop_, this->linear_, 1 / (2 * parts.spec.fermions.kappa), 0.5) {}

  Field prepare(const Field& source) override { return source; }
  Field reconstruct(Field x, const Field& /*source*/) override { return x; }
  double true_residual(const Field& solution, const Field& source) override {
    return this->solver_residual(solution, source);
  }

 protected:
  FermionMatrix<T>& matrix() override { return matrix_; }

 private:
  FullMatrix<T> matrix_;
};

/// On the odd sites' Schur complement, whichever class it is of.
template <class T, class Complement>
class EvenOddSystem : public SpinorSystem<T> {
 public:
  using Field = SpinorField<T>;

  Field prepare(const Field& source) override { return complement().prepare(this->split(source)); }
  Field reconstruct(Field x, const Field& source) override {
    WholeField<T> solution;
    solution.half[1] = std::move(x);
    complement().reconstruct(solution, this->split(source));
    return joined(std::move(solution.half[0]), solution.half[1]);
  }
  double true_residual(const Field& solution, const Field& source) override {
    const auto [above, below] = complement().residual(this->split(source), this->split(solution));
    return std::sqrt(above / below);
  }

 protected:
  explicit EvenOddSystem(const SystemParts& parts)
      : SpinorSystem<T>(parts, {Targets::Even, Targets::Odd}) {}
  virtual Complement& complement() = 0;
  FermionMatrix<T>& matrix() override { return complement(); }
};

template <class T>
class Wilson final : public EvenOddSystem<T, SchurMatrix<T>> {
 public:
  explicit Wilson(const SystemParts& parts)
      : EvenOddSystem<T, SchurMatrix<T>>(parts),
        complement_(this->hop_, this->linear_, Targets::Odd, 1 / (2 * parts.spec.fermions.kappa),
                    0.5) {}

 protected:
  SchurMatrix<T>& complement() override { return complement_; }

 private:
  SchurMatrix<T> complement_;
};

template <class T>
class Clover final : public EvenOddSystem<T, PreconditionedMatrix<T>> {
 public:
  explicit Clover(const SystemParts& parts)
      : EvenOddSystem<T, PreconditionedMatrix<T>>(parts),
        shift_(parts.geometry),
        term_(shift_, parts.links, parts.spec.fermions.kappa, parts.spec.fermions.csw, parts.clock),
        complement_(this->hop_, term_, this->linear_, Targets::Odd, 0.5) {}

 protected:
  PreconditionedMatrix<T>& complement() override { return complement_; }

 private:
  LinkShift shift_;
  CloverTerm<T> term_;
  PreconditionedMatrix<T> complement_;
};

template <class T>
class DomainWall final : public EvenOddSystem<T, PreconditionedMatrix<T>> {
 public:
  using Field = SpinorField<T>;

  explicit DomainWall(const SystemParts& parts)
      : EvenOddSystem<T, PreconditionedMatrix<T>>(parts),
        term_(parts.geometry, parts.spec.fermions.length, parts.spec.fermions.m5,
              parts.spec.fermions.mass, parts.clock),
        complement_(this->hop_, term_, this->linear_, Targets::Odd, 0.5) {}

  /// P_+ of the source on the first slice, P_- on the last.
  Field source(const ColourField<double>& colours, int spin) override {
    const Field four = spinor_source<T>(colours, spin);
    Field out(four.size() * static_cast<std::size_t>(this->fields_), Spinor<T>{});
    each_wall(out, [&](std::size_t site, Spinor<T>& first, Spinor<T>& last) {
      for (int colour = 0; colour < 3; ++colour) {
        first.c[colour][0] = four[site].c[colour][0];
        last.c[colour][1] = four[site].c[colour][1];
      }
    });
    return out;
  }

  /// q = P_- psi_0 + P_+ psi_(length - 1).
  Field quark(const Field& solution) override {
    Field out(static_cast<std::size_t>(this->geometry_.volume()));
    each_wall(solution, [&](std::size_t site, const Spinor<T>& first, const Spinor<T>& last) {
      for (int colour = 0; colour < 3; ++colour) {
        out[site].c[colour][0] = last.c[colour][0];
        out[site].c[colour][1] = first.c[colour][1];
      }
    });
    return out;
  }

 protected:
  PreconditionedMatrix<T>& complement() override { return complement_; }

 private:
  /// f(local site, its spinor on the first slice, that on the last).
  template <class Whole, class F>
  void each_wall(Whole& whole, const F& f) const {
    const auto length = static_cast<std::size_t>(this->fields_);
    for (std::size_t site = 0; site < whole.size() / length; ++site)
      f(site, whole[site * length], whole[site * length + length - 1]);
  }

  DomainWallTerm<T> term_;
  PreconditionedMatrix<T> complement_;
};

}  // namespace

template <class T>
std::unique_ptr<System<T, Spinor>> make_spinor_system(const SystemParts& parts) {
  switch (parts.spec.fermions.kind) {
    case OperatorKind::Clover:
      return std::make_unique<Clover<T>>(parts);
    case OperatorKind::DomainWall:
      return std::make_unique<DomainWall<T>>(parts);
    default:
      if (parts.spec.solver == SolverKind::Full) return std::make_unique<FullWilson<T>>(parts);
      return std::make_unique<Wilson<T>>(parts);
  }
}

template std::unique_ptr<System<double, Spinor>> make_spinor_system(const SystemParts&);
template std::unique_ptr<System<float, Spinor>> make_spinor_system(const SystemParts&);

}  // namespace ht::dirac
