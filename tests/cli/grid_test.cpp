// SPDX-License-Identifier: Apache-2.0
// The answer does not depend on how the lattice is cut into nodes.
#include <catch2/catch.hpp>

#include "tests/cli/program.hpp"

using ht::test::run_json;
using Json = nlohmann::json;

namespace {

void check_grids(const std::vector<std::string>& grids, const std::vector<std::string>& options) {
  Json first;
  for (const std::string& grid : grids) {
    INFO("nodes " << grid);
    std::vector<std::string> arguments = options;
    arguments.insert(arguments.end(), {"--nodes", grid});
    const Json run = run_json(arguments);
    CHECK(run["verdict"] == "bit-exact");
    if (first.is_null()) first = run;
    CHECK(run["solution_crc32"] == first["solution_crc32"]);
    CHECK(run["correlator"] == first["correlator"]);
    CHECK(run["iterations"] == first["iterations"]);
    CHECK(run["columns"][0]["residual_norm2"] == first["columns"][0]["residual_norm2"]);
  }
}

}  // namespace

TEST_CASE("five node grids give identical bits over RTL") {
  check_grids({"1", "2x1x1", "2x2x1", "2x2x2", "4x2x1"}, {});
}

TEST_CASE("8x8x8x8, which has interior sites, on four node grids over RTL", "[nightly]") {
  check_grids({"1", "2x1x1", "2x2x1", "2x2x2"}, {"--lattice", "8x8x8x8"});
}
