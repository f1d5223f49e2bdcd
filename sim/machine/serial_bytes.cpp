// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/serial_bytes.hpp"

#include "verif/model/qcdoc_wire.hpp"

namespace ht::machine {
namespace {

using namespace model::qcdoc;

constexpr std::uint16_t framing = 0xF628;
constexpr std::uint8_t break_byte = 0xE3;
constexpr unsigned enough_marks = 10;

}  // namespace

bool ByteReader::step(bool bit, bool training) {
  shift_ = static_cast<std::uint16_t>(shift_ << 1 | (bit ? 1 : 0));
  bits_ = training && shift_ == framing ? 8 : bits_ + 1;
  if (bits_ < 8) return false;
  bits_ = 0;
  const auto byte = static_cast<std::uint8_t>(shift_);
  if (training) {
    lose(ByteKind::Training);
    kind_ = byte == break_byte ? ByteKind::Break : ByteKind::Training;
  } else {
    kind_ = classify(byte);
  }
  return true;
}

ByteKind ByteReader::lose(ByteKind why) {
  lost_ = true;
  marks_ = 0;
  left_ = 0;
  return why;
}

ByteKind ByteReader::classify(std::uint8_t byte) {
  if (left_ > 0) {
    body_ |= std::uint64_t{byte} << (8 * bytes_++);
    if (--left_ > 0) return ByteKind::Payload;
    const std::uint8_t parity = bytes_ == 1 ? parity_of_interrupt(byte) : parity_of_word(body_);
    return parity == parity_ ? ByteKind::Payload : lose(ByteKind::Damaged);
  }
  const auto found = decode(byte);
  if (found && found->kind == Kind::Mark) {
    ++marks_;
    return ByteKind::Mark;
  }
  const bool resumes = marks_ >= enough_marks && resume_number(byte).has_value();
  const bool marked = marks_ > 0;
  marks_ = 0;
  if (resumes) {
    lost_ = false;
    return ByteKind::Resume;
  }
  if (byte == break_byte) return lose(ByteKind::Break);
  if (lost_) return ByteKind::Lost;
  return marked ? lose(ByteKind::Damaged) : header(byte);
}

ByteKind ByteReader::header(std::uint8_t byte) {
  const auto found = decode(byte);
  if (!found) return lose(ByteKind::Damaged);
  body_ = 0;
  bytes_ = 0;
  parity_ = found->parity;
  const bool frame = found->kind <= Kind::Interrupt;
  if (found->kind == Kind::Idle || (frame && found->acknowledges == Acknowledges::Data))
    wanted_ = found->number;
  if (frame) left_ = found->kind == Kind::Interrupt ? 1 : 8;
  switch (found->kind) {
    case Kind::Data:
      return ByteKind::Data;
    case Kind::Supervisor:
      return ByteKind::Supervisor;
    case Kind::Interrupt:
      return ByteKind::Interrupt;
    case Kind::Idle:
      return found->hold ? ByteKind::Hold : ByteKind::Idle;
    case Kind::Request:
      return ByteKind::Request;
    case Kind::Mark:
      return ByteKind::Mark;
    case Kind::AckSupervisor:
    case Kind::AckInterrupt:
      return ByteKind::Acknowledge;
  }
  return ByteKind::Damaged;
}

}  // namespace ht::machine
