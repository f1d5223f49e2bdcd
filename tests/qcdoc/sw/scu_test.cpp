// SPDX-License-Identifier: Apache-2.0
// What the unit's software does by itself: arguments checked before they get to the hardware, and
// which instructions are stored where. Without any hardware.
#include <catch2/catch.hpp>
#include <functional>
#include <map>

#include "sw/host/errors.hpp"
#include "sw/qcdoc/driver_plan.hpp"
#include "sw/qcdoc/registers.hpp"
#include "sw/qcdoc/scu.hpp"
#include "sw/qcdoc/transfers.hpp"

using namespace ht;
using namespace ht::qcdoc;
namespace map = ht::qcdoc::registers::scu;

namespace {

/// Registers that remember what was written.
class Registers final : public host::HardwarePort {
 public:
  Picoseconds now() const override { return now_; }
  void advance(Picoseconds duration) override { now_ += duration; }
  void wait(std::string_view) override { throw std::logic_error("nothing can happen here"); }
  std::uint32_t read_register(std::uint32_t address) override { return values[address]; }
  void write_register(std::uint32_t address, std::uint32_t value) override {
    values[address] = value;
    ++writes;
    if (written) written();
  }
  bool interrupt() const override { return false; }
  host::NodeMemory& memory() override { return memory_; }

  std::map<std::uint32_t, std::uint32_t> values;
  int writes = 0;
  std::function<void()> written;  ///< after each

 private:
  host::NodeMemory memory_{1 << 16};
  Picoseconds now_ = 0;
};

template <typename Call>
std::string refusal(Registers& port, Call call) {
  const int before = port.writes;
  try {
    call();
  } catch (const UsageError& e) {
    CHECK(port.writes == before);
    return e.what();
  }
  return "nothing was thrown";
}

Transfer transfer(int engine, std::uint64_t address, std::size_t pieces = 1) {
  Transfer t;
  t.engine = engine;
  t.pieces.assign(pieces, {address, 1, 1, 0});
  return t;
}

}  // namespace

TEST_CASE("descriptors, engines and slots that are none are refused before the hardware") {
  Registers port;
  Scu scu(port, "node 5");
  using Catch::Contains;
  const auto store = [&](int engine, int slot, const Descriptor& d, std::optional<int> next = {}) {
    return refusal(port, [&] { scu.store(engine, slot, d, next); });
  };
  CHECK_THAT(store(24, 0, {}), Contains("node 5: there is no engine 24"));
  CHECK_THAT(store(-1, 0, {}), Contains("no engine"));
  CHECK_THAT(store(2, 16, {}), Contains("the send engine of link +y: there is no slot 16"));
  CHECK_THAT(store(15, 0, {}, 16), Contains("the receive engine of link -y: there is no slot 16"));
  CHECK_THAT(store(0, 3, {4, 1, 1, 0}), Contains("slot 3") && Contains("multiples of 8"));
  CHECK_THAT(store(0, 3, {0, 1, 2, 12}), Contains("multiples of 8"));
  CHECK_THAT(store(0, 3, {0, 0, 1, 0}), Contains("must be 1 to 65535"));
  CHECK_THAT(store(0, 3, {0, 1, 65536, 0}), Contains("must be 1 to 65535"));
  CHECK_THAT(store(0, 3, {65528, 2, 1, 0}), Contains("do not lie in"));
  CHECK_THAT(store(0, 3, {0, 1, 3, -8}), Contains("do not lie in"));
  CHECK_THAT(store(0, 3, {32768, 1, 4097, 8}), Contains("do not lie in"));
  CHECK(store(0, 3, {32768, 1, 4096, 8}) == "nothing was thrown");
  CHECK(store(0, 3, {16, 1, 3, -8}) == "nothing was thrown");
  CHECK_THAT(refusal(port, [&] { scu.start(1, 16); }), Contains("no slot 16"));
  CHECK_THAT(refusal(port, [&] { scu.start(1U << 24, 0); }), Contains("engines"));
  scu.start(3, 0);
  CHECK_THAT(refusal(port, [&] { scu.start(2, 0); }), Contains("link -x was started again"));
  CHECK_THAT(refusal(port, [&] { scu.send_supervisor(12, 0); }), Contains("no link 12"));
  CHECK_THAT(refusal(port, [&] { scu.raise(0x80); }), Contains("partition interrupts"));
}

