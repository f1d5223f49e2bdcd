// SPDX-License-Identifier: Apache-2.0
// Frames heard on a Tofu cable: packets, what rides inside them and between, fault by fault.
#include <catch2/catch.hpp>

#include "sim/tofu/beat_frames.hpp"
#include "tests/cable/frames_heard.hpp"
#include "verif/model/tofu/wire.hpp"

using namespace ht;
using machine::BeatFrame;
using machine::BeatFrames;
using model::Beat;
using model::tofu::Control;
using model::tofu::ControlType;
using model::tofu::Hello;
using model::tofu::Packet;
using test::first_slot;
using test::time_of;

namespace {

constexpr std::size_t payload = 3, packet_beats = payload + 3;

Packet packet_of(std::uint8_t sequence) {
  Packet p;
  p.set(model::tofu::header::sequence, sequence);
  p.set(model::tofu::header::beats, payload);
  p.payload.assign(payload, {0x0123456789abcdef, 0xfedcba9876543210});
  return p;
}

// A packet with a control packet between its beats and one in its last; a hello; a packet of which
// only the header was sent; another whole one. Then idle beats.
std::vector<BeatFrame> frames_of(const sim::FaultPlan& faults) {
  std::vector<Beat> beats = packet_of(5).on_wire(Control{ControlType::Ack, 9, {}}.word());
  beats.insert(beats.begin() + 2, Control{ControlType::Nack, 8, {}}.beat());
  Hello hello;
  hello.node = 3;
  beats.push_back(hello.beat());
  const auto cut = packet_of(6).on_wire(), whole = packet_of(7).on_wire();
  beats.insert(beats.end(), cut.begin(), cut.begin() + 2);
  beats.insert(beats.end(), whole.begin(), whole.end());
  return test::frames_heard<sim::TofuCable, BeatFrames>(beats, 4, faults);
}

}  // namespace

TEST_CASE("Tofu frames of a good cable arrive as they were sent, in order of time") {
  const auto frames = frames_of({});
  REQUIRE(frames.size() == 5);
  const std::int64_t hello_at = first_slot + packet_beats + 1;
  CHECK(frames[0].time == time_of(first_slot));
  CHECK(frames[0].sent.size() == packet_beats);
  CHECK(frames[1].time == time_of(first_slot + 2));
  CHECK(frames[2].time == time_of(hello_at));
  CHECK(frames[3].time == time_of(hello_at + 1));
  CHECK(frames[4].time == time_of(hello_at + 3));
  CHECK(Control::parse(frames[0].sent.back().word[1])->sequence == 9);
  CHECK(Control::parse(frames[1].sent.at(0).word[1])->type == ControlType::Nack);
  CHECK(Hello::parse(frames[2].sent.at(0))->node == 3);
  CHECK(frames[3].sent.size() == 2);
  CHECK(frames[4].sent == packet_of(7).on_wire());
  for (const BeatFrame& f : frames) {
    CHECK(!f.damaged());
    CHECK(!f.unseen());
    CHECK(f.cut_short == (&f == &frames[3]));
  }
}

TEST_CASE("Tofu frames: a lost beat damages its frame and no other") {
  sim::FaultPlan faults;
  faults.lost.push_back({time_of(first_slot + 4), true});
  const auto frames = frames_of(faults);
  REQUIRE(frames.size() == 5);
  CHECK(frames[0].arrived.size() == packet_beats - 1);
  CHECK(frames[0].damage() == "1 beat changed, 1 beat lost");  // the lane's disparity is off by it
  CHECK(!frames[0].unseen());
  for (std::size_t i = 1; i < 5; ++i) CHECK(!frames[i].damaged());
}

TEST_CASE("Tofu frames: what lies inside a packet keeps its own damage") {
  BeatFrames heard((sim::Clock()));
  const Beat control = Control{}.beat();
  std::int64_t slot = first_slot;
  for (const Beat& beat : packet_of(5).on_wire()) {
    heard.carried(slot++, beat, &beat);
    if (slot == first_slot + 3) heard.carried(slot++, control, nullptr);
  }
  const auto& frames = heard.complete();
  REQUIRE(frames.size() == 2);
  CHECK(!frames[0].damaged());
  CHECK(frames[1].arrived.empty());
  CHECK(frames[1].damage() == "1 beat lost");
  CHECK(!frames[1].unseen());
}

TEST_CASE("Tofu frames: a doubled beat belongs to its original's frame") {
  sim::FaultPlan faults;
  faults.doubled.push_back({time_of(first_slot + 3), true});
  const auto frames = frames_of(faults);
  REQUIRE(frames.size() == 5);
  CHECK(frames[0].arrived.size() == packet_beats + 1);
  CHECK(frames[0].damage() == "1 beat inserted");
  CHECK(!frames[0].unseen());
}

TEST_CASE("Tofu frames: damage that no check sees is told apart from what one does") {
  // CRC-32C's own polynomial, as it stands in a row of bytes, is no error to it.
  constexpr std::uint64_t polynomial = 0x105ec76f1;
  const auto low = static_cast<std::uint32_t>(polynomial);
  for (const bool whole : {true, false}) {
    BeatFrame frame;
    frame.sent = packet_of(1).on_wire();
    frame.arrived = frame.sent;
    frame.arrived[3].word[0] ^= whole ? polynomial : low;
    CHECK(frame.damaged());
    CHECK(frame.unseen() == whole);
  }
}
