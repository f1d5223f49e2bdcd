// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writers of small gauge files for the tests of the readers, from the formats' descriptions alone.
#include <zlib.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sw/dirac/gauge/gauge.hpp"
#include "tests/support/scratch_folder.hpp"

namespace ht::test {

using dirac::Coordinates;
using dirac::GlobalGauge;
using Content = std::vector<std::byte>;

inline void append(Content& to, const void* from, std::size_t bytes) {
  const auto* p = static_cast<const std::byte*>(from);
  to.insert(to.end(), p, p + bytes);
}
inline void append(Content& to, const std::string& text) {
  append(to, text.data(), text.size());
}

/// A number in a given byte order.
template <class T>
void append_number(Content& to, T value, bool big) {
  std::byte raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  const bool swap = big != (std::endian::native == std::endian::big);
  for (std::size_t i = 0; i < sizeof(T); ++i) to.push_back(raw[swap ? sizeof(T) - 1 - i : i]);
}

/// x fastest, then y, z, t; links x, y, z, t; rows; columns; (re, im).
inline Content link_bytes(const GlobalGauge& gauge, int bits, bool big, int rows) {
  Content out;
  for (const dirac::SiteLinks& site : gauge.links) {
    for (const dirac::Link& u : site) {
      for (int row = 0; row < rows; ++row) {
        for (const auto& c : u.e[row]) {
          for (const double x : c) {
            if (bits == 32) {
              append_number(out, static_cast<float>(x), big);
            } else {
              append_number(out, x, big);
            }
          }
        }
      }
    }
  }
  return out;
}

inline std::uint32_t word(const Content& data, std::size_t at, bool big) {
  std::uint32_t w = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    w |= std::to_integer<std::uint32_t>(data[at + (big ? 3 - i : i)]) << (8 * i);
  }
  return w;
}

struct NerscOptions {
  int bits = 64;
  bool big = true;
  int rows = 3;
  std::string floating_point = {};  ///< empty: as it is
  std::string plaquette = {};       ///< empty: as it is
  std::string link_trace = {};      ///< empty: as it is
  std::string leave_out = {};       ///< a key
};

inline Content nersc_file(const GlobalGauge& gauge, const NerscOptions& o) {
  const Content data = link_bytes(gauge, o.bits, o.big, o.rows);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < data.size(); i += 4) sum += word(data, i, o.big);
  char hex[16];
  std::snprintf(hex, sizeof hex, "%x", sum);
  std::string header = "BEGIN_HEADER\n";
  const auto key = [&](const std::string& name, const std::string& value) {
    if (name != o.leave_out) header += name + " = " + value + "\n";
  };
  key("HDR_VERSION", "1.0");
  key("DATATYPE", o.rows == 2 ? "4D_SU3_GAUGE" : "4D_SU3_GAUGE_3x3");
  for (std::size_t i = 0; i < 4; ++i) {
    key("DIMENSION_" + std::to_string(i + 1), std::to_string(gauge.lattice[i]));
  }
  key("CHECKSUM", hex);
  key("PLAQUETTE", o.plaquette.empty() ? std::to_string(gauge.plaquette.average()) : o.plaquette);
  key("LINK_TRACE", o.link_trace.empty() ? std::to_string(gauge.link_trace) : o.link_trace);
  key("FLOATING_POINT", !o.floating_point.empty()
                            ? o.floating_point
                            : "IEEE" + std::to_string(o.bits) + (o.big ? "BIG" : "LITTLE"));
  header += "END_HEADER\n";
  Content out;
  append(out, header);
  append(out, data.data(), data.size());
  return out;
}

