// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/machine/capture_file.hpp"
#include "sim/machine/devices.hpp"
#include "sim/qpace/ethernet_port.hpp"

namespace ht::machine {

class QpaceMachine;

/// Writes every frame on the nodes' Ethernet cables to a pcapng file as Wireshark expects them:
/// link type Ethernet, check sequence included, as it arrived at its receiver, damage and all. One
/// interface a node; what the node sends is outbound.
class EthernetCapture final : public Capture {
 public:
  /// Throws DataError if the file cannot be written. `machine` has Ethernet and outlives this.
  EthernetCapture(QpaceMachine& machine, const std::string& file);
  ~EthernetCapture() override;
  EthernetCapture(const EthernetCapture&) = delete;
  EthernetCapture& operator=(const EthernetCapture&) = delete;

  /// At a window's end: writes what was complete some time before.
  void collect(Picoseconds now) override;
  /// Writes the rest; throws DataError if that fails. In every process.
  void finish() override;

 private:
  class Tap;
  void take_frames();

  const bool spread_;
  CaptureFile file_;
  bool finished_ = false;
  std::vector<std::unique_ptr<Tap>> taps_;
};

}  // namespace ht::machine
