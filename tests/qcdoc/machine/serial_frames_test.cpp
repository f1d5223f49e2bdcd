// SPDX-License-Identifier: Apache-2.0
// Frames heard on a QCDOC cable: what was sent, and what of it arrived, fault by fault.
#include <catch2/catch.hpp>
#include <utility>

#include "sim/qcdoc/serial_frames.hpp"

using namespace ht;
using namespace ht::model::qcdoc;
using machine::SerialFrame;
using Bytes = std::vector<std::uint8_t>;

namespace {

constexpr Picoseconds bit_time = 2000;
constexpr std::int64_t begin = 21;  // slot of the first byte's first bit: bytes lie anywhere
constexpr std::uint64_t word = 0x0123456789abcdef;

Bytes frame(Kind kind, std::uint64_t payload, unsigned number) {
  Header h;
  h.kind = kind;
  h.number = static_cast<std::uint8_t>(number);
  const bool supervisor = kind == Kind::Supervisor;
  h.parity = supervisor ? parity_of_supervisor(payload) : parity_of_word(payload);
  Bytes bytes{*encode(h)};
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::uint8_t>(payload >> (8 * i)));
  if (supervisor) bytes.push_back(check_of_supervisor(bytes[0], payload));
  return bytes;
}

Bytes idle(unsigned number) {
  Header h;
  h.kind = Kind::Idle;
  h.number = static_cast<std::uint8_t>(number);
  return {*encode(h)};
}

// What is said: each part, and how often in a row.
struct Part {
  Bytes bytes;
  int times;
};
std::vector<Part> speech() {
  const Bytes training{kTrain0, kTrain1, 0x11, 0xee};
  Bytes marks(kMarks, kMark);
  const auto record = *encode_record({.next = 17, .lost = true});
  marks.insert(marks.end(), record.begin(), record.end());
  return {{training, 6},
          {marks, 1},
          {frame(Kind::Data, word, 0), 1},
          {frame(Kind::Data, 0, 1), 1},
          {idle(2), 300},
          {frame(Kind::Supervisor, ~word, 2), 1},
          {idle(3), 5},
          {{kBreak}, 1},
          {training, 3}};
}

// Slot of the first bit of the `n`-th part.
std::int64_t slot_of(std::size_t n) {
  std::int64_t slot = begin;
  const auto parts = speech();
  for (std::size_t i = 0; i < n; ++i)
    slot += parts[i].times * 8 * static_cast<std::int64_t>(parts[i].bytes.size());
  return slot;
}

std::vector<SerialFrame> frames_of(const sim::FaultPlan& faults) {
  sim::CableOptions options;
  options.name = "test";
  options.sender.period = options.receiver.period = bit_time;
  options.delay = 10 * bit_time;
  options.faults = faults;
  sim::QcdocCable cable(options);
  machine::SerialFrames frames(options.sender);
  cable.listen(&frames);
  sim::SerialHistory history;
  std::optional<Picoseconds> open;
  std::size_t known = 0;
  std::int64_t slot = begin;
  for (const Part& part : speech()) {
    for (int n = 0; n < part.times; ++n) {
      for (const std::uint8_t byte : part.bytes) {
        for (int i = 7; i >= 0; --i, ++slot) {
          if (slot % 9 == 0) {
            cable.transfer(slot * bit_time);
            // What is complete later began no earlier.
            const auto before = std::exchange(open, frames.open_since(slot * bit_time));
            const auto& complete = frames.complete();
            if (before && complete.size() > known) CHECK(complete[known].time >= *before);
            known = complete.size();
          }
          if (history.symbols(slot, byte >> i & 1) != 0) cable.send(slot, 1);
        }
      }
    }
  }
  cable.transfer((slot + 1000) * bit_time);
  frames.open_since((slot + 1000) * bit_time);
  return {frames.complete().begin(), frames.complete().end()};
}

sim::FaultPlan flips(std::initializer_list<std::int64_t> slots) {
  sim::FaultPlan faults;
  for (const std::int64_t slot : slots) faults.bursts.push_back({slot * bit_time, 1, {}});
  return faults;
}

}  // namespace

TEST_CASE("serial frames: of a good cable, each once, at its time") {
  const auto frames = frames_of({});
  const auto parts = speech();
  REQUIRE(frames.size() == parts.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    CAPTURE(i);
    CHECK(frames[i].sent == parts[i].bytes);
    CHECK(frames[i].arrived == parts[i].bytes);
    CHECK(frames[i].time == slot_of(i) * bit_time);
    CHECK_FALSE(frames[i].damaged());
    CHECK_FALSE(frames[i].unseen());
    CHECK_FALSE(frames[i].cut_short);
  }
}

TEST_CASE("serial frames: damage, seen by the parity and not") {
  // Bits 7 and 5 of byte 2 of the first word: both odd; then 7 and 6.
  const std::int64_t byte2 = slot_of(2) + 8 + 16;
  auto frames = frames_of(flips({byte2, byte2 + 2}));
  CHECK(frames[2].unseen());
  CHECK(frames[2].damage() == "2 bits changed");
  CHECK(frames[2].arrived[3] == (frames[2].sent[3] ^ 0xa0));
  frames = frames_of(flips({byte2, byte2 + 1}));
  CHECK(frames[2].damaged());
  CHECK_FALSE(frames[2].unseen());
  CHECK(frames.size() == speech().size());
  // An idle byte among its like shows only when it is damaged.
  frames = frames_of(flips({slot_of(4) + 8 * 100 + 3}));
  REQUIRE(frames.size() == speech().size() + 1);
  CHECK(frames[5].damage() == "1 bit changed");
  CHECK(frames[5].time == (slot_of(4) + 800) * bit_time);
  CHECK_FALSE(frames[5].unseen());
}

TEST_CASE("serial frames: bits lost and doubled are told where they were") {
  sim::FaultPlan faults;
  faults.lost = {{(slot_of(3) + 20) * bit_time, false}};
  faults.doubled = {{(slot_of(5) + 11) * bit_time, false}};
  const auto frames = frames_of(faults);
  REQUIRE(frames.size() == speech().size());
  CHECK(frames[3].damage() == "1 bit lost");
  CHECK(frames[5].damage() == "1 bit inserted");
  for (const std::size_t i : {0, 1, 2, 4, 6, 7, 8}) CHECK_FALSE(frames[i].damaged());
}

TEST_CASE("serial frames: a pulled cable damages what was sent meanwhile") {
  sim::FaultPlan faults;
  faults.pulls = {{(slot_of(5) + 10) * bit_time, slot_of(6) * bit_time, false}};
  const auto frames = frames_of(faults);
  REQUIRE(frames.size() == speech().size());
  CHECK(frames[5].damaged());
  CHECK(frames[5].arrived == Bytes(10, 0));
  CHECK_FALSE(frames[6].damaged());
  CHECK_FALSE(frames[2].damaged());
}
