// SPDX-License-Identifier: Apache-2.0
// A cable of plain wires: changes arrive after the delay, disturbances are seen, bytes between
// ranks are the same.
#include <catch2/catch.hpp>

#include "sim/cable/level_cable.hpp"
#include "sw/host/errors.hpp"

using ht::sim::Disturbance;
using ht::sim::kNever;
using ht::sim::LevelCable;

TEST_CASE("changes of a level arrive after the delay, and the level stays") {
  LevelCable cable("wires", 1000);
  CHECK(cable.safe_window() == 1000);
  CHECK(cable.next_change() == kNever);
  cable.send(100, 3);
  cable.send(250, 1);
  CHECK(cable.in_flight() == 2);
  cable.transfer(1000);
  CHECK(cable.in_flight() == 2);
  CHECK(cable.next_arrival() == 1100);
  CHECK(cable.receive(1099) == 0);
  CHECK(cable.receive(1100) == 3);
  CHECK(cable.next_change() == 1250);
  CHECK(cable.receive(1249) == 3);
  CHECK(cable.receive(5000) == 1);
  CHECK(cable.in_flight() == 0);
  CHECK(cable.receive(900'000) == 1);
  CHECK(cable.next_change() == kNever);
  // Two changes between two looks: the last one counts.
  cable.send(900'000, 2);
  cable.send(900'001, 0);
  cable.transfer(901'000);
  CHECK(cable.receive(902'000) == 0);
  CHECK_THROWS_AS((cable.send(2000, 1), cable.send(2000, 2)), std::logic_error);
}

TEST_CASE("a disturbance shows its level for its time, and then what is on the wires") {
  LevelCable cable("wires", 10, {{100, 120, 3}, {120, 130, 2}});
  CHECK(cable.next_change() == 100);
  CHECK(cable.next_fault_arrival() == 100);
  CHECK(cable.receive(99) == 0);
  CHECK(cable.receive(100) == 3);
  CHECK(cable.next_change() == 120);
  cable.send(105, 1);
  cable.transfer(110);
  CHECK(cable.next_change() == 115);
  CHECK(cable.receive(116) == 3);
  CHECK(cable.receive(125) == 2);
  CHECK(cable.next_change() == 130);
  CHECK(cable.receive(130) == 1);
  CHECK(cable.next_change() == kNever);
}

TEST_CASE("what crosses between ranks as bytes arrives as if it had not") {
  LevelCable here("wires", 50), there("wires", 50);
  here.send(7, 2);
  here.send(9, 1);
  const auto bytes = here.take_sent();
  CHECK(here.in_flight() == 0);
  there.put_sent(bytes);
  there.transfer(50);
  CHECK(there.next_arrival() == 57);
  CHECK(there.receive(58) == 2);
  CHECK(there.receive(59) == 1);
  CHECK_THROWS_AS(there.put_sent(std::span(bytes).first(5)), std::logic_error);
}

TEST_CASE("a cable without delay, or disturbances out of order, are refused") {
  CHECK_THROWS_AS(LevelCable("wires", 0), ht::UsageError);
  CHECK_THROWS_AS(LevelCable("wires", 1, {{10, 10, 1}}), ht::UsageError);
  CHECK_THROWS_AS(LevelCable("wires", 1, {{10, 20, 1}, {15, 30, 1}}), ht::UsageError);
}
