// SPDX-License-Identifier: Apache-2.0
// The readers on small files that the test writes itself, good and bad ones.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>

#include "sw/dirac/gauge/lime_records.hpp"
#include "sw/host/errors.hpp"
#include "tests/dirac/gauge_writer.hpp"

using namespace ht;
using namespace ht::test;
using Catch::Contains;
using dirac::FieldKind;

namespace {

const GlobalGauge& field() {
  static const GlobalGauge gauge = dirac::generate_gauge(FieldKind::Hot, 5, {2, 3, 4, 5});
  return gauge;
}

GlobalGauge read(const Content& content,
                 const std::optional<Coordinates>& expected = std::nullopt) {
  const TemporaryFile file(content);
  return dirac::read_gauge_file(file.path(), expected);
}

double difference(const GlobalGauge& a, const GlobalGauge& b) {
  REQUIRE(a.lattice == b.lattice);
  double worst = 0;
  for (std::size_t i = 0; i < a.links.size(); ++i) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c < 3; ++c) {
          for (std::size_t p = 0; p < 2; ++p) {
            worst =
                std::fmax(worst, std::fabs(a.links[i][mu].e[r][c][p] - b.links[i][mu].e[r][c][p]));
          }
        }
      }
    }
  }
  return worst;
}

/// The message must name the file and give a remedy after a semicolon.
void check_refused(const Content& content, const std::string& what,
                   const std::optional<Coordinates>& expected = std::nullopt) {
  INFO("expected complaint: " << what);
  const TemporaryFile file(content, "thisfile");
  try {
    dirac::read_gauge_file(file.path(), expected);
    FAIL("was accepted");
  } catch (const DataError& error) {
    CHECK_THAT(error.what(), Contains("thisfile") && Contains(what) && Contains("; "));
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
    CHECK(error.exit_code() == ExitCode::BadData);
  }
}

Content flipped(Content content, std::size_t at, unsigned bits = 0x10) {
  content.at(at) ^= static_cast<std::byte>(bits);
  return content;
}

Content shortened(Content content, std::size_t bytes) {
  content.resize(content.size() - bytes);
  return content;
}

Content replaced(const Content& content, const std::string& from, const std::string& to) {
  std::string s(reinterpret_cast<const char*>(content.data()), content.size());
  const auto at = s.find(from);
  REQUIRE(at != std::string::npos);
  s.replace(at, from.size(), to);
  return text(s);
}

}  // namespace

TEST_CASE("NERSC files of every kind are read", "[gauge]") {
  for (const int bits : {32, 64}) {
    for (const bool big : {false, true}) {
      for (const int rows : {2, 3}) {
        CAPTURE(bits, big, rows);
        const GlobalGauge got = read(nersc_file(field(), {.bits = bits, .big = big, .rows = rows}));
        // A third row made anew is as good as the arithmetic; stored ones are the same bits.
        const double allowed = bits == 32 ? 2e-7 : rows == 2 ? 1e-15 : 0;
        CHECK(difference(got, field()) <= allowed);
        CHECK(got.precision_bits == bits);
        CHECK(got.verified.size() == 4);
      }
    }
  }
  SECTION("an unnamed byte order is found by the checksum") {
    for (const bool big : {false, true}) {
      const GlobalGauge got = read(nersc_file(field(), {.big = big, .floating_point = "IEEE64"}));
      CHECK(difference(got, field()) == 0);
    }
  }
}

TEST_CASE("MILC files of either byte order are read", "[gauge]") {
  for (const bool big : {false, true}) {
    const GlobalGauge got = read(milc_file(field(), big));
    CHECK(difference(got, field()) <= 6e-8);
    CHECK(got.precision_bits == 32);
  }
}

