// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/cable/cable.hpp"

namespace ht::machine {

/// A frame on a cable as a capture stores it.
struct CapturedFrame {
  Picoseconds time = 0;               ///< when the sender put its first symbol on the line
  std::size_t sent = 0, arrived = 0;  ///< words or bytes; arrived: 0 if all is as sent
  std::vector<std::uint8_t> data;     ///< those, laid out as in sim/machine/README.md
  bool damaged = false;
  bool unseen = false;     ///< damaged, and the receiver's check does not see it
  bool cut_short = false;  ///< the sender gave it up before its end
  std::string damage;      ///< for people; empty if it is not damaged
};

/// Hears one direction of a cable and cuts it into frames. Stops listening when it goes.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  /// Number of the wire format, in a record's pseudo-header.
  virtual std::uint8_t format() const = 0;
  /// Time of the oldest frame that is complete, or nothing.
  virtual std::optional<Picoseconds> next() const = 0;
  /// That frame, which is then gone.
  virtual CapturedFrame take() = 0;
  /// When the frame began that is not complete, of what was sent before `now`, a window's end; or
  /// nothing.
  virtual std::optional<Picoseconds> open_since(Picoseconds now) = 0;
  /// Takes what there is of an open frame for all of it.
  virtual void cut() = 0;
};

/// For any cable whose frames are known; throws std::logic_error for others.
std::unique_ptr<FrameSource> listen_to(sim::CableBase& cable);

}  // namespace ht::machine
