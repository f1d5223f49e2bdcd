// SPDX-License-Identifier: Apache-2.0
// Traffic over the HX8K board's two link ends, with flipped bits and the cable pulled once, until
// so many words have come at each: lockstep WORDS. The model ends the program where the bitstream's
// pins differ from the top's. Compiled by fpga/common/loop.py.
#include <fmt/format.h>

#include <cstdlib>
#include <exception>

#include "sim/board/tops.hpp"
#include "sw/qcdoc/registers.hpp"
#include "tests/fpga/cabled_board.hpp"

namespace tester = ht::qcdoc::registers::tester;

int main(int argc, char** argv) {
  constexpr unsigned ends[] = {0x40, 0x80};
  constexpr std::uint32_t enable = 1, traffic = 2, up = 2;
  const std::uint32_t words = argc > 1 ? static_cast<std::uint32_t>(std::atoi(argv[1])) : 300;
  try {
    ht::test::CabledBoard board(ht::board::make_hx8k(), 7);
    board.wait_for_reset();
    for (const unsigned end : ends) board.write(end + tester::control, enable);
    board.run(3000);
    for (const unsigned end : ends) {
      if ((board.read(end + tester::status) & 3) != up)
        throw std::runtime_error("a link is not up");
      board.write(end + tester::inject_period, 2003);
      board.write(end + tester::control, enable | traffic);
    }
    board.run(2000);
    board.plug(false);
    board.run(5000);
    board.plug(true);
    for (bool more = true; more;) {
      board.run(20'000);
      more = false;
      for (const unsigned end : ends) more = more || board.read(end + tester::checked) < words;
    }
    for (const unsigned end : ends) {
      const std::uint32_t wrong = board.read(end + tester::wrong);
      fmt::print("end {}: {} words, {} sent again, {} bits flipped, {} wrong\n",
                 end == ends[0] ? 'A' : 'B', board.read(end + tester::checked),
                 board.read(end + tester::resent), board.read(end + tester::injected), wrong);
      if (wrong != 0) return 1;
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "lockstep: {}\n", e.what());
    return 1;
  }
  return 0;
}
