// SPDX-License-Identifier: Apache-2.0
// What the writers write, taken apart by hand after the formats' descriptions, and read by our
// readers.
#include "sw/dirac/gauge/gauge_write.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>

#include "sw/host/errors.hpp"
#include "tests/dirac/gauge_writer.hpp"
#include "tests/dirac/lime_by_hand.hpp"

using namespace ht;
using namespace ht::test;
using dirac::GaugeFormat;

namespace {

const GlobalGauge& field() {
  static const GlobalGauge gauge = dirac::generate_gauge(dirac::FieldKind::Hot, 11, {2, 4, 3, 2});
  return gauge;
}

GlobalGauge read(const Content& content) {
  const TemporaryFile file(content);
  return dirac::read_gauge_file(file.path());
}

/// Largest difference of any number; NaN counts.
double difference(const GlobalGauge& a, const GlobalGauge& b) {
  REQUIRE(a.lattice == b.lattice);
  double worst = 0;
  for (std::size_t i = 0; i < a.links.size(); ++i) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const auto* p = &a.links[i][mu].e[0][0][0];
      const auto* q = &b.links[i][mu].e[0][0][0];
      for (std::size_t k = 0; k < 18; ++k) {
        const double d = std::fabs(p[k] - q[k]);
        if (!(d <= worst)) worst = d;
      }
    }
  }
  return worst;
}

/// The stored bytes must be the links, number by number, big-endian.
void check_links(const Content& bytes, const GlobalGauge& gauge, int bits, int rows) {
  REQUIRE(bytes.size() == gauge.links.size() * static_cast<std::size_t>(4 * rows * 6 * bits / 8));
  CHECK(bytes == link_bytes(gauge, bits, true, rows));
}

}  // namespace

TEST_CASE("NERSC files are what the format says", "[gauge]") {
  for (const int bits : {32, 64}) {
    for (const int rows : {2, 3}) {
      CAPTURE(bits, rows);
      const Content content = encode_gauge(field(), {GaugeFormat::Nersc, bits, rows});
      const std::string text(reinterpret_cast<const char*>(content.data()), content.size());
      REQUIRE(text.rfind("BEGIN_HEADER\n", 0) == 0);
      const std::string end = "END_HEADER\n";
      const std::size_t data_at = text.find(end) + end.size();
      std::map<std::string, std::string> keys;
      for (std::size_t at = 13; at < data_at - end.size();) {
        const std::size_t line_end = text.find('\n', at);
        const std::size_t equals = text.find(" = ", at);
        REQUIRE(equals < line_end);
        keys[text.substr(at, equals - at)] = text.substr(equals + 3, line_end - equals - 3);
        at = line_end + 1;
      }
      const Content data(content.begin() + static_cast<std::ptrdiff_t>(data_at), content.end());
      check_links(data, field(), bits, rows);
      std::uint32_t sum = 0;
      for (std::size_t i = 0; i < data.size(); i += 4) sum += word(data, i, true);
      CHECK(std::stoul(keys.at("CHECKSUM"), nullptr, 16) == sum);
      CHECK(keys.at("DATATYPE") == (rows == 2 ? "4D_SU3_GAUGE" : "4D_SU3_GAUGE_3x3"));
      CHECK(keys.at("FLOATING_POINT") == (bits == 32 ? "IEEE32BIG" : "IEEE64BIG"));
      CHECK(keys.at("DIMENSION_1") + keys.at("DIMENSION_2") + keys.at("DIMENSION_3") +
                keys.at("DIMENSION_4") ==
            "2432");
      CHECK(std::stod(keys.at("PLAQUETTE")) == Approx(field().plaquette.average()).margin(3e-8));
      CHECK(std::stod(keys.at("LINK_TRACE")) == Approx(field().link_trace).margin(3e-8));
      const GlobalGauge back = read(content);
      CHECK(difference(back, field()) <= (bits == 32 ? 2e-7 : rows == 2 ? 1e-15 : 0));
      CHECK(back.verified.size() == 4);
    }
  }
}

