// SPDX-License-Identifier: Apache-2.0
// What makes lanes carry a link's words or not, by itself: lane_state against its three sentences
// in the header comment, over columns drawn at random; lane_transmit, asked to train at any moment.
#include <Vlane_state.h>
#include <Vlane_transmit.h>
#include <fmt/format.h>
#include <verilated.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/support/test_seed.hpp"

namespace {

/// Of four bytes, one lane (rtl/lane/README.md, "Characters").
struct Word {
  std::uint32_t data = 0;
  std::uint8_t control = 0;
  bool operator==(const Word&) const = default;
};
constexpr Word all_bytes(std::uint32_t character) {
  return {character * 0x01010101U, 15};
}
constexpr Word first_byte(std::uint32_t character) {
  return {0x1C1C1C00U | character, 15};
}
constexpr Word idle = all_bytes(0x1C), fault = all_bytes(0xDC), skip = all_bytes(0xF7);
constexpr Word comma = first_byte(0xBC), identify = first_byte(0x3C);
constexpr Word identity{0x1C1C1C00U | 2U << 5, 14};  // lane 0 of 1, 4 bytes
constexpr Word polarity{0x1C1C1C4AU, 14};            // D10.2
constexpr Word port_idle = all_bytes(0x07), port_error = all_bytes(0xFE);

std::string text(const Word& word) {
  return fmt::format("{:08x}/{:x}", word.data, word.control);
}

void rising(auto& top) {
  top.clk = 1;
  top.eval();
  top.clk = 0;
  top.eval();
}

/// What lane_state is to say, from the columns so far.
struct Expected {
  bool local = true, remote = false, up = false, after_set = false;
  int otherwise = 0;  ///< columns in a row that are FAULT, or with remote fault are not
  int quiet = 0;      ///< columns since one that was not ready, FAULT, or training; while not up
  Word out = port_error;

  void column(bool ready, bool in_set, const Word& word) {
    const bool is_fault = ready && word == fault;
    const bool is_training = ready && after_set && word == identify;
    const bool carries = ready && up && !remote && !is_training && !in_set;
    // Characters that are no link's become errors.
    const Word carried = word == idle       ? port_idle
                         : word == fault    ? port_error
                         : word == identify ? Word{0x070707FE, 15}
                                            : word;
    out = !ready ? port_error : carries ? carried : port_idle;
    int quiet_after = quiet;
    if (!ready || is_fault || is_training)
      quiet_after = 0;
    else if (!up)
      quiet_after = std::min(quiet + 1, 96);
    up = ready && !remote && !is_training && (up || quiet == 96);
    quiet = quiet_after;
    otherwise = is_fault != remote ? otherwise + 1 : 0;
    if (otherwise == (remote ? 8 : 4)) {
      remote = !remote;
      otherwise = 0;
    }
    local = !ready;
    after_set = in_set;  // its SKIP may have been left out
  }
};

/// A cycle of lane_transmit.
struct Step {
  Word in, out;
  bool train, fault, pause;
};

/// Training is asked for again and again: half of the times at a moment of the set that the lanes
/// have just asked room for.
std::vector<Step> train_at_any_moment(int cycles, std::uint64_t seed) {
  VerilatedContext context;
  Vlane_transmit top(&context);
  std::mt19937_64 random(seed);
  const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
  top.rst = top.en = 1;
  top.eval();
  rising(top);
  top.rst = 0;
  std::vector<Step> steps;
  bool at_room = true, pause_before = false;
  int room = 0, until = 0, length = 1;
  for (int n = 0; n < cycles; ++n) {
    top.eval();
    if (top.pause && !pause_before) {
      room = 2 + below(2);
      at_room = false;
    }
    pause_before = top.pause;
    if (!at_room) --until;
    top.train = !at_room && until < 0;
    if (until < -length) {
      at_room = below(2) != 0;
      until = at_room ? below(8) : below(600);
      length = 1 + below(100);
    }
    top.fault = top.train && below(2) != 0;
    const Word in = room > 0 ? port_idle : Word{static_cast<std::uint32_t>(n), 0};
    if (room > 0) --room;
    top.in_data = in.data;
    top.in_control = in.control;
    top.eval();
    steps.push_back(
        {in, {top.out_data, top.out_control}, top.train != 0, top.fault != 0, top.pause != 0});
    rising(top);
  }
  return steps;
}

}  // namespace

