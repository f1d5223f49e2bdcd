// SPDX-License-Identifier: Apache-2.0
#include "verif/model/qcdoc/reader.hpp"

namespace ht::model::qcdoc {

ByteReader::Event ByteReader::push(std::uint8_t byte, bool refused) {
  switch (state_) {
    case State::Header:
      return read_header(byte, refused);
    case State::Body:
      return read_body(byte);
    default:
      return read_mark(byte, refused);
  }
}

void ByteReader::restart() {
  state_ = State::Lost;
  marks_ = 0;
  place_ = 0;
  sure_ = 0;
}

ByteReader::Event ByteReader::read_header(std::uint8_t byte, bool refused) {
  Event e;
  e.header = decode(byte);
  const bool sure = sure_ == 0 || (e.header && (e.header->kind == Kind::Idle || byte == kMark));
  // Numbers are in these.
  const bool refusable = e.header && (e.header->kind <= Kind::Idle);
  if (!e.header || !sure || (refused && refusable)) {
    e.anomaly = e.header && sure ? Anomaly::Refused : Anomaly::Header;
    e.error = true;
    restart();
    return e;
  }
  sure_ -= sure_ > 0 ? 1 : 0;
  const Kind kind = e.header->kind;
  if (kind == Kind::Mark) {
    state_ = State::Count;
    marks_ = 1;
    sure_ = 0;
  } else if (kind == Kind::Data || kind == Kind::Supervisor || kind == Kind::Interrupt) {
    state_ = State::Body;
    header_ = *e.header;
    first_ = byte;
    bytes_ = 0;
    payload_ = 0;
    e.start = true;
  }
  return e;
}

ByteReader::Event ByteReader::read_body(std::uint8_t byte) {
  Event e;
  const Kind kind = header_.kind;
  const unsigned bits = kind == Kind::Data         ? wire::data_frame::kBits
                        : kind == Kind::Supervisor ? wire::supervisor_frame::kBits
                                                   : wire::interrupt_frame::kBits;
  const unsigned whole = bits / 8 - 1;  // behind the header
  const unsigned payload = kind == Kind::Data ? whole : whole - 1;
  if (bytes_ < payload) payload_ |= static_cast<std::uint64_t>(byte) << (8 * bytes_);
  if (++bytes_ < whole) return e;
  const auto code = static_cast<std::uint8_t>(payload_);
  const bool good = kind == Kind::Data         ? header_.parity == parity_of_word(payload_)
                    : kind == Kind::Supervisor ? header_.parity == parity_of_supervisor(payload_) &&
                                                     byte == check_of_supervisor(first_, payload_)
                                               : header_.parity == parity_of_interrupt(code) &&
                                                     byte == check_of_interrupt(first_, code);
  if (!good) {
    restart();
    e.error = true;
    e.anomaly = Anomaly::Parity;
    return e;
  }
  state_ = State::Header;
  sure_ = header_.kind == Kind::Data ? 0 : sure_bytes;
  e.ok = true;
  e.header = header_;
  e.payload = payload_;
  return e;
}

ByteReader::Event ByteReader::read_mark(std::uint8_t byte, bool refused) {
  Event e;
  if (place_ == 0 && byte == kMark) {
    marks_ += marks_ < kMarks ? 1 : 0;
    e.header = Header{};
    e.header->kind = Kind::Mark;
    return e;
  }
  record_[place_++] = byte;
  e.bytes = static_cast<unsigned>(place_);
  const bool echo = place_ == 2 || place_ == 4;
  const bool fits =
      place_ == 1   ? marks_ == kMarks && field(std::array{byte}, wire::record::kOne) != 0
      : place_ == 5 ? byte == kMark
                    : !echo || byte == static_cast<std::uint8_t>(~record_[place_ - 2]);
  if (fits && place_ < 5) return e;
  if (fits) e.record = decode_record(record_);
  if (fits ? refused : state_ == State::Count) {
    e.error = true;
    e.anomaly = Anomaly::Marks;
  }
  const bool resumed = fits && !refused;
  restart();
  if (resumed) state_ = State::Header;
  return e;
}

BitAligner::Event BitAligner::push(bool bit, bool hunt) {
  last_ = last_ << 1 | (bit ? 1U : 0U);
  count_ = (count_ + 1) % 8;
  const auto byte = [this](unsigned i) { return static_cast<std::uint8_t>(last_ >> (8 * i)); };
  Event e;
  const std::uint8_t status = byte(1);
  const bool sequence =
      byte(3) == kTrain0 && byte(2) == kTrain1 &&
      field(std::array{status}, wire::status::kVersion) == wire::version::kVersion &&
      byte(0) == static_cast<std::uint8_t>(~status);
  if (sequence && (hunt || count_ == 0)) {
    e.trained = status;
    e.aligned = !found_ || count_ != 0;
    found_ = true;
    count_ = 0;
  }
  e.byte = count_ == 0;
  e.value = byte(0);
  return e;
}

}  // namespace ht::model::qcdoc
