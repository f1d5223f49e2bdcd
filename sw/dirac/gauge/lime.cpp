// SPDX-License-Identifier: Apache-2.0
// ILDG configurations and SciDAC files in LIME.
#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>

#include "sw/dirac/gauge/lime_records.hpp"
#include "sw/host/input_file.hpp"

namespace ht::dirac::file {
namespace {

/// The lattice that SciDAC's records give, if they do.
std::optional<Coordinates> scidac_lattice(const LimeRecords& records) {
  const std::string dims(element(text_of(find_record(records, "scidac-private-file-xml")), "dims"));
  Coordinates lattice{};
  const int found =
      std::sscanf(dims.c_str(), "%d %d %d %d", &lattice[0], &lattice[1], &lattice[2], &lattice[3]);
  if (found != 4) return std::nullopt;
  return lattice;
}

/// Lattice and precision from ildg-format, or else from SciDAC's own records.
void read_format(const std::filesystem::path& file, const LimeRecords& records, Header& header) {
  if (const std::string_view xml = text_of(find_record(records, "ildg-format")); !xml.empty()) {
    constexpr std::string_view kTags[] = {"lx", "ly", "lz", "lt"};
    for (std::size_t axis = 0; axis < 4; ++axis) {
      const auto extent = number<int>(file, xml, kTags[axis]);
      if (!extent)
        fail(file, fmt::format("its ildg-format has no <{}>", kTags[axis]), kLimeDamaged);
      header.lattice[axis] = *extent;
    }
    if (const auto field = element(xml, "field"); !field.empty() && field != "su3gauge") {
      fail(file, fmt::format("its ildg-format says it is {}", host::printable(field)),
           "only fields of SU(3), su3gauge, can be read");
    }
    const int precision = number<int>(file, xml, "precision").value_or(0);
    if (precision != 32 && precision != 64) {
      fail(file, fmt::format("its ildg-format gives precision {}", precision),
           "only 32 and 64 can be read");
    }
    header.storage.precision_bits = precision;
    header.format = "ILDG/LIME";
    if (const auto other = scidac_lattice(records); other && *other != header.lattice) {
      fail(file,
           fmt::format("its ildg-format gives a lattice of {}, its SciDAC records one of {}",
                       to_string(header.lattice), to_string(*other)),
           kLimeDamaged);
    }
    return;
  }
  const auto lattice = scidac_lattice(records);
  const auto precision =
      element(text_of(find_record(records, "scidac-private-record-xml")), "precision");
  if (!lattice || (precision != "D" && precision != "F")) {
    fail(file, "says neither in ildg-format nor in SciDAC records what lattice it holds",
         "the file is damaged or no gauge configuration: fetch it again");
  }
  header.lattice = *lattice;
  header.storage.precision_bits = precision == "D" ? 64 : 32;
  header.format = "SciDAC/LIME";
}

}  // namespace

Header read_lime(const std::filesystem::path& file, Bytes content) {
  const LimeRecords records = split_lime(file, content);
  const auto colours =
      element(text_of(find_record(records, "scidac-private-record-xml")), "colors");
  if (!colours.empty() && colours != "3") {
    fail(file, fmt::format("its SciDAC records give {} colours", host::printable(colours)),
         "only fields of three can be read");
  }
  Header header;
  read_format(file, records, header);
  const LimeRecord* data = find_record(records, "ildg-binary-data");
  if (data == nullptr) data = find_record(records, "scidac-binary-data");
  if (data == nullptr) {
    fail(file, "has neither an ildg-binary-data nor a scidac-binary-data record",
         "the file is truncated or no gauge configuration: fetch it again");
  }
  header.storage.order = std::endian::big;
  header.data = data->data;
  check_size(file, header.lattice, header.storage, header.data.size());
  // ILDG does not ask for a checksum.
  if (const LimeRecord* record = find_record(records, "scidac-checksum")) {
    header.verified.push_back(
        verify_checksum(file, *record, header.data, header.storage.site_bytes()));
  }
  // MILC puts its measurements into the record of USQCD's kind.
  const std::string_view user = text_of(find_record(records, "scidac-record-xml"));
  header.plaquette = number<double>(file, user, "plaq");
  header.link_trace = number<double>(file, user, "linktr");
  return header;
}

}  // namespace ht::dirac::file
