// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "sw/dirac/gauge/local_gauge.hpp"
#include "sw/dirac/operator/link_field.hpp"

namespace ht::dirac {

/// The matrices of a staggered operator, by axis: those of one hop and those of three (empty where
/// the action has none). Phases and boundaries are not in them yet.
struct StaggeredLinks {
  std::array<LinkField, 4> hop, naik;
};

/// The links as they are: Kogut and Susskind's action.
StaggeredLinks one_link(const LocalLinks<double>& links);

/// The Asqtad action's (Orginos, Toussaint and Sugar, hep-lat/9903032; Lepage, hep-lat/9809157):
/// the link, staples of three, five and seven links and Lepage's straight staple, each with tadpole
/// factors u0^-(length - 1), and Naik's term of three hops. u0 = 1 leaves tadpoles out; it is above
/// 0 (UsageError). Collective.
StaggeredLinks asqtad_links(LinkShift& shift, const LocalLinks<double>& links, double u0);

}  // namespace ht::dirac
