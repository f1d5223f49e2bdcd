// SPDX-License-Identifier: Apache-2.0
// One barrier interface goes in step with the reference through anything: packets right and wrong,
// early and late, starts, gates wired anew, channels given up. After every event both must have
// sent the same, and stand the same.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "sw/tofu/registers.hpp"
#include "tests/support/power_on.hpp"
#include "tests/tofu/gates/tbi_node.hpp"
#include "verif/model/tofu/gates.hpp"

namespace registers = ht::tofu::registers::tbi;
namespace model = ht::model;
using ht::test::TbiNet;
using model::GateData;
using model::GateForm;
using model::GateOperation;
using model::GatePacket;
using model::GateWiring;
using Random = std::mt19937_64;

namespace {

constexpr std::uint32_t kHere = 0x12345, kThere = 0x54321;
constexpr unsigned kGates = 16, kChannels = 4;
using ht::test::tbi_interfaces, ht::test::tbi_states, ht::test::tbi_words;
constexpr bool kWide = tbi_states > 1;
constexpr unsigned kInterface = tbi_interfaces > 1 ? 4 : 0;
constexpr unsigned kOperations = kWide ? model::kWideGateOperations : model::kGateOperations;

model::TofuGates reference() {
  return kWide ? model::TofuGates::wide(kHere, kInterface) : model::TofuGates(kHere);
}

class InStep {
 public:
  explicit InStep(std::uint64_t seed) : net({kHere}, 1, {kInterface}), gates(reference()), r(seed) {
    for (std::uint8_t c = 0; c < kChannels; ++c) wire_chain(c);
    REQUIRE(net.run_until([&] { return settled(); }, 3000));
  }

  void event() {
    started_ = false;
    switch (r() % 16) {
      case 0:
        if (r() % 3 == 0)
          wire_anyhow();
        else
          wire_chain(static_cast<std::uint8_t>(r() % kChannels));
        break;
      case 1:
        if (r() % 4 == 0) give_up();
        break;
      case 2:
      case 3:
      case 4:
      case 5:
        start();
        break;
      default:
        arrive();
    }
    REQUIRE(net.run_until([&] { return settled(); }, 3000));
    compare();
  }

  TbiNet net;
  model::TofuGates gates;
  Random r;
  std::array<std::uint64_t, 16> errors{};  ///< by cause
  std::uint64_t results = 0, data = 0;     ///< and those with data

 private:
  bool settled() const { return net.quiet(); }

  void wire(unsigned g, const std::optional<GateWiring>& w) {
    // The registers free a gate before they wire it.
    if (w) gates.wire(g, std::nullopt);
    gates.wire(g, w);
    if (w)
      net.wire(0, g, *w);
    else
      net.nodes[0]->accesses.push_back({true, registers::gate_control(g), 0, {}});
  }

  /// The channel's gate, two more, and back; each may wait for a packet and send one.
  void wire_chain(std::uint8_t c) {
    const std::array<std::uint8_t, 3> chain{c, static_cast<std::uint8_t>(8 + 2 * c),
                                            static_cast<std::uint8_t>(9 + 2 * c)};
    for (std::size_t i = 0; i < 3; ++i) {
      GateWiring w;
      w.channel = c;
      w.group = 1;
      w.local_source = chain[(i + 2) % 3];
      w.local_destination = chain[(i + 1) % 3];
      if (r() % 2 == 0) w.source = far(kThere, chain[i]);
      if (r() % 2 == 0) w.destination = far(kThere, chain[i]);
      wire(chain[i], w);
    }
  }

  /// Gates only signal gates of higher numbers or start gates, so that no signal goes in circles.
  void wire_anyhow() {
    const unsigned g = static_cast<unsigned>(r() % kGates) < kChannels + 4
                           ? static_cast<unsigned>(r() % kChannels)
                           : static_cast<unsigned>(8 + r() % (kGates - 8));
    std::optional<GateWiring> w;
    if (r() % 8 != 0) {
      w.emplace();
      w->channel = static_cast<std::uint8_t>(g < 8 && r() % 16 != 0 ? g : r() % kChannels);
      w->group = static_cast<std::uint8_t>(1 + (r() % 12 == 0 ? 1 : 0));
      w->path = static_cast<std::uint8_t>(r() % 16);
      if (r() % 3 != 0) w->source = far(r() % 40 == 0 ? kHere : kThere, g);
      if (r() % 3 != 0) w->local_source = near(g, false);
      if (r() % 3 != 0) w->destination = far(r() % 40 == 0 ? kHere : kThere, g);
      if (r() % 3 != 0) w->local_destination = near(g, true);
    }
    wire(g, w);
  }

