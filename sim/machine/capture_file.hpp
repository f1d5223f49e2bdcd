// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/machine.hpp"
#include "sim/machine/pcapng.hpp"

namespace ht::machine {

/// A pcapng file of what several sources saw, in order of time, then of sources. Where several
/// processes simulate the machine, each sees what arrives at its nodes, and the first writes all.
class CaptureFile {
 public:
  /// Throws DataError if the file cannot be written. Of the machine's kernel from now on; the
  /// machine must outlive this, and no longer run once it is gone.
  CaptureFile(Machine& machine, const std::string& file);
  CaptureFile(const CaptureFile&) = delete;
  CaptureFile& operator=(const CaptureFile&) = delete;

  /// As PcapngFile's, in every process.
  std::uint32_t add_interface(const std::string& name, const std::string& description,
                              PcapngFile::LinkType type = PcapngFile::User0);

  /// A source of records; `number` from 0, the same in every process.
  struct Source {
    std::size_t number = 0;
    std::uint32_t interface = 0;
    PcapngFile::Direction direction = PcapngFile::Direction::Outbound;
  };
  /// The next record of a source, which this process sees; in order of time.
  void add(const Source& source, Picoseconds time, std::vector<std::uint8_t> data,
           std::string comment);
  /// At a window's end: what this process sees before `horizon` has been added.
  void complete_until(Picoseconds horizon);
  /// Everything has been added. Throws DataError if it could not be written. In every process.
  void finish();

 private:
  struct Record {
    Source source;
    Picoseconds time = 0;
    std::vector<std::uint8_t> data;
    std::string comment;
  };
  void keep(Record record);
  void exchange();
  void write_until(Picoseconds horizon);

  sim::RankExchange* const ranks_;
  std::optional<PcapngFile> file_;        ///< where it is written
  std::vector<Record> seen_;              ///< here, and not yet known to who writes
  std::vector<std::deque<Record>> kept_;  ///< by source
  Picoseconds horizon_ = 0;
  std::uint32_t interfaces_ = 0;
};

}  // namespace ht::machine
