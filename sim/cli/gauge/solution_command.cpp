// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/gauge/solution_command.hpp"
#include "sim/output/distinct_files.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "sw/dirac/solution.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

void print_file(const std::string& file, const dirac::Solution& s) {
  fmt::print(
      "{}\n    {}, {}, {} column(s), every checksum right; {}\n", file, dirac::to_string(s.lattice),
      s.precision == dirac::Precision::Double ? "double" : "single", s.columns, s.description);
}

}  // namespace

void declare_solution_options(CLI::App& app, SolutionArguments& a) {
  app.require_subcommand(1);
  CLI::App* compare = app.add_subcommand("compare", "are two solutions equal, to the bit?");
  compare->add_option("a", a.a, "written by run --save-solution")->required()->type_name("A");
  compare->add_option("b", a.b, "likewise")->required()->type_name("B");
  compare
      ->add_option("--tolerance", a.tolerance,
                   "accept differences up to this, relative to the largest number of A")
      ->capture_default_str();
  compare->add_option("--json", a.json, "write the numbers to FILE");
}

int solution_command(const SolutionArguments& arguments, Results& results) {
  if (!(arguments.tolerance >= 0 && arguments.tolerance < 1))
    throw UsageError(
        fmt::format("--tolerance {}: must lie between 0 (every bit) and 1", arguments.tolerance));
  check_distinct({{"--json", arguments.json}}, {{"A", arguments.a}, {"B", arguments.b}});
  results.open(arguments.json);
  const dirac::Solution a = dirac::read_solution(arguments.a);
  const dirac::Solution b = dirac::read_solution(arguments.b);
  print_file(arguments.a, a);
  print_file(arguments.b, b);
  const dirac::SolutionDifference d = dirac::compare_solutions(a, b);
  const bool bits = d.words > 0;
  const bool equal = bits && d.words_different == 0;
  if (bits)
    fmt::print("different    {} of {} words of 32 bits\n", d.words_different, d.words);
  else
    fmt::print("different    bits are not comparable: one is double, the other single\n");
  fmt::print("largest      {:.6g}, relative to the largest number {:.6g}\n", d.largest, d.relative);
  if (d.first) fmt::print("first        {}\n", place_of(a, *d.first));
  const bool good = equal || (arguments.tolerance > 0 && d.relative <= arguments.tolerance);
  fmt::print("verdict      {}\n", equal  ? "equal to the bit"
                                  : good ? "equal within the tolerance"
                                         : "different");
  results.add({{"words", d.words},
               {"words_different", d.words_different},
               {"largest", d.largest},
               {"relative", d.relative},
               {"equal", equal},
               {"accepted", good}});
  return static_cast<int>(good ? ExitCode::Ok : ExitCode::Mismatch);
}

}  // namespace ht::cli
