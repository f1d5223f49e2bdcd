// SPDX-License-Identifier: Apache-2.0
// The wire against the model: every word that leaves a link is part of a frame or command that the
// model can read; every word that goes in has its observation two cycles later.
#include <catch2/catch.hpp>
#include <map>

#include "tests/qpace/link/link_traffic.hpp"
#include "verif/model/common/crc.hpp"
#include "verif/model/qpace/wire.hpp"

using namespace ht::test;
namespace model = ht::model::qpace;

namespace {

/// Cycles from the one in which a word enters the cable to the one of its pulses: one in the cable,
/// two from xgmii_rxd on.
constexpr std::size_t kObservedAfter = 1 + 2;

/// Reads what leaves one end with the model's parser.
class Reader {
 public:
  void word(const WireWord& w) {
    if (w.idle()) {
      ++idle_in_frame;
      return;
    }
    const ht::model::Word m{w.data, w.control};
    if (frame_.empty() && w.starts(model::kCommand)) {
      const auto c = model::Command::parse(m);
      REQUIRE(c);
      commands.push_back(*c);
      return;
    }
    if (frame_.empty()) REQUIRE((w.starts(model::kStart) || w.starts(model::kHello)));
    frame_.push_back(m);
    if (frame_[0] == ht::model::Word{frame_[0].data, 1} && w.control != 1) REQUIRE(w.control == 0);
    const bool hello = (frame_[0].data & 0xffU) == model::kHello;
    if (frame_.size() < (hello ? model::kHelloWords : model::kPacketWords)) return;
    if (hello) {
      const auto h = model::Hello::parse(frame_);
      REQUIRE(h);
      hellos.push_back(*h);
    } else {
      const auto p = model::DataPacket::parse(frame_);
      REQUIRE(p);
      packets.push_back(*p);
    }
    frame_.clear();
  }
  std::vector<model::Command> commands;
  std::vector<model::Hello> hellos;
  std::vector<model::DataPacket> packets;
  std::uint64_t idle_in_frame = 0;

 private:
  std::vector<ht::model::Word> frame_;
};

}  // namespace

TEST_CASE("link: what it sends is what the model reads") {
  LinkPair pair({.delay = 25, .phase_ps = {100, 1500, 0, 700}});
  std::array<Reader, 2> readers;
  for (int i = 0; i < 2; ++i) {
    pair.cable(i).filter = [&, i](WireWord& w) {
      readers.at(static_cast<std::size_t>(i)).word(w);
      return true;
    };
  }
  pair.bring_up(0x1234);
  pair.end(0).tx_pause = 0.4;
  pair.end(1).rx_eagerness = 0.02;
  Traffic traffic(pair, 4);
  traffic.queue({100, 100});
  std::vector<Packet> sent(pair.end(1).to_send.begin(), pair.end(1).to_send.end());
  traffic.settle(100000);

  // hellos
  const auto& hellos = readers[0].hellos;
  REQUIRE(hellos.size() >= 2);  // one more, if the other end was late to hear the first one
  CHECK(hellos.front().version == 2);
  CHECK_FALSE(hellos.front().up);
  CHECK_FALSE(hellos.front().heard);
  CHECK(hellos.front().node == 100);
  CHECK(hellos.front().epoch == 0x1234);
  CHECK(hellos.front().port == 0);
  CHECK(readers[1].hellos.front().port == 1);
  CHECK(hellos.front().train_id == 1);
  CHECK(hellos.back().up);
  CHECK(hellos.back().heard);
  CHECK(hellos.back().echo_train_id == readers[1].hellos.front().train_id);

  // packets: in sequence, with the content that was written
  const auto& packets = readers[1].packets;
  REQUIRE(packets.size() >= sent.size());
  std::size_t next = 0;
  for (const auto& p : packets) {
    if (next == sent.size() || p.sequence != next % 64) continue;
    CHECK(p.channel == sent[next].vc);
    CHECK(p.remote_offset == sent[next].offset);
    for (std::size_t k = 0; k < 128; ++k) {
      REQUIRE(std::to_integer<unsigned>(p.payload.at(k)) ==
              ((sent[next].words.at(k / 4) >> (8 * (k % 4))) & 0xffU));
    }
    ++next;
  }
  CHECK(next == sent.size());
  CHECK(readers[0].idle_in_frame > 0);

  // commands: the counters know them
  const auto count = [&](std::size_t i, model::CommandType type) {
    std::uint32_t n = 0;
    for (const auto& c : readers.at(i).commands) n += c.type == type ? 1U : 0U;
    return n;
  };
  CHECK(count(0, model::CommandType::Ack) > 0);
  CHECK(count(1, model::CommandType::Busy) == pair.read(1, reg::count_busy_sent));
  CHECK(count(1, model::CommandType::Busy) > 0);
  CHECK(count(1, model::CommandType::Ready) > 0);
  CHECK(count(1, model::CommandType::Nack) == pair.read(1, reg::count_nack_sent));
}