inline Content milc_file(const GlobalGauge& gauge, bool big) {
  const Content data = link_bytes(gauge, 32, big, 3);
  std::uint32_t sum29 = 0, sum31 = 0;
  for (std::size_t i = 0; i < data.size() / 4; ++i) {
    const std::uint32_t w = word(data, 4 * i, big);
    const auto a = i % 29, b = i % 31;
    sum29 ^= a == 0 ? w : (w << a) | (w >> (32 - a));
    sum31 ^= b == 0 ? w : (w << b) | (w >> (32 - b));
  }
  Content out;
  append_number<std::int32_t>(out, 20103, big);
  for (const int extent : gauge.lattice) append_number<std::int32_t>(out, extent, big);
  Content stamp(64);
  append(out, stamp.data(), stamp.size());
  append_number<std::int32_t>(out, 0, big);
  append_number(out, sum29, big);
  append_number(out, sum31, big);
  append(out, data.data(), data.size());
  return out;
}

inline void append_lime(Content& out, const std::string& type, const Content& data,
                        unsigned flags) {
  append_number<std::uint32_t>(out, 0x456789ab, true);
  append_number<std::uint16_t>(out, 1, true);
  append_number<std::uint16_t>(out, static_cast<std::uint16_t>(flags), true);
  append_number<std::uint64_t>(out, data.size(), true);
  std::string name = type;
  name.resize(128, '\0');
  append(out, name);
  append(out, data.data(), data.size());
  out.resize((out.size() + 7) / 8 * 8);
}

inline Content text(const std::string& s) {
  Content out;
  append(out, s);
  return out;
}

struct LimeOptions {
  int bits = 64;
  bool ildg = true;  ///< else SciDAC records only
  bool checksum = true;
  std::string user = {};  ///< scidac-record-xml
};

inline Content lime_file(const GlobalGauge& gauge, const LimeOptions& o) {
  const Content data = link_bytes(gauge, o.bits, true, 3);
  const std::size_t site = data.size() / gauge.links.size();
  std::uint32_t a = 0, b = 0;
  for (std::size_t i = 0; i < gauge.links.size(); ++i) {
    const auto crc = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(data.data() + i * site), static_cast<uInt>(site)));
    a ^= std::rotl(crc, static_cast<int>(i % 29));
    b ^= std::rotl(crc, static_cast<int>(i % 31));
  }
  Content out;
  const Coordinates& l = gauge.lattice;
  std::string dims,
      format = "<ildgFormat><version>1.0</version><field>su3gauge</field><precision>" +
               std::to_string(o.bits) + "</precision>";
  for (std::size_t i = 0; i < 4; ++i) {
    dims += std::to_string(l[i]) + " ";
    const std::string tag = std::string("l") + "xyzt"[i];
    format += "<" + tag + ">" + std::to_string(l[i]) + "</" + tag + ">";
  }
  append_lime(out, "scidac-private-file-xml",
              text("<scidacFile><dims>" + dims + "</dims></scidacFile>"), 0x8000);
  append_lime(out, "scidac-private-record-xml",
              text(std::string("<scidacRecord><precision>") + (o.bits == 64 ? "D" : "F") +
                   "</precision></scidacRecord>"),
              0);
  if (!o.user.empty()) append_lime(out, "scidac-record-xml", text(o.user), 0);
  if (o.ildg) append_lime(out, "ildg-format", text(format + "</ildgFormat>"), 0);
  append_lime(out, o.ildg ? "ildg-binary-data" : "scidac-binary-data", data, 0);
  if (o.checksum) {
    char sums[160];
    std::snprintf(sums, sizeof sums,
                  "<scidacChecksum><version>1.0</version><suma>%x</suma><sumb>%x</sumb>"
                  "</scidacChecksum>",
                  a, b);
    append_lime(out, "scidac-checksum", text(sums), 0x4000);
  }
  return out;
}

/// A file in a folder of its own, removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const Content& content, const std::string& name = "field.dat")
      : path_(folder_.file(name)) {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(content.data()),
               static_cast<std::streamsize>(content.size()));
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  ScratchFolder folder_;
  std::filesystem::path path_;
};

}  // namespace ht::test
