// SPDX-License-Identifier: Apache-2.0
// The published numbers again, over Tofu nodes. 4x4x4x8 sites do not divide by three: on a group of
// twelve nodes the ranks are a torus of 2x2x2, whole or round a lost node.
#include <catch2/catch.hpp>

#include "tests/cli/program.hpp"
#include "tests/cli/reference_checks.hpp"

using Json = nlohmann::json;

namespace {

void check_same_solution(const Json& a, const Json& b) {
  if (a.is_null() || b.is_null()) return;
  for (const char* key : {"solution_crc32", "iterations", "true_residual", "correlator"}) {
    INFO(key);
    CHECK(a[key] == b[key]);
  }
}

}  // namespace

TEST_CASE("R1 over Tofu nodes: 2x2x2, a group of twelve, one with a node lost, QPACE's bits") {
  const Json tofu = ht::test::check_r1({"tofu"});
  if (!tofu.is_null()) CHECK(tofu["errors"]["retransmissions"] > 0);
  check_same_solution(tofu, ht::test::check_r1({"qpace"}));
  check_same_solution(tofu,
                      ht::test::check_r1({"tofu", "--machine", "1x1x1x2x3x2", "--nodes", "2x2x2"}));
  check_same_solution(
      tofu, ht::test::check_r1({"tofu", "--machine", "1x1x1x2x3x2", "--failed", "0,0,0,0,1,1"}));
}

TEST_CASE("R2 over Tofu nodes: 2x2x2, and a group of twelve, QPACE's bits") {
  const Json tofu = ht::test::check_r2({"tofu"});
  check_same_solution(tofu, ht::test::check_r2({"qpace"}));
  check_same_solution(tofu,
                      ht::test::check_r2({"tofu", "--machine", "1x1x1x2x3x2", "--nodes", "2x2x2"}));
}

TEST_CASE("Twelve ranks on a Tofu group, twice: the same run, and the bits of one node") {
  const std::vector<std::string> job{"tofu",    "--machine", "1x1x1x2x3x2", "--lattice",
                                     "4x6x4x8", "--ber",     "1e-6"};
  const Json first = ht::test::run_json(job), second = ht::test::run_json(job);
  CHECK(first["verdict"] == "bit-exact");
  for (const char* key : {"errors", "links", "times_s", "solution_crc32"}) {
    INFO(key);
    CHECK(first[key] == second[key]);
  }
}
