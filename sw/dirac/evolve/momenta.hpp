// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "sw/dirac/gauge/uniform_stream.hpp"
#include "sw/dirac/operator/link_field.hpp"
#include "sw/dirac/reduce.hpp"

namespace ht::dirac {

/// Four fields of matrices, by axis: links, momenta, forces.
using LinkFields = std::array<LinkField, 4>;

/// Numbers of the normal distribution by Marsaglia's polar method, from a stream of uniform ones:
/// + - * /, sqrt and a logarithm made of these, so every computer gets the same bits.
class NormalStream {
 public:
  explicit NormalStream(UniformStream uniform) : uniform_(uniform) {}
  double next();

 private:
  UniformStream uniform_;
  bool have_ = false;
  double second_ = 0;
};

/// What random numbers are for: keeps their streams apart. Those of generated fields have 0 there,
/// the heat bath's "HB".
enum class Draw : std::uint32_t {
  Momentum = 0x4d4f0000,
  Pseudofermion = 0x50460000,
  Step = 0x4d450000
};

/// A momentum: antihermitian, without trace, with weight exp(-sum |P_ij|^2 / 2).
Link draw_momentum(NormalStream& random);

/// The antihermitian part of a matrix without its trace: (w - w^dagger)/2 - trace/3.
Link traceless_antihermitian(const Link& w);

/// exp(p) by its Taylor series to order 20, summed from the last term on: exact to rounding for
/// |p| up to 1, in + - * / alone.
Link exponential(const Link& p);

/// sum_(x, mu, ij) |P_ij|^2 / 2 of this node, one double a site.
void add_kinetic_energy(const LinkFields& momenta, LocalSum& sum);

}  // namespace ht::dirac
