// SPDX-License-Identifier: Apache-2.0
// User programs that put, get and wire gates by uTofu beside QMP, and the profile TofuD.
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

using ht::test::compile_program;
using ht::test::contains;
using ht::test::of_node;
using ht::test::Outcome;
using ht::test::run_exec;
using ht::test::run_program;
using ht::test::ScratchFolder;
using ht::test::with;

TEST_CASE("Tofu: the same programs, and one that puts by uTofu beside QMP") {
  const ScratchFolder folder;
  const Outcome hello = run_exec({"tofu", "--machine", "1x1x1x2x3x2", "--failed", "0,0,0,1,1,0"},
                                 {compile_program(folder, "examples/hello.c", "-O0")});
  REQUIRE(hello.code == 0);
  CHECK(of_node(hello.out, 7).at(0) == "hello from node 7 of 8 at (1,1,1)");
  CHECK(of_node(hello.out, 0).at(1) == "36 calls on all nodes, 1 of them mine");
  const Outcome halo = run_exec({"tofu", "--nodes", "2x2", "--ber", "1e-5", "--seed", "3"},
                                {compile_program(folder, "examples/halo_exchange.c", "-O0")});
  CHECK(halo.code == 0);
  const Outcome models = run_exec({"tofu", "--network", "functional"},
                                  {compile_program(folder, "examples/hello.c", "-O0")});
  CHECK(models.code == 0);
  CHECK(of_node(models.out, 7).at(0) == "hello from node 7 of 8 at (1,1,1)");
  const std::string put = compile_program(folder, "examples/put.c", "-O0");
  for (const char* network : {"rtl", "functional"}) {
    const Outcome puts = run_exec({"tofu", "--nodes", "2", "--network", network}, {put, "4096"});
    INFO(network << ' ' << puts.out << puts.err);
    CHECK(puts.code == 0);
    CHECK(of_node(puts.out, 0).size() == 11);  // a heading, 8 to 4096 bytes
  }
  const Outcome elsewhere = run_exec({"qpace", "--nodes", "2x1x1"}, {put});
  CHECK(elsewhere.code != 0);
  CHECK(contains(elsewhere.err, "needs nodes of Tofu"));
}

TEST_CASE("Tofu: the profile TofuD, on models and over its hardware") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "examples/one_sided.c", "-O0");
  const std::vector<std::string> profile{"tofu", "--profile", "tofud"};
  const Outcome models = run_exec(with(profile, {"--network", "functional"}), {program, "5000"});
  CHECK(models.code == 0);
  CHECK(contains(models.out, "and back; 8 tickets, all different"));
  const Outcome verilog = run_exec(with(profile, {"--nodes", "2"}), {program, "5000"});
  CHECK(verilog.code == 0);
  CHECK(contains(verilog.out, "and back; 2 tickets, all different"));
  const Outcome other = run_exec({"tofu", "--profile", "tofu2"}, {program});
  CHECK(other.code == 2);
  CHECK(contains(other.err, "choose one of k, tofud"));
  const Outcome solver = run_program(with({"run"}, with(profile, {"--network", "functional"})));
  CHECK(solver.code == 2);
  CHECK(contains(solver.err, "--profile: no effect on the functional network"));
}

TEST_CASE("Tofu: one-sided communication beside QMP, over bad cables") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "examples/one_sided.c", "-O0");
  for (const auto& [option, value] :
       {std::pair{"--ber", "1e-5"}, std::pair{"--network", "functional"}}) {
    INFO(value);
    const Outcome outcome = run_exec(
        {"tofu", "--nodes", "3x2", "--machine", "1x1x1x2x3x1", option, value}, {program, "5000"});
    CHECK(outcome.code == 0);
    CHECK(contains(outcome.out, "[0] 5000 bytes to the next node in "));
    CHECK(contains(outcome.out, "and back; 6 tickets, all different"));
  }
  const Outcome none =
      run_exec({"qpace", "--nodes", "2x1x1", "--network", "functional"}, {program});
  CHECK(none.code == 1);
  CHECK(contains(none.err, "needs at least a byte, and nodes of Tofu"));
}

