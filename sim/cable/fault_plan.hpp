// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/cable/error_kinds.hpp"
#include "sim/kernel/clock.hpp"

namespace ht::sim {

/// What an aimed error is to hit: an idle symbol, or the first symbol of a frame. On a
/// line of bits: the header of a data word (Packet), any other one (Command), a training sequence
/// (Hello).
enum class Target : std::uint8_t { Idle, Packet, Command, Hello };

/// What is to go wrong on one direction of one cable. All of it is laid down before the run and
/// depends on (seed, cable) alone, never on threads, windows or skipping.
///
/// Times are those at which the sender puts the symbol (or bit) on the line, except for a pulled
/// cable, whose times are the receiver's too.
struct FaultPlan {
  /// Probability that a coded bit is inverted, 0 to 1, each on its own.
  double bit_error_rate = 0.0;
  /// Only in [from, until).
  Picoseconds bit_errors_from = 0, bit_errors_until = kNever;

  /// `length` consecutive coded bits of a lane, of which the first and the last are inverted and
  /// each other one with probability 1/2. Without `lane`: on all lanes, each with its own pattern.
  struct Burst {
    Picoseconds time = 0;
    unsigned length = 2;
    std::optional<unsigned> lane;
  };
  std::vector<Burst> bursts;

  /// One symbol is lost, or comes twice. What follows moves up, or back, by one symbol, until the
  /// next idle symbol makes up for it. If `busy`, it is the first symbol at or after `time` that is
  /// not idle.
  struct Slip {
    Picoseconds time = 0;
    bool busy = true;
  };
  std::vector<Slip> lost, doubled;

  /// Lanes that do not show what was sent for a time. If several at once have a lane in common, the
  /// one that began first decides.
  std::vector<LaneFault> lane_faults;

  /// The cable is pulled at `from` and put back at `until`. What is in flight at `from` is lost,
  /// and the receiver sees no signal until the first symbol sent after `until` arrives. If
  /// `silent`, its PHY shows idle symbols instead of errors.
  struct Pull {
    Picoseconds from = 0, until = 0;
    bool silent = false;
  };
  std::vector<Pull> pulls;

  /// Chosen data bits are inverted in chosen words of the `frame`-th data packet sent (from 0,
  /// retransmissions count). Word 0 is its header; idle words in between do not count. On
  /// a line of bits: of the `frame`-th data word; word 0 is its bits 31:0, word 1 its bits 63:32.
  struct Forced {
    struct Flip {
      unsigned word = 0;
      std::uint32_t mask = 0;
    };
    std::uint64_t frame = 0;
    std::vector<Flip> flips;
  };
  std::vector<Forced> forced;

  /// Chosen coded bits are inverted in the symbol `after` slots after the first one at or after
  /// `time` that is a `target`; on a line of bits, after the last bit of what is aimed at.
  struct Aimed {
    struct Bit {
      unsigned lane = 0, bit = 0;
    };
    Picoseconds time = 0;
    Target target = Target::Idle;
    unsigned after = 0;
    std::vector<Bit> bits;
  };
  std::vector<Aimed> aimed;

  /// So many more, at times drawn evenly from [from, until), bursts on a drawn lane.
  struct Drawn {
    unsigned bursts = 0, burst_length = 20;
    unsigned lost = 0, doubled = 0;
    Picoseconds from = 0, until = 0;
  } drawn;

  /// From then on errors that still wait for something to hit do not happen any more: aimed ones,
  /// and lost and doubled symbols that are not to be idle.
  Picoseconds waits_until = kNever;

  bool empty() const;
  /// Throws UsageError that names what is wrong: a rate outside 0 to 1, a lane or bit the line does
  /// not have, an empty burst, a time before 0 or an end before its beginning.
  void check(unsigned lanes, unsigned group_bits, const std::string& cable) const;
};

}  // namespace ht::sim
