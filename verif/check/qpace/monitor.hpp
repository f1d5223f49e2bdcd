// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "verif/model/qpace/wire.hpp"

namespace ht::check {

/// Monitors one direction of a QPACE link, word by word, and classifies each word as a receiver
/// must: the framing rules of rtl/qpace/README.md, without the protocol above them.
class QpaceMonitor {
 public:
  /// What is out of order; of several, the first of these.
  enum class Anomaly : std::uint8_t {
    None,
    Code,     ///< an error character
    Framing,  ///< data outside a frame, an unknown control word, a frame cut short
    Check,    ///< the CRC of a packet or hello, or one with a bad word in it
    Command   ///< the CRC of a command
  };
  /// What a word was. `start`, `ok`, `command` and `error` mean what the link's obs_rx_* pulses do.
  struct Event {
    bool start = false;    ///< first word of a packet or hello
    bool ok = false;       ///< last word of one, with a good CRC; also of a withdrawn packet
    bool command = false;  ///< a good command
    bool error = false;    ///< anything out of order
    Anomaly anomaly = Anomaly::None;
    std::optional<model::qpace::DataPacket> packet;
    std::optional<model::qpace::Hello> hello;
    std::optional<model::qpace::Command> heard;
  };

  Event push(const model::Word& word);

  struct Counts {
    std::uint64_t packets = 0, hellos = 0, commands = 0, errors = 0;
    /// As the link's COUNT_*_ERROR: a word may count under several.
    std::uint64_t code_errors = 0, framing_errors = 0, crc_errors = 0, command_crc_errors = 0;
  };
  const Counts& counts() const { return counts_; }
  /// Over the payload of all good packets, withdrawn ones in their own way.
  std::uint32_t payload_checksum() const { return checksum_.value(); }

 private:
  void finish(Event& event);

  std::vector<model::Word> frame_;  ///< words so far; empty outside a frame
  model::qpace::PayloadChecksum checksum_;
  Counts counts_;
};

}  // namespace ht::check
