// SPDX-License-Identifier: Apache-2.0
// The QCDOC header codes: what single errors, dead lines and wrong byte boundaries make of them.
#include "verif/model/qcdoc/wire.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <sstream>
#include <vector>

#include "verif/model/qcdoc/reader.hpp"

using namespace ht::model::qcdoc;

namespace {

std::vector<std::uint8_t> all_headers() {
  std::vector<std::uint8_t> found;
  for (unsigned byte = 0; byte < 256; ++byte)
    if (decode(static_cast<std::uint8_t>(byte))) found.push_back(static_cast<std::uint8_t>(byte));
  return found;
}

std::uint8_t rotated(std::uint8_t byte, int by) {
  return std::rotl(byte, by);
}

// Would bytes that all are `payload` pass for a frame after header `h`?
bool passes(const Header& h, std::uint8_t payload) {
  const std::uint64_t word = std::uint64_t{0x0101010101010101} * payload;
  switch (h.kind) {
    case Kind::Data:
      return h.parity == parity_of_word(word);
    case Kind::Supervisor:
      return h.parity == parity_of_supervisor(word) &&
             payload == check_of_supervisor(*encode(h), word);
    case Kind::Interrupt:
      return h.parity == parity_of_interrupt(payload) &&
             payload == check_of_interrupt(*encode(h), payload);
    default:
      return false;
  }
}

}  // namespace

TEST_CASE("headers: 24 codes with parity and 13 bare ones, each read back as what it was") {
  const auto headers = all_headers();
  std::map<Kind, int> of_kind;
  for (const std::uint8_t byte : headers) {
    const Header h = *decode(byte);
    ++of_kind[h.kind];
    CHECK(encode(h) == byte);
  }
  CHECK(headers.size() == 24 * 4 + 13);
  CHECK(of_kind[Kind::Data] == 8 * 4);
  CHECK(of_kind[Kind::Supervisor] == 8 * 4);
  CHECK(of_kind[Kind::Interrupt] == 8 * 4);
  CHECK(of_kind[Kind::Idle] == 8);
  CHECK(of_kind[Kind::Mark] == 1);
  CHECK(of_kind[Kind::AckSupervisor] == 2);
  CHECK(of_kind[Kind::AckInterrupt] == 2);
}

TEST_CASE("a single flipped bit of a header leaves none, or only another parity") {
  for (const std::uint8_t byte : all_headers()) {
    Header before = *decode(byte);
    for (int bit = 0; bit < 8; ++bit) {
      CAPTURE(int{byte}, bit);
      const auto after = decode(static_cast<std::uint8_t>(byte ^ 1 << bit));
      if (!after) continue;
      CHECK(after->parity != before.parity);
      Header same = *after;
      same.parity = before.parity;
      CHECK(same == before);
      CHECK(before.kind <= Kind::Interrupt);
    }
  }
}

// Frozen: whoever changes the table of the wire format meets these numbers.
TEST_CASE("the codes of the Verilog are those of the wire, and the model's") {
  std::ifstream file(QCDOC_WIRE_VH);
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  std::map<std::string, unsigned> codes;
  const std::string whole = text.str();
  const std::regex define("`define (QCDOC_[A-Z0-9_]+) +8'h([0-9A-F]{2})");
  for (std::sregex_iterator i(whole.begin(), whole.end(), define), end; i != end; ++i)
    codes[(*i)[1]] = static_cast<unsigned>(std::stoul((*i)[2], nullptr, 16));
  CHECK(codes.size() == 10);
  CHECK(codes.at("QCDOC_CHECK_FIRST") == 0x55);
  CHECK(codes.at("QCDOC_IDLE_3_HOLD") == 0xE0);
  CHECK(codes.at("QCDOC_MARK") == 0xEC);
  CHECK(encode({.kind = Kind::Idle, .number = 3, .hold = true}) == codes.at("QCDOC_IDLE_3_HOLD"));
  CHECK(encode({.kind = Kind::Mark}) == codes.at("QCDOC_MARK"));
  CHECK(codes.at("QCDOC_BREAK") == 0xE3);
  CHECK(codes.at("QCDOC_TRAIN_FIRST") == 0xF6);
  CHECK(codes.at("QCDOC_TRAIN_SECOND") == 0x28);
  for (const std::uint8_t s : {std::uint8_t{0}, std::uint8_t{1}}) {
    const std::string end = std::to_string(s);
    CHECK(encode({.kind = Kind::AckSupervisor, .sequence = s}) ==
          codes.at("QCDOC_ACK_SUPERVISOR_" + end));
    CHECK(encode({.kind = Kind::AckInterrupt, .sequence = s}) ==
          codes.at("QCDOC_ACK_INTERRUPT_" + end));
    CHECK(codes.at("QCDOC_ACK_SUPERVISOR_" + end) == (s == 0 ? 0xDFU : 0xFBU));
    CHECK(codes.at("QCDOC_ACK_INTERRUPT_" + end) == (s == 0 ? 0xEFU : 0xF7U));
  }
}

