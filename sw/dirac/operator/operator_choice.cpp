// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/operator_choice.hpp"

#include <fmt/format.h>

namespace ht::dirac {

std::optional<OperatorKind> parse_operator(std::string_view name) {
  for (const OperatorKind kind :
       {OperatorKind::Wilson, OperatorKind::Clover, OperatorKind::Staggered, OperatorKind::Asqtad,
        OperatorKind::DomainWall}) {
    if (name == to_string(kind)) return kind;
  }
  return std::nullopt;
}

std::string_view to_string(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::Wilson:
      return "wilson";
    case OperatorKind::Clover:
      return "clover";
    case OperatorKind::Staggered:
      return "staggered";
    case OperatorKind::Asqtad:
      return "asqtad";
    case OperatorKind::DomainWall:
      break;
  }
  return "dwf";
}

std::string describe(const OperatorChoice& c) {
  switch (c.kind) {
    case OperatorKind::Wilson:
      return fmt::format("Wilson, kappa {}", c.kappa);
    case OperatorKind::Clover:
      return fmt::format("clover, kappa {}, csw {}", c.kappa, c.csw);
    case OperatorKind::Staggered:
      return fmt::format("staggered, mass {}", c.mass);
    case OperatorKind::Asqtad:
      return fmt::format("Asqtad, mass {}, u0 {}", c.mass, c.u0);
    case OperatorKind::DomainWall:
      break;
  }
  return fmt::format("domain wall, mass {}, Ls {}, M5 {}", c.mass, c.length, c.m5);
}

double flops_of_iteration(OperatorKind kind, bool full) {
  switch (kind) {
    case OperatorKind::Wilson:
      return full ? 3024 : 5664;
    case OperatorKind::Clover:
      return 2 * (2 * 1320 + 2 * 504 + 48) + 240;
    case OperatorKind::Staggered:
      return 2 * 606;
    case OperatorKind::Asqtad:
      return 2 * 1187;
    case OperatorKind::DomainWall:
      break;
  }
  return 2 * (2 * 1320 + 48 + 96 + 48) + 240;
}

}  // namespace ht::dirac
