// SPDX-License-Identifier: Apache-2.0
// ILDG configurations and SciDAC files in LIME.
#include <fmt/format.h>

#include <optional>
#include <sstream>
#include <string>

#include "sw/dirac/gauge/lime_records.hpp"
#include "sw/host/input_file.hpp"

namespace ht::dirac::file {
namespace {

/// The lattice that SciDAC's records give, if they do.
std::optional<Coordinates> scidac_lattice(const std::filesystem::path& file,
                                          const LimeRecords& records) {
  const std::string dims =
      element(text_of(find_record(records, "scidac-private-file-xml")), "dims");
  if (dims.empty()) return std::nullopt;
  Coordinates lattice{};
  std::istringstream in(dims);
  for (int& extent : lattice) in >> extent;
  if (in.fail() || !(in >> std::ws).eof())
    fail(file, fmt::format("its SciDAC records give a lattice of {}", host::printable(dims)),
         "only lattices of four dimensions can be read");
  return lattice;
}

/// The one record of a type, or null. Throws DataError if there are more.
const LimeRecord* only_record(const std::filesystem::path& file, const LimeRecords& records,
                              std::string_view type) {
  const LimeRecord* const record = find_record(records, type);
  if (record != nullptr && find_record(records, type, record) != nullptr)
    fail(file, fmt::format("has more than one {} record", type),
         "only files of one gauge field can be read");
  return record;
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
    const auto letter =
        element(text_of(find_record(records, "scidac-private-record-xml")), "precision");
    if (!letter.empty() && letter != (precision == 64 ? "D" : "F")) {
      fail(file,
           fmt::format("its ildg-format gives precision {}, its SciDAC records {}", precision,
                       host::printable(letter)),
           kLimeDamaged);
    }
    if (const auto other = scidac_lattice(file, records); other && *other != header.lattice) {
      fail(file,
           fmt::format("its ildg-format gives a lattice of {}, its SciDAC records one of {}",
                       to_string(header.lattice), to_string(*other)),
           kLimeDamaged);
    }
    return;
  }
  const auto lattice = scidac_lattice(file, records);
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

// What SciDAC's records say beside that, as far as they do, is that of links' matrices in one file.
void check_kind(const std::filesystem::path& file, const LimeRecords& records,
                const Storage& storage) {
  const std::string_view record = text_of(find_record(records, "scidac-private-record-xml"));
  const auto require = [&](std::string_view where, std::string_view tag, std::size_t wanted) {
    const auto said = number<std::size_t>(file, where, tag);
    if (said && *said != wanted)
      fail(file, fmt::format("its SciDAC records give {} {}, not {}", tag, *said, wanted),
           "only gauge fields that are whole in one file can be read");
  };
  require(text_of(find_record(records, "scidac-private-file-xml")), "volfmt", 0);
  require(record, "recordtype", 0);
  require(record, "datacount", 4);
  require(record, "typesize", storage.site_bytes() / 4);
  const std::string type = element(record, "datatype");
  for (const char* const other : {"Fermion", "Propagator", "ColorVector"}) {
    if (type.find(other) != std::string::npos)
      fail(file, fmt::format("its SciDAC records say it holds {}", host::printable(type)),
           "only gauge fields, of ColorMatrix, can be read");
  }
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
  const LimeRecord* data = only_record(file, records, "ildg-binary-data");
  if (data == nullptr) data = only_record(file, records, "scidac-binary-data");
  if (data == nullptr) {
    fail(file, "has neither an ildg-binary-data nor a scidac-binary-data record",
         "the file is truncated or no gauge configuration: fetch it again");
  }
  header.storage.order = std::endian::big;
  check_kind(file, records, header.storage);
  header.data = data->data;
  check_size(file, header.lattice, header.storage, header.data.size());
  // Of these data: behind them, the last of their message. ILDG does not ask for it.
  if (const LimeRecord* record = find_record(records, "scidac-checksum", data)) {
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
