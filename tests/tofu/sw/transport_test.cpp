// SPDX-License-Identifier: Apache-2.0
// QMP over Tofu's network interfaces and barrier gates, their reference models behind the
// registers.
#include "sw/tofu/transport.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "sw/dirac/job.hpp"
#include "sw/host/errors.hpp"
#include "tests/dirac/on_grid.hpp"
#include "tests/qmp/c_programs.h"
#include "tests/qmp/programs.hpp"
#include "tests/tofu/sw/functional_ranks.hpp"

using namespace ht;
using namespace ht::test;
using namespace ht::tofu;

namespace {

constexpr Shape one{}, pair{{1, 1, 1, 2, 1, 1}}, cube{{2, 2, 2, 1, 1, 1}},
    group{{1, 1, 1, 2, 3, 2}}, ring{{1, 1, 4, 1, 1, 1}};

FunctionalTofuOptions shuffled(unsigned seed) {
  FunctionalTofuOptions o;
  if (seed != 0) o.shuffle = seed;
  return o;
}

void conformance(const Shape& shape, const std::shared_ptr<const RankLayout>& layout,
                 const TransportOptions& options = {}) {
  unsigned seed = 0;  // the first in the order of time
  for (const auto& promise : qmp::tests::conformance_programs()) {
    for (const unsigned s : {0U, ++seed}) {
      // It compares the nodes' clocks, and those of a shuffled machine mean nothing.
      if (s != 0 && promise.name == std::string("barrier")) continue;
      INFO(promise.name << ", shuffle " << s);
      FunctionalTofu machine(shape, shuffled(s));
      CHECK_NOTHROW(run_ranks(
          machine, layout, [&](Transport&) { promise.program(); }, options));
    }
  }
}

}  // namespace

TEST_CASE("QMP's promises on one Tofu node, on two over one cable, on a ring of four") {
  for (const Shape& shape : {one, pair, ring}) conformance(shape, RankLayout::straight(shape));
}

TEST_CASE("QMP's promises on 2x2x2 Tofu nodes") {
  conformance(cube, RankLayout::straight(cube));
}

TEST_CASE("QMP's promises on the twelve nodes of a Tofu group") {
  conformance(group, RankLayout::straight(group));
}

TEST_CASE("QMP's promises when Tofu's messages are cut into parts for all interfaces") {
  TransportOptions options;
  options.split_bytes = 64;
  conformance(cube, RankLayout::straight(cube), options);
}

TEST_CASE("Plain QMP programs in C run unchanged on Tofu nodes") {
  std::vector<int> codes;
  for (const auto main : {ping_pong_main, halo_exchange_main}) {
    FunctionalTofu machine(cube);
    run_ranks(machine, RankLayout::straight(cube), [&](Transport&) {
      codes.push_back(qmp::call_main(main, std::vector<std::string>{"program"}));
    });
  }
  CHECK(codes == std::vector<int>(16, 0));
}

// -------------------------------------------------------------------------------------------------
// The application

namespace {

dirac::JobSpec job() {
  dirac::JobSpec spec;
  spec.lattice = {4, 6, 4, 4};
  spec.columns = 2;
  return spec;
}

Finished run_job_on(FunctionalTofu& machine, const std::shared_ptr<const RankLayout>& layout,
                    const dirac::JobSpec& spec) {
  dirac::JobSink sink(spec);
  run_ranks(machine, layout, [&](Transport&) {
    dirac::FreeWork free;
    dirac::run_solve_job(spec, sink, free);
  });
  return {sink.result(), sink.solution()};
}

void check_same(const Finished& a, const Finished& b) {
  CHECK((a.solution == b.solution));
  CHECK(a.result.correlator == b.result.correlator);
  CHECK(a.result.plaquette.space_space == b.result.plaquette.space_space);
  REQUIRE(a.result.columns.size() == b.result.columns.size());
  for (std::size_t c = 0; c < a.result.columns.size(); ++c)
    CHECK(a.result.columns[c].history == b.result.columns[c].history);
}

}  // namespace

TEST_CASE("The conjugate gradient on Tofu nodes gives the bits of one node") {
  const Finished expected = run_job(job(), {1});
  REQUIRE(expected.result.converged());
  for (const Shape& shape : {one, cube, group}) {
    for (const unsigned seed : {0U, 7U}) {
      INFO(shape.nodes() << " nodes, shuffle " << seed);
      FunctionalTofu machine(shape, shuffled(seed));
      check_same(run_job_on(machine, RankLayout::straight(shape), job()), expected);
    }
  }
}

