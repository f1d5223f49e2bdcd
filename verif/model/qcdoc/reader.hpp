// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "verif/model/qcdoc/wire.hpp"

/// Decodes the bits of a QCDOC link: rtl/qcdoc/README.md, "Wire format". Without the protocol above
/// it: acknowledgements and numbers are reported, not tracked.
namespace ht::model::qcdoc {

/// No header: the sender goes to training, or down.
constexpr std::uint8_t kBreak = wire::bare_code::kBreak;
/// The mark, and how many of them precede a record at least.
constexpr std::uint8_t kMark = wire::bare_code::kMark;
constexpr unsigned kMarks = wire::marks::kMarks;
/// A training sequence's first two bytes; a status byte and its complement follow.
constexpr std::uint8_t kTrain0 = wire::training::kFirst, kTrain1 = wire::training::kSecond;

/// Reads bytes at the right boundary: headers, payloads, marks; out of step until enough marks and
/// a record.
class ByteReader {
 public:
  /// What is out of order.
  enum class Anomaly : std::uint8_t {
    None,
    Header,  ///< a byte that should have been a header and is none
    Parity,  ///< of a frame's payload, or its check byte
    Marks,   ///< marks that neither go on nor end with a record, or one the link cannot go on with
    Refused  ///< a header the link knows nobody in step would send
  };
  /// What a byte was; all false and empty: it was read over. `start`, `ok`, `error` mean what the
  /// link's obs_rx_* pulses do.
  struct Event {
    bool start = false;  ///< header of a frame with a payload
    bool ok = false;     ///< last byte of one, with the right parity and check byte
    bool error = false;
    Anomaly anomaly = Anomaly::None;
    std::optional<Header> header;  ///< this byte, read as one; with `ok`: that of the frame
    std::uint64_t payload = 0;     ///< with `ok`: 64 or 8 bits
    std::optional<Record> record;
    unsigned bytes = 1;  ///< that this is about, the last one included: a record has five
    /// A good header without payload, a mark that counts or a record.
    bool bare() const { return !start && !ok && !error && (header || record); }
  };

  /// `refused`: the link says that numbers of words do not fit, which are not followed here.
  Event push(std::uint8_t byte, bool refused = false);
  /// Out of step, as after training.
  void restart();
  bool in_step() const { return state_ != State::Lost; }
  /// The last frame, a supervisor word or an interrupt, is not believed yet.
  bool unsure() const { return sure_ != 0; }
  /// In the five bytes after marks; not after the last one.
  bool in_record() const { return place_ != 0; }
  /// Between frames, in step.
  bool at_header() const { return state_ == State::Header; }

 private:
  enum class State : std::uint8_t { Header, Body, Count, Lost };

  Event read_header(std::uint8_t byte, bool refused);
  Event read_body(std::uint8_t byte);
  Event read_mark(std::uint8_t byte, bool refused);

  State state_ = State::Lost;
  unsigned marks_ = 0;  ///< in a row, up to kMarks
  std::array<std::uint8_t, 5> record_{};
  std::size_t place_ = 0;   ///< in the record
  unsigned sure_ = 0;       ///< idle bytes that must follow
  Header header_;           ///< of the frame
  std::uint8_t first_ = 0;  ///< that header as it came
  unsigned bytes_ = 0;      ///< of its payload so far
  std::uint64_t payload_ = 0;
};

/// Finds the byte boundary in a stream of bits by whole training sequences, and cuts it into bytes.
class BitAligner {
 public:
  struct Event {
    bool byte = false;  ///< this bit was a byte's last: `value`
    std::uint8_t value = 0;
    /// This bit ended a training sequence: its status byte.
    std::optional<std::uint8_t> trained;
    bool aligned = false;  ///< and it moved the byte boundary, or was the first one
  };
  /// `hunt`: a training sequence at another boundary counts.
  Event push(bool bit, bool hunt);
  bool aligned() const { return found_; }

 private:
  std::uint32_t last_ = 0;  ///< 32 bits, the newest in bit 0
  unsigned count_ = 0;      ///< bits since the last byte's end
  bool found_ = false;
};

/// Follows a sender's bits, in which nothing is wrong, with no knowledge of its state.
class SenderReader {
 public:
  struct Event {
    ByteReader::Event byte;
    bool trained = false;               ///< end of a training sequence
    std::optional<std::uint8_t> value;  ///< this bit was a byte's last
  };
  Event push(bool bit) {
    const auto got = aligner_.push(bit, !bytes_.in_step());
    Event e;
    e.trained = got.trained.has_value();
    if (got.byte && aligner_.aligned()) {
      e.value = got.value;
      e.byte = bytes_.push(got.value);
    }
    return e;
  }
  bool in_step() const { return bytes_.in_step(); }
  bool in_record() const { return bytes_.in_record(); }

 private:
  BitAligner aligner_;
  ByteReader bytes_;
};

/// Where bit `bit` of a data or supervisor word is in its frame: 0 is the first after the header.
constexpr unsigned place_in_frame(unsigned bit) {
  return (bit & ~7U) + 7 - (bit & 7U);
}

}  // namespace ht::model::qcdoc
