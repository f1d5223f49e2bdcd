// SPDX-License-Identifier: Apache-2.0
// Frames heard on a cable: what was sent, and what of it arrived, fault by fault.
#include <catch2/catch.hpp>

#include "sim/qpace/cable.hpp"
#include "sim/qpace/cable_frames.hpp"
#include "tests/cable/frames_heard.hpp"
#include "verif/model/qpace/wire.hpp"

using namespace ht;
using machine::CableFrame;
using machine::CableFrames;
using model::Word;
using model::qpace::Command;
using model::qpace::CommandType;
using model::qpace::DataPacket;
using test::first_slot;
using test::time_of;

namespace {

// Sends packet, command, packet without a gap, then idle words, over a cable with these faults.
std::vector<CableFrame> frames_of(const sim::FaultPlan& faults) {
  std::vector<Word> words;
  for (const std::uint8_t sequence : {std::uint8_t{5}, std::uint8_t{6}}) {
    DataPacket packet;
    packet.sequence = sequence;
    packet.payload.fill(std::byte{0x5A});
    for (const Word& w : packet.words()) words.push_back(w);
    if (sequence == 5) words.push_back(Command{CommandType::Nack, 9}.word());
  }
  return test::frames_heard<sim::QpaceCable, CableFrames>(words, 20, faults);
}

}  // namespace

TEST_CASE("frames of a good cable arrive as they were sent") {
  const auto frames = frames_of({});
  REQUIRE(frames.size() == 3);
  CHECK(frames[0].time == time_of(first_slot));
  CHECK(frames[1].time == time_of(first_slot + 34));
  CHECK(frames[2].time == time_of(first_slot + 35));
  CHECK(DataPacket::parse(frames[0].sent)->sequence == 5);
  CHECK(Command::parse(frames[1].sent.at(0))->sequence == 9);
  CHECK(DataPacket::parse(frames[2].sent)->sequence == 6);
  for (const CableFrame& f : frames) {
    CHECK(!f.damaged());
    CHECK(!f.unseen());
    CHECK(!f.cut_short);
  }
}

TEST_CASE("a lost word damages its frame and no other") {
  sim::FaultPlan faults;
  faults.lost.push_back({time_of(first_slot + 10), true});
  const auto frames = frames_of(faults);
  REQUIRE(frames.size() == 3);
  CHECK(frames[0].arrived.size() == 33);
  CHECK(frames[0].damage() == "1 word lost");
  CHECK(!frames[0].unseen());
  CHECK(!frames[1].damaged());  // though it comes a symbol early
  CHECK(!frames[2].damaged());
}

TEST_CASE("a doubled word damages its frame and no other") {
  sim::FaultPlan faults;
  faults.doubled.push_back({time_of(first_slot + 40), true});
  const auto frames = frames_of(faults);
  REQUIRE(frames.size() == 3);
  CHECK(!frames[0].damaged());
  CHECK(!frames[1].damaged());
  CHECK(frames[2].arrived.size() == 35);
  CHECK(frames[2].damage() == "1 word inserted");
}

TEST_CASE("a word doubled at a frame's end belongs to it") {
  sim::FaultPlan faults;
  faults.doubled.push_back({time_of(first_slot + 34), true});
  const auto frames = frames_of(faults);
  REQUIRE(frames.size() == 3);
  CHECK(frames[1].arrived.size() == 2);
  CHECK(frames[1].damaged());
  CHECK(!frames[2].damaged());
}

TEST_CASE("a changed payload is damage that the check sees, unless its CRC is changed too") {
  DataPacket packet;
  packet.sequence = 6;
  packet.payload.fill(std::byte{0x5A});
  const Word good = packet.words().back();
  packet.payload[4] ^= std::byte{0x10};
  const Word other = packet.words().back();
  sim::FaultPlan faults;
  faults.forced.push_back({1, {{2, 0x10}}});
  auto frames = frames_of(faults);
  REQUIRE(frames.size() == 3);
  CHECK(!frames[0].damaged());
  CHECK(frames[2].damage() == "1 word changed");
  CHECK(!frames[2].unseen());
  CHECK(DataPacket::parse(frames[2].sent).has_value());

  faults.forced[0].flips.push_back({33, good.data ^ other.data});
  frames = frames_of(faults);
  REQUIRE(frames.size() == 3);
  CHECK(frames[2].damage() == "2 words changed");
  CHECK(frames[2].unseen());
  CHECK(DataPacket::parse(frames[2].arrived) == packet);
}
