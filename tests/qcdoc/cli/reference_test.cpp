// SPDX-License-Identifier: Apache-2.0
// The published numbers again, over 16 and 64 nodes of QCDOC.
#include <catch2/catch.hpp>

#include "tests/cli/program.hpp"
#include "tests/cli/reference_checks.hpp"

TEST_CASE("R1 over 16 QCDOC nodes") {
  ht::test::check_r1({"qcdoc", "--nodes", "2x2x2x2", "--ber", "1e-7"});
}

TEST_CASE("R2 over 16 QCDOC nodes") {
  ht::test::check_r2({"qcdoc", "--nodes", "2x2x2x2"});
}

TEST_CASE("64 QCDOC nodes, a six-dimensional machine folded into four, twice: the same bits") {
  const std::vector<std::string> job{"qcdoc",     "--machine", "2x2x2x2x2x2", "--nodes", "2x2x4x4",
                                     "--lattice", "4x4x4x8",   "--tolerance", "1e-6"};
  const auto first = ht::test::run_json(job), second = ht::test::run_json(job);
  CHECK(first["verdict"] == "bit-exact");
  CHECK(first["errors"] == second["errors"]);
  CHECK(first["links"] == second["links"]);
  CHECK(first["times_s"] == second["times_s"]);
  CHECK(first["solution_crc32"] == second["solution_crc32"]);
}
