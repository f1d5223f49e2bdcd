// SPDX-License-Identifier: Apache-2.0
// What a QCDOC link's bits and bytes mean, on streams written by hand.
#include "verif/model/qcdoc/reader.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace ht::model::qcdoc;
using Anomaly = ByteReader::Anomaly;
using Bytes = std::vector<std::uint8_t>;

namespace {

Bytes resume(unsigned number, unsigned marks = kMarks) {
  Bytes bytes(marks, kMark);
  const auto record = *encode_record({.next = static_cast<std::uint8_t>(number)});
  bytes.insert(bytes.end(), record.begin(), record.end());
  return bytes;
}

Bytes frame(std::uint64_t word, std::uint8_t spoilt = 0) {
  Header h;
  h.kind = Kind::Data;
  h.number = 1;
  h.parity = static_cast<std::uint8_t>(parity_of_word(word) ^ spoilt);
  Bytes bytes{*encode(h)};
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
  return bytes;
}

ByteReader::Event last(ByteReader& r, const Bytes& bytes) {
  ByteReader::Event e;
  for (const std::uint8_t b : bytes) e = r.push(b);
  return e;
}

ByteReader in_step() {
  ByteReader r;
  REQUIRE(last(r, resume(2)).record->next == 2);
  REQUIRE(r.at_header());
  return r;
}

}  // namespace

TEST_CASE("QCDOC bytes: frames of all kinds, and what is out of order") {
  ByteReader r = in_step();
  auto e = last(r, frame(0x0123456789abcdef));
  CHECK(e.ok);
  CHECK(e.payload == 0x0123456789abcdef);
  CHECK(e.header->kind == Kind::Data);
  CHECK(e.header->number == 1);
  // A partition interrupt has one byte, and its check byte.
  Header h;
  h.kind = Kind::Interrupt;
  h.parity = parity_of_interrupt(0x85);
  e = r.push(*encode(h));
  CHECK(e.start);
  CHECK_FALSE(r.push(0x85).ok);
  e = r.push(check_of_interrupt(*encode(h), 0x85));
  CHECK(e.ok);
  CHECK(e.payload == 0x85);
  for (unsigned i = 0; i < sure_bytes; ++i) CHECK(r.push(0xc4).bare());
  // Bare ones.
  h = {};
  h.kind = Kind::Idle;
  h.number = 3;
  e = r.push(*encode(h));
  CHECK(e.bare());
  CHECK(e.header == h);
  // Each parity by itself.
  for (const std::uint8_t spoilt : {std::uint8_t{1}, std::uint8_t{2}}) {
    e = last(r, frame(77, spoilt));
    CHECK(e.error);
    CHECK(e.anomaly == Anomaly::Parity);
    CHECK_FALSE(r.in_step());
    CHECK_FALSE(last(r, frame(77)).ok);  // discarded
    last(r, resume(0));
  }
  e = r.push(0xe3);  // the break
  CHECK(e.anomaly == Anomaly::Header);
  CHECK_FALSE(r.in_step());
}

TEST_CASE("QCDOC bytes: only enough marks and a record lead back into step") {
  ByteReader r;
  CHECK_FALSE(last(r, resume(1, kMarks - 1)).record);
  CHECK_FALSE(r.in_step());
  CHECK(last(r, resume(1, kMarks + 5)).record->next == 1);
  CHECK(r.in_step());
  // In step, marks that do not end with one are an error.
  CHECK(last(r, resume(3)).record->next == 3);
  auto e = last(r, {kMark, kMark, kMark, 0x01});
  CHECK(e.anomaly == Anomaly::Marks);
  CHECK_FALSE(r.in_step());
  Bytes cut = resume(0);
  cut[4] ^= 1;
  CHECK_FALSE(last(r, cut).record);
  CHECK_FALSE(r.in_step());
}

TEST_CASE("QCDOC bytes: idle bytes must follow an interrupt, and the link may refuse numbers") {
  Header h;
  h.kind = Kind::Interrupt;
  h.parity = parity_of_interrupt(0x85);
  for (unsigned after = 0; after <= sure_bytes; ++after) {
    ByteReader r = in_step();
    REQUIRE(last(r, {*encode(h), 0x85, check_of_interrupt(*encode(h), 0x85)}).ok);
    for (unsigned i = 0; i < after; ++i) REQUIRE(r.push(0xc4).bare());
    const auto e = r.push(0xdf);
    CHECK(e.bare() == (after == sure_bytes));
    CHECK(e.error == (after < sure_bytes));
  }
  ByteReader r = in_step();
  CHECK(r.push(kMark, true).bare());  // no number
  r = in_step();
  auto e = r.push(frame(1)[0], true);
  CHECK(e.anomaly == Anomaly::Refused);
  CHECK_FALSE(r.in_step());
  Bytes record = resume(4);
  record.pop_back();
  last(r, record);
  e = r.push(kMark, true);
  CHECK(e.anomaly == Anomaly::Marks);
  CHECK(e.bytes == 5);
  CHECK_FALSE(r.in_step());
}

TEST_CASE("QCDOC bits: training sets the byte boundary, and payload does not") {
  const Bytes sequence{kTrain0, kTrain1, 0x15, 0xea};
  for (int lead = 0; lead < 17; ++lead) {
    CAPTURE(lead);
    BitAligner a;
    int trained = 0;
    BitAligner::Event e;
    for (int i = 0; i < lead; ++i) CHECK_FALSE(a.push(i % 3 == 0, true).trained);
    const auto send = [&](const Bytes& bytes, bool hunt) {
      for (const std::uint8_t b : bytes) {
        for (int i = 7; i >= 0; --i) e = a.push((b >> i & 1) != 0, hunt);
        trained += e.trained ? 1 : 0;
      }
    };
    send(sequence, true);
    CHECK(trained == 1);
    CHECK(e.aligned);
    CHECK(e.trained == 0x15);
    send(sequence, true);
    CHECK(trained == 2);
    CHECK_FALSE(e.aligned);
    for (const std::uint8_t b : Bytes{0x12, 0xf6, 0x28, 0xff}) {
      send({b}, false);
      CHECK(e.byte);
      CHECK(e.value == b);
    }
    // At another boundary it counts only while one looks for it; a broken one never does.
    a.push(false, false);
    send(sequence, false);
    CHECK(trained == 2);
    send({kTrain0, kTrain1, 0x15, 0xeb}, true);
    send({kTrain0, kTrain1, 0x95, 0x6a}, true);  // not version 2
    CHECK(trained == 2);
    send(sequence, true);
    CHECK(trained == 3);
    CHECK(e.aligned);
  }
}