TEST_CASE("Tofu: what became of a command that nobody looked after is told at the end") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "tests/cli/programs/left_behind.c", "-O0");
  for (const char* const network : {"rtl", "functional"}) {
    for (const auto& [what, said] :
         {std::pair{"beyond",
                    "1 notice(s) of uTofu commands that failed were not polled, the first "
                    "one is UTOFU_ERR_TCQ_OTHER"},
          {"freed", "1 notice(s) of uTofu commands that failed were not polled"},
          {"barrier", "1 barrier(s) or reduction(s) of uTofu were started and not polled"},
          {"good", ""}}) {
      INFO(network << ", " << what);
      const Outcome outcome =
          run_exec({"tofu", "--nodes", "2", "--network", network}, {program, what});
      INFO(outcome.err);
      CHECK(outcome.code == (*said == '\0' ? 0 : 1));
      CHECK(contains(outcome.err, said));
      CHECK(contains(outcome.err, "refused: the end of main()") == (*said != '\0'));
    }
    // Sums look at the hardware, and must not take the error for theirs.
    const Outcome stray =
        run_exec({"tofu", "--nodes", "2", "--network", network}, {program, "stray"});
    INFO(network << ", a stray packet: " << stray.err);
    CHECK(stray.code == 5);
    CHECK(contains(stray.err, "came to a gate that is not wired"));
    CHECK(contains(stray.err, "node 1"));
  }
}

TEST_CASE("Tofu: a long put in parts over several interfaces and ways is as many times as fast") {
  const ScratchFolder folder;
  struct Case {
    std::vector<std::string> network;
    double rate;  // GB/s, of the bytes of messages: 1,920 of 1,968 on a link
  };
  const auto [network, limit] =
      GENERATE(Case{{"--ber", "0", "--bursts", "0"}, 4.88}, Case{{"--network", "functional"}, 4.88},
               Case{{"--network", "functional", "--profile", "tofud"}, 6.64});
  const Outcome outcome =
      run_exec(with({"tofu", "--machine", "2x1x1x2x3x1"}, network),
               {compile_program(folder, "examples/split_put.c", "-O0"), "262144"});
  REQUIRE(outcome.code == 0);
  const std::vector<std::string> printed = of_node(outcome.out, 0);
  REQUIRE(printed.size() == 3);
  for (int i = 0; i < 3; ++i) {
    int ways = 0;
    double rate = 0;
    REQUIRE(std::sscanf(printed[static_cast<std::size_t>(i)].c_str(), "%d ways: %lf GB/s", &ways,
                        &rate) == 2);
    CHECK(ways == 1 << i);
    // The parts' start and end count.
    CHECK(rate < limit * ways);
    CHECK(rate > (ways == 1 ? 0.97 : 0.9) * limit * ways);
  }
}

TEST_CASE("Tofu: columns put with a stride, prepared once and posted often, and puts with gaps") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "examples/strides.c", "-O0");
  // 100 blocks: more than a queue takes at a time.
  const Outcome bad =
      run_exec({"tofu", "--nodes", "3", "--machine", "1x1x1x1x3x1", "--ber", "1e-5"},
               {program, "100", "20", "4"});
  CHECK(bad.code == 0);
  const Outcome models =
      run_exec({"tofu", "--nodes", "3", "--network", "functional"}, {program, "100", "20", "4"});
  CHECK(models.code == 0);
  const Outcome good =
      run_exec({"tofu", "--nodes", "2", "--ber", "0", "--bursts", "0"}, {program, "24", "192"});
  REQUIRE(good.code == 0);
  const std::vector<std::string> printed = of_node(good.out, 0);
  REQUIRE(printed.size() == 5);
  CHECK(printed[0].starts_with("two columns of 24 x 192 bytes, by strides: "));
  CHECK(printed[1].starts_with("two columns of 24 x 192 bytes, packed (packing not counted): "));
  for (int i = 0; i < 3; ++i) {
    const int gap = std::array{0, 8, 24}[static_cast<std::size_t>(i)];
    int bytes = 0, told = 0;
    double rate = 0;
    REQUIRE(std::sscanf(printed[static_cast<std::size_t>(2 + i)].c_str(), "%d bytes, gap %d: %lf",
                        &bytes, &told, &rate) == 3);
    CHECK((bytes == 65536 && told == gap));
    // 1,920 of 1,968 bytes at 5 GB/s; with a gap, 8 of 8 + gap of that, but for the last packet's.
    const double most = 5.0 * 1920 / 1968 * 8 / (8 + gap);
    const double packets = 35;
    CHECK(rate < most * packets / (packets - 1));
    CHECK(rate > 0.9 * most);
  }
  const Outcome none =
      run_exec({"qpace", "--nodes", "2x1x1", "--network", "functional"}, {program});
  CHECK(none.code == 1);
  CHECK(contains(none.err, "needs two nodes of Tofu"));
}
