// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/machine/frame_source.hpp"
#include "sim/machine/machine.hpp"
#include "sim/machine/pcapng.hpp"

namespace ht::machine {

/// Writes every frame (packets, hellos, commands; words, acknowledgements, training) on chosen
/// cables of a machine to a pcapng file, in order of time. Each
/// cable is an interface named by its + end; what that end sends is outbound. The data are a
/// pseudo-header and the frame, laid out in sim/machine/README.md and read by hypertorus.lua.
class PacketCapture {
 public:
  /// Throws DataError if the file cannot be written. `machine` must outlive this.
  PacketCapture(Machine& machine, const std::string& file);
  /// Writes the rest; a file that cannot be written is reported by finish() only.
  ~PacketCapture();
  PacketCapture(const PacketCapture&) = delete;
  PacketCapture& operator=(const PacketCapture&) = delete;

  /// The cable at this port, both directions; a second time is the same as once. Before the first
  /// run.
  void add(int node, int link);

  /// At a window's end: writes what was complete then.
  void collect(Picoseconds now);

  /// Writes everything that is left; throws DataError if that fails.
  void finish();

 private:
  struct End {
    int node, link;
  };
  struct Direction {
    End from, to;
    std::uint32_t interface;
    PcapngFile::Direction direction;
    std::unique_ptr<FrameSource> frames;
  };
  void add_direction(End from, End to, std::uint32_t interface, PcapngFile::Direction direction);
  void write_until(Picoseconds horizon);
  void write(const Direction& direction, const CapturedFrame& frame);

  Machine& machine_;
  PcapngFile file_;
  std::vector<Direction> directions_;
};

}  // namespace ht::machine