TEST_CASE("ILDG and SciDAC files are read", "[gauge]") {
  for (const int bits : {32, 64}) {
    for (const bool ildg : {false, true}) {
      for (const bool checksum : {false, true}) {
        CAPTURE(bits, ildg, checksum);
        const GlobalGauge got = read(
            lime_file(field(), {.bits = bits, .ildg = ildg, .checksum = checksum, .user = ""}));
        CHECK(difference(got, field()) <= (bits == 32 ? 6e-8 : 0));
        CHECK(got.verified.size() == (checksum ? 2 : 1));
      }
    }
  }
  SECTION("a user's record may give plaquette and link trace") {
    const std::string user = "<usqcdInfo><plaq>" + std::to_string(field().plaquette.average()) +
                             "</plaq><linktr>" + std::to_string(field().link_trace) +
                             "</linktr></usqcdInfo>";
    CHECK(read(lime_file(field(), {.user = user})).verified.size() == 4);
    check_refused(lime_file(field(), {.user = "<plaq>5.690557e-01</plaq>"}), "plaquette");
    check_refused(lime_file(field(), {.user = "<linktr>0.5</linktr>"}), "link trace");
    check_refused(lime_file(field(), {.user = "<plaq>abc</plaq>"}), "no number");
  }
}

TEST_CASE("the lattice asked for must be the file's", "[gauge]") {
  const Content good = milc_file(field(), true);
  CHECK_NOTHROW(read(good, Coordinates{2, 3, 4, 5}));
  check_refused(good, "holds a 2x3x4x5 lattice, not the 4x4x4x8", Coordinates{4, 4, 4, 8});
}

TEST_CASE("files that are none are refused", "[gauge]") {
  CHECK_THROWS_WITH(dirac::read_gauge_file("/nowhere/thisfile"),
                    Contains("/nowhere/thisfile: no such file; "));
  CHECK_THROWS_WITH(dirac::read_gauge_file(std::filesystem::temp_directory_path()),
                    Contains("not a regular file"));
  check_refused({}, "no gauge configuration");
  check_refused(text("hello"), "no gauge configuration");
  check_refused(flipped(milc_file(field(), true), 0), "no gauge configuration");
}

TEST_CASE("any damage to the links of a file with a checksum is found", "[gauge]") {
  struct Format {
    std::string name;
    Content good;
    std::size_t begin, end;  ///< of the links
  };
  const std::size_t links32 = link_bytes(field(), 32, true, 3).size();
  const Content nersc = nersc_file(field(), {.bits = 32});
  const Content milc = milc_file(field(), false);
  const Content lime = lime_file(field(), {.bits = 32, .user = ""});
  const std::size_t lime_tail = 144 + 104;  // record header, checksum text padded
  for (const Format& f :
       {Format{"nersc", nersc, nersc.size() - links32, nersc.size()},
        Format{"milc", milc, 96, milc.size()},
        Format{"lime", lime, lime.size() - lime_tail - links32, lime.size() - lime_tail}}) {
    CAPTURE(f.name);
    for (std::size_t at = f.begin; at < f.end; at += 997) {
      check_refused(flipped(f.good, at, 1), "checksum");
    }
    check_refused(flipped(f.good, f.begin), "checksum");
    check_refused(flipped(f.good, f.end - 1), "checksum");
  }
  SECTION("also when the damage is to the checksum itself") {
    check_refused(flipped(milc, 88), "checksums");
    check_refused(flipped(milc, 92), "checksums");
  }
}

TEST_CASE("two damages that one checksum misses are found by the other", "[gauge]") {
  // The same bit of words 29 apart cancels in sum29 but not in sum31.
  Content milc = milc_file(field(), true);
  check_refused(flipped(flipped(milc, 96), 96 + 4 * 29), "checksums");
  check_refused(flipped(flipped(milc, 96), 96 + 4 * 31), "checksums");
}

