// SPDX-License-Identifier: Apache-2.0
// What only some machines' nodes have besides their network.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/serial_console.hpp"
#include "sw/host/time.hpp"

namespace ht::dirac {
struct JobSpec;
}

namespace ht::machine {

/// What a node's program writes to its serial port with. On the node's fibre.
class ConsoleWriter {
 public:
  virtual ~ConsoleWriter() = default;
  virtual void write(std::string_view text) = 0;
};

/// Serial ports of all nodes, and what listens to them.
class Consoles {
 public:
  virtual ~Consoles() = default;
  /// What the nodes simulated here wrote since the last call; with `all`, lines that have no end
  /// yet as well. While no node runs.
  virtual std::vector<ConsoleLine> take_console(bool all) = 0;
  virtual std::unique_ptr<ConsoleWriter> open_console(int node) = 0;
};

/// Something that writes a file at the ends of windows.
class Capture {
 public:
  virtual ~Capture() = default;
  /// At a window's end: writes what was complete some time before.
  virtual void collect(Picoseconds now) = 0;
  /// Writes the rest; throws DataError if that fails.
  virtual void finish() = 0;
};

/// How one node's reading of its job went.
struct NodeLoad {
  std::uint64_t bytes = 0;
  int files = 0, repeats = 0;  ///< messages that were sent or came again
  Picoseconds time = 0;        ///< reading
  double megabytes_a_second() const {
    return time == 0 ? 0 : static_cast<double>(bytes) * 1e6 / static_cast<double>(time);
  }
};

/// A node's start over Ethernet. All of it runs on the node's fibre.
class JobReader {
 public:
  virtual ~JobReader() = default;
  /// Reads the boot block; the job it describes reads its field through this object.
  virtual dirac::JobSpec read_job() = 0;
  /// Switches the interface off.
  virtual void close() = 0;
  virtual const NodeLoad& load() const = 0;
};

struct EthernetTotals {
  std::uint64_t frames_in = 0, frames_out = 0, bad_frames = 0, repeats = 0;
  EthernetTotals& operator+=(const EthernetTotals& t) {
    frames_in += t.frames_in;
    frames_out += t.frames_out;
    bad_frames += t.bad_frames;
    repeats += t.repeats;
    return *this;
  }
};

/// The nodes' Ethernet, with a server at the other end.
class NodeEthernet {
 public:
  virtual ~NodeEthernet() = default;
  virtual std::unique_ptr<JobReader> open_reader(int node) = 0;
  /// What the server saw; all processes of the run must ask.
  virtual EthernetTotals ethernet_totals() = 0;
  /// Throws DataError if the file cannot be written.
  virtual std::unique_ptr<Capture> capture_ethernet(const std::string& file) = 0;
};

/// What a program on a node can call besides QMP, for as long as this lives.
class ProgramInterface {
 public:
  virtual ~ProgramInterface() = default;
};

}  // namespace ht::machine