TEST_CASE("link: observations come two cycles after the word") {
  // words fed to one end by hand, one at a time, far apart
  LinkPair pair({.delay = 1});
  std::deque<WireWord> feed;
  pair.cable(0).filter = [&](WireWord& w) {
    w = feed.empty() ? WireWord{} : feed.front();
    if (!feed.empty()) feed.pop_front();
    return true;
  };
  struct Pulse {
    unsigned start, ok, command, error;
    bool operator==(const Pulse&) const = default;
  };
  const auto send = [&](const std::vector<WireWord>& words) {
    std::vector<Pulse> pulses;
    feed.assign(words.begin(), words.end());
    // cycle 0: the first word enters the cable, which takes one; pulses are counted at the end of a
    // cycle
    auto before = pair.end(1).observed;
    for (std::size_t n = 0; n < words.size() + 6; ++n) {
      pair.run(1);
      const auto& now = pair.end(1).observed;
      if (n < kObservedAfter) {
        before = now;
        continue;
      }
      pulses.push_back({static_cast<unsigned>(now.start - before.start),
                        static_cast<unsigned>(now.ok - before.ok),
                        static_cast<unsigned>(now.command - before.command),
                        static_cast<unsigned>(now.error - before.error)});
      before = now;
    }
    return pulses;
  };
  const auto words = [](const auto& frame) {
    std::vector<WireWord> w;
    for (const auto& m : frame) w.push_back({m.data, m.control});
    return w;
  };
  const Pulse none{0, 0, 0, 0};
  const auto check = [&](const std::vector<WireWord>& in,
                         const std::map<std::size_t, Pulse>& want) {
    const auto got = send(in);
    for (std::size_t n = 0; n < got.size(); ++n) {
      INFO("word " << n);
      const auto w = want.find(n);
      const Pulse& expected = w == want.end() ? none : w->second;
      CHECK(got[n].start == expected.start);
      CHECK(got[n].ok == expected.ok);
      CHECK(got[n].command == expected.command);
      CHECK(got[n].error == expected.error);
    }
  };

  model::DataPacket packet;
  packet.channel = 3;
  packet.sequence = 9;
  packet.remote_offset = 0x7abc;
  for (std::size_t k = 0; k < 128; ++k) packet.payload.at(k) = std::byte(k * 3);
  const auto good = words(packet.words());
  const model::Hello hello{.version = 1, .node = 3, .epoch = 4, .next_expected = 5};
  const auto command = model::Command{model::CommandType::Nack, 33}.word();
  const WireWord cmd{command.data, command.control};

  SECTION("a packet") {
    check(good, {{0, {1, 0, 0, 0}}, {33, {0, 1, 0, 0}}});
  }
  SECTION("a hello") {
    check(words(hello.words()), {{0, {1, 0, 0, 0}}, {3, {0, 1, 0, 0}}});
  }
  SECTION("a command") {
    check({cmd}, {{0, {0, 0, 1, 0}}});
  }
  SECTION("a damaged command") {
    check({{cmd.data ^ 0x400U, 1}}, {{0, {0, 0, 0, 1}}});
  }
  SECTION("idle words inside a packet") {
    auto in = good;
    in.insert(in.begin() + 7, 3, WireWord{});
    check(in, {{0, {1, 0, 0, 0}}, {36, {0, 1, 0, 0}}});
  }
  SECTION("every single flipped bit of a packet's words, some of them") {
    for (std::size_t n = 0; n < 34; ++n) {
      auto in = good;
      in[n].data ^= 1U << (8 + n % 24);
      check(in, {{0, {1, 0, 0, 0}}, {33, {0, 0, 0, 1}}});
    }
  }
  SECTION("every single flipped bit of the CRC") {
    for (unsigned bit = 0; bit < 32; ++bit) {
      auto in = good;
      in[33].data ^= 1U << bit;
      check(in, {{0, {1, 0, 0, 0}}, {33, {0, 0, 0, 1}}});
    }
  }
  SECTION("an error character inside") {
    auto in = good;
    in[10] = {0x12fe5678U, 0x4};
    check(in, {{0, {1, 0, 0, 0}}, {10, {0, 0, 0, 1}}, {33, {0, 0, 0, 1}}});
  }
  SECTION("a control bit alone: the data and the CRC are right") {
    packet.payload.fill(std::byte{0xfe});
    for (const auto control : {0x1U, 0x4U, 0xfU}) {
      auto in = words(packet.words());
      in[10].control = static_cast<std::uint8_t>(control);
      check(in, {{0, {1, 0, 0, 0}}, {10, {0, 0, 0, 1}}, {33, {0, 0, 0, 1}}});
    }
    packet.payload.fill(std::byte{0x33});
    auto in = words(packet.words());
    in[10].control = 2;
    check(in, {{0, {1, 0, 0, 0}}, {10, {0, 0, 0, 1}}, {33, {0, 0, 0, 1}}});
    in = words(packet.words());
    in[33].control = 8;
    check(in, {{0, {1, 0, 0, 0}}, {33, {0, 0, 0, 1}}});
  }
  SECTION("an error character where the CRC alone would not see it") {
    // payload word 9 is chosen so that the CRC is the same with and without it
    ht::model::Crc32c crc;
    const auto frame = packet.words();
    for (std::size_t n = 0; n < 10; ++n) {
      for (unsigned lane = n == 0 ? 1 : 0; lane < 4; ++lane)
        crc.add(std::byte{frame.at(n).lane(lane)});
    }
    const std::uint32_t state = ~crc.value();
    std::uint32_t before = state;  // 32 bits back
    for (int n = 0; n < 32; ++n) {
      before = (before >> 31) != 0 ? ((before ^ 0x82f63b78U) << 1) | 1U : before << 1;
    }
    for (unsigned lane = 0; lane < 4; ++lane) {
      packet.payload.at(36 + lane) = std::byte(((state ^ before) >> (8 * lane)) & 0xffU);
    }
    auto in = words(packet.words());
    check(in, {{0, {1, 0, 0, 0}}, {33, {0, 1, 0, 0}}});
    in[10] = {0xfefefefeU, 0xf};
    check(in, {{0, {1, 0, 0, 0}}, {10, {0, 0, 0, 1}}, {33, {0, 0, 0, 1}}});
  }
  SECTION("a withdrawn packet") {
    auto in = good;
    in[33] = {(~in[33].data & 0xffffff00U) | 0x7cU, 1};
    check(in, {{0, {1, 0, 0, 0}}, {33, {0, 1, 0, 0}}});
    in[33].data ^= 0x80000000U;
    check(in, {{0, {1, 0, 0, 0}}, {33, {0, 0, 0, 1}}});
  }
  SECTION("a truncated packet, and the next one") {
    std::vector<WireWord> in(good.begin(), good.begin() + 20);
    in.insert(in.end(), good.begin(), good.end());
    check(in, {{0, {1, 0, 0, 0}}, {20, {1, 0, 0, 1}}, {53, {0, 1, 0, 0}}});
  }
  SECTION("a command in the middle of a packet") {
    auto in = good;
    in.insert(in.begin() + 5, cmd);
    std::map<std::size_t, Pulse> want{{0, {1, 0, 0, 0}}, {5, {0, 0, 0, 1}}};
    for (std::size_t n = 6; n < 35; ++n) want[n] = {0, 0, 0, 1};  // data outside a frame
    check(in, want);
  }
  SECTION("unknown and mixed control words") {
    for (const WireWord w :
         {WireWord{0x07070707U, 0x7}, WireWord{0x000000fdU, 0x1}, WireWord{0x0707fb07U, 0xf},
          WireWord{0xfefefefeU, 0xf}, WireWord{0x00000000U, 0x0}, WireWord{0x0707fe07U, 0xf}}) {
      check({w}, {{0, {0, 0, 0, 1}}});
    }
  }
}
