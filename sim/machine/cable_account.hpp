// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cable/error_ledger.hpp"
#include "sim/kernel/clock.hpp"

namespace ht::machine {

/// Something that one of a link's two ends counted, for reports.
struct LinkCount {
  std::string_view name;  ///< "crc_errors"; a literal
  std::uint64_t count;
};

/// One direction of one cable after a run: what its two ends counted and what happened on the way.
struct LinkReport {
  int from = 0, to = 0;             ///< nodes
  int link = 0;                     ///< the sender's; the receiver's is Machine::far_link()
  std::string name;                 ///< of that link: "+x"
  std::uint64_t sent = 0;           ///< packets or words, the machine's unit, each once
  std::uint64_t retransmitted = 0;  ///< sent again, for damage
  std::uint64_t replayed = 0;       ///< sent again because the receiver had had no room
  std::uint64_t accepted = 0;       ///< by the receiver
  std::vector<LinkCount> counts;    ///< what else is known of this direction
  std::uint32_t tx_checksum = 0, rx_checksum = 0;  ///< over what was sent, and accepted
  sim::ErrorTotals errors;
  Picoseconds first_retransmission = sim::kNever;  ///< when it first sent something again
  bool checksums_agree() const { return tx_checksum == rx_checksum; }
};

/// What is known of all cables of a machine after a run.
struct CableAccount {
  std::vector<LinkReport> links;  ///< empty on the functional network
  sim::ErrorTotals errors;
  std::vector<std::string> undetected;  ///< of errors.undetected: cable, kind, when

  std::uint64_t retransmissions() const;  ///< for damage
  std::uint64_t replays() const;          ///< because receivers had had no room
  std::size_t checksum_mismatches() const;
  /// The checksums at both ends of every cable agree, every error is accounted for, none was
  /// accepted.
  bool cables_good() const;
  /// What is not, a line each: errors that went undetected, and checksums; of many the first ones,
  /// and how many more.
  std::vector<std::string> cable_faults() const;
};

}  // namespace ht::machine