TEST_CASE("files that end too early or too late are refused", "[gauge]") {
  const Content nersc = nersc_file(field(), {}), milc = milc_file(field(), true),
                lime = lime_file(field(), {.user = ""});
  for (const Content& good : {nersc, milc, lime}) {
    const TemporaryFile file(good);
    CHECK_NOTHROW(dirac::read_gauge_file(file.path()));
    for (std::size_t left = 0; left < good.size(); left += left < 700 ? 37 : 4001) {
      CAPTURE(left);
      const TemporaryFile cut(shortened(good, good.size() - left));
      CHECK_THROWS_AS(dirac::read_gauge_file(cut.path()), DataError);
    }
  }
  check_refused(shortened(nersc, 1), "truncated");
  check_refused(shortened(milc, 1), "truncated");
  check_refused(shortened(lime, 900), "truncated");
  for (const Content& good : {nersc, milc}) {
    Content longer = good;
    longer.resize(longer.size() + 8);
    check_refused(longer, "too long");
  }
  check_refused(shortened(milc, milc.size() - 50), "ends within its MILC header");
}

TEST_CASE("headers that do not fit their links are refused", "[gauge]") {
  SECTION("NERSC") {
    const Content good = nersc_file(field(), {});
    check_refused(replaced(good, "DIMENSION_4 = 5", "DIMENSION_4 = 6"), "2x3x4x6 lattice needs");
    check_refused(replaced(good, "DIMENSION_4 = 5", "DIMENSION_4 = x"), "DIMENSION_4");
    check_refused(replaced(good, "DIMENSION_4 = 5", "DIMENSION_4 = -5"), "lattice of");
    check_refused(replaced(good, "4D_SU3_GAUGE_3x3", "4D_SU3_GAUGE_4x4"), "DATATYPE");
    check_refused(replaced(good, "IEEE64BIG", "IEEE16BIG"), "FLOATING_POINT");
    check_refused(replaced(good, "IEEE64BIG", "IEEE64MID"), "FLOATING_POINT");
    check_refused(replaced(good, "IEEE64BIG", "IEEE64LITTLE"), "checksum");
    check_refused(replaced(good, "END_HEADER", "END_HEATER"), "END_HEADER");
    for (const char* key :
         {"DATATYPE", "DIMENSION_2", "CHECKSUM", "PLAQUETTE", "LINK_TRACE", "FLOATING_POINT"}) {
      check_refused(nersc_file(field(), {.leave_out = key}), std::string("lacks ") + key);
    }
    char off[32];
    std::snprintf(off, sizeof off, "%.8f", field().plaquette.average() + 5e-6);
    check_refused(nersc_file(field(), {.plaquette = off}), "plaquette");
    std::snprintf(off, sizeof off, "%.8f", field().link_trace - 5e-6);
    check_refused(nersc_file(field(), {.link_trace = off}), "link trace");
  }
  SECTION("MILC") {
    const Content good = milc_file(field(), true);
    check_refused(flipped(good, 7, 1), "lattice");        // nx 2 -> 3
    check_refused(flipped(good, 4, 0x80), "lattice of");  // negative
    check_refused(flipped(good, 87, 1), "site order");
  }
  SECTION("LIME") {
    const Content good = lime_file(field(), {.user = ""});
    const Content longer = replaced(good, "<dims>2 3 4 5 </dims>", "<dims>2 3 4 7 </dims>");
    check_refused(replaced(longer, "<lt>5</lt>", "<lt>7</lt>"), "2x3x4x7 lattice needs");
    check_refused(replaced(good, "<lt>5</lt>", "<lT>5</lT>"), "no <lt>");
    check_refused(replaced(good, "<precision>64<", "<precision>16<"), "precision 16");
    check_refused(replaced(good, "<precision>64<", "<precision>32<"),
                  "gives precision 32, its SciDAC records D");
    check_refused(replaced(replaced(good, "<precision>64<", "<precision>32<"), "<precision>D<",
                           "<precision>F<"),
                  "too long");
    check_refused(replaced(good, "<dims>2 3 4 5 </dims>", "<dims>2 3 4 5x</dims>"),
                  "give a lattice of 2 3 4 5x");
    check_refused(replaced(good, "<dims>2 3 4 5 </dims>", "<dims>2 3 45  </dims>"),
                  "give a lattice of 2 3 45");
    Content two = good;
    append_lime(two, "ildg-binary-data", text("another field"), 0xc000);
    check_refused(two, "has more than one ildg-binary-data record");
    check_refused(replaced(good, "ildg-binary-data", "ildg-binary-date"), "binary-data");
    check_refused(replaced(good, ">su3gauge<", ">su2gauge<"), "says it is su2gauge");
    // A record's length stays.
    check_refused(replaced(good, "<precision>D</precision>", "<colors>4</colors>      "),
                  "give 4 colours");
    check_refused(replaced(good, "<precision>D</precision>", "<datacount>1</datacount>"),
                  "give datacount 1, not 4");
    check_refused(replaced(good, "<precision>D</precision>", "<typesize>9</typesize>  "),
                  "give typesize 9, not 144");
    check_refused(replaced(good, "<dims>2 3 4 5 </dims>", "<volfmt>1</volfmt>   "),
                  "give volfmt 1");
    check_refused(replaced(good, "<field>su3gauge</field>", "<lt>4</lt>             "),
                  "<lt>4 and 5</lt>, which is no number");
    check_refused(replaced(replaced(good, "ildg-format", "ildg-farmat"), "<dims>", "<dIms>"),
                  "what lattice it holds");
  }
}

