// SPDX-License-Identifier: Apache-2.0
// Every way in which a packet can go wrong is noticed, once, and for what it is.
#include <catch2/catch.hpp>
#include <string>

#include "verif/check/common/delivery_scoreboard.hpp"

using ht::check::Deliveries;
using ht::check::DeliveryScoreboard;
using Kind = DeliveryScoreboard::Kind;

namespace {

std::span<const std::byte> bytes(const std::string& s) {
  return std::as_bytes(std::span(s));
}

// Packets a, b, c on flow 0 at places 10, 11, 12; x on flow 1 at place 20.
struct Board : DeliveryScoreboard {
  Board() : DeliveryScoreboard(2) {
    sent(0, 10, bytes("a"));
    sent(0, 11, bytes("b"));
    sent(0, 12, bytes("c"));
    sent(1, 20, bytes("x"));
  }
  Kind got(std::size_t flow, std::uint64_t place, const std::string& content) {
    return arrived(flow, place, bytes(content));
  }
};

}  // namespace

TEST_CASE("scoreboard: good deliveries, flows interleaved") {
  Board b;
  CHECK(b.got(0, 10, "a") == Kind::Delivered);
  CHECK(b.got(1, 20, "x") == Kind::Delivered);
  CHECK(b.got(0, 11, "b") == Kind::Delivered);
  CHECK(b.got(0, 12, "c") == Kind::Delivered);
  b.close();
  CHECK(b.deliveries() == Deliveries{4, 4, 0, 0, 0, 0, 0});
  CHECK(b.deliveries().all_well());
  CHECK(b.troubles().empty());
}

TEST_CASE("scoreboard: lost, doubled, altered") {
  Board b;
  CHECK(b.got(0, 10, "a") == Kind::Delivered);
  CHECK(b.got(0, 10, "a") == Kind::Doubled);
  CHECK(b.got(0, 11, "B") == Kind::Altered);
  CHECK(b.got(0, 12, "c") == Kind::Delivered);
  b.close();
  CHECK(b.deliveries() == Deliveries{4, 2, 1, 1, 1, 0, 0});
  CHECK_FALSE(b.deliveries().all_well());
  REQUIRE(b.troubles().size() == 3);
  CHECK(b.troubles()[1].packet == 1);  // b came altered
  CHECK(b.troubles()[2].kind == Kind::Lost);
  CHECK(b.troubles()[2].flow == 1);
  CHECK(b.troubles()[2].packet == 3);
}

TEST_CASE("scoreboard: misordered, misrouted, misplaced, invented") {
  Board b;
  CHECK(b.got(0, 11, "b") == Kind::Misordered);
  CHECK(b.got(0, 10, "a") == Kind::Delivered);  // late, but nothing before it is missing
  CHECK(b.got(1, 12, "c") == Kind::Misrouted);  // on another flow
  CHECK(b.got(1, 21, "x") == Kind::Misrouted);  // in the wrong place
  CHECK(b.got(1, 20, "y") == Kind::Altered);    // nobody sent it, and nothing is due
  CHECK(b.troubles().back().packet == DeliveryScoreboard::kUnknown);
  b.close();
  CHECK(b.deliveries() == Deliveries{4, 1, 0, 0, 1, 1, 2});
}

TEST_CASE("scoreboard: sums, number by number") {
  Deliveries d{1, 2, 4, 8, 16, 32, 64};
  d += Deliveries{100, 200, 400, 800, 1600, 3200, 6400};
  CHECK(d == Deliveries{101, 202, 404, 808, 1616, 3232, 6464});
}

TEST_CASE("scoreboard: a packet from nowhere in particular") {
  Board b;
  CHECK(b.got(DeliveryScoreboard::kUnknown, 99, "a") == Kind::Misrouted);
  CHECK(b.got(DeliveryScoreboard::kUnknown, 99, "?") == Kind::Altered);
  CHECK(b.got(0, 11, "b") == Kind::Delivered);  // a is accounted for already
}

TEST_CASE("scoreboard: equal packets are told apart by their turn") {
  DeliveryScoreboard b(1);
  b.sent(0, 1, bytes("same"));
  b.sent(0, 2, bytes("same"));
  CHECK(b.arrived(0, 1, bytes("same")) == Kind::Delivered);
  CHECK(b.arrived(0, 2, bytes("same")) == Kind::Delivered);
  CHECK(b.arrived(0, 2, bytes("same")) == Kind::Doubled);
}
