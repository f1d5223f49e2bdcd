// SPDX-License-Identifier: Apache-2.0
// What a Tofu link's registers take and refuse, and that they change nothing where nothing happens.
#include <catch2/catch.hpp>

#include "sw/tofu/registers.hpp"
#include "tests/tofu/link/pair.hpp"

using namespace ht::test;
namespace reg = ht::tofu::registers::link;

TEST_CASE("tofu link: registers") {
  TofuPair pair;
  const auto refused = [&](bool write, std::uint32_t address, std::uint32_t value = 0) {
    bool no = false;
    if (write) {
      pair.write(0, address, value, &no);
    } else {
      pair.read(0, address, &no);
    }
    return no;
  };
  CHECK(pair.read(0, reg::room) == 0x40404040U);
  std::array<bool, 64> exists{};
  for (const auto& r : reg::all) {
    INFO(r.name);
    const std::uint32_t address = r.address & 0x3fU;
    exists.at(address) = true;
    if (!r.is_volatile) CHECK(pair.read(0, address) == r.reset);
    if (r.access == ht::host::Access::ReadOnly) CHECK(refused(true, address));
    if (r.access == ht::host::Access::ReadWrite && r.max != 0xffffffffU) {
      CHECK(refused(true, address, r.max + 1));
      CHECK(pair.read(0, address) == r.reset);
    }
  }
  for (std::uint32_t a = 0; a < 64; ++a) {
    if (exists[a]) continue;
    CHECK(refused(false, a));
    CHECK(refused(true, a));
  }
  CHECK(refused(true, reg::inject(0) & 0x3fU, 3));
  CHECK(refused(true, reg::inject(0) & 0x3fU, 3U << 2));
  pair.bring_up();
  CHECK(refused(true, reg::node(0) & 0x3fU, 5));
  CHECK(refused(true, reg::epoch(0) & 0x3fU, 5));
  CHECK(pair.read(0, reg::node) == 100);
  // an idle link: nothing changes
  pair.run(100);
  REQUIRE(pair.end(0).idle());
  const auto before = pair.end(0).outputs();
  for (int i = 0; i < 300; ++i) {
    pair.run(1);
    REQUIRE(pair.end(0).outputs() == before);
  }
}
