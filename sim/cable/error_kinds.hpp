// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "sw/host/time.hpp"

namespace ht::sim {

struct FaultPlan;

/// The kinds of errors that can be injected on a cable. `error_kind()` describes each of them;
/// options, checks, JSON, reports and ledgers go through these descriptions.
enum class ErrorKind : std::uint8_t {
  Bit,
  Burst,
  Lost,
  Doubled,
  Stuck,
  Pulled,
  Forced,
  Aimed,
  Silent,
  Exchanged
};
constexpr std::size_t kErrorKinds = static_cast<std::size_t>(ErrorKind::Exchanged) + 1;

/// A fault of one or two lanes of a line, in [from, until) of the sender's time.
struct LaneFault {
  ErrorKind kind = ErrorKind::Stuck;
  unsigned lane = 0;
  /// The other lane where the kind takes two; else a value: the level of a stuck lane, 0 or 1.
  unsigned with = 0;
  Picoseconds from = 0, until = 0;
};

/// How a kind of fault damages lanes.
struct LaneEffect {
  const char* what;  ///< in messages: "stuck bits"
  bool two_lanes;    ///< LaneFault::with is a lane
  /// What is sent on the lane does not arrive, so that there are no bits to invert, either.
  bool silences;
  /// What the receiver's end of the line shows instead of `groups`, one coded group for each lane;
  /// `ones` has all bits of a group set.
  void (*damage)(const LaneFault& fault, std::span<std::uint32_t> groups, std::uint32_t ones);

  /// The lanes that such a fault may change, one bit for each.
  std::uint32_t lanes(const LaneFault& fault) const {
    return 1U << fault.lane | (two_lanes ? 1U << fault.with : 0U);
  }
};

/// One of the errors that a machine was asked for: where and when it was drawn to be, and what its
/// kind needs to draw the rest.
struct DrawnError {
  ErrorKind kind;
  FaultPlan& plan;    ///< of the cable it hits
  FaultPlan* back;    ///< of that cable's other direction, or null where both are the same
  Picoseconds time;   ///< without a meaning if the kind hits packets
  std::int64_t size;  ///< CountedError::Size
  unsigned lanes;     ///< of the cable
  /// A random number from 0, evenly below the limit.
  std::function<std::int64_t(std::int64_t limit)> below;
  /// Adds damage to one packet that the link cannot see, in a random bit of the payload.
  std::function<void(FaultPlan& plan, std::uint64_t packet)> forge;
};

/// An error that a machine can be asked for by number, at random times on random cables.
struct CountedError {
  const char* option;  ///< the option's name without dashes; key in JSON; word in reports
  const char* help;    ///< of the option
  /// The default depends on the machine; else it is 0.
  bool machine_default = false;
  /// Whether the line about a run's cables has it.
  enum class Listed { Always, IfAny, Never } listed = Listed::Always;
  /// Which of the machine's random numbers are its own. Must never change: seeds would mean other
  /// errors.
  std::uint32_t stream;
  /// Hits a packet instead of a time, and only cables between different nodes, as no others carry
  /// packets.
  bool hits_packets = false;

  /// How long each of them is. With an option of its own if `option` is not null.
  struct Size {
    std::int64_t value = 0;  ///< bits, or ps
    const char* option = nullptr;
    const char* key = nullptr;  ///< in JSON
    const char* help = nullptr;
    std::int64_t least = 0, most = 0;
    const char* remedy = nullptr;  ///< after a value out of these
  } size = {};

  void (*draw)(DrawnError& error);
};

struct ErrorKindDescription {
  ErrorKind kind;
  const char* name;                       ///< in ledgers, JSON and campaigns
  std::optional<CountedError> counted{};  ///< if a machine can be asked for it by number
  std::optional<LaneEffect> lanes{};      ///< if it is a fault of lanes (LaneFault)

  /// Lanes that a cable must have for it.
  unsigned least_lanes() const { return lanes && lanes->two_lanes ? 2 : 1; }
};

/// All of them, in the order of ErrorKind.
std::span<const ErrorKindDescription> error_kinds();
const ErrorKindDescription& error_kind(ErrorKind kind);
/// The damage that a LaneFault of this kind does. Throws std::logic_error if it is none of lanes.
const LaneEffect& lane_effect(ErrorKind kind);
inline const char* name(ErrorKind kind) {
  return error_kind(kind).name;
}
/// Throws UsageError if a cable with so many lanes cannot have an error of this kind. `asked`: what
/// asked for it, as in "--lost 3".
void require_lanes(ErrorKind kind, unsigned lanes, std::string_view asked);

}  // namespace ht::sim
