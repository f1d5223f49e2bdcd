// SPDX-License-Identifier: Apache-2.0
// Solution files: taken apart by hand, read back, damaged, compared.
#include "sw/dirac/solution.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "sw/host/errors.hpp"
#include "tests/dirac/lime_by_hand.hpp"

using namespace ht;
using namespace ht::test;
using Catch::Contains;
using dirac::Precision;
using dirac::Solution;

namespace {

/// Number i is i + 1/2, so that every place in the file is known.
Solution counting(Precision precision, int columns = 2) {
  Solution s;
  s.lattice = {2, 1, 3, 2};
  s.precision = precision;
  s.columns = columns;
  s.description = "counting";
  for (int i = 0; i < columns * 12 * 24; ++i) {
    const double x = i + 0.5;
    if (precision == Precision::Double) {
      append(s.data, &x, sizeof x);
    } else {
      const auto y = static_cast<float>(x);
      append(s.data, &y, sizeof y);
    }
  }
  return s;
}

Content written(const Solution& s) {
  const TemporaryFile file({});
  dirac::write_solution(s, file.path());
  std::ifstream stream(file.path(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  return text(bytes);
}

Solution read(const Content& content) {
  const TemporaryFile file(content, "thisfile");
  return dirac::read_solution(file.path());
}

void check_refused(const Content& content, const std::string& what) {
  const TemporaryFile file(content, "thisfile");
  CHECK_THROWS_WITH(dirac::read_solution(file.path()),
                    Contains("thisfile") && Contains(what) && Contains("; "));
}

void set(Solution& s, std::size_t i, double x) {
  std::memcpy(&s.data[8 * i], &x, sizeof x);
}

}  // namespace

TEST_CASE("a solution file holds columns in SciDAC records", "[solution]") {
  for (const bool wide : {true, false}) {
    const std::size_t bytes = wide ? 8 : 4;
    const auto records =
        lime_by_hand(written(counting(wide ? Precision::Double : Precision::Single)));
    REQUIRE(records.size() == 2 + 2 * 4);
    CHECK(records[0].has("<dims>2 1 3 2 </dims>"));
    for (std::size_t c = 0; c < 2; ++c) {
      const auto* r = &records[2 + 4 * c];
      CHECK(r[0].type == "scidac-private-record-xml");
      CHECK(r[0].flags == 0x8000);
      CHECK(r[0].has(wide ? "QDP_D3_DiracFermion" : "QDP_F3_DiracFermion"));
      CHECK(r[0].has(wide ? "<typesize>192<" : "<typesize>96<"));
      CHECK(r[1].has("<colour>0</colour><spin>" + std::to_string(c) + "</spin>"));
      REQUIRE(r[2].type == "scidac-binary-data");
      REQUIRE(r[2].data.size() == 12 * 24 * bytes);
      for (std::size_t i = 0; i < 12 * 24; ++i) {
        const std::uint64_t bits = big_number(r[2].data, i * bytes, bytes);
        const double x =
            wide ? std::bit_cast<double>(bits)
                 : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
        REQUIRE(x == static_cast<double>(c * 12 * 24 + i) + 0.5);
      }
      CHECK(r[3].type == "scidac-checksum");
      CHECK(r[3].flags == 0x4000);
      const auto [a, b] = site_checksums(r[2].data, 24 * bytes);
      CHECK(r[3].has("<suma>" + hex(a) + "</suma><sumb>" + hex(b) + "</sumb>"));
    }
  }
}

TEST_CASE("a solution is read back bit by bit", "[solution]") {
  for (const Precision p : {Precision::Double, Precision::Single}) {
    const Solution s = counting(p, 3);
    const Solution back = read(written(s));
    CHECK(back.data == s.data);
    CHECK(back.lattice == s.lattice);
    CHECK(back.precision == p);
    CHECK(back.columns == 3);
    CHECK(back.description == "counting");
    CHECK(back.verified.size() == 3);
    CHECK(back.labels == std::vector<Solution::Label>{{0, 0}, {0, 1}, {0, 2}});
  }
}

TEST_CASE("a staggered solution is a file of colour vectors", "[solution]") {
  Solution s = counting(Precision::Double, 1);
  s.spins = 1;
  s.columns = 4;  // of 6 numbers a site, where a spinor has 24
  s.shifts = 2;
  const Content content = written(s);
  // As MILC writes them (binary_samples/ksvector.ans.Minv.sample.l8): no spins.
  CHECK(
      std::string(reinterpret_cast<const char*>(content.data()), content.size())
          .find("<datatype>QDP_D3_ColorVector</datatype><precision>D</precision><colors>3</colors>"
                "<typesize>48</typesize><datacount>1</datacount>") != std::string::npos);
  CHECK(std::string(reinterpret_cast<const char*>(content.data()), content.size())
            .find("<colour>1</colour><spin>0</spin>") != std::string::npos);
  const Solution back = read(content);
  CHECK(back.spins == 1);
  CHECK(back.columns == 4);
  CHECK(back.data == s.data);
}

TEST_CASE("damaged solution files are refused", "[solution]") {
  const Content good = written(counting(Precision::Double));
  Content bad = good;
  bad[good.size() - 400] ^= std::byte{1};  // in the last column's data
  check_refused(bad, "checksums are");
  for (std::size_t left = 0; left < good.size(); left += 211) {
    CAPTURE(left);
    const TemporaryFile cut(
        Content(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(left)));
    CHECK_THROWS_AS(dirac::read_solution(cut.path()), DataError);
  }
  // Whole records, but a column missing.
  const std::size_t column = 144 * 4 + 12 * 24 * 8;
  std::size_t at = good.size() - column;
  while (big_number(good, at, 4) != 0x456789ab || big_number(good, at + 6, 2) != 0x8000) --at;
  check_refused(Content(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(at)),
                "1 whole columns instead of 2");
  check_refused(text("hello"), "no LIME");
  CHECK_THROWS_WITH(dirac::read_solution("/nowhere/thisfile"), Contains("no such file"));
}

TEST_CASE("solutions are compared by bits and by size", "[solution]") {
  const Solution a = counting(Precision::Double);
  Solution b = a;
  auto d = compare_solutions(a, b);
  CHECK(d.words == a.data.size() / 4);
  CHECK(d.words_different == 0);
  CHECK(d.relative == 0);
  CHECK_FALSE(d.first);

  set(b, 300, 301.5);  // 300.5 before
  d = compare_solutions(a, b);
  CHECK(d.words_different == 1);  // the other half of the double is the same
  CHECK(d.first == 300U);
  CHECK(d.largest == 1);
  CHECK(d.relative == Approx(1 / 575.5));

  b = a;
  b.data[8 * 7] ^= std::byte{1};  // one bit
  d = compare_solutions(a, b);
  CHECK(d.words_different == 1);
  CHECK(d.first == 7U);
  CHECK(d.relative > 0);
  CHECK(d.relative < 1e-15);

  b.data[8 * 7] ^= std::byte{1};             // back
  for (const std::size_t byte : {3U, 7U}) {  // the last byte of a word counts too
    b.data[8 * 9 + byte] ^= std::byte{0x80};
    CHECK(compare_solutions(a, b).words_different == 1);
    b.data[8 * 9 + byte] ^= std::byte{0x80};
  }

  set(b, 7, std::numeric_limits<double>::quiet_NaN());
  set(b, 9, 1);  // what follows does not hide it
  d = compare_solutions(a, b);
  CHECK(d.first == 7U);
  CHECK(std::isnan(d.largest));
  CHECK(std::isinf(d.relative));
  d = compare_solutions(b, b);
  CHECK_FALSE(d.first);
  CHECK(d.relative == 0);

  b = a;
  Solution zero = a;
  set(b, 8, -0.0);
  set(zero, 8, 0.0);
  d = compare_solutions(zero, b);
  CHECK(d.words_different == 1);
  CHECK(d.first == 8U);
  CHECK(d.largest == 0);
  CHECK(d.relative == 0);

  d = compare_solutions(a, counting(Precision::Single));
  CHECK(d.words == 0);
  CHECK(d.relative == 0);  // halves are exact in float
  CHECK_THROWS_AS(compare_solutions(a, counting(Precision::Double, 3)), DataError);
}

TEST_CASE("a place in a solution has the column, shift and spin that the file says", "[solution]") {
  const std::size_t column = 12 * 24;
  const Solution plain = read(written(counting(Precision::Double, 6)));
  CHECK(place_of(plain, 5 * column + 3 * 24 + 2 * 6 + 3) ==
        "column 5 (colour 1, spin 1), site (1,0,1,0), spin 2, colour 1, im");

  Solution s = counting(Precision::Double, 4);
  s.shifts = 2;
  const Solution shifted = read(written(s));
  CHECK(place_of(shifted, 0) ==
        "column 0 (colour 0, spin 0), shift 0, site (0,0,0,0), spin 0, colour 0, re");
  CHECK(place_of(shifted, 3 * column + 24) ==
        "column 1 (colour 0, spin 1), shift 1, site (1,0,0,0), spin 0, colour 0, re");
  // As many records, of other columns.
  const Solution other = read(written(counting(Precision::Double, 4)));
  CHECK_THROWS_AS(compare_solutions(shifted, other), DataError);

  s = counting(Precision::Double, 1);
  s.spins = 1;
  s.columns = 3;  // of 6 numbers a site; the rest is not written
  CHECK(place_of(read(written(s)), 2 * 12 * 6 + 5 * 6 + 4) ==
        "column 2 (colour 2), site (1,0,2,0), colour 2, re");
  s.columns = 4;
  s.shifts = 2;
  CHECK(place_of(read(written(s)), 3 * 12 * 6 + 7) ==
        "column 1 (colour 1), shift 1, site (1,0,0,0), colour 0, im");
}

TEST_CASE("a solution whose column has no label is refused", "[solution]") {
  Content content = written(counting(Precision::Double));
  const std::string bytes(reinterpret_cast<const char*>(content.data()), content.size());
  const std::size_t at = bytes.find("<spin>1</spin>");
  REQUIRE(at != std::string::npos);
  content[at + 6] = std::byte{'7'};
  check_refused(content, "colour and spin");
}
