// SPDX-License-Identifier: Apache-2.0
// Published numbers, reproduced over Verilated nodes with bad cables. The gauge fields are other
// people's and stay outside: HYPERTORUS_DATA names their folder (docs/howto/build.md says where
// they come from).
#include "tests/cli/reference_checks.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>

#include "tests/cli/program.hpp"

namespace ht::test {

using Json = nlohmann::json;

namespace {

// Path of an outside file, or an empty string after saying why the test is skipped.
std::string outside(const std::string& name) {
  const char* folder = std::getenv("HYPERTORUS_DATA");
  if (folder == nullptr) {
    std::cout << "SKIPPED: HYPERTORUS_DATA is not set\n";
    return {};
  }
  const std::string file = std::string(folder) + "/" + name;
  if (!std::filesystem::exists(file)) {
    std::cout << "SKIPPED: there is no " << file << "\n";
    return {};
  }
  return file;
}

void check_correlator(const Json& run, const std::vector<double>& published, double relative) {
  REQUIRE(run["correlator"].size() == published.size());
  for (std::size_t t = 0; t < published.size(); ++t) {
    INFO("t = " << t);
    CHECK(run["correlator"][t].get<double>() == Approx(published[t]).epsilon(relative).margin(0));
  }
}

}  // namespace

Json check_r1(const std::vector<std::string>& machine) {
  const std::string file = outside("weak_field_4448.lime");
  if (file.empty()) return nullptr;
  const Json run =
      run_json(with(machine, {"--config", file, "--kappa", "0.11", "--boundary", "1,1,1,0",
                              "--source", "gaussian:0,0,0,6:2.0:5", "--columns", "12"}));
  CHECK(run["verdict"] == "bit-exact");
  CHECK(run["plaquette"].get<double>() == Approx(0.9948041322667).epsilon(1e-12).margin(0));
  const std::vector<int> published{46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 47, 46};
  REQUIRE(run["iterations"].size() == published.size());
  double source_norm2 = 0;
  for (std::size_t i = 0; i < published.size(); ++i) {
    INFO("column " << i);
    CHECK(std::abs(run["iterations"][i].get<int>() - published[i]) <= 1);
    source_norm2 += run["columns"][i]["source_norm2"].get<double>();
  }
  CHECK(source_norm2 == Approx(6.64483824014293).epsilon(1e-13).margin(0));
  check_correlator(
      run,
      {0.000171809638534064, 0.000420969105594192, 0.00103332200151086, 0.0025387939070557,
       0.00626143806225583, 0.01651517863739, 0.195116545587354, 0.0165409060130105},
      1e-12);
  return run;
}

Json check_r2(const std::vector<std::string>& machine) {
  const std::string file = outside("weak_field_default_4448.nersc");
  if (file.empty()) return nullptr;
  const Json run = run_json(with(machine, {"--config", file, "--columns", "12"}));
  CHECK(run["verdict"] == "bit-exact");
  for (const Json& iterations : run["iterations"]) CHECK(std::abs(iterations.get<int>() - 45) <= 1);
  // The published numbers come from a 32-bit solve, and the file's links have 32 bits.
  check_correlator(
      run,
      {0.695079542817612, 0.0371189179171885, 0.00801121181124138, 0.00306581890117901,
       0.00206155290575518, 0.00306324855903622, 0.00800190487584655, 0.0371176432075916},
      2e-6);
  // An independent program's, in double from the double field.
  check_correlator(
      run,
      {6.950795631157517e-01, 3.711892328076954e-02, 8.011214883989077e-03, 3.065820840550276e-03,
       2.061554593966028e-03, 3.063250689500916e-03, 8.001908716233181e-03, 3.711765151252746e-02},
      1e-7);
  return run;
}

}  // namespace ht::test
