// SPDX-License-Identifier: Apache-2.0
// run --partition: two jobs at once on one machine, each what it is by itself.
#include <catch2/catch.hpp>

#include "tests/cli/program.hpp"

using ht::test::run_json;
using ht::test::run_program;
using Json = nlohmann::json;

TEST_CASE("two partitions solve what two runs by themselves solve") {
  const std::vector<std::string> common = {"--lattice",   "4x4x4x4", "--ber",     "1e-5",
                                           "--tolerance", "1e-6",    "--threads", "2"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), common.begin(), common.end());
    return more;
  };
  const Json both = run_json(with({"--nodes", "1x2x4", "--partition", "z:2+2", "--seed", "5"}));
  REQUIRE(both["partitions"].size() == 2);
  CHECK(both["verdict"] == "bit-exact");
  CHECK(both["options"]["partitions"] == 2);
  CHECK(both["options"]["seed"] == 5);
  for (std::size_t p = 0; p < 2; ++p) {
    const Json& part = both["partitions"][p];
    INFO("partition " << p);
    CHECK(part["verdict"] == "bit-exact");
    CHECK(part["errors"]["injected"] > 0);
    CHECK(part["errors"]["undetected"] == 0);
    CHECK(part["links"].size() == 4 * 6);
    for (const Json& link : part["links"]) CHECK(link["tx_checksum"] == link["rx_checksum"]);
    const Json alone = run_json(with({"--nodes", "1x2x2", "--seed", std::to_string(5 + p)}));
    CHECK(part["solution_crc32"] == alone["solution_crc32"]);
    CHECK(part["iterations"] == alone["iterations"]);
    CHECK(part["correlator"] == alone["correlator"]);
  }
  CHECK(both["partitions"][0]["solution_crc32"] != both["partitions"][1]["solution_crc32"]);
}

TEST_CASE("the verdict of partitions is that of the first that is not bit-exact") {
  const Json both =
      run_json({"--nodes", "1x2x2", "--partition", "z:1+1", "--lattice", "4x4x2x2", "--tolerance",
                "1e-2", "--ber", "0", "--bursts", "0", "--forged", "1"},
               1);
  CHECK(both["verdict"] == "mismatch");
  const Json& parts = both["partitions"];
  CHECK((parts[0]["verdict"] == "bit-exact") != (parts[1]["verdict"] == "bit-exact"));
}

TEST_CASE("a partition that does not converge says so, with its exit code") {
  const auto outcome = run_program({"run", "--nodes", "2", "--partition", "x:1+1", "--lattice",
                                    "4x4x4x4", "--max-iterations", "1", "--quiet"});
  CHECK(outcome.code == 6);
  CHECK(outcome.err.find("partition 0:") != std::string::npos);
  CHECK(outcome.err.find("partition 1:") != std::string::npos);
}

TEST_CASE("barriers over the torus give the same answer, and other times") {
  const std::vector<std::string> job = {"--nodes", "2x2",         "--lattice",
                                        "4x4x4x4", "--tolerance", "1e-5"};
  auto torus = job;
  torus.insert(torus.end(), {"--barrier", "torus"});
  CHECK(run_json(job)["solution_crc32"] == run_json(torus)["solution_crc32"]);
}