TEST_CASE("The conjugate gradient on ranks laid round a failed Tofu node gives the same bits") {
  dirac::JobSpec spec = job();
  spec.lattice = {4, 4, 4, 4};
  spec.columns = 1;
  const Finished expected = run_job(spec, {1});
  const Shape machine_shape{{1, 2, 1, 2, 3, 2}};
  for (const tofu::Coordinates& failed :
       {tofu::Coordinates{{0, 0, 0, 0, 1, 0}}, tofu::Coordinates{{0, 1, 0, 1, 2, 1}}}) {
    INFO(text(failed));
    FunctionalTofuOptions options;
    options.failed = {failed};
    FunctionalTofu machine(machine_shape, options);
    RankOptions ranks;
    ranks.failed = {failed};
    const auto layout = RankLayout::of(RankMap(machine_shape, {2, 2, 2}, ranks));
    check_same(run_job_on(machine, layout, spec), expected);
  }
}

// -------------------------------------------------------------------------------------------------
// The transport itself

namespace {

using qmp::Channel;

/// A program on each of two nodes, neighbours along x.
void on_two(FunctionalTofu& machine, const std::function<void(Transport&)>& program,
            const TransportOptions& options = {}) {
  run_ranks(machine, RankLayout::straight(machine.shape()), program, options);
}

std::byte byte_of(std::size_t i, int message) {
  return static_cast<std::byte>((i + 977 * static_cast<std::size_t>(message)) * 2'654'435'761U >>
                                11);
}

constexpr Shape two{{2, 1, 1, 1, 1, 1}};

}  // namespace

TEST_CASE(
    "More messages at once over Tofu than announcements, commands and notices have room for") {
  constexpr int messages = 300;
  constexpr std::size_t bytes = 208;
  for (const unsigned seed : {0U, 5U}) {
    for (const std::size_t split : {std::size_t{0}, std::size_t{64}}) {
      INFO("shuffle " << seed << ", cut from " << split << " bytes on");
      FunctionalTofu machine(two, shuffled(seed));
      TransportOptions options;
      options.split_bytes = split;
      on_two(
          machine,
          [&](Transport& t) {
            auto* const memory = static_cast<std::byte*>(t.allocate(2 * messages * bytes, 16));
            std::vector<qmp::MessageId> sends, receives;
            for (int m = 0; m < messages; ++m) {
              std::byte* const out = memory + static_cast<std::size_t>(m) * bytes;
              std::byte* const in = out + messages * bytes;
              for (std::size_t i = 0; i < bytes; ++i) out[i] = byte_of(i, m + t.rank());
              // Neighbours along +x, and the same by rank.
              sends.push_back(m % 2 != 0 ? t.declare_send(0, Channel::User, out, bytes)
                                         : t.declare_send_to(1 - t.rank(), out, bytes));
              receives.push_back(m % 2 != 0 ? t.declare_receive(1, Channel::User, in, bytes)
                                            : t.declare_receive_from(1 - t.rank(), in, bytes));
            }
            // One side begins with all sends, the other with all receives.
            t.start_all(t.rank() == 0 ? sends : receives);
            t.start_all(t.rank() == 0 ? receives : sends);
            for (int m = messages; m-- > 0;) t.wait(receives[static_cast<std::size_t>(m)]);
            for (const qmp::MessageId id : sends) t.wait(id);
            std::size_t wrong = 0;
            for (int m = 0; m < messages; ++m) {
              const std::byte* const in = memory + (static_cast<std::size_t>(m) + messages) * bytes;
              for (std::size_t i = 0; i < bytes; ++i)
                wrong += in[i] != byte_of(i, m + 1 - t.rank()) ? 1 : 0;
            }
            CHECK(wrong == 0);
            t.signal_barrier();
          },
          options);
    }
  }
}

TEST_CASE("A message over Tofu that is longer than a command may be") {
  constexpr std::size_t bytes = (std::size_t{20} << 20) + 24;
  for (const std::size_t split : {std::size_t{0}, std::size_t{1} << 20}) {
    FunctionalTofu machine(two);
    TransportOptions options;
    options.split_bytes = split;
    std::map<unsigned, std::size_t> carried;
    machine.tamper_interface = [&](model::TniPacket& p) {
      if (p.kind == model::TniKind::Put && p.payload.size() > 32)
        carried[p.source_interface] += p.payload.size();
      return true;
    };
    on_two(
        machine,
        [&](Transport& t) {
          auto* const memory = static_cast<std::byte*>(t.allocate(bytes, 16));
          const bool sender = t.rank() == 0;
          for (std::size_t i = 0; sender && i < bytes; ++i) memory[i] = byte_of(i, 1);
          const auto id = sender ? t.declare_send(0, Channel::User, memory, bytes)
                                 : t.declare_receive(1, Channel::User, memory, bytes);
          t.start(id);
          t.wait(id);
          std::size_t wrong = 0;
          for (std::size_t i = 0; i < bytes; ++i) wrong += memory[i] != byte_of(i, 1) ? 1 : 0;
          CHECK(wrong == 0);
          t.signal_barrier();
        },
        options);
    CHECK(carried.size() == (split != 0 ? 4 : 1));
    for (const auto& [interface, some] : carried) CHECK(some >= bytes / (split != 0 ? 5 : 1));
  }
}

