// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ht::dirac {

enum class OperatorKind : std::uint8_t { Wilson, Clover, Staggered, Asqtad, DomainWall };

/// A matrix of lattice fermions and its parameters; those that a kind does not have are ignored.
struct OperatorChoice {
  OperatorKind kind = OperatorKind::Wilson;
  double kappa = 0.11;  ///< Wilson, clover
  double csw = 1;       ///< clover
  double mass = 0.1;    ///< staggered, Asqtad, domain wall
  double u0 = 1;        ///< Asqtad
  int length = 8;       ///< domain wall: sites of the fifth dimension
  double m5 = 1.8;      ///< domain wall: height

  bool staggered() const { return kind == OperatorKind::Staggered || kind == OperatorKind::Asqtad; }
  /// Columns of a propagator: 12, or 3 of staggered fermions.
  int columns() const { return staggered() ? 3 : 12; }
  /// Real numbers of a site of a propagator's column: 24 or 6.
  int site_reals() const { return staggered() ? 6 : 24; }
  /// Sites of the fifth dimension; 1 where there is none.
  int fields() const { return kind == OperatorKind::DomainWall ? length : 1; }
};

/// "wilson", "clover", "staggered", "asqtad", "dwf"; nothing if it is none of them.
std::optional<OperatorKind> parse_operator(std::string_view name);
std::string_view to_string(OperatorKind kind);
/// "domain wall, mass 0.1, Ls 8, M5 1.8".
std::string describe(const OperatorChoice& choice);

/// Flop of one iteration of conjugate gradient a site that it iterates on (a site of five
/// dimensions for domain wall), by the count that the field has for each operator:
///   Wilson     5664: two matrices of 2 hops of 1320 and 72 to combine them; 240 of linear algebra
///   clover     7632: two of 2 hops, 2 clover terms of 504 and 48; 240
///   domain wall  5904: two of 2 hops, 48 and 96 along the fifth dimension and 48; 240
///   staggered  1212, Asqtad 2374: twice MILC's 606 and 1187 a site of the whole lattice
///              (generic_ks/d_congrad5.c, d_congrad5_fn_milc.c), since only half of them iterate
/// and, of Wilson's matrix without even-odd preconditioning (`full`), 3024.
double flops_of_iteration(OperatorKind kind, bool full);

}  // namespace ht::dirac
