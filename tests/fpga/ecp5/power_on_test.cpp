// SPDX-License-Identifier: Apache-2.0
// What models of ECP5 primitives come up with: what the chip does, or random bits where those are
// asked for.
#include <Vpower_on_top.h>

#include <array>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "sim/machine/verilated_top.hpp"

namespace ht::test {
namespace {

using Top = machine::VerilatedTop<Vpower_on_top>;

void tick(const Top& top) {
  top->clk = 0;
  top->eval();
  top->clk = 1;
  top->eval();
}

}  // namespace

TEST_CASE("ECP5 models come up as the chip does") {
  const Top top("chip");
  tick(top);
  CHECK(top->flops == 1);
  for (unsigned address = 0; address < 16; ++address) {
    top->address = static_cast<std::uint8_t>(address);
    tick(top);
    INFO("address " << address);
    CHECK(top->word == address);
    CHECK(top->word_bit == (address & 1));
    // 20 bits a word in INITVAL, of which 18 are there: 3, and 3FE01 with its upper byte full
    constexpr std::array<unsigned, 4> bytes{3, 0, 1, 0x1FF};
    CHECK(top->block == (address < 4 ? bytes[address] : 0));
  }
}

TEST_CASE("ECP5 models come up with random bits") {
  std::set<std::string> seen;
  for (std::uint32_t state = 1; state <= 4; ++state) {
    const Top top("random", state);
    std::string bits;
    for (unsigned address = 0; address < 16; ++address) {
      top->address = static_cast<std::uint8_t>(address);
      tick(top);
      bits += static_cast<char>('a' + top->word) + std::to_string(top->word_bit) +
              std::to_string(top->block);
    }
    seen.insert(bits);
  }
  CHECK(seen.size() == 4);
}

}  // namespace ht::test