  std::uint8_t remote(unsigned g) const { return static_cast<std::uint8_t>((g * 5 + 3) % 64); }
  /// At the other end of gate g: of any barrier interface, of a node that has several.
  static std::uint8_t remote_interface(unsigned g) {
    return static_cast<std::uint8_t>(g % tbi_interfaces);
  }
  model::GateAddress far(std::uint32_t node, unsigned g) {
    if (kWide && node == kHere && r() % 2 == 0)
      return {node, static_cast<std::uint8_t>(g), kInterface};  // itself
    return {node, remote(g), remote_interface(g)};
  }
  std::uint8_t near(unsigned g, bool out) {
    if (r() % 30 == 0) return static_cast<std::uint8_t>(g);
    if (out && (g >= 8 || r() % 8 == 0) && r() % 2 == 0)
      return static_cast<std::uint8_t>(r() % kChannels);
    if (!out && g < 8) return static_cast<std::uint8_t>(8 + r() % (kGates - 8));
    const unsigned first = std::max(g + 1, 8U);
    if (out)
      return static_cast<std::uint8_t>(first < kGates ? first + r() % std::min(2U, kGates - first)
                                                      : r() % kChannels);
    return static_cast<std::uint8_t>(g > 8 && r() % 3 != 0 ? g - 1 : r() % kChannels);
  }

  GateOperation operation() {
    if (r() % 24 == 0) last_ = static_cast<GateOperation>(r() % kOperations);
    return r() % 24 == 0 ? static_cast<GateOperation>(r() % kOperations) : last_;
  }

  void start() {
    const auto c = static_cast<unsigned>(r() % kChannels);
    const GateOperation o = operation();
    const bool sums = o == GateOperation::Fsum;
    GateForm f = o == GateOperation::Barrier || r() % 4 == 0 ? GateForm::None
                 : sums                                      ? GateForm::Double
                                                             : GateForm::Word;
    if (r() % 12 == 0) f = static_cast<GateForm>(r() % 4);
    GateData d = anything();
    if (sums && f == GateForm::State && r() % 2 == 0) d = states();
    if (gates.start(c, o, f, d) == 0) unsure_[c] = 0;
    started_ = true;
    net.start(0, c, o, f, d);
  }

  void arrive() {
    GatePacket p;
    const unsigned g = r() % 24 == 0  ? static_cast<unsigned>(r() % 64)
                       : r() % 3 == 0 ? static_cast<unsigned>(r() % kChannels)
                                      : static_cast<unsigned>(8 + r() % (kGates - 8));
    p.to = {kHere, static_cast<std::uint8_t>(g), kInterface};
    p.from = {r() % 50 == 0 ? kHere : kThere,
              r() % 50 == 0 ? static_cast<std::uint8_t>(r() % 64) : remote(g),
              kWide && r() % 50 == 0 ? static_cast<std::uint8_t>(r() % tbi_interfaces)
                                     : remote_interface(g)};
    // To another interface of this node: nothing for this one.
    if (kWide && r() % 60 == 0) p.to.interface = static_cast<std::uint8_t>(r() % tbi_interfaces);
    p.group = static_cast<std::uint8_t>(1 + (r() % 30 == 0 ? 1 : 0));
    const std::uint32_t ahead = r() % 40 == 0 ? static_cast<std::uint32_t>(r() % 5) - 2
                                              : static_cast<std::uint32_t>(r() % 4 == 0);
    p.sequence = (gates.state(g) + ahead) & 0xffffffU;
    p.operation = operation();
    const bool empty = p.operation == GateOperation::Barrier || r() % 4 == 0;
    p.status = static_cast<std::uint8_t>(empty ? 1 : 0);
    if (!empty) {
      p.data = p.operation == GateOperation::Fsum ? states() : integers();
    } else if (r() % 2 == 0 && p.operation != GateOperation::Barrier) {
      p.data = anything();  // not to be looked at
    }
    if (r() % 50 == 0) p.status = static_cast<std::uint8_t>(p.status | 1U << (1 + r() % 4));
    gates.receive(p);
    net.nodes[0]->arrive(p);
  }