TEST_CASE("ILDG files are what the formats say", "[gauge]") {
  for (const int bits : {32, 64}) {
    CAPTURE(bits);
    const Content content = encode_gauge(field(), {GaugeFormat::Ildg, bits, 3});
    const auto records = lime_by_hand(content);
    // The order in which Chroma writes them.
    const std::vector<std::pair<std::string, unsigned>> order = {
        {"scidac-private-file-xml", 0x8000},
        {"scidac-file-xml", 0x4000},
        {"scidac-private-record-xml", 0x8000},
        {"scidac-record-xml", 0},
        {"ildg-format", 0},
        {"ildg-binary-data", 0},
        {"scidac-checksum", 0x4000}};
    REQUIRE(records.size() == order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      CHECK(records[i].type == order[i].first);
      CHECK(records[i].flags == order[i].second);
    }
    CHECK(records[0].has("<dims>2 4 3 2 </dims>"));
    CHECK(records[2].has(bits == 64 ? "QDP_D3_ColorMatrix" : "QDP_F3_ColorMatrix"));
    CHECK(records[2].has(bits == 64 ? "<typesize>144<" : "<typesize>72<"));
    CHECK(records[4].has("<precision>" + std::to_string(bits) + "</precision>"));
    CHECK(records[4].has("<lx>2</lx><ly>4</ly><lz>3</lz><lt>2</lt>"));
    CHECK(records[4].has("<field>su3gauge</field>"));
    check_links(records[5].data, field(), bits, 3);
    const auto [a, b] = site_checksums(records[5].data, records[5].data.size() / 48);
    CHECK(records[6].has("<suma>" + hex(a) + "</suma>"));
    CHECK(records[6].has("<sumb>" + hex(b) + "</sumb>"));
    const GlobalGauge back = read(content);
    CHECK(difference(back, field()) <= (bits == 32 ? 6e-8 : 0));
    CHECK(back.verified.size() == 4);  // checksums, unitarity, plaquette, link trace
  }
}

TEST_CASE("bytes written depend on the field alone", "[gauge]") {
  CHECK(encode_gauge(field(), {GaugeFormat::Ildg, 64, 3}) ==
        encode_gauge(read(encode_gauge(field(), {GaugeFormat::Ildg, 64, 3})),
                     {GaugeFormat::Ildg, 64, 3}));
}

TEST_CASE("a field's name does no harm to a NERSC header", "[gauge]") {
  for (const char* const name : {"of v END_HEADER.lime", "END_HEADER\nCHECKSUM = 0", "a\rb"}) {
    INFO(name);
    GlobalGauge named = field();
    named.description = name;
    CHECK(difference(read(encode_gauge(named, {GaugeFormat::Nersc, 64, 3})), field()) == 0);
  }
}

TEST_CASE("32 bits become 64 that a reader accepts", "[gauge]") {
  const GlobalGauge single = read(encode_gauge(field(), {GaugeFormat::Nersc, 32, 3}));
  REQUIRE(single.precision_bits == 32);
  const GlobalGauge back = read(encode_gauge(single, {GaugeFormat::Ildg, 64, 3}));
  CHECK(back.precision_bits == 64);
  CHECK(difference(back, field()) < 1e-6);
  CHECK(difference(back, single) > 0);
}

TEST_CASE("what cannot be written is refused", "[gauge]") {
  CHECK_THROWS_AS(encode_gauge(field(), {GaugeFormat::Ildg, 16, 3}), UsageError);
  CHECK_THROWS_AS(encode_gauge(field(), {GaugeFormat::Ildg, 64, 2}), UsageError);
  CHECK_THROWS_AS(encode_gauge(field(), {GaugeFormat::Nersc, 64, 1}), UsageError);
  GlobalGauge bad = field();
  bad.links[3][1].e[0][0][0] += 0.01;
  CHECK_THROWS_AS(encode_gauge(bad, {}), DataError);
  const TemporaryFile file({});
  const auto nowhere = file.path().parent_path() / "no" / "field";
  CHECK_THROWS_AS(write_gauge_file(field(), nowhere, {}), DataError);
  const auto target = file.path().parent_path() / "field";
  write_gauge_file(field(), target, {});
  CHECK(difference(dirac::read_gauge_file(target), field()) == 0);
  CHECK_FALSE(std::filesystem::exists(target.string() + ".part"));
}

TEST_CASE("other programs' fields keep their checksums", "[gauge]") {
  const char* folder = std::getenv("HYPERTORUS_DATA");
  const std::filesystem::path chroma =
      std::filesystem::path(folder != nullptr ? folder : "") / "weak_field_4448.lime";
  const auto qlua = std::filesystem::path(chroma).replace_filename("weak_field_default_4448.nersc");
  if (folder == nullptr || !std::filesystem::exists(chroma) || !std::filesystem::exists(qlua)) {
    std::cout << "SKIPPED: HYPERTORUS_DATA does not name the directory of the configurations\n";
    return;
  }
  // The numbers stand in the files that Chroma and QDP++ wrote.
  const auto records =
      lime_by_hand(encode_gauge(dirac::read_gauge_file(chroma), {GaugeFormat::Ildg, 64, 3}));
  CHECK(records.back().has("<suma>a2c41090</suma><sumb>11193c39</sumb>"));
  const Content nersc = encode_gauge(dirac::read_gauge_file(qlua), {GaugeFormat::Nersc, 32, 2});
  const std::string header(reinterpret_cast<const char*>(nersc.data()), 1000);
  CHECK(header.find("CHECKSUM = 337cf07b\n") != std::string::npos);
  const std::size_t plaquette = header.find("PLAQUETTE = ") + 12;
  CHECK(std::stod(header.substr(plaquette)) == Approx(0.994765).margin(6e-7));
}