TEST_CASE("LIME: a message before the field's has nothing to do with it", "[gauge]") {
  Content file;
  append_lime(file, "scidac-checksum",
              text("<scidacChecksum><suma>1</suma><sumb>2</sumb></scidacChecksum>"), 0xc000);
  const Content good = lime_file(field(), {});
  file.insert(file.end(), good.begin(), good.end());
  const TemporaryFile there(file);
  CHECK(link_bytes(ht::dirac::read_gauge_file(there.path()), 64, true, 3) ==
        link_bytes(field(), 64, true, 3));
}

TEST_CASE("an element of XML is found however it is written", "[gauge]") {
  using ht::dirac::file::element;
  for (const char* const xml :
       {"<f><lx>2</lx></f>", "<f>\n <lx>\n2\n</lx ></f>", "<ildg:f><ildg:lx>2</ildg:lx></ildg:f>",
        R"(<?xml version="1.0"?><!-- <lx>3</lx> --><f a="b"><ly/><lx unit="a"> 2 </lx></f>)"}) {
    INFO(xml);
    CHECK(element(xml, "lx") == "2");
  }
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  for (const std::string& none : {std::string(), std::string("lx = 2"), std::string("<lx>2"),
                                  std::string("<lxx>2</lxx>"), deep})
    CHECK(element(none, "lx").empty());
}

TEST_CASE("extents that contradict one another are refused", "[gauge]") {
  check_refused(
      replaced(nersc_file(field(), {}), "DIMENSION_1 = 2", "DIMENSION_1 = 3\nDIMENSION_1 = 2"),
      "two values of DIMENSION_1");
  // The same number of sites, and every checksum right.
  const Content good = lime_file(field(), {.user = ""});
  check_refused(replaced(good, "<dims>2 3 4 5 </dims>", "<dims>3 2 4 5 </dims>"),
                "its ildg-format gives a lattice of 2x3x4x5, its SciDAC records one of 3x2x4x5");
}

TEST_CASE("extents whose product no number holds are refused", "[gauge]") {
  // 2^14 each: 2^56 sites of 576 bytes are 9 * 2^62.
  const Content good = nersc_file(field(), {});
  Content bad = good;
  for (const char* extent : {"1 = 2", "2 = 3", "3 = 4", "4 = 5"})
    bad = replaced(bad, std::string("DIMENSION_") + extent,
                   std::string("DIMENSION_") + extent[0] + " = 16384");
  check_refused(bad, "16384x16384x16384x16384 lattice needs 415051741658");
  check_refused(replaced(good, "DIMENSION_1 = 2", "DIMENSION_1 = 99999999999"),
                "which is too large");
}

