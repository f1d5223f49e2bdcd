// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "verif/model/qcdoc/qcdoc_wire_fields.hpp"

/// The QCDOC link's wire format: rtl/qcdoc/README.md, "Wire format"; [QCDOC2004] section 2.2.
namespace ht::model::qcdoc {

enum class Kind : std::uint8_t {
  Data,           ///< 8 bytes follow
  Supervisor,     ///< 8 bytes and a check byte follow
  Interrupt,      ///< a byte and a check byte follow
  Idle,           ///< bare, as are all that follow
  Mark,           ///< at least ten precede a record
  AckSupervisor,  ///< acknowledges supervisor word `sequence`
  AckInterrupt    ///< acknowledges interrupt `sequence`
};

/// What a data word's header acknowledges.
enum class Acknowledges : std::uint8_t { Data, Supervisor, Interrupt };

/// A header's contents. Which members count depends on the kind.
struct Header {
  Kind kind = Kind::Idle;
  std::uint8_t parity = 0;    ///< Data, Supervisor, Interrupt: b as it stands in the header
  std::uint8_t number = 0;    ///< next data word wanted, 0..3: frames (Acknowledges::Data) and Idle
  std::uint8_t sequence = 0;  ///< 0 or 1: of a supervisor word or interrupt, sent or acknowledged
  Acknowledges acknowledges = Acknowledges::Data;  ///< Data
  bool hold = false;                               ///< Idle
  bool operator==(const Header&) const = default;
};

/// The byte of a header, or nothing if a member is out of range.
std::optional<std::uint8_t> encode(const Header& header);
/// What a byte is as a header, or nothing: 256 bytes, 109 of them headers.
std::optional<Header> decode(std::uint8_t byte);

/// b of a data word, of a supervisor word and of a partition interrupt.
std::uint8_t parity_of_word(std::uint64_t word);
std::uint8_t parity_of_supervisor(std::uint64_t word);
std::uint8_t parity_of_interrupt(std::uint8_t code);

/// What follows the marks: where both directions are. Numbers of data words are modulo 64.
struct Record {
  std::uint8_t next = 0;      ///< number of the word the sender of the record goes on with
  bool lost = false;          ///< it is out of step, and wants words again
  std::uint8_t expected = 0;  ///< number of the next word it accepts
  std::uint8_t waiting = 0;   ///< words before that which nobody has taken, 0..3
  bool operator==(const Record&) const = default;
};
/// The five bytes, or nothing if a member is out of range.
std::optional<std::array<std::uint8_t, 5>> encode_record(const Record& record);
/// What five bytes say, or nothing.
std::optional<Record> decode_record(const std::array<std::uint8_t, 5>& bytes);
/// Idle bytes that follow a supervisor word or an interrupt, by which it is believed.
constexpr unsigned sure_bytes = wire::sure::kSure;

/// The check byte of a supervisor word's frame, or an interrupt's: CRC-8 over the header and the
/// payload.
std::uint8_t check_of_supervisor(std::uint8_t header, std::uint64_t word);
std::uint8_t check_of_interrupt(std::uint8_t header, std::uint8_t code);

/// The links' checksum over data words after one more of them.
std::uint32_t add_to_checksum(std::uint32_t sum, std::uint64_t word);
/// What a supervisor word, and a packet of partition interrupts, add to the sum of those.
std::uint32_t checksum_of_supervisor(std::uint64_t word);
std::uint32_t checksum_of_interrupt(std::uint8_t code);

}  // namespace ht::model::qcdoc
