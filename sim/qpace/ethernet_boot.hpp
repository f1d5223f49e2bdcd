// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/dirac/job.hpp"
#include "sw/host/hardware_port.hpp"
#include "sw/net/tftp_server.hpp"
#include "sw/qpace/gmac.hpp"
#include "sw/qpace/uart.hpp"

namespace ht::cli {

/// The files that the server at the other end of the nodes' Ethernet has for a job: "boot", and the
/// field's boxes (sw/dirac/boot.hpp).
net::FileSource job_files(const dirac::JobSpec& spec);

/// How one node's reading went.
struct NodeLoad {
  std::uint64_t bytes = 0;
  int files = 0, repeats = 0;  ///< messages that were sent or came again
  Picoseconds time = 0;        ///< reading
  double megabytes_a_second() const {
    return time == 0 ? 0 : static_cast<double>(bytes) * 1e6 / static_cast<double>(time);
  }
};

/// A node's start over Ethernet. All of it runs on the node's fibre.
class NodeBoot {
 public:
  NodeBoot(host::HardwarePort& port, int rank);

  /// Reads the boot block; the job it describes reads its field through this object.
  dirac::JobSpec read_job();
  /// Switches the interface off.
  void close() { gmac_.close(); }
  const NodeLoad& load() const { return load_; }

 private:
  net::Bytes read(const std::string& file);

  host::HardwarePort& port_;
  int rank_;
  qpace::Gmac gmac_;
  std::uint16_t next_port_ = 50000;
  NodeLoad load_;
};

}  // namespace ht::cli
