// SPDX-License-Identifier: Apache-2.0
// What a QCDOC link's sender makes of a peer that holds, and of one that wants an old word again.
#include <Vqcdoc_link.h>

#include <catch2/catch.hpp>
#include <memory>

#include "tests/qcdoc/link/words.hpp"
#include "verif/model/qcdoc/reader.hpp"

using namespace ht;
using namespace ht::test;
using namespace ht::model::qcdoc;

namespace {

using Bytes = std::vector<std::uint8_t>;

std::uint8_t idle(std::size_t number) {
  return *encode({.kind = Kind::Idle, .number = static_cast<std::uint8_t>(number % 4)});
}

// From now on end a hears these bytes, at b's byte boundary, and idle ones behind them.
void say(QcdocPair& pair, const Bytes& bytes) {
  auto last = std::make_shared<std::uint32_t>(0);
  auto place = std::make_shared<std::size_t>(0);
  auto begun = std::make_shared<bool>(false);
  pair.damage = [=, last_byte = bytes.back()](int d, std::uint64_t, bool bit) {
    if (d == 0) return bit;
    if (!*begun) {
      *last = *last << 1 | (bit ? 1U : 0U);
      *begun = (*last & 0xFFFF) == 0xC4C4;  // b is idle and acknowledges 0
      return bit;
    }
    const std::size_t at = (*place)++;
    const std::uint8_t byte = at / 8 < bytes.size() ? bytes[at / 8] : last_byte;
    return (byte >> (7 - at % 8) & 1) != 0;
  };
}

}  // namespace

TEST_CASE("a peer that holds is known to, whatever number it acknowledges") {
  for (std::size_t taken = 0; taken < 8; ++taken) {
    CAPTURE(taken);
    QcdocPair pair(10, 3);
    REQUIRE(pair.bring_up());
    CHECK_FALSE(pair.a.dut().held);
    pair.a.to_send = words(taken, 3);
    REQUIRE(
        pair.run_until([&] { return pair.b.received.size() == taken && pair.a.idle(); }, 9'000));
    pair.run(200);
    CHECK_FALSE(pair.a.dut().held);
    pair.b.take_eagerness = 0;
    pair.run(200);
    CHECK(pair.a.dut().held);
  }
}

TEST_CASE(
    "a record that wants a word up to 14 back is served, one from 15 on takes the link down") {
  for (const unsigned behind : {13U, 14U, 15U, 16U, 17U, 30U, 47U}) {
    CAPTURE(behind);
    QcdocPair pair(10, 4);
    REQUIRE(pair.bring_up());
    pair.a.to_send = words(100, 4);
    Bytes script;
    // As many words are acknowledged that the next one to be stored is `behind`.
    for (std::size_t i = 1; i + 3 <= behind; ++i) script.insert(script.end(), 12, idle(i));
    script.insert(script.end(), 40, idle(behind - 3));
    script.insert(script.end(), kMarks, kMark);
    const auto record = *encode_record({.next = 0, .lost = true, .expected = 0, .waiting = 0});
    script.insert(script.end(), record.begin(), record.end());
    script.push_back(idle(0));
    say(pair, script);
    bool error = false;
    pair.run_until(
        [&] {
          error = error || pair.a.dut().error_protocol != 0;
          return error;
        },
        8 * (script.size() + 60));
    CHECK(pair.a.events.sent == behind);
    CHECK(error == (behind > 14));
    if (behind <= 14) CHECK(pair.a.events.retransmitted == 3);
  }
}
