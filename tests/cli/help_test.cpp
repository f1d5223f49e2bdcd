// SPDX-License-Identifier: Apache-2.0
// Unknown words on the command line are answered with the nearest known one. That --help, its
// examples and docs/commands agree is docs/commands/update.py's to check.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/cli/program.hpp"

using ht::test::run_program;

namespace {

void check_answer(const std::vector<std::string>& arguments, int code, const std::string& answer) {
  const ht::test::Outcome outcome = run_program(arguments);
  INFO(outcome.err);
  CHECK(outcome.code == code);
  CHECK(outcome.err.find(answer) != std::string::npos);
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
}

}  // namespace

TEST_CASE("an unknown option is answered with the nearest") {
  check_answer({"run", "--node", "2x2x2"}, 2, "unknown option --node; did you mean --nodes?");
  check_answer({"run", "--latice=4x4x4x4"}, 2, "unknown option --latice; did you mean --lattice?");
  check_answer({"bench", "dirac", "--jsno", "x"}, 2, "did you mean --json?");
  check_answer({"--verison"}, 2, "did you mean --version?");
  check_answer({"run", "--wallpaper"}, 2, "unknown option --wallpaper (see");
}

TEST_CASE("an unknown command or choice is answered with the nearest, or with all there are") {
  check_answer({"rnu"}, 2, "unknown command rnu; did you mean run?");
  check_answer({"fly"}, 2, "unknown command fly; there are run, ");
  check_answer({"board", "--simulate", "hx8k_qcdoc"}, 2,
               "board is a command of ./hypertorus in a source tree (see hypertorus --help)");
  check_answer({"bench", "dirca"}, 2, "did you mean dirac?");
  check_answer({"bench"}, 2, "hypertorus bench: which one of ");
  check_answer({"run", "qpcae"}, 2, "did you mean qpace?");
  check_answer({"run", "--field", "waek"}, 2, "did you mean weak?");
}

TEST_CASE("a missing configuration is answered with the nearest file beside it") {
  const ht::test::ScratchFolder folder;
  std::ofstream(folder.file("beta6.0.lime")) << "x";
  std::ofstream(folder.file("readme")) << "x";
  check_answer({"run", "--config", folder.file("beta60.lime")}, 3,
               "did you mean " + folder.file("beta6.0.lime") + "?");
}