  GateData anything() {
    GateData d{};
    for (std::size_t w = 0; w < model::kStateWords * tbi_states; ++w) d[w] = r();
    return d;
  }
  GateData integers() {
    GateData d{};
    for (std::size_t w = 0; w < tbi_words; ++w) d[w] = kWide && r() % 2 == 0 ? r() % 3 : r();
    return d;
  }
  GateData states() {
    GateData d{};
    for (std::size_t n = 0; n < tbi_states; ++n) {
      const GateData one = model::state_of(
          std::ldexp(static_cast<double>(r() >> 12), static_cast<int>(r() % 900) - 450));
      std::copy_n(one.begin(), model::kStateWords,
                  d.begin() + static_cast<std::ptrdiff_t>(model::kStateWords * n));
    }
    return d;
  }

  void give_up() {
    const auto c = static_cast<unsigned>(r() % kChannels);
    gates.reset(c);
    net.nodes[0]->accesses.push_back({true, registers::channel_reset, 1U << c, {}});
  }

  void compare() {
    // What was sent. Among different gates the order is free.
    const auto in_order = [](std::deque<GatePacket> packets) {
      std::stable_sort(
          packets.begin(), packets.end(),
          [](const GatePacket& a, const GatePacket& b) { return a.from.gate < b.from.gate; });
      return packets;
    };
    REQUIRE(in_order(net.taken) == in_order(gates.sent));
    net.taken.clear();
    gates.sent.clear();
    CHECK(net.nodes[0]->broken == 0);

    const std::uint32_t expected = gates.take_errors();
    const std::uint32_t found = net.errors(0);
    REQUIRE(found == expected);
    for (unsigned bit = 0; bit < 16; ++bit) errors[bit] += expected >> bit & 1U;
    for (unsigned g = 0; g < kGates; ++g) {
      INFO("gate " << g);
      REQUIRE(net.read(0, registers::gate_state(g)) == gates.state(g));
    }
    for (unsigned c = 0; c < kChannels; ++c) {
      INFO("channel " << c);
      const auto& m = gates.channel(c);
      const std::uint32_t said = (m.busy ? 1U : 0U) | (m.done ? 2U : 0U) |
                                 static_cast<unsigned>(m.operation) << 4 |
                                 static_cast<unsigned>(m.status) << 8;
      // Whether an error that a start's signals met came before the operation's end or after it is
      // a matter of cycles.
      const std::uint32_t by_now = (expected & model::gate_error::kMismatch ? 0x200U : 0U) |
                                   (expected & model::gate_error::kSequence ? 0x400U : 0U) |
                                   (expected & model::gate_error::kAddress ? 0x800U : 0U) |
                                   (expected & model::gate_error::kBroadcast ? 0x1000U : 0U) |
                                   (expected & model::gate_error::kGroup ? 0x4000U : 0U);
      if (started_) unsure_[c] |= by_now;
      REQUIRE((net.status(0, c) & ~unsure_[c]) == (said & ~unsure_[c]));
      if (m.done && m.completed != seen_[c]) {
        seen_[c] = m.completed;
        ++results;
        if ((m.status & model::gate_status::kEmpty) == 0) ++data;
        REQUIRE(net.result(0, c) == m.result);
      }
    }
  }

  GateOperation last_ = GateOperation::Sum;
  bool started_ = false;
  std::array<std::uint32_t, kChannels> unsure_{};  ///< bits of STATUS
  std::array<std::uint64_t, kChannels> seen_{};
};

}  // namespace

TEST_CASE("tbi: in step with the reference through right and wrong packets") {
  std::array<std::uint64_t, 16> errors{};
  std::uint64_t results = 0, data = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    const ht::test::RandomPowerOn power(seed);
    InStep both(ht::test::seed_of(seed));
    for (int i = 0; i < 1000; ++i) both.event();
    for (std::size_t bit = 0; bit < 16; ++bit) errors[bit] += both.errors[bit];
    results += both.results;
    data += both.data;
  }
  // All causes that gates and starts have were among it, and much went right.
  for (std::size_t bit = 2; bit <= (kWide ? 14U : 13U); ++bit) {
    INFO("cause " << bit);
    CHECK(errors[bit] > 0);
  }
  CHECK(results > 1000);
  CHECK(data > 100);
}