TEST_CASE("a break is no header, whichever of its bits flips") {
  CHECK(!decode(0xE3));
  for (unsigned bit = 0; bit < 8; ++bit)
    CHECK(!decode(static_cast<std::uint8_t>(0xE3U ^ 1U << bit)));
}

TEST_CASE("a dead line and bare codes out of alignment are never frames") {
  CHECK(!decode(0x00));
  CHECK(!decode(0xFF));
  for (const std::uint8_t byte : all_headers()) {
    if (decode(byte)->kind <= Kind::Interrupt) continue;
    for (int by = 1; by < 8; ++by) {
      CAPTURE(int{byte}, by);
      const std::uint8_t seen = rotated(byte, by);
      if (const auto h = decode(seen)) CHECK(!passes(*h, seen));
    }
  }
}

TEST_CASE("the training bytes have one alignment, and a mark is no rotated idle byte") {
  std::uint32_t line = 0xF628F628;
  int matches = 0;
  for (int by = 0; by < 16; ++by) matches += (std::rotl(line, by) & 0xFFFF) == 0xF628;
  CHECK(matches == 1);
  const std::uint8_t mark = *encode({.kind = Kind::Mark});
  for (std::uint8_t n = 0; n < 4; ++n) {
    for (bool hold : {false, true}) {
      for (int by = 0; by < 8; ++by)
        CHECK(rotated(*encode({.kind = Kind::Idle, .number = n, .hold = hold}), by) != mark);
    }
  }
  for (int by = 1; by < 8; ++by) CHECK(rotated(mark, by) != mark);
}

TEST_CASE("idle bytes out of alignment are seen within nine bytes") {
  // None of them is a bare code, so none is taken for one for ever: what is a header begins a
  // frame, and that has the wrong parity (above).
  for (std::uint8_t n = 0; n < 4; ++n)
    for (bool hold : {false, true}) {
      const std::uint8_t idle = *encode({.kind = Kind::Idle, .number = n, .hold = hold});
      for (int by = 1; by < 8; ++by) {
        const auto seen = decode(rotated(idle, by));
        CAPTURE(int{n}, hold, by);
        CHECK((!seen || seen->kind <= Kind::Interrupt));
      }
    }
}

TEST_CASE("records: every one read back, no single error unseen, none begins like a mark") {
  const std::uint8_t mark = *encode({.kind = Kind::Mark});
  for (unsigned i = 0; i < 64 * 2; ++i) {
    for (unsigned j = 0; j < 64 * 4; j += 7) {
      const Record record{.next = static_cast<std::uint8_t>(i / 2),
                          .lost = i % 2 != 0,
                          .expected = static_cast<std::uint8_t>(j / 4),
                          .waiting = static_cast<std::uint8_t>(j % 4)};
      const auto bytes = *encode_record(record);
      REQUIRE(decode_record(bytes) == record);
      REQUIRE(bytes[0] != mark);
      for (std::size_t bit = 0; bit < 40; ++bit) {
        auto damaged = bytes;
        damaged[bit / 8] = static_cast<std::uint8_t>(damaged[bit / 8] ^ 1U << bit % 8);
        REQUIRE(!decode_record(damaged));
      }
      // Nor a bit lost or doubled, whatever stands before and behind.
      for (std::size_t at = 0; at <= 40; ++at)
        for (bool lose : {false, true})
          for (unsigned outside = 0; outside < 4; ++outside) {
            std::vector<bool> line;
            for (std::size_t bit = 0; bit < 40; ++bit)
              line.push_back((bytes[bit / 8] >> (7 - bit % 8) & 1) != 0);
            line.insert(line.begin(), (outside & 1) != 0);
            line.push_back((outside & 2) != 0);
            const auto place = line.begin() + static_cast<std::ptrdiff_t>(at);
            if (lose)
              line.erase(place);
            else
              line.insert(place, *place);
            std::array<std::uint8_t, 5> seen{};
            for (std::size_t bit = 0; bit < 40; ++bit)
              seen[bit / 8] = static_cast<std::uint8_t>(seen[bit / 8] << 1 | line[bit + 1]);
            const auto read = decode_record(seen);
            REQUIRE((!read || read == record));
          }
    }
  }
  CHECK(!encode_record({.next = 64}));
  CHECK(!encode_record({.waiting = 4}));
}

TEST_CASE("parity sees every single error of a word, and half of the double ones") {
  std::mt19937_64 random(1);
  const std::uint64_t word = random();
  int missed = 0, pairs = 0;
  for (int i = 0; i < 64; ++i) {
    CHECK(parity_of_word(word ^ 1ULL << i) != parity_of_word(word));
    for (int j = 0; j < i; ++j) {
      ++pairs;
      missed += parity_of_word(word ^ 1ULL << i ^ 1ULL << j) == parity_of_word(word);
    }
  }
  CHECK(pairs == 2016);
  CHECK(missed == 2 * 32 * 31 / 2);  // two in one group
}

