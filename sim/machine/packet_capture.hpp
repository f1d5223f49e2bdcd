// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/machine/capture_file.hpp"
#include "sim/machine/frame_source.hpp"
#include "sim/machine/machine.hpp"

namespace ht::machine {

/// Writes every frame (packets, hellos, commands; words, acknowledgements, training) on chosen
/// cables of a machine to a pcapng file, in order of time. Each
/// cable is an interface named by its + end; what that end sends is outbound. The data are a
/// pseudo-header and the frame, laid out in sim/machine/README.md and read by hypertorus.lua.
class PacketCapture {
 public:
  /// Throws DataError if the file cannot be written. `machine` must outlive this.
  PacketCapture(Machine& machine, const std::string& file);
  /// In a single process, writes the rest; a file that cannot be written is reported by finish()
  /// only.
  ~PacketCapture();
  PacketCapture(const PacketCapture&) = delete;
  PacketCapture& operator=(const PacketCapture&) = delete;

  /// The cable at this port, both directions; a second time is the same as once. Before the first
  /// run.
  void add(int node, int link);

  /// At a window's end: writes what was complete then.
  void collect(Picoseconds now);

  /// Writes everything that is left; throws DataError if that fails. In every process.
  void finish();

 private:
  struct End {
    int node, link;
  };
  struct Direction {
    End from, to;
    CaptureFile::Source source;
    std::unique_ptr<FrameSource> frames;
  };
  void add_direction(End from, End to, std::uint32_t interface, PcapngFile::Direction direction);
  void take_frames();
  void add_record(const Direction& direction, const CapturedFrame& frame);

  Machine& machine_;
  CaptureFile file_;
  bool finished_ = false;
  std::vector<Direction> directions_;
};

}  // namespace ht::machine