TEST_CASE("Parts of a message over Tofu take ways that share no link") {
  const Shape shape{{2, 1, 1, 2, 3, 2}};
  FunctionalTofu machine(shape);
  TransportOptions options;
  options.split_bytes = 1024;
  std::set<unsigned> paths;
  machine.tamper_interface = [&](model::TniPacket& p) {
    if (p.kind == model::TniKind::Put && p.payload.size() > 32) paths.insert(p.path);
    return true;
  };
  on_two(
      machine,
      [&](Transport& t) {
        auto* const memory = static_cast<std::byte*>(t.allocate(8192, 16));
        if (t.rank() > 1) return;
        const auto id = t.rank() == 0 ? t.declare_send(0, Channel::User, memory, 8192)
                                      : t.declare_receive(1, Channel::User, memory, 8192);
        t.start(id);
        t.wait(id);
      },
      options);
  CHECK(paths.size() == 4);
}

TEST_CASE("Tofu nodes wait for one that comes late, however far away it is") {
  for (int late = 0; late < group.nodes(); ++late) {
    INFO("node " << late << " comes late");
    FunctionalTofu machine(group);
    Picoseconds first = 0;  // when the first of the others goes on
    CHECK_NOTHROW(machine.run([&](int number, host::HardwarePort& port) {
      Transport transport(port, {group, number});
      transport.links().bring_up();
      if (number == late) port.advance(5'000'000'000);
      transport.bring_up_interfaces();
      if (first == 0 || port.now() < first) first = port.now();
      transport.signal_barrier();
    }));
    CHECK(first > 5'000'000'000);
  }
}

TEST_CASE("The Tofu transport refuses what cannot be, and sends nothing") {
  FunctionalTofu machine(Shape{{3, 1, 1, 1, 1, 1}});
  on_two(machine, [&](Transport& t) {
    std::byte memory[64] = {};
    const std::uint64_t sent = machine.packets();
    CHECK_THROWS_WITH(t.declare_send(2, Channel::User, memory, 64),
                      Catch::Contains("direction 2 on a torus of 1 axes"));
    CHECK_THROWS_AS(t.declare_receive(-1, Channel::User, memory, 64), UsageError);
    CHECK_THROWS_WITH(t.declare_send_to(3, memory, 64), Catch::Contains("to or from rank 3 of 3"));
    CHECK_THROWS_AS(t.declare_receive_from(-1, memory, 64), UsageError);
    CHECK_THROWS_AS(t.declare_send_to(t.rank(), memory, 64), UsageError);
    CHECK_THROWS_WITH(t.declare_send(0, Channel::User, memory, std::size_t{1} << 40),
                      Catch::Contains("at most"));
    CHECK_THROWS_AS(t.start(0), UsageError);
    CHECK_THROWS_AS(t.wait(17), UsageError);
    const auto id = t.declare_send(0, Channel::User, memory, 64);
    t.start(id);
    CHECK_THROWS_AS(t.start(id), std::logic_error);
    CHECK_THROWS_AS(t.undeclare(id), std::logic_error);
    std::vector<std::byte> odd(39);
    CHECK_THROWS_WITH(t.sum_states(odd), Catch::Contains("39 bytes are no states"));
    CHECK(machine.packets() == sent);
    t.signal_barrier();
    std::byte in[64] = {};
    const auto receive = t.declare_receive(1, Channel::User, in, 64);
    t.start(receive);
    t.wait(receive);
    t.wait(id);
    t.undeclare(id);
    CHECK_THROWS_AS(t.start(id), UsageError);
    t.signal_barrier();
  });
  FunctionalTofu other(two);
  other.run([&](int number, host::HardwarePort& port) {
    Transport t(port, {two, number});
    std::byte memory[64] = {};
    const auto id = t.declare_send(0, Channel::User, memory, 64);
    CHECK_THROWS_WITH(t.start(id), Catch::Contains("before bring_up()"));
    CHECK_THROWS_AS(t.signal_barrier(), UsageError);
    CHECK_THROWS_AS(t.signal_all(true), UsageError);
    CHECK_THROWS_AS(t.signal_any(true), UsageError);
    CHECK_THROWS_AS(t.sum_states({}), UsageError);
    RankLayout layout = *RankLayout::straight(two);
    layout.places[1] = layout.places[0];
    CHECK_THROWS_WITH(Transport(port, {two, number}, std::make_shared<const RankLayout>(layout)),
                      Catch::Contains("two ranks at"));
    layout.shape = {3};
    CHECK_THROWS_WITH(Transport(port, {two, number}, std::make_shared<const RankLayout>(layout)),
                      Catch::Contains("has not 2 ranks"));
    CHECK_THROWS_AS(Transport(port, {two, number}, nullptr), UsageError);
  });
}

TEST_CASE("A receive over Tofu may be longer than what is sent, and what lies behind stays") {
  for (const std::size_t split : {std::size_t{0}, std::size_t{64}}) {
    for (const std::size_t sent : {0, 1, 13, 64, 100, 499}) {
      INFO(sent << " bytes sent, split from " << split);
      FunctionalTofu machine(two);
      TransportOptions options;
      options.split_bytes = split;
      on_two(
          machine,
          [&](Transport& t) {
            for (const bool reachable : {true, false}) {
              std::vector<std::byte> own(500);
              auto* const memory =
                  reachable ? static_cast<std::byte*>(t.allocate(500, 16)) : own.data();
              std::fill_n(memory, 500, std::byte{0x5A});
              if (t.rank() == 0) std::fill_n(memory, sent, std::byte{0x33});
              const auto id = t.rank() == 0 ? t.declare_send(0, Channel::User, memory, sent)
                                            : t.declare_receive(1, Channel::User, memory, 500);
              for (int i = 0; i < 3; ++i) {
                t.start(id);
                t.wait(id);
              }
              for (std::size_t i = 0; i < 500; ++i)
                REQUIRE(memory[i] == (i < sent ? std::byte{0x33} : std::byte{0x5A}));
              t.undeclare(id);
            }
          },
          options);
    }
  }
}

TEST_CASE("A receive over Tofu that is too short is named, with both ends") {
  FunctionalTofu machine(two);
  CHECK_THROWS_WITH(on_two(machine,
                           [](Transport& t) {
                             std::byte memory[64] = {};
                             const auto id = t.rank() == 0
                                                 ? t.declare_send(0, Channel::User, memory, 64)
                                                 : t.declare_receive(1, Channel::User, memory, 48);
                             t.start(id);
                             t.wait(id);
                           }),
                    Catch::Contains("node 1 receives 48 bytes from node 0, which sends 64") &&
                        Catch::Contains("node 0 is sending 64 bytes to +x"));
}

namespace {

/// Two nodes exchange a message while somebody changes packets: what comes of it.
std::string exchange_with(const std::function<bool(model::TniPacket&)>& tamper) {
  FunctionalTofu machine(two);
  bool up = false;
  machine.tamper_interface = [&](model::TniPacket& p) { return !up || tamper(p); };
  try {
    on_two(machine, [&](Transport& t) {
      t.signal_barrier();
      up = true;
      auto* const memory = static_cast<std::byte*>(t.allocate(4096, 16));
      const auto id = t.rank() == 0 ? t.declare_send(0, Channel::User, memory, 4096)
                                    : t.declare_receive(1, Channel::User, memory, 4096);
      t.start(id);
      t.wait(id);
    });
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("What goes wrong between Tofu nodes ends the run, and who and what is named") {
  using model::TniKind;
  using model::TniPacket;
  CHECK(exchange_with([](TniPacket&) { return true; }).empty());
  CHECK_THAT(
      exchange_with([](TniPacket& p) { return p.kind != TniKind::Put; }),
      Catch::Contains("node 0 waits for sending 4096 bytes to +x; node 1 waits for receiving "
                      "4096 bytes from -x"));
  CHECK_THAT(exchange_with([](TniPacket& p) {
               if (p.kind == TniKind::Put && p.payload.size() == 1920) p.tag += 40;
               return true;
             }),
             Catch::Contains("the steering tag is not valid"));
  CHECK_THAT(exchange_with([](TniPacket& p) {
               if (p.kind == TniKind::Put && p.payload.size() > 32)
                 p.offset |= std::uint64_t{1} << 38;
               return true;
             }),
             Catch::Contains("it would leave the memory of the steering tag"));
  CHECK_THAT(exchange_with([](TniPacket& p) {
               if (p.kind == TniKind::Put && p.notice) p.edata ^= 1U << 13;
               return true;
             }),
             Catch::Contains("sent what nobody waits for"));
  CHECK_THAT(exchange_with([](TniPacket& p) {
               if (p.kind == TniKind::Put && p.notice) p.edata ^= 1;
               return true;
             }),
             Catch::Contains("that was not announced"));
  CHECK_THAT(exchange_with([](TniPacket& p) {
               if (p.kind == TniKind::Response) p.message ^= 8;
               return true;
             }),
             Catch::Contains("network interface 1: A response to no command in flight"));
}