namespace {

using Frame = std::vector<std::uint8_t>;

Frame frame_of(Kind kind, std::uint64_t payload) {
  Header h;
  h.kind = kind;
  h.sequence = payload >> 5 & 1;
  h.number = payload >> 3 & 3;
  const auto code = static_cast<std::uint8_t>(payload);
  h.parity = kind == Kind::Supervisor ? parity_of_supervisor(payload) : parity_of_interrupt(code);
  Frame frame{*encode(h)};
  for (unsigned i = 0; i < (kind == Kind::Supervisor ? 8U : 1U); ++i)
    frame.push_back(static_cast<std::uint8_t>(payload >> (8 * i)));
  frame.push_back(kind == Kind::Supervisor ? check_of_supervisor(frame[0], payload)
                                           : check_of_interrupt(frame[0], code));
  return frame;
}

// Whether a receiver in step takes a supervisor word or an interrupt, or a data word, from these
// bytes with idle ones behind them.
bool accepts(const Frame& frame, bool& data) {
  ByteReader reader;
  for (unsigned i = 0; i < kMarks; ++i) reader.push(kMark);
  const auto record = *encode_record({});
  for (const std::uint8_t byte : record) reader.push(byte);
  bool single = false;
  for (std::size_t i = 0; i < frame.size() + 8; ++i) {
    const auto e = reader.push(i < frame.size() ? frame[i] : 0xC4);
    if (e.error) return single;
    if (e.ok) (e.header->kind == Kind::Data ? data : single) = true;
  }
  return single;
}

}  // namespace

TEST_CASE("the check byte is CRC-8, by hand") {
  // 55 ^ header, then bit by bit: x^8 = x^2 + x + 1.
  unsigned value = 0x55;
  for (const unsigned byte : {0x80U, 0x01U}) {
    value ^= byte;
    for (int bit = 0; bit < 8; ++bit) value = (value << 1 & 0xFF) ^ ((value >> 7) * 7);
  }
  CHECK(check_of_interrupt(0x80, 0x01) == value);
}

TEST_CASE("two flipped bits anywhere make no other supervisor word or interrupt of one") {
  std::mt19937_64 random(3);
  for (const Kind kind : {Kind::Supervisor, Kind::Interrupt}) {
    for (int round = 0; round < 20; ++round) {
      const Frame sent = frame_of(kind, random());
      bool data = false;
      REQUIRE(accepts(sent, data));
      const std::size_t bits = 8 * sent.size();
      unsigned taken = 0, words = 0;
      for (std::size_t i = 0; i < bits; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          Frame damaged = sent;
          damaged[i / 8] = static_cast<std::uint8_t>(damaged[i / 8] ^ 1U << i % 8);
          if (j < i) damaged[j / 8] = static_cast<std::uint8_t>(damaged[j / 8] ^ 1U << j % 8);
          data = false;
          taken += accepts(damaged, data) ? 1 : 0;
          words += data ? 1 : 0;
        }
      }
      CAPTURE(round, kind == Kind::Supervisor);
      CHECK(taken == 0);
      // An interrupt's header that becomes a data word's swallows what follows, and may have its
      // parity by chance: the checksums differ. A supervisor word's never does.
      if (kind == Kind::Supervisor) CHECK(words == 0);
    }
  }
}

TEST_CASE("idle bytes behind a header that an error made are no supervisor word, no interrupt") {
  for (const std::uint8_t byte : all_headers()) {
    const Header h = *decode(byte);
    if (h.kind != Kind::Supervisor && h.kind != Kind::Interrupt) continue;
    CHECK_FALSE(passes(h, 0x00));
    CHECK_FALSE(passes(h, 0xFF));
    for (std::uint8_t n = 0; n < 4; ++n)
      for (bool hold : {false, true})
        CHECK_FALSE(passes(h, *encode({.kind = Kind::Idle, .number = n, .hold = hold})));
  }
}

TEST_CASE("a training sequence has one alignment, whatever its status") {
  for (unsigned status = 0; status < 128; ++status) {
    const std::uint64_t sequence = 0xF6280000U | status << 8 | (~status & 0xFF);
    const std::uint64_t line = sequence << 32 | sequence;
    for (unsigned by = 1; by < 32; ++by) CHECK((by == 16 || (line >> by & 0xFFFF) != 0xF628));
  }
}

TEST_CASE("words of zeros change the checksum, every one of the first million") {
  std::uint32_t sum = 0;
  unsigned zeros = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    sum = add_to_checksum(sum, 0);
    zeros += sum == 0 ? 1 : 0;
  }
  CHECK(zeros == 0);
}
