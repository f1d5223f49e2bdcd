// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "sw/host/time.hpp"

namespace ht::tofu {

/// What differs between members of the Tofu family. The default is the K computer's, as its Verilog
/// is.
struct Profile {
  int interfaces = 4;       ///< network interfaces (TNIs) of a node
  int gate_interfaces = 1;  ///< those of them that have barrier gates: TNI 0 on
  /// States of 320 bits that an operation of gates carries: so many doubles are summed at once.
  /// With several, words of integers are twice as many, and there is MAXLOC; with one there is one
  /// word.
  int states = 1;
  int gates = 64;             ///< of a barrier interface
  Picoseconds cycle = 3'200;  ///< in which a link carries 16 bytes: 5 GB/s
  int version = 1;            ///< major one, as utofu_query_tofu_version() gives it

  int doubles() const { return states; }
  int words() const { return states > 1 ? 2 * states : 1; }
  bool wide() const { return states > 1; }
};

/// TofuD's numbers: Y. Ajima et al., "The Tofu Interconnect D", IEEE CLUSTER 2018: six network
/// interfaces, links of two lanes of 28.05 Gb/s, 6.8 GB/s with their 64b/66b code. Gates on every
/// interface, with data of 15 x 64 bits, are RIKEN McKernel's; six integers or three doubles at
/// once and MAXLOC are Fujitsu's published utofu.h and UTF's use of it.
constexpr Profile tofud{
    .interfaces = 6, .gate_interfaces = 6, .states = 3, .cycle = 2'353, .version = 3};

/// Of any profile.
constexpr int most_interfaces = 6;

}  // namespace ht::tofu
