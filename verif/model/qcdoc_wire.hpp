// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

/// The QCDOC link's wire format: rtl/qcdoc/README.md, "Wire format"; seed 000, section 2.2.
namespace ht::model::qcdoc {

enum class Kind : std::uint8_t {
  Data,           ///< 8 bytes follow
  Supervisor,     ///< 8 bytes follow
  Interrupt,      ///< 1 byte follows
  Idle,           ///< bare, as are all that follow
  Request,        ///< resend from the oldest word not acknowledged
  Mark,           ///< at least ten precede a resume number
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
/// What a byte is as a header, or nothing: 256 bytes, 110 of them headers.
std::optional<Header> decode(std::uint8_t byte);

/// b of a data or supervisor word, and of a partition interrupt.
std::uint8_t parity_of_word(std::uint64_t word);
std::uint8_t parity_of_interrupt(std::uint8_t code);

/// The byte after the marks: the sender goes on with data word `number`, 0..3.
std::uint8_t resume_byte(unsigned number);
/// Its number, or nothing if that byte is none.
std::optional<unsigned> resume_number(std::uint8_t byte);

/// The links' checksum after one more data word.
std::uint32_t add_to_checksum(std::uint32_t sum, std::uint64_t word);

}  // namespace ht::model::qcdoc
