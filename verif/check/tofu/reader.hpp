// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "verif/model/tofu/wire.hpp"

namespace ht::check {

/// Monitors one direction of a Tofu link, beat by beat, and classifies each as a receiver must: the
/// framing rules of rtl/tofu/README.md, without the protocol above them.
class TofuReader {
 public:
  /// What is out of order about a beat; several may be.
  struct Anomalies {
    bool code = false;     ///< an error character, or no known form
    bool framing = false;  ///< out of place, a packet cut short or too long
    bool header = false;   ///< a header with a wrong CRC
    bool crc = false;      ///< a packet or hello with one
    bool control = false;  ///< a link control packet with one

    bool any() const { return code || framing || header || crc || control; }
    bool operator==(const Anomalies&) const = default;
  };
  /// What a beat was. `start`, `ok` and `error` mean what the link's obs_rx_* pulses do.
  struct Event {
    bool start = false;
    bool ok = false;  ///< last beat of a good packet (not a nullified one), or a good hello
    bool error = false;
    Anomalies anomalies;
    std::optional<model::tofu::Packet> packet;  ///< good, or nullified
    std::optional<model::tofu::Hello> hello;
    std::optional<model::tofu::Control> control;
  };

  Event push(const model::Beat& beat);

  struct Counts {
    std::uint64_t packets = 0, nullified = 0, hellos = 0, controls = 0;
    std::uint64_t code = 0, framing = 0, header = 0, crc = 0, control = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  enum class Form { Idle, First, Data, Last, Hello, Unknown };
  static Form form(const model::Beat& beat);
  bool header_good() const;
  void last(const model::Beat& beat, Event& event);

  std::vector<model::Beat> beats_;  ///< of the packet under way
  bool skip_ = false;               ///< the rest of a broken packet
  Counts counts_;
};

}  // namespace ht::check
