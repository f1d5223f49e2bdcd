// SPDX-License-Identifier: Apache-2.0
// The model beside a link's receiver: what it holds against the hardware, and what it remembers.
#include <catch2/catch.hpp>

#include "verif/check/qpace/receiver.hpp"

using ht::check::QpaceMonitor;
using ht::check::QpaceReceiver;
using ht::model::kErrorWord;
using namespace ht::model::qpace;
using Pulses = QpaceReceiver::Pulses;

namespace {

constexpr Pulses kStartPulse{true, false, false, false}, kOkPulse{false, true, false, false},
    kCommandPulse{false, false, true, false}, kErrorPulse{false, false, false, true};

// A packet from `edge` on, reported as good hardware would.
std::int64_t packet(QpaceReceiver& r, std::int64_t edge, unsigned sequence) {
  DataPacket p;
  p.sequence = static_cast<std::uint8_t>(sequence);
  const auto words = p.words();
  for (std::size_t i = 0; i < words.size(); ++i) {
    r.received(edge, words[i]);
    if (i == 0) r.observed(edge, kStartPulse);
    if (i + 1 == words.size()) r.observed(edge, kOkPulse);
    ++edge;
  }
  return edge;
}

}  // namespace

TEST_CASE("receiver model: agrees with good hardware, and says what an error is about") {
  QpaceReceiver r;
  std::int64_t at = packet(r, 10, 0);
  r.received(at, Command{CommandType::Ack, 3}.word());
  CHECK(r.observed(at, kCommandPulse) == QpaceMonitor::Anomaly::None);
  const auto check = [&](const ht::model::Word& w, QpaceMonitor::Anomaly anomaly) {
    r.received(++at, w);
    CHECK(r.observed(at, kErrorPulse) == anomaly);
  };
  check(kErrorWord, QpaceMonitor::Anomaly::Code);
  check({0x12345678, 0}, QpaceMonitor::Anomaly::Framing);
  ht::model::Word command = Command{CommandType::Ack, 3}.word();
  command.data ^= 1U << 20;
  check(command, QpaceMonitor::Anomaly::Command);
  CHECK(r.close().empty());
  CHECK(r.monitor().counts().code_errors == 1);
  CHECK(r.monitor().counts().framing_errors == 1);
  CHECK(r.monitor().counts().command_crc_errors == 1);
  CHECK(r.frames().size() == 2);
  CHECK(r.answers().size() == 1);
  const auto sent = DataPacket{}.words();
  CHECK(r.frame_at(43) == std::vector<ht::model::Word>(sent.begin(), sent.end()));
  CHECK(r.frame_at(42).empty());
}

TEST_CASE("receiver model: a pulse too few, too many, or of another kind is noticed") {
  {
    QpaceReceiver r;
    r.received(5, kErrorWord);
    CHECK(r.close().size() == 1);
  }
  {
    QpaceReceiver r;
    r.observed(5, kErrorPulse);
    CHECK(r.close().size() == 1);
  }
  {
    QpaceReceiver r;
    r.received(5, kErrorWord);
    r.observed(5, kCommandPulse);
    CHECK(r.close().size() == 1);
  }
  {
    QpaceReceiver r;
    r.received(5, kErrorWord);
    r.observed(6, kErrorPulse);
    CHECK(r.close().size() == 2);
  }
}

TEST_CASE("receiver model: gaps, timeouts, lost signals") {
  QpaceReceiver r;
  std::int64_t at = packet(r, 0, 0);
  at = packet(r, at, 1);
  CHECK(r.gaps().empty());
  const std::int64_t end_of_gap = packet(r, at, 3) - 1;  // 2 is missing
  CHECK(r.gaps() == std::vector{end_of_gap});
  at = packet(r, end_of_gap + 1, 2);
  at = packet(r, at, 3);
  at = packet(r, at, 1);  // a duplicate is no gap
  CHECK(r.gaps().size() == 1);

  r.received(at, Command{CommandType::Nack, 0}.word());
  r.observed(at, kCommandPulse);
  r.retransmits(at + 30);    // asked for
  r.retransmits(at + 64);    // its followers
  r.retransmits(at + 1100);  // nobody asked
  CHECK(r.timeouts(1000) == std::vector{at + 1100});

  for (int i = 0; i < 63; ++i) r.received(at + 1200 + i, kErrorWord);
  CHECK(r.signal_losses().empty());
  r.received(at + 1263, kErrorWord);
  CHECK(r.signal_losses() == std::vector{at + 1263});
}
