// SPDX-License-Identifier: Apache-2.0
// The driver of a network interface: rings, tags, and what it refuses before the hardware sees it.
#include "sw/tofu/network_interface.hpp"

#include <catch2/catch.hpp>
#include <cstring>

#include "sw/host/errors.hpp"
#include "sw/tofu/functional/functional_tofu.hpp"
#include "sw/tofu/registers.hpp"

using namespace ht;
using namespace ht::tofu;

namespace {

constexpr std::size_t bytes = 4096;

struct Node {
  explicit Node(host::HardwarePort& p, NetworkOptions options = {})
      : port(p), interface(p, "node 0", 2, options) {
    memory = static_cast<std::byte*>(port.memory().allocate(bytes, 128));
    setting.base = *port.memory().offset_of(memory);
    setting.length = bytes;
    setting.owner = 3;
  }
  std::uint32_t tag(std::uint32_t n) const { return interface.tag(3, n); }
  Descriptor put(std::uint64_t length, std::uint64_t from, std::uint64_t to) const {
    Descriptor d;
    d.command = TniCommand::Put;
    d.remote.interface = 2;  // its own
    d.remote.queue = 3;
    d.length = length;
    d.local = {tag(0), from};
    d.far = {tag(0), to};
    return d;
  }
  Completion finish() {
    for (;;) {
      if (const auto c = interface.take_completion(3)) return *c;
      port.advance(100'000);
    }
  }

  host::HardwarePort& port;
  NetworkInterface interface;
  std::byte* memory;
  TagSetting setting;
};

void on_a_node(const std::function<void(FunctionalTofu&, host::HardwarePort&)>& program) {
  FunctionalTofu machine(Shape{});
  machine.run([&](int, host::HardwarePort& port) { program(machine, port); });
}

}  // namespace

TEST_CASE("Tofu's network interface: what is refused before the hardware sees it") {
  on_a_node([](FunctionalTofu& machine, host::HardwarePort& port) {
    using Catch::Contains;
    CHECK_THROWS_WITH(NetworkInterface(port, "node 0", 4), Contains("interfaces 0 to 3"));
    Node n(port);
    NetworkInterface& i = n.interface;
    CHECK_THROWS_WITH(i.set_tag(n.tag(0), n.setting), Contains("before it is enabled"));
    CHECK_THROWS_WITH(i.open(8), Contains("there is no queue 8"));
    CHECK_THROWS_WITH(i.open(-1), Contains("there is no queue -1"));
    CHECK_THROWS_WITH(i.close(3), Contains("queue 3 is not open"));
    CHECK_THROWS_WITH(i.submit(3, {}), Contains("queue 3 is not open"));
    CHECK_THROWS_WITH(i.take_notice(3), Contains("queue 3 is not open"));
    i.open(3);
    CHECK_THROWS_WITH(i.open(3), Contains("queue 3 is open already"));

    const auto with = [&](auto change) {
      TagSetting s = n.setting;
      change(s);
      return s;
    };
    const auto setting = [&](std::uint32_t tag, const TagSetting& s) { i.set_tag(tag, s); };
    CHECK_THROWS_WITH(setting(i.tag(4, 0), n.setting), Contains("is none of queue 3"));
    CHECK_THROWS_WITH(setting(i.tag(8, 0), n.setting), Contains("is none of queue 3"));
    CHECK_THROWS_WITH(setting(n.tag(0), with([](TagSetting& s) { s.base += 8; })),
                      Contains("begins at a multiple of 16"));
    CHECK_THROWS_WITH(setting(n.tag(0), with([](TagSetting& s) { s.length = 0; })),
                      Contains("0 bytes at offset"));
    CHECK_THROWS_WITH(
        setting(n.tag(0), with([&](TagSetting& s) { s.length = port.memory().size() + 1; })),
        Contains("of the node's"));
    i.set_tag(n.tag(0), n.setting);
    CHECK_THROWS_WITH(i.set_tag(n.tag(0), n.setting), Contains("is in use"));
    CHECK_THROWS_WITH(i.clear_tag(n.tag(1)), Contains("names no memory"));

    CHECK_THROWS_WITH(i.submit(3, n.put(transfer_limit + 1, 0, 0)),
                      Contains("a transfer of 16777216 bytes; 16777215 at most"));
    CHECK_THROWS_WITH(i.submit(3, n.put(bytes, 1, 0)), Contains("are not its memory"));
    CHECK_THROWS_WITH(i.submit(3, n.put(8, bytes + 1, 0)), Contains("are not its memory"));
    Descriptor d = n.put(8, 0, 0);
    d.local.tag = n.tag(1);
    CHECK_THROWS_WITH(i.submit(3, d), Contains("are not its memory"));
    i.open(4);
    CHECK_THROWS_WITH(i.submit(4, n.put(8, 0, 0)), Contains("are not its memory"));
    d = n.put(33, 0, 0);
    d.command = TniCommand::PutImmediate;
    CHECK_THROWS_WITH(i.submit(3, d), Contains("a command carries 32 bytes at most, not 33"));
    CHECK(machine.packets() == 0);

    i.submit(3, n.put(8, 0, 64));
    CHECK(i.under_way(3) == 1);
    CHECK_THROWS_WITH(i.close(3), Contains("closed with 1 commands under way"));
    i.ring(3);
    CHECK(n.finish().cause == TniCause::Good);
    i.close(3);
    CHECK(!i.setting(n.tag(0)));
  });
}

TEST_CASE("Tofu's network interface: an epoch's commands have generations of their own") {
  for (std::uint32_t epoch = 1; epoch <= 20; ++epoch) {
    on_a_node([&](FunctionalTofu&, host::HardwarePort& port) {
      NetworkOptions options;
      options.epoch = epoch;
      Node n(port, options);
      n.interface.open(3);
      n.interface.set_tag(n.tag(0), n.setting);
      CHECK(port.read_register(registers::tni::generation(2)) == first_generation(epoch));
      n.interface.submit(3, n.put(8, 0, 64));
      n.interface.ring(3);
      CHECK(n.finish().cause == TniCause::Good);
    });
    // Five from one to the next, so that three in a row are five or more apart.
    for (const std::uint32_t later : {1U, 2U}) {
      const std::uint32_t apart = first_generation(epoch + later) - first_generation(epoch);
      CHECK((apart & 15) == 5 * later);
    }
  }
}

TEST_CASE("Tofu's network interface: rings go round, and commands wait for room") {
  on_a_node([](FunctionalTofu&, host::HardwarePort& port) {
    NetworkOptions options;
    options.log2_commands = 3;
    options.log2_notices = 4;
    Node n(port, options);
    NetworkInterface& i = n.interface;
    i.open(3);
    i.set_tag(n.tag(0), n.setting);
    // Twice as many as 16 bits count.
    std::uint32_t begun = 0, ended = 0, noticed = 0;
    while (ended < 140'000) {
      CHECK(i.room(3) == 8 - (begun - ended));
      while (i.has_room(3)) {
        Descriptor d = n.put(4, 0, 8 * (begun % 8) + 64);
        d.remote_notice = true;
        d.edata = static_cast<std::uint16_t>(begun);
        const std::uint16_t index = i.submit(3, d);
        REQUIRE(index == (begun & 0xffff));
        ++begun;
      }
      CHECK_THROWS_AS(i.submit(3, n.put(4, 0, 0)), UsageError);
      i.ring(3);
      for (int k = 0; k < 8; ++k) {
        const Completion c = n.finish();
        REQUIRE((c.index == (ended & 0xffff) && c.cause == TniCause::Good));
        ++ended;
      }
      CHECK(i.notices_waiting(3) == 8);
      CHECK(i.completions_waiting(3) == 0);
      while (const auto notice = i.take_notice(3)) {
        REQUIRE((notice->edata == (noticed & 0xffff) && notice->length == 4));
        ++noticed;
      }
      REQUIRE(noticed == ended);
    }
    CHECK_NOTHROW(i.check());
  });
}

TEST_CASE("Tofu's network interface: a tag that was taken away names nothing any more") {
  on_a_node([](FunctionalTofu&, host::HardwarePort& port) {
    Node n(port);
    NetworkInterface& i = n.interface;
    i.open(3);
    i.set_tag(n.tag(0), n.setting);
    i.set_tag(n.tag(1), n.setting);
    const auto put = [&](std::uint32_t tag) {
      Descriptor d = n.put(8, 0, 128);
      d.far.tag = tag;
      i.submit(3, d);
      i.ring(3);
      return n.finish().cause;
    };
    CHECK(put(n.tag(1)) == TniCause::Good);
    i.clear_tag(n.tag(1));
    CHECK(put(n.tag(1)) == TniCause::Tag);
    TagSetting short_one = n.setting;
    short_one.length = 128;
    i.set_tag(n.tag(1), short_one);
    CHECK(put(n.tag(1)) == TniCause::Range);
    i.clear_tag(n.tag(1));
    TagSetting constant = n.setting;
    constant.write = false;
    i.set_tag(n.tag(1), constant);
    CHECK(put(n.tag(1)) == TniCause::Right);
    // Closed and opened again, a queue begins anew.
    while (i.take_notice(3)) {
    }
    i.close(3);
    i.open(3);
    CHECK(i.completions_waiting(3) == 0);
    CHECK(i.notices_waiting(3) == 0);
    i.set_tag(n.tag(0), n.setting);
    CHECK(put(n.tag(0)) == TniCause::Good);
  });
}

TEST_CASE("Tofu's network interface: commands as bytes, atomics, data in the command") {
  on_a_node([](FunctionalTofu&, host::HardwarePort& port) {
    Node n(port);
    NetworkInterface& i = n.interface;
    i.open(3);
    i.set_tag(n.tag(0), n.setting);
    const auto atomic = [&](AtomicOperation operation, bool wide, std::uint64_t operand,
                            std::uint64_t compare = 0) {
      Descriptor d = n.put(0, 0, 256);
      d.command = TniCommand::Atomic;
      d.operation = operation;
      d.wide = wide;
      std::memcpy(d.data.data(), &operand, 8);
      std::memcpy(d.data.data() + 8, &compare, 8);
      i.submit(3, d);
      i.ring(3);
      const Completion c = n.finish();
      CHECK(c.cause == TniCause::Good);
      return c.old;
    };
    using Op = AtomicOperation;
    constexpr std::uint64_t big = 0xffff'ffff'ffff'fff0;
    CHECK(atomic(Op::Add, true, big) == 0);
    CHECK(atomic(Op::Add, false, 0x20) == 0xffff'fff0);  // only the lower half
    CHECK(atomic(Op::Or, true, 3) == 0xffff'ffff'0000'0010);
    CHECK(atomic(Op::And, true, 0xff) == 0xffff'ffff'0000'0013);
    CHECK(atomic(Op::Xor, true, 0x13) == 0x13);
    CHECK(atomic(Op::Swap, true, 7) == 0);
    CHECK(atomic(Op::CompareSwap, true, 9, 8) == 7);
    CHECK(atomic(Op::CompareSwap, true, 9, 7) == 7);
    CHECK(atomic(Op::CompareSwap, false, 1, 9) == 9);
    CHECK(atomic(Op::Add, true, 0) == 1);

    Descriptor d = n.put(29, 0, 300);
    d.command = TniCommand::PutImmediate;
    for (std::size_t b = 0; b < 32; ++b) d.data[b] = static_cast<std::byte>(b + 1);
    i.submit(3, d);
    i.ring(3);
    CHECK(n.finish().cause == TniCause::Good);
    CHECK(n.memory[300 + 28] == std::byte{29});
    CHECK(n.memory[300 + 29] == std::byte{});

    // rtl/tofu/README.md, "Commands".
    d = n.put(0x123456, 0x12'3456'789a, 0xfe'dcba'9876);
    d.command = TniCommand::Get;
    d.remote.node = Coordinates{{1, 2, 3, 1, 2, 1}};
    d.remote.interface = 2;
    d.remote.queue = 5;
    d.remote.path = 11;
    d.local.tag = 0x2abcd;
    d.far.tag = 0x35432;
    d.edata = 0xbeef;
    d.remote_notice = d.wide = true;
    const auto raw = d.bytes();
    std::uint64_t w[4];
    std::memcpy(w, raw.data(), sizeof w);
    const std::uint64_t to = 1 | 2 << 5 | 3 << 10 | 1 << 15 | 2 << 16 | 1 << 18;
    CHECK(w[0] ==
          (3 | 0x0b << 8 | std::uint64_t{2 << 6 | 5} << 24 | to << 32 | std::uint64_t{11} << 51));
    CHECK(w[1] == (0x123456 | std::uint64_t{0x2abcd} << 24 | std::uint64_t{0xbeef} << 48));
    CHECK(w[2] == 0x12'3456'789a);
    CHECK(w[3] == (0xfe'dcba'9876 | std::uint64_t{0x35432} << 40));
  });
}

TEST_CASE("Tofu's network interface: what it reports of itself ends the program") {
  on_a_node([](FunctionalTofu& machine, host::HardwarePort& port) {
    Node n(port);
    NetworkInterface& i = n.interface;
    i.open(3);
    i.set_tag(n.tag(0), n.setting);
    CHECK_NOTHROW(i.check());
    // The second of two answers to one command is nobody's.
    bool again = true;
    machine.tamper_interface = [&](model::TniPacket& p) {
      if (p.response() && std::exchange(again, false)) p.message = 15;
      return true;
    };
    i.submit(3, n.put(8, 0, 64));
    i.ring(3);
    while (!port.interrupt()) port.advance(100'000);
    CHECK_THROWS_WITH(i.check(),
                      Catch::Contains("node 0, network interface 2: A response to no command"));
    CHECK(!port.interrupt());
    // A descriptor that cannot be is its command's to tell.
    Descriptor d = n.put(8, 0, offset_limit - 4);
    i.submit(3, d);
    i.ring(3);
    CHECK(n.finish().cause == TniCause::Descriptor);
    CHECK(port.interrupt());
    CHECK_NOTHROW(i.check());
    CHECK(!port.interrupt());
  });
}

TEST_CASE("Tofu's network interface: what finds no room at the other end goes again, for a while") {
  on_a_node([](FunctionalTofu&, host::HardwarePort& port) {
    namespace tni = registers::tni;
    NetworkOptions options;
    options.again_limit = 10 * options.again_delay;
    Node n(port, options);
    NetworkInterface& i = n.interface;
    i.open(3);
    i.set_tag(n.tag(0), n.setting);
    // Switched off: the test writes the completions.
    port.write_register(tni::control(2), 0);
    std::byte* const memory = n.memory - n.setting.base;
    std::byte* const commands = memory + 16ULL * port.read_register(tni::queue_commands(2, 3));
    std::byte* const completions =
        memory + 16ULL * port.read_register(tni::queue_completions(2, 3));
    std::uint32_t written = 0;
    const auto answer = [&](std::uint32_t index, TniCause cause) {
      const std::uint32_t entry = index | static_cast<std::uint32_t>(cause) << 16 | 1U << 24;
      std::memcpy(completions + 16ULL * written++, &entry, sizeof entry);
    };
    const auto submitted = [&] { return port.read_register(tni::queue_producer(2, 3)); };

    const auto command = n.put(3000, 0, 64);
    CHECK(i.submit(3, command) == 0);
    CHECK(i.submit(3, n.put(8, 0, 0)) == 1);
    i.ring(3);
    answer(0, TniCause::Full);
    answer(1, TniCause::Good);
    CHECK(i.take_completion(3)->index == 1);
    CHECK_FALSE(i.take_completion(3));
    CHECK(i.under_way(3) == 1);
    // The same command, in place 2, then 3, and its owner sees it end once.
    REQUIRE(submitted() == 3);
    CHECK(std::memcmp(commands + 2 * 64, command.bytes().data(), 64) == 0);
    answer(2, TniCause::Full);
    CHECK_FALSE(i.take_completion(3));
    CHECK_FALSE(i.take_completion(3));
    REQUIRE(submitted() == 4);
    CHECK(std::memcmp(commands + 3 * 64, command.bytes().data(), 64) == 0);
    answer(3, TniCause::Good);
    const auto done = i.take_completion(3);
    REQUIRE(done);
    CHECK(done->index == 0);
    CHECK(done->cause == TniCause::Good);
    CHECK(i.under_way(3) == 0);

    // One that must not be overtaken fails at once,
    auto strict = command;
    strict.strict = true;
    const auto index = i.submit(3, strict);
    i.ring(3);
    answer(index, TniCause::Full);
    CHECK(i.take_completion(3)->cause == TniCause::Full);
    // another one when it was long enough.
    const auto last = i.submit(3, command);
    i.ring(3);
    std::optional<Completion> end;
    unsigned tries = 0;
    for (; !end && tries < 40; ++tries) {
      answer(submitted() - 1, TniCause::Full);
      end = i.take_completion(3);
      while (!end && submitted() == last + 1U + tries) end = i.take_completion(3);
    }
    REQUIRE(end);
    CHECK(end->cause == TniCause::Full);
    CHECK(end->index == last);
    CHECK(tries > 5);
    CHECK(tries < 15);
    CHECK(i.under_way(3) == 0);
  });
}
