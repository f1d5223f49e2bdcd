// SPDX-License-Identifier: Apache-2.0
#include "verif/check/qpace/monitor.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace ht::model;
using namespace ht::model::qpace;
using ht::check::QpaceMonitor;

namespace {

/// A letter a word: s start, o ok, c command, e error, . nothing; combined ones in brackets.
std::string events(QpaceMonitor& m, const std::vector<Word>& words) {
  std::string text;
  for (const Word& w : words) {
    const auto e = m.push(w);
    std::string one;
    if (e.start) one += 's';
    if (e.ok) one += 'o';
    if (e.command) one += 'c';
    if (e.error) one += 'e';
    text += one.empty() ? "." : one.size() == 1 ? one : "(" + one + ")";
  }
  return text;
}

std::vector<Word> packet(bool withdrawn = false) {
  DataPacket p;
  p.payload.fill(std::byte{0x33});
  p.withdrawn = withdrawn;
  const auto w = p.words();
  return {w.begin(), w.end()};
}

std::vector<Word> hello() {
  const auto w = Hello{}.words();
  return {w.begin(), w.end()};
}

const Word kAck = Command{CommandType::Ack, 5}.word();
const Word kStrange{0x070707fdU, 0xf}, kBroken{0x0707fe07U, 0xf}, kData{0x1234U, 0};

std::string dots(std::size_t n) {
  return std::string(n, '.');
}

}  // namespace

// Expectations are read off the table "What the receiver makes of a word" in rtl/qpace/README.md.

TEST_CASE("QPACE monitor: good frames, idle words inside them") {
  QpaceMonitor m;
  auto gaps = packet();
  gaps.insert(gaps.begin() + 5, kIdleWord);
  gaps.insert(gaps.begin() + 34, kIdleWord);
  CHECK(events(m, gaps) == "s" + dots(34) + "o");
  CHECK(events(m, packet(true)) == "s" + dots(32) + "o");
  CHECK(events(m, hello()) == "s..o");
  CHECK(events(m, {kAck, kIdleWord, kAck}) == "c.c");
  CHECK(m.counts().packets == 2);
  CHECK(m.counts().hellos == 1);
  CHECK(m.counts().commands == 2);
  CHECK(m.counts().errors == 0);
}

TEST_CASE("QPACE monitor: words out of place between frames") {
  QpaceMonitor m;
  Word bad = kAck;
  bad.data ^= 1U << 20;
  CHECK(events(m, {kData, kStrange, kBroken, bad, {0xfb070707U, 8}}) == "eeeee");
}

TEST_CASE("QPACE monitor: a damaged word stands for one of its frame") {
  for (const Word& damage : {kStrange, kBroken, Word{0x33333333U, 4}}) {
    QpaceMonitor m;
    auto w = packet();
    w[7] = damage;
    CHECK(events(m, w) == "s" + dots(6) + "e" + dots(25) + "e");
    CHECK(events(m, packet()) == "s" + dots(32) + "o");
    w = packet();
    w[33] = damage;
    CHECK(events(m, w) == "s" + dots(32) + "e");
    CHECK(events(m, {kData}) == "e");  // that frame is over
  }
  QpaceMonitor m;
  auto w = packet();
  w[3].data ^= 1;
  CHECK(events(m, w) == "s" + dots(32) + "e");
  auto h = hello();
  h[3] = {kWithdrawn | (~h[3].data & 0xffffff00U), 1};  // only packets can be withdrawn
  CHECK(events(m, h) == "s..e");
}

TEST_CASE("QPACE monitor: a frame cut short by another, or by a command") {
  QpaceMonitor m;
  auto w = packet();
  w.resize(10);
  auto next = packet();
  CHECK(events(m, w) == "s" + dots(9));
  CHECK(events(m, next) == "(se)" + dots(32) + "o");
  CHECK(events(m, w) == "s" + dots(9));
  CHECK(events(m, {kAck, kData}) == "ee");
  CHECK(events(m, w) == "s" + dots(9));
  CHECK(events(m, hello()) == "(se)..o");
}

TEST_CASE("QPACE monitor: the checksum is that of the payload heard") {
  QpaceMonitor m;
  events(m, packet());
  events(m, packet(true));
  PayloadChecksum c;
  for (const bool withdrawn : {false, true}) {
    for (int i = 0; i < 32; ++i) c.add(0x33333333U);
    if (withdrawn) CHECK((c.value() ^ m.payload_checksum()) == 1);
  }
}
