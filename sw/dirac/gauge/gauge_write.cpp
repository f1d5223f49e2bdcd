// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/gauge/gauge_write.hpp"

#include <fmt/format.h>

#include "sw/dirac/gauge/lime_records.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/input_file.hpp"

namespace ht::dirac {
namespace {

/// The field as a reader will see it.
GlobalGauge as_stored(const GlobalGauge& gauge, const GaugeWriteOptions& o) {
  GlobalGauge stored = gauge;
  for (std::size_t i = 0; i < stored.links.size(); ++i) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      Link& u = stored.links[i][mu];
      const double defect = unitarity_defect(u);
      if (!(defect <= 1e-5)) {
        throw DataError(
            fmt::format("link {} of site {} is not in SU(3), off by {:.2g}; "
                        "only gauge fields can be written",
                        "xyzt"[mu], i, defect));
      }
      if (o.precision_bits == 64 && gauge.precision_bits == 32) project_su3(u);
      if (o.precision_bits == 32) {
        for (auto& row : u.e) {
          for (auto& c : row) {
            for (double& x : c) x = static_cast<double>(static_cast<float>(x));
          }
        }
      }
      if (o.rows == 2) complete_third_row(u);
    }
  }
  measure(stored);
  return stored;
}

std::vector<std::byte> link_bytes(const GlobalGauge& stored, const GaugeWriteOptions& o) {
  std::vector<std::byte> out;
  out.reserve(stored.links.size() * static_cast<std::size_t>(o.rows * 24 * o.precision_bits / 8));
  for (const SiteLinks& site : stored.links) {
    for (const Link& u : site) {
      for (int row = 0; row < o.rows; ++row) {
        for (const auto& c : u.e[row]) {
          for (const double x : c) {
            if (o.precision_bits == 32) {
              file::append(out, static_cast<float>(x), std::endian::big);
            } else {
              file::append(out, x, std::endian::big);
            }
          }
        }
      }
    }
  }
  return out;
}

std::vector<std::byte> nersc(const GlobalGauge& stored, const GaugeWriteOptions& o) {
  const std::vector<std::byte> data = link_bytes(stored, o);
  std::string header = "BEGIN_HEADER\nHDR_VERSION = 1.0\n";
  const auto key = [&header](const std::string& name, const std::string& value) {
    header += fmt::format("{} = {}\n", name, value);
  };
  key("DATATYPE", o.rows == 2 ? "4D_SU3_GAUGE" : "4D_SU3_GAUGE_3x3");
  key("STORAGE_FORMAT", "1.0");
  for (std::size_t mu = 0; mu < 4; ++mu) {
    key(fmt::format("DIMENSION_{}", mu + 1), std::to_string(stored.lattice[mu]));
  }
  key("LINK_TRACE", fmt::format("{:.12g}", stored.link_trace));
  key("PLAQUETTE", fmt::format("{:.12g}", stored.plaquette.average()));
  for (int mu = 1; mu <= 4; ++mu) key(fmt::format("BOUNDARY_{}", mu), "PERIODIC");
  key("CHECKSUM", fmt::format("{:x}", file::nersc_checksum(data, std::endian::big)));
  key("ENSEMBLE_ID", "hypertorus");
  key("ENSEMBLE_LABEL", host::printable(stored.description));
  key("SEQUENCE_NUMBER", "0");
  key("CREATOR", "hypertorus");
  key("FLOATING_POINT", fmt::format("IEEE{}BIG", o.precision_bits));
  header += "END_HEADER\n";
  const auto text = std::as_bytes(std::span(header));
  std::vector<std::byte> out(text.begin(), text.end());
  out.insert(out.end(), data.begin(), data.end());
  return out;
}

/// The records QIO writes into an ILDG file.
std::vector<std::byte> ildg(const GlobalGauge& stored, const GaugeWriteOptions& o) {
  using Place = file::LimeWriter::Place;
  const std::vector<std::byte> data = link_bytes(stored, o);
  const bool wide = o.precision_bits == 64;
  const Coordinates& l = stored.lattice;
  file::LimeWriter lime;
  lime.add("scidac-private-file-xml",
           fmt::format("{}<scidacFile><version>1.1</version><spacetime>4</spacetime>"
                       "<dims>{} {} {} {} </dims><volfmt>0</volfmt></scidacFile>",
                       file::kXml, l[0], l[1], l[2], l[3]),
           Place::First);
  lime.add("scidac-file-xml",
           fmt::format("{}<title>hypertorus gauge configuration</title>", file::kXml), Place::Last);
  // QIO's readers ask for a date. A constant one keeps equal fields equal files.
  lime.add("scidac-private-record-xml",
           fmt::format("{}<scidacRecord><version>1.1</version>"
                       "<date>Thu Jan 01 00:00:00 1970 UTC</date><recordtype>0</recordtype>"
                       "<datatype>QDP_{}3_ColorMatrix</datatype><precision>{}</precision>"
                       "<colors>3</colors><spins>1</spins><typesize>{}</typesize>"
                       "<datacount>4</datacount></scidacRecord>",
                       file::kXml, wide ? "D" : "F", wide ? "D" : "F", wide ? 144 : 72),
           Place::First);
  lime.add("scidac-record-xml",
           fmt::format("{}<usqcdInfo><version>1.0</version><plaq>{:.12g}</plaq>"
                       "<linktr>{:.12g}</linktr><info></info></usqcdInfo>",
                       file::kXml, stored.plaquette.average(), stored.link_trace),
           Place::Inside);
  lime.add("ildg-format",
           fmt::format(
               "{}<ildgFormat xmlns=\"http://www.lqcd.org/ildg\" "
               "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
               "xsi:schemaLocation=\"http://www.lqcd.org/ildg/filefmt.xsd\"><version>1.0</version>"
               "<field>su3gauge</field><precision>{}</precision><lx>{}</lx><ly>{}</ly><lz>{}</lz>"
               "<lt>{}</lt></ildgFormat>",
               file::kXml, o.precision_bits, l[0], l[1], l[2], l[3]),
           Place::Inside);
  lime.add("ildg-binary-data", file::Bytes(data), Place::Inside);
  lime.add(file::scidac_checksum(data, data.size() / stored.links.size()));
  return lime.content();
}

}  // namespace

std::vector<std::byte> encode_gauge(const GlobalGauge& gauge, const GaugeWriteOptions& o) {
  if (o.precision_bits != 32 && o.precision_bits != 64) {
    throw UsageError(fmt::format("precision {}: gauge files have 32 or 64 bits", o.precision_bits));
  }
  const bool nersc_format = o.format == GaugeFormat::Nersc;
  if (o.rows != 3 && !(o.rows == 2 && nersc_format)) {
    throw UsageError(
        fmt::format("{} rows: NERSC files have 2 or 3 rows of a link, ILDG files 3", o.rows));
  }
  const GlobalGauge stored = as_stored(gauge, o);
  return nersc_format ? nersc(stored, o) : ildg(stored, o);
}

void write_gauge_file(const GlobalGauge& gauge, const std::filesystem::path& path,
                      const GaugeWriteOptions& options) {
  file::write_all(path, encode_gauge(gauge, options));
}

}  // namespace ht::dirac
