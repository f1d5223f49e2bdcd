// SPDX-License-Identifier: Apache-2.0
// Descriptions of kernels, against counts from papers and done by hand.
#include <catch2/catch.hpp>

#include "sw/host/lattice_kernels.hpp"

using namespace ht::host;

TEST_CASE("kernel: the Wilson hopping term by Cell2007's counts") {
  const Kernel k = hopping_kernel();
  CHECK(k.flops == 1320);
  CHECK(k.instructions() == 840);
  CHECK(k.loads() == 8 * (24 + 18));
  CHECK(k.stores == 24);
  CHECK(k.field_traffic() == 48);  // a spinor in for all eight neighbours, one out
  CHECK(k.link_traffic() == 8 * 18);
}

TEST_CASE("kernel: a clover block is 12 reals and 30 complex products of two multiply-adds twice") {
  const Kernel k = clover_kernel();
  CHECK(k.instructions() == 2 * (6 * 2 + 6 * 5 * 4));
  CHECK(k.flops == 2 * (6 * 2 + 6 * 5 * 8));
  CHECK(k.loads() == 24 + 72);
  CHECK(k.field_traffic() == 48);
  CHECK(k.link_traffic() == 72);
}

TEST_CASE("kernel: staggered hops, as MILC counts them") {
  CHECK(staggered_kernel(false).flops == 570);
  const Kernel k = staggered_kernel(true);
  CHECK(k.flops == 1146);
  // Every product is a multiply-add but the first two of a row's sum.
  CHECK(k.instructions() == 16 * 36);
  CHECK(k.loads() == 16 * 24);
  CHECK(k.field_traffic() == 12);  // neighbours and third neighbours are the same field
  CHECK(k.link_traffic() == 16 * 18);
}

TEST_CASE("kernel: linear algebra replaces what it read") {
  const Kernel axpy = linear_kernel(spinor_reals, 2, 1, 96);
  CHECK(axpy.instructions() == 48);
  CHECK(axpy.loads() == 48);
  CHECK(axpy.field_traffic() == 72);
  CHECK(axpy.in_place);
  CHECK_FALSE(linear_kernel(spinor_reals, 1, 0, 48).in_place);
  CHECK(pack_kernel(true).instructions() == 84);
  CHECK(pack_kernel(false).loads() == 24);
  CHECK(copy_kernel(6).field_traffic() == 12);
  CHECK(fifth_dimension_kernel(true).instructions() == 72);
}