TEST_CASE("lane_state: local fault, remote fault and up are what the columns so far make them") {
  const std::uint64_t seed = ht::test::test_seed();
  INFO("seed " << seed);
  VerilatedContext context;
  Vlane_state top(&context);
  std::mt19937_64 random(seed);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  Expected expected;
  std::array<int, 8> reached{};
  int left = 0;
  unsigned what = 0;
  top.rst = 1;
  top.eval();
  rising(top);
  top.rst = 0;
  for (int n = 0; n < 300'000; ++n) {
    if (left == 0) {
      what = below(6);
      // A bundle must be quiet for 96 columns, and FAULT be there for 4 or be away for 8.
      left = 1 + static_cast<int>(below(what == 0 ? 150 : what == 1 ? 12 : 4));
    }
    const bool en = below(8) != 0;
    bool ready = true, in_set = false;
    Word word{static_cast<std::uint32_t>(random()) & 0x7F7F7F7FU, 0};
    if (what == 1) word = fault;
    if (what == 2) ready = false;
    if (what == 3) word = below(2) != 0 ? identify : idle;
    if (what == 4) {
      in_set = true;
      word = skip;
    }
    if (what == 5) {
      in_set = true;
      word = comma;
    }
    top.en = en;
    top.ready = ready;
    top.in_set = in_set;
    top.data = word.data;
    top.control = word.control;
    top.bad = 0;
    rising(top);
    if (en) {
      expected.column(ready, in_set, word);
      --left;
    }
    const unsigned state = 4U * expected.local + 2U * expected.remote + expected.up;
    ++reached[state];
    const bool same = top.local_fault == expected.local && top.remote_fault == expected.remote &&
                      top.up == expected.up && Word{top.out_data, top.out_control} == expected.out;
    if (!same)
      FAIL(fmt::format("column {}: local {}, remote {}, up {}, {}; expected {:03b}, {}", n,
                       top.local_fault, top.remote_fault, top.up,
                       text({top.out_data, top.out_control}), state, text(expected.out)));
  }
  for (const unsigned state : {0, 1, 2, 3, 4, 6}) {
    INFO(state);
    CHECK(reached[state] > 10);
  }
  CHECK(reached[5] + reached[7] == 0);
}

TEST_CASE(
    "lane_transmit: whenever training is asked for, no set is cut, and what is sent is a set, a "
    "block or the link's next word") {
  const std::uint64_t seed = ht::test::test_seed();
  INFO("seed " << seed);
  const std::vector<Step> steps = train_at_any_moment(400'000, seed);
  const auto is = [&](std::size_t at, const Word& wanted) {
    if (steps[at].out != wanted)
      FAIL(fmt::format("word {}: {}, not {}", at, text(steps[at].out), text(wanted)));
  };
  int sets = 0, blocks = 0, behind_a_set = 0, words = 0;
  bool after_set = false;
  for (std::size_t t = 0; t + 64 < steps.size();) {
    INFO("word " << t);
    const bool asked = t == 0 || steps[t - 1].train;
    if (asked) {
      const std::array<Word, 5> head{comma, skip, identify, identity, polarity};
      for (std::size_t i = 0; i < 64; ++i)
        is(t + i, i < head.size() ? head[i] : steps[t + i].fault ? fault : idle);
      ++blocks;
      behind_a_set += after_set;
      after_set = false;
      t += 64;
      continue;
    }
    const Step &before = steps[t - 1], &now = steps[t];
    if (now.pause && before.in == port_idle && now.in == port_idle && !after_set) {
      is(t, comma);
      is(t + 1, skip);
      ++sets;
      after_set = true;
      t += 2;
    } else {
      is(t, before.in == port_idle ? idle : before.in);
      ++words;
      after_set = false;
      ++t;
    }
  }
  CHECK(blocks > 1000);
  CHECK(sets > 100);
  CHECK(words > 100'000);
  CHECK(behind_a_set > 20);
}