TEST_CASE("global sets that overlap are refused before the hardware") {
  Registers port;
  Scu scu(port, "node 5");
  using Catch::Contains;
  const auto prepare = [&](int set, const Scu::GlobalSet& what) {
    return refusal(port, [&] { scu.prepare_set(set, what); });
  };
  CHECK_THAT(prepare(2, {}), Contains("no global set 2"));
  CHECK_THAT(prepare(0, {1, 0x2, 1}), Contains("its input -x is one of its outputs"));
  CHECK_THAT(prepare(0, {12, 0x2, 1}), Contains("no link 12"));
  CHECK_THAT(prepare(0, {1, 0x1, 0}), Contains("1 to 65535"));
  CHECK_THAT(refusal(port, [&] { scu.enable_set(0); }), Contains("was not prepared"));
  CHECK(prepare(0, {1, 0x5, 1}) == "nothing was thrown");
  CHECK_THAT(prepare(1, {1, 0x8, 1}), Contains("both take in link -x"));
  CHECK_THAT(prepare(1, {0, 0xC, 1}), Contains("both send on link +y"));
  CHECK(prepare(1, {0, 0x2, 1}) == "nothing was thrown");  // a ring both ways
  scu.enable_set(0);
  CHECK_THAT(prepare(0, {1, 0x1, 1}), Contains("while it is enabled"));
  scu.disable_set(0);
  CHECK(prepare(0, {1, 0x1, 1}) == "nothing was thrown");
}

TEST_CASE("a window of partition interrupts covers the diameter, or is refused") {
  Registers port;
  Scu scu(port, "node 5");
  CHECK(refusal(port, [&] { scu.set_partition(3, 6, 7); }) ==
        "node 5: windows of 2^7 ticks of the global clock: a partition of a diameter of 6 hops "
        "needs 7389 ns, 2^9 ticks of 25 ns at least");
  scu.set_partition(3, 6);
  CHECK(port.values[map::partition_window] == (1U << 31 | 9));
  // From the first write on, what comes on the partition's links meets windows of their length.
  port.values.clear();
  port.written = [&] {
    if (port.values[map::partition_links] != 0)
      CHECK(map::partition_window_log2_ticks.get(port.values[map::partition_window]) == 9);
    else
      CHECK(!map::partition_window_enable.get(port.values[map::partition_window]));
  };
  scu.set_partition(3, 6);
  CHECK(port.values[map::partition_links] == 3);
  CHECK(port.values[map::partition_window] == (1U << 31 | 9));
  port.written = nullptr;
  // One hop more costs a frame that has begun, the packet and the cable at least.
  PartitionTiming timing;
  for (int d = 1; d < 20; ++d)
    CHECK(least_partition_window(d + 1, timing) - least_partition_window(d, timing) >=
          (104 + 24) * timing.bit + timing.cable);
  const Picoseconds least = least_partition_window(3, timing);
  timing.skew += 7;
  CHECK(least_partition_window(3, timing) == least + 7);
  timing.tick = 100;
  CHECK_THROWS_AS(least_partition_window_log2_ticks(20, timing), UsageError);
  CHECK_THROWS_AS(least_partition_window(-1, timing), UsageError);
}

