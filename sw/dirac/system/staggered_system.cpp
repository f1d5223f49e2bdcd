// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "sw/dirac/operator/staggered.hpp"
#include "sw/dirac/positive_solver.hpp"
#include "sw/dirac/system/system.hpp"

namespace ht::dirac {
namespace {

/// CG on 4 m^2 - D D of the odd sites.
template <class T>
class Staggered final : public System<T, ColourVector> {
 public:
  using Field = ColourField<T>;

  explicit Staggered(const SystemParts& parts)
      : geometry_(parts.geometry),
        linear_(parts.clock, parts.reduce),
        shift_(parts.geometry),
        hop_(shift_,
             parts.spec.fermions.kind == OperatorKind::Asqtad
                 ? asqtad_links(shift_, parts.links, parts.spec.fermions.u0)
                 : one_link(parts.links),
             parts.spec.boundary, parts.clock),
        matrix_(hop_, linear_, Targets::Odd, parts.spec.fermions.mass) {}

  Field source(const ColourField<double>& colours, int /*spin: there is none*/) override {
    Field out(colours.size());
    for (std::size_t site = 0; site < out.size(); ++site) {
      for (int colour = 0; colour < 3; ++colour) {
        for (int part = 0; part < 2; ++part)
          out[site].c[colour][part] = static_cast<T>(colours[site].c[colour][part]);
      }
    }
    return out;
  }
  Field prepare(const Field& source) override {
    const auto b = split(source);
    return matrix_.prepare(b[1], b[0]);
  }
  SolverResult solve(Field& x, const Field& prepared, const SolverLimits& limits,
                     CgCheckpoint<T, ColourVector>& /*refused by validate()*/) override {
    return solve_positive(matrix_, linear_, x, prepared, limits);
  }
  double solver_residual(const Field& x, const Field& prepared) override {
    Field r(prepared.size());
    matrix_.apply(r, x);
    const double above = linear_.scale_add_norm2(r, 1, prepared, -1);
    return std::sqrt(above / linear_.norm2(prepared));
  }
  Field reconstruct(Field x, const Field& source) override {
    return joined(matrix_.reconstruct(x, split(source)[0]), x);
  }
  double true_residual(const Field& solution, const Field& source) override {
    const auto x = split(solution), b = split(source);
    const auto [above, below] = matrix_.residual({&b[1], &b[0]}, {&x[1], &x[0]});
    return std::sqrt(above / below);
  }
  Field quark(const Field& solution) override { return solution; }

  PositiveMatrix<T, ColourVector>& positive() override { return matrix_; }
  Field positive_source(const Field& prepared) override { return prepared; }
  Linear<T, ColourVector>& linear() override { return linear_; }

 private:
  std::array<Field, 2> split(const Field& whole) const {
    return halves(whole, static_cast<std::size_t>(geometry_.parity_count(0)));
  }

  const Geometry& geometry_;
  Linear<T, ColourVector> linear_;
  LinkShift shift_;
  StaggeredHop<T> hop_;
  StaggeredMatrix<T> matrix_;
};

}  // namespace

template <class T>
std::unique_ptr<System<T, ColourVector>> make_staggered_system(const SystemParts& parts) {
  return std::make_unique<Staggered<T>>(parts);
}

template std::unique_ptr<System<double, ColourVector>> make_staggered_system(const SystemParts&);
template std::unique_ptr<System<float, ColourVector>> make_staggered_system(const SystemParts&);

}  // namespace ht::dirac
