// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace ht::machine {

/// What a byte on a QCDOC link's wire is, for people (rtl/qcdoc/README.md, "Wire format").
enum class ByteKind : std::uint8_t {
  Idle,
  Hold,  ///< idle, and the sender has nowhere to put words yet
  Data,  ///< header of a data word
  Supervisor,
  Interrupt,
  Payload,
  Acknowledge,  ///< of a supervisor word or interrupt, by itself
  Request,
  Mark,
  Resume,    ///< the number after marks
  Break,     ///< training begins, or the link goes down
  Training,  ///< bytes of the training sequence
  Damaged,   ///< should have been a header or the end of a frame, and is not
  Lost       ///< discarded, until marks and a resume number
};

/// Follows one direction of a link bit by bit, finds the bytes by the training sequence as the
/// receiver does, and says what each is.
class ByteReader {
 public:
  /// One bit; `training`: the link is in state TRAIN. True if a byte is complete.
  bool step(bool bit, bool training);

  /// Of the last complete byte.
  ByteKind kind() const { return kind_; }
  /// Number of the data word that the last header wants next.
  std::uint8_t wanted() const { return wanted_; }

 private:
  ByteKind classify(std::uint8_t byte);
  ByteKind header(std::uint8_t byte);
  ByteKind lose(ByteKind why);

  std::uint16_t shift_ = 0;
  unsigned bits_ = 0;  ///< of this byte
  ByteKind kind_ = ByteKind::Lost;
  std::uint8_t wanted_ = 0;
  bool lost_ = true;
  unsigned marks_ = 0;
  unsigned left_ = 0;  ///< bytes until the frame's end
  unsigned bytes_ = 0;
  std::uint64_t body_ = 0;
  std::uint8_t parity_ = 0;  ///< as the header says
};

}  // namespace ht::machine