TEST_CASE("long messages are blocks of what a descriptor holds") {
  for (const std::uint64_t words : {1ULL, 65535ULL, 65536ULL, 131070ULL, 200'000ULL}) {
    std::uint64_t next = 800, sum = 0;
    for (const Descriptor& d : contiguous(800, words)) {
      CHECK(d.address == next);
      CHECK((d.blocks == 1 || d.pitch == 8 * std::int64_t{d.block_words}));
      CHECK((d.block_words <= 65535 && d.blocks <= 65535));
      next += 8 * d.words();
      sum += d.words();
    }
    CHECK(sum == words);
  }
}

TEST_CASE("stored instructions: the one not used for longest makes room, a running one never") {
  Registers port;
  Scu scu(port, "node 5");
  InstructionStore store(scu);
  std::deque<Transfer> t;
  for (std::uint64_t i = 0; i < 18; ++i) t.push_back(transfer(3, 8 * i));
  for (Transfer& x : t) store.place_if_room(x);
  CHECK(store.stored() == 16);
  CHECK(t[16].slots.empty());
  store.place(t[0]);  // used: 1 is the oldest now, but running
  t[1].running = true;
  store.place(t[16]);
  CHECK(store.stored() == 17);
  CHECK(t[0].slots == std::vector<int>{0});
  CHECK(t[1].slots == std::vector<int>{1});
  CHECK(t[2].slots.empty());
  CHECK(t[16].slots == std::vector<int>{2});
  CHECK(port.values[map::dma_address(3, 2)] == 8 * 16);
  store.forget(t[16]);
  store.place_if_room(t[17]);
  CHECK(t[17].slots == std::vector<int>{2});

  // A chain of three: each piece names the next one's slot, the last none.
  Transfer chain = transfer(3, 4096, 3);
  store.place(chain);
  REQUIRE(chain.slots.size() == 3);
  const auto slot = [&](std::size_t i) { return static_cast<std::uint32_t>(chain.slots[i]); };
  CHECK(port.values[map::dma_chain(3, slot(0))] == (1U << 31 | slot(1)));
  CHECK(port.values[map::dma_chain(3, slot(1))] == (1U << 31 | slot(2)));
  CHECK(port.values[map::dma_chain(3, slot(2))] == 0);
}

TEST_CASE("transfers that start together get the same slot") {
  Registers port;
  Scu scu(port, "node 5");
  InstructionStore store(scu);
  std::deque<Transfer> before;
  for (const int engine : {0, 0, 1, 12}) store.place(before.emplace_back(transfer(engine, 0)));
  Transfer a = transfer(0, 8), b = transfer(1, 8), c = transfer(12, 8, 2);
  for (Transfer* t : {&a, &b, &c}) store.place(*t);
  CHECK(a.slots.front() == 2);
  CHECK(b.slots.front() == 1);
  before[0].running = true;  // slot 0 of engine 0
  Transfer* const together[] = {&a, &b, &c};
  store.align(together);
  CHECK(a.slots.front() == b.slots.front());
  CHECK(a.slots.front() == c.slots.front());
  CHECK(a.slots.front() != 0);
  CHECK(port.values[map::dma_address(12, static_cast<std::uint32_t>(c.slots.front()))] == 8);
  const auto stored = store.stored();
  store.align(together);
  CHECK(store.stored() == stored);
}

TEST_CASE("blocks of a ring arrive by coordinate") {
  for (int length = 2; length <= 6; ++length) {
    for (int here = 0; here < length; ++here) {
      for (const int sign : {+1, -1}) {
        for (int steps = 1; steps < length; ++steps) {
          std::vector<std::uint64_t> places;
          for (const Descriptor& d : arrivals({length, here, 1000, 48, 2}, sign, steps)) {
            CHECK(d.block_words == 2);
            for (std::uint32_t i = 0; i < d.blocks; ++i)
              places.push_back(d.address + static_cast<std::uint64_t>(std::int64_t{i} * d.pitch));
          }
          REQUIRE(places.size() == static_cast<std::size_t>(steps));
          for (int k = 1; k <= steps; ++k) {
            const int from = ((here - sign * k) % length + length) % length;
            CHECK(places[static_cast<std::size_t>(k - 1)] ==
                  1000 + 48 * static_cast<std::uint64_t>(from));
          }
        }
      }
    }
  }
}
