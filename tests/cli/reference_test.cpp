// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/reference_checks.hpp"

#include <catch2/catch.hpp>

TEST_CASE("R1: Chroma's published propagator over 8 nodes, 12 columns") {
  const auto run = ht::test::check_r1({"--nodes", "2x2x2"});
  if (!run.is_null()) CHECK(run["errors"]["retransmissions"] > 0);
}

TEST_CASE("R2: Chroma's 32-bit run of a NERSC field over 8 nodes") {
  ht::test::check_r2({"--nodes", "2x2x2"});
}
