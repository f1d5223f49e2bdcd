// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/cable/error_ledger.hpp"
#include "sw/host/time.hpp"
#include "verif/check/common/delivery_scoreboard.hpp"

namespace ht::campaign {

/// What became of an injected error, and which mechanism noticed it first. See
/// sim/campaign/README.md. No machine has all of them.
enum class Class : std::uint8_t {
  Code,        ///< line code: a word could not be decoded
  Framing,     ///< a word out of place
  Check,       ///< CRC of a packet or of the start-up exchange
  Command,     ///< CRC of a command
  Gap,         ///< nothing arrived of it; the receiver missed a sequence number
  Timeout,     ///< nothing arrived of it; the sender waited in vain
  Retrain,     ///< the signal was gone: the link trained anew
  Harmless,    ///< no effect on delivered data
  Undetected,  ///< accepted by the link
  Caught,      ///< past the link's check, caught by the checksums at both ends
  Header,      ///< a byte that should have been a header and is none
  Parity,      ///< of a word or an interrupt
  Marks,       ///< marks that led nowhere
  Training,    ///< a training sequence
  Down,        ///< the link was reported down
  Passed,      ///< accepted, and nothing came of it: all was delivered as it was sent
  Link         ///< by the link; which of its checks it was is not known
};
constexpr std::size_t kClasses = 17;
const char* name(Class c);

/// Errors by class.
struct Classes {
  std::array<std::uint64_t, kClasses> count{};
  std::uint64_t& operator[](Class c) { return count[static_cast<std::size_t>(c)]; }
  std::uint64_t operator[](Class c) const { return count[static_cast<std::size_t>(c)]; }
  std::uint64_t total() const;
  Classes& operator+=(const Classes& other);
  bool operator==(const Classes&) const = default;
};

/// How long it took until errors were noticed, in machine time: from the first symbol that an error
/// damaged leaving its sender, to the symbol at the receiver's input by which it was noticed.
struct Detection {
  std::uint64_t errors = 0;
  Picoseconds sum = 0, longest = 0;
  std::uint64_t longest_run = 0;  ///< the first with the longest

  double mean() const {
    return errors == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(errors);
  }
  Detection& operator+=(const Detection& other);
  bool operator==(const Detection&) const = default;
};

/// What a run, or many, amounted to. Sums: the order of runs does not matter.
struct Tally {
  std::array<Classes, sim::kErrorKinds> by_kind{};    ///< sim::ErrorKind
  std::map<std::string, Classes> by_place;            ///< what was on the line there
  std::array<Detection, sim::kErrorKinds> noticed{};  ///< by kind; where the time is known
  check::Deliveries packets;
  std::uint64_t forced = 0;                       ///< packets damaged so that their CRC fits
  std::uint64_t forced_delivered = 0;             ///< of these, delivered; checksums must differ
  std::map<std::string, std::uint64_t> counters;  ///< of the machine, by name

  Classes errors() const;       ///< all kinds
  Detection detection() const;  ///< all kinds
  Tally& operator+=(const Tally& other);
  bool operator==(const Tally&) const = default;
};

/// What became of a bit that flipped where no code is.
enum class Upset : std::uint8_t {
  Harmless,  ///< nothing came of it: it was masked, or corrected
  Noticed,   ///< hardware or driver reported it: an error, a timeout, checksums that differ
  Unnoticed  ///< all was reported good, and something was not
};
constexpr std::size_t kUpsets = 3;
/// The counter of a tally.
std::string upset_counter(bool memory, Upset fate);
/// Of memories and registers together.
std::uint64_t upsets(const Tally& tally, Upset fate);

/// What a run was made of, as it was drawn: each has a number, errors first.
struct Drawn {
  std::size_t errors = 0, messages = 0;
  bool operator==(const Drawn&) const = default;
};

/// What one run of interest shows besides its outcome.
struct Closer {
  std::string trace;               ///< stem of wave files of all nodes; empty: none
  std::vector<std::string> lines;  ///< what was drawn, and what became of each error: filled in
  Drawn drawn;                     ///< filled in
};

/// Something that must not happen.
struct Finding {
  std::uint64_t run = 0;
  int node = -1, link = -1;  ///< -1: no particular one
  std::string what;
  bool operator==(const Finding&) const = default;
};

struct RunOutcome {
  Tally tally;
  std::vector<Finding> findings;
};

}  // namespace ht::campaign
