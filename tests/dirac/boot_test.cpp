// SPDX-License-Identifier: Apache-2.0
// Boot blocks and boxes of links: what goes in comes out, and damage is seen.
#include <catch2/catch.hpp>

#include "sw/dirac/boot.hpp"
#include "sw/host/errors.hpp"

namespace {

using namespace ht::dirac;

JobSpec odd_job() {
  JobSpec s;
  s.lattice = {6, 4, 2, 8};
  s.node_grid = {2, 1, 2};
  s.field = FieldKind::Hot;
  s.seed = 77;
  s.fermions.kappa = 0.1 + 1e-17;
  s.boundary = {1, 0.3, 1, -1};
  s.source = {true, {5, 3, 1, 7}, 2.1, 9};
  s.columns = 12;
  s.precision = Precision::Single;
  s.solver = SolverKind::Full;
  s.tolerance = 1.0 / 3e9;
  s.max_iterations = 123;
  s.sum = SumKind::Fast;
  return s;
}

TEST_CASE("a boot block brings the job back, every bit of it") {
  for (const JobSpec& s : {JobSpec{}, odd_job()}) {
    const JobSpec back = from_boot_block(to_boot_block(s));
    CHECK(back.lattice == s.lattice);
    CHECK(back.node_grid == s.node_grid);
    CHECK(back.description == describe(s.field, s.seed));
    CHECK(back.fermions.kappa == s.fermions.kappa);
    CHECK(back.boundary == s.boundary);
    CHECK(back.source.gaussian == s.source.gaussian);
    CHECK(back.source.position == s.source.position);
    CHECK(back.source.width == s.source.width);
    CHECK(back.source.iterations == s.source.iterations);
    CHECK(back.columns == s.columns);
    CHECK(back.precision == s.precision);
    CHECK(back.solver == s.solver);
    CHECK(back.tolerance == s.tolerance);
    CHECK(back.max_iterations == s.max_iterations);
    CHECK(back.sum == s.sum);
  }
}

TEST_CASE("a damaged boot block is no boot block") {
  const std::string text = to_boot_block(odd_job());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string t = text;
    t[i] = static_cast<char>(t[i] ^ 1);
    CHECK_THROWS_AS(from_boot_block(t), ht::DataError);
  }
  CHECK_THROWS_AS(from_boot_block(text.substr(0, text.size() / 2)), ht::DataError);
  CHECK_THROWS_AS(from_boot_block(""), ht::DataError);
}

TEST_CASE("a box of links comes back, and any damage is seen") {
  const GlobalGauge gauge = generate_gauge(FieldKind::Hot, 3, {4, 4, 2, 4});
  const Box box{{2, 0, 1, 1}, {2, 3, 1, 2}};
  auto bytes = encode_box(gauge, box);
  CHECK(bytes.size() == 12 * 576 + 4);
  const auto links = decode_box(bytes, box);
  for (std::int64_t i = 0; i < 12; ++i) {
    Coordinates x = coordinates_of(i, box.extents);
    for (std::size_t mu = 0; mu < 4; ++mu) x[mu] += box.origin[mu];
    for (std::size_t mu = 0; mu < 4; ++mu) {
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 3; ++b) {
          CHECK(links[static_cast<std::size_t>(i)][mu].e[a][b][0] == gauge.at(x)[mu].e[a][b][0]);
          CHECK(links[static_cast<std::size_t>(i)][mu].e[a][b][1] == gauge.at(x)[mu].e[a][b][1]);
        }
      }
    }
  }
  bytes[1000] ^= 4;
  CHECK_THROWS_AS(decode_box(bytes, box), ht::DataError);
  bytes.pop_back();
  CHECK_THROWS_AS(decode_box(bytes, box), ht::DataError);
}

TEST_CASE("names of boxes") {
  const Box box{{2, 0, 1, 1}, {2, 3, 1, 2}};
  CHECK(box_name(box) == "gauge/2,0,1,1/2x3x1x2");
  CHECK(parse_box_name("gauge/2,0,1,1/2x3x1x2") == box);
  for (const char* bad : {"", "gauge", "gauge/1,2,3/2x3x1x2", "gauge/2,0,1,1/2x3x1x2x", "boot",
                          "gauge/2,0,1,01/2x3x1x2"})
    CHECK_FALSE(parse_box_name(bad));
}

}  // namespace
