// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "sim/machine/devices.hpp"
#include "sw/dirac/job.hpp"
#include "sw/host/hardware_port.hpp"
#include "sw/qpace/gmac.hpp"

namespace ht::machine {

/// A node's start over its Gigabit Ethernet interface, by TFTP.
class NodeBoot final : public JobReader {
 public:
  NodeBoot(host::HardwarePort& port, int rank);

  dirac::JobSpec read_job() override;
  void close() override { gmac_.close(); }
  const NodeLoad& load() const override { return load_; }

 private:
  net::Bytes read(const std::string& file);

  host::HardwarePort& port_;
  int rank_;
  qpace::Gmac gmac_;
  std::uint16_t next_port_ = 50000;
  NodeLoad load_;
};

}  // namespace ht::machine