TEST_CASE("a large file is not read before its header is", "[gauge]") {
  for (const Content& head :
       {text("no gauge configuration"), nersc_file(field(), {}), milc_file(field(), true)}) {
    const TemporaryFile file(head, "thisfile");
    // Sparse: it takes no room on the disk, and must take none in memory.
    std::filesystem::resize_file(file.path(), std::uintmax_t{200} << 30);
    CHECK_THROWS_AS(dirac::read_gauge_file(file.path()), DataError);
  }
}

TEST_CASE("what a file has in it is never shown raw, nor all of it", "[gauge]") {
  const auto shown = [](const Content& content) {
    const TemporaryFile file(content);
    try {
      dirac::read_gauge_file(file.path());
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    FAIL("was accepted");
    return std::string();
  };
  const Content nersc = nersc_file(field(), {}), lime = lime_file(field(), {.user = ""});
  const std::string terminal = "\x1b]0;title\x07\xff";
  for (const std::string& evil : {terminal, terminal + std::string(3'000'000, 'x')}) {
    for (const Content& bad :
         {replaced(nersc, "4D_SU3_GAUGE_3x3", evil), replaced(nersc, "IEEE64BIG", evil),
          replaced(nersc, "DIMENSION_4 = 5", "DIMENSION_4 = " + evil),
          replaced(lime, "<lt>5</lt>", "<lt>" + evil + "</lt>")}) {
      const std::string text = shown(bad);
      CHECK(text.size() < 600);
      CHECK(std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }));
    }
  }
}

TEST_CASE("doubles that hold numbers of 32 bits are read as these", "[gauge]") {
  GlobalGauge single = field();
  for (auto& site : single.links) {
    for (auto& u : site) {
      for (auto& row : u.e) {
        for (auto& c : row) {
          for (double& x : c) x = static_cast<double>(static_cast<float>(x));
        }
      }
    }
  }
  for (const Content& content :
       {lime_file(single, {.bits = 64, .user = ""}), nersc_file(single, {.rows = 2}),
        nersc_file(single, {.rows = 3})}) {
    const TemporaryFile there(content);
    const GlobalGauge read = ht::dirac::read_gauge_file(there.path());
    CHECK(read.precision_bits == 32);
    CHECK(read.description.find("float32 in float64") != std::string::npos);
  }
  // One number that is no float: not what was computed in single precision, but damaged.
  single.links[17][2].e[1][1][0] += 1e-9;
  check_refused(lime_file(single, {.bits = 64, .user = ""}), "is not in SU(3)");
}

TEST_CASE("NERSC: a header's number is as good as its digits", "[gauge]") {
  const double plaquette = field().plaquette.average();
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", plaquette);
  const TemporaryFile there(nersc_file(field(), {.plaquette = text}));
  CHECK(ht::dirac::read_gauge_file(there.path()).lattice == field().lattice);
  std::snprintf(text, sizeof text, "%.4f", plaquette + 2e-4);
  check_refused(nersc_file(field(), {.plaquette = text}), "plaquette");
}

TEST_CASE("links outside of SU(3) are refused whatever the checksum says", "[gauge]") {
  GlobalGauge bad = field();
  SECTION("not unitary") {
    bad.links[17][2].e[1][1][0] += 1e-3;
  }
  SECTION("not a number") {
    bad.links[17][2].e[1][1][0] = NAN;
  }
  SECTION("determinant -1") {
    for (auto& c : bad.links[17][2].e[2]) {
      for (double& x : c) x = -x;
    }
  }
  for (const int bits : {32, 64}) {
    check_refused(lime_file(bad, {.bits = bits, .user = ""}),
                  "link z at site (1,2,2,0) is not in SU(3)");
  }
  check_refused(milc_file(bad, false), "link z at site (1,2,2,0)");
}
