// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/gauge/gauge_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "sw/host/errors.hpp"
#include "sw/host/input_file.hpp"
#include "sw/host/output_file.hpp"

namespace ht::dirac {
namespace file {
namespace {

constexpr std::size_t most_shown = 300;

}  // namespace

void fail(const std::filesystem::path& file, const std::string& what, const std::string& remedy) {
  // It may quote the file.
  throw DataError(
      fmt::format("{}: {}; {}", file.string(), host::printable(what, most_shown), remedy));
}

void check_size(const std::filesystem::path& file, const Coordinates& lattice,
                const Storage& storage, std::size_t bytes) {
  constexpr int kLongest = 1 << 14;
  for (const int extent : lattice) {
    if (extent < 1 || extent > kLongest) {
      fail(file, fmt::format("its header gives a lattice of {}", to_string(lattice)),
           "the header is damaged: fetch the file again");
    }
  }
  // At most 2^56 sites.
  const auto volume = static_cast<std::uint64_t>(volume_of(lattice));
  if (bytes % storage.site_bytes() == 0 && bytes / storage.site_bytes() == volume) return;
  const double need = static_cast<double>(volume) * static_cast<double>(storage.site_bytes());
  fail(file,
       fmt::format("{} lattice needs {:.0f} bytes of links, but the file has {} ({})",
                   to_string(lattice), need, bytes,
                   static_cast<double>(bytes) < need ? "truncated" : "too long"),
       "fetch the file again, or correct its header");
}

void write_all(const std::filesystem::path& path, Bytes content) {
  host::write_file(path, {reinterpret_cast<const char*>(content.data()), content.size()});
}

}  // namespace file

namespace {

// How far links of 32 and of 64 bits may be from SU(3).
constexpr double kSingle = 1e-5, kDouble = 1e-10;

template <class T>
void decode(const file::Header& header, std::vector<SiteLinks>& links) {
  std::size_t offset = 0;
  for (SiteLinks& site : links) {
    for (Link& u : site) {
      for (int row = 0; row < header.storage.rows; ++row) {
        for (auto& c : u.e[row]) {
          for (double& x : c) {
            x = static_cast<double>(file::load<T>(header.data, offset, header.storage.order));
            offset += sizeof(T);
          }
        }
      }
      if (header.storage.rows == 2) complete_third_row(u);
    }
  }
}

// Doubles that hold what was computed in single precision: all of them are numbers of 32 bits, too.
bool holds_floats(const file::Header& header) {
  for (std::size_t at = 0; at + sizeof(double) <= header.data.size(); at += sizeof(double)) {
    const auto x = file::load<double>(header.data, at, header.storage.order);
    if (x != static_cast<double>(static_cast<float>(x))) return false;
  }
  return true;
}

/// A link that is not in SU(3).
struct Outside {
  std::size_t site, axis;
  double defect;
};

std::optional<Outside> first_outside(const GlobalGauge& gauge) {
  const double tolerance = gauge.precision_bits == 32 ? kSingle : kDouble;
  for (std::size_t i = 0; i < gauge.links.size(); ++i) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const double defect = unitarity_defect(gauge.links[i][mu]);
      if (!(defect <= tolerance)) return Outside{i, mu, defect};
    }
  }
  return std::nullopt;
}

void verify_links(const std::filesystem::path& path, const file::Header& header,
                  GlobalGauge& gauge) {
  auto outside = first_outside(gauge);
  if (outside && gauge.precision_bits == 64 && holds_floats(header)) {
    gauge.precision_bits = 32;
    gauge.description =
        fmt::format("{}, float32 in float64, {}", header.format, path.filename().string());
    outside = first_outside(gauge);
  }
  if (!outside) return;
  const auto [site, axis, defect] = *outside;
  const Coordinates x = coordinates_of(static_cast<std::int64_t>(site), gauge.lattice);
  file::fail(path,
             fmt::format("link {} at site ({},{},{},{}) is not in SU(3), off by {:.2g}",
                         "xyzt"[axis], x[0], x[1], x[2], x[3], defect),
             "the file is damaged: fetch it again");
}

void verify_number(const std::filesystem::path& path, const std::optional<double>& in_file,
                   double rounded, double measured, const char* name, GlobalGauge& gauge) {
  if (!in_file) return;
  // Most headers give six or more digits, computed in the precision of the file; some fewer.
  constexpr double kTolerance = 2e-6;
  if (!(std::fabs(*in_file - measured) <= std::fmax(kTolerance, 1.001 * rounded))) {
    file::fail(path,
               fmt::format("its header says {} {:.8g}, but the links give {:.8g}", name, *in_file,
                           measured),
               "header and data do not belong together: fetch the file again");
  }
  gauge.verified.push_back(fmt::format("{} {:.6g}", name, *in_file));
}

}  // namespace

GlobalGauge read_gauge_file(const std::filesystem::path& path,
                            const std::optional<Coordinates>& expected) {
  const host::InputFile input(path, "give the path of a gauge configuration");
  const file::Bytes content = input.content();
  file::Header header;
  if (file::is_nersc(content)) {
    header = file::read_nersc(path, content);
  } else if (file::is_lime(content)) {
    header = file::read_lime(path, content);
  } else if (file::is_milc(content)) {
    header = file::read_milc(path, content);
  } else {
    file::fail(path, "is no gauge configuration in NERSC, ILDG/LIME or MILC v5 format",
               "convert it to one of them, or fetch it again if it should be one");
  }
  if (expected && *expected != header.lattice) {
    file::fail(path,
               fmt::format("holds a {} lattice, not the {} asked for", to_string(header.lattice),
                           to_string(*expected)),
               "leave the lattice option out, or give another file");
  }
  GlobalGauge gauge;
  gauge.lattice = header.lattice;
  gauge.precision_bits = header.storage.precision_bits;
  gauge.description = fmt::format("{}, float{}, {}", header.format, header.storage.precision_bits,
                                  path.filename().string());
  gauge.verified = header.verified;
  gauge.links.resize(static_cast<std::size_t>(volume_of(header.lattice)));
  if (header.storage.precision_bits == 32) {
    decode<float>(header, gauge.links);
  } else {
    decode<double>(header, gauge.links);
  }
  verify_links(path, header, gauge);
  gauge.verified.emplace_back("unitarity");
  measure(gauge);
  verify_number(path, header.plaquette, header.plaquette_rounded, gauge.plaquette.average(),
                "plaquette", gauge);
  verify_number(path, header.link_trace, header.link_trace_rounded, gauge.link_trace, "link trace",
                gauge);
  return gauge;
}

}  // namespace ht::dirac
