// SPDX-License-Identifier: Apache-2.0
#include "verif/model/tofu/gates.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "tests/tofu/model/gate_operations.hpp"
#include "tests/tofu/model/gate_patterns.hpp"

namespace model = ht::model;
using ht::test::all_patterns;
using ht::test::GateJob;
using ht::test::GatePattern;
using ht::test::some_nodes;
using model::GateData;
using model::GateForm;
using model::GateOperation;
using model::GatePacket;
using model::GateWiring;
using model::TofuGates;
using Random = std::mt19937_64;

namespace {

/// Nodes of gates and the packets between them, which arrive in a random order; only those from one
/// gate to another stay in theirs.
class Exchange {
 public:
  explicit Exchange(std::vector<std::uint32_t> nodes, std::uint64_t seed = 1) : random_(seed) {
    for (const auto n : nodes) {
      gates.emplace_back(n);
      where_[n] = gates.size() - 1;
    }
  }
  void wire(const GatePattern& pattern) {
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      for (const auto& [g, wiring] : pattern[i]) REQUIRE(gates[i].wire(g, wiring) == 0);
    }
  }
  /// Delivers one packet; false if there is none.
  bool step() {
    for (auto& g : gates) {
      while (!g.sent.empty()) {
        flying_.push_back(g.sent.front());
        g.sent.pop_front();
      }
    }
    if (flying_.empty()) return false;
    std::size_t at = random_() % flying_.size();
    for (std::size_t i = 0; i < at; ++i) {
      if (flying_[i].from == flying_[at].from && flying_[i].to == flying_[at].to) at = i;
    }
    const GatePacket p = flying_[at];
    flying_.erase(flying_.begin() + static_cast<std::ptrdiff_t>(at));
    gates[where_.at(p.to.node)].receive(p);
    return true;
  }
  void settle() {
    while (step()) {
    }
  }
  std::uint32_t errors() {
    std::uint32_t all = 0;
    for (auto& g : gates) all |= g.take_errors();
    return all;
  }

  std::vector<TofuGates> gates;

 private:
  std::map<std::uint32_t, std::size_t> where_;
  std::vector<GatePacket> flying_;
  Random random_;
};

/// Two nodes, gate 1 of one to gate 8 of the other, whose signal ends channel 1 there.
struct Pair {
  Pair() : x({100, 200}) {
    GateWiring a, b, c;
    a.channel = b.channel = c.channel = 1;
    a.group = b.group = c.group = 9;
    a.destination = {200, 8};
    b.source = {100, 1};
    b.local_source = 1;
    b.local_destination = 1;
    c.local_source = c.local_destination = 8;
    REQUIRE(x.gates[0].wire(1, a) == 0);
    REQUIRE(x.gates[1].wire(8, b) == 0);
    REQUIRE(x.gates[1].wire(1, c) == 0);
  }
  GatePacket packet(std::uint32_t sequence) const {
    GatePacket p;
    p.from = {100, 1};
    p.to = {200, 8};
    p.group = 9;
    p.sequence = sequence;
    p.status = model::gate_status::kEmpty;
    return p;
  }
  Exchange x;
  TofuGates& there = x.gates[1];
};

}  // namespace

TEST_CASE("gates: every operation on every pattern, any number of nodes, any order of arrival") {
  for (const auto& named : all_patterns()) {
    for (std::size_t n = 2; n <= 16; ++n) {
      INFO(named.name << ", " << n << " nodes");
      Random r(n);
      const auto nodes = some_nodes(n);
      Exchange x(nodes, n);
      // Two channels at once, each with its own operations.
      std::vector<std::vector<GateJob>> operations(2);
      for (std::uint8_t c = 0; c < 2; ++c) {
        x.wire(named.make({nodes, static_cast<std::uint8_t>(c + 1), 5, 8U + 20U * c}));
        for (int k = 0; k < 20; ++k) operations[c].push_back(ht::test::random_job(n, r));
      }
      std::size_t ended = 0;
      std::vector<std::array<std::size_t, 2>> next(n);
      for (int guard = 0; ended < 40 * n && guard < 100000; ++guard) {
        const std::size_t i = r() % n, c = r() % 2;
        const unsigned channel = static_cast<unsigned>(c) + 1;
        auto& gates = x.gates[i];
        if (gates.channel(channel).done) {
          const GateJob& o = operations[c][next[i][c] - 1];
          CHECK(gates.channel(channel).status == (o.empty ? model::gate_status::kEmpty : 0));
          REQUIRE(gates.channel(channel).result == o.expected);
          gates.acknowledge(channel);
          ++ended;
        } else if (!gates.channel(channel).busy && next[i][c] < operations[c].size()) {
          const GateJob& o = operations[c][next[i][c]++];
          REQUIRE(gates.start(channel, o.operation, o.forms[i], o.operands[i]) == 0);
        }
        if (r() % 3 != 0) x.step();
      }
      REQUIRE(ended == 40 * n);
      CHECK(x.errors() == 0);
      for (auto& g : x.gates) {
        for (unsigned k = 0; k < TofuGates::kGates; ++k)
          CHECK((g.fired(k) == 0 || g.fired(k) == 20));
      }
    }
  }
}

TEST_CASE("gates: a partner one operation ahead waits in the other bank, in either order") {
  for (const bool swapped : {false, true}) {
    Pair p;
    p.there.receive(p.packet(swapped ? 1 : 0));
    p.there.receive(p.packet(swapped ? 0 : 1));
    CHECK((p.there.state(8) >> 24) == 0b1010U);
    REQUIRE(p.there.start(1, GateOperation::Barrier) == 0);
    CHECK(p.there.channel(1).done);
    CHECK(p.there.channel(1).sequence == 0);
    REQUIRE(p.there.start(1, GateOperation::Barrier) == 0);
    CHECK(p.there.channel(1).sequence == 1);
    CHECK(p.there.fired(8) == 2);
    CHECK(p.there.take_errors() == 0);
  }
}

TEST_CASE("gates: two ahead, behind and twice are errors of the sequence") {
  for (const std::uint32_t wrong : {0U, 2U, 0xffffffU}) {
    Pair p;
    p.there.receive(p.packet(0));
    p.there.receive(p.packet(wrong));
    CHECK(p.there.take_errors() == model::gate_error::kSequence);
    REQUIRE(p.there.start(1, GateOperation::Barrier) == 0);
    CHECK(p.there.channel(1).done);
    CHECK(p.there.channel(1).status ==
          (model::gate_status::kSequence | model::gate_status::kEmpty));
  }
}

TEST_CASE(
    "gates: a packet of another group disturbs nothing, from another gate ends with an error") {
  Pair p;
  REQUIRE(p.there.start(1, GateOperation::Or, GateForm::Word, {6}) == 0);
  GatePacket other = p.packet(0);
  other.operation = GateOperation::Or;
  other.status = 0;
  other.data = {1};
  other.group = 8;
  p.there.receive(other);
  CHECK(p.there.take_errors() == model::gate_error::kGroup);
  CHECK(p.there.channel(1).busy);
  CHECK(p.there.channel(1).status == model::gate_status::kGroup);
  other.group = 9;
  p.there.receive(other);
  CHECK(p.there.channel(1).done);
  CHECK(p.there.channel(1).result == GateData{7});
  CHECK(p.there.take_errors() == 0);

  other.from.gate = 2;
  other.sequence = 1;
  REQUIRE(p.there.start(1, GateOperation::Or, GateForm::Word, {6}) == 0);
  p.there.receive(other);
  CHECK(p.there.take_errors() == model::gate_error::kAddress);
  CHECK(p.there.channel(1).done);
  CHECK(p.there.channel(1).status == (model::gate_status::kAddress | model::gate_status::kEmpty));
  CHECK(p.there.channel(1).result == GateData{});

  other.to.gate = 9;  // not wired
  p.there.receive(other);
  CHECK(p.there.take_errors() == model::gate_error::kAddress);
  other.to.gate = 1;  // wired, but not for packets
  p.there.receive(other);
  CHECK(p.there.take_errors() == model::gate_error::kAddress);
}

TEST_CASE("gates: different operations and two roots end with an error at every node") {
  for (const auto& named : all_patterns()) {
    for (const std::size_t n : {2U, 3U, 7U, 8U}) {
      for (const bool roots : {false, true}) {
        INFO(named.name << ", " << n << " nodes, " << (roots ? "two roots" : "mismatch"));
        const auto nodes = some_nodes(n);
        Exchange x(nodes, n);
        x.wire(named.make({nodes}));
        for (std::size_t i = 0; i < n; ++i) {
          const bool odd = i == n - 1;
          const auto operation = roots ? GateOperation::Broadcast
                                 : odd ? GateOperation::Sum
                                       : GateOperation::Xor;
          const bool gives = !roots || odd || i == 0;
          REQUIRE(x.gates[i].start(1, operation, gives ? GateForm::Word : GateForm::None, {i}) ==
                  0);
        }
        x.settle();
        const auto expected = static_cast<std::uint8_t>(
            (roots ? model::gate_status::kBroadcast : model::gate_status::kMismatch) |
            model::gate_status::kEmpty);
        for (auto& g : x.gates) {
          CHECK(g.channel(1).done);
          CHECK(g.channel(1).status == expected);
          CHECK(g.channel(1).result == GateData{});
        }
        CHECK(x.errors() == (roots ? model::gate_error::kBroadcast : model::gate_error::kMismatch));
      }
    }
  }
}

TEST_CASE("gates: what is refused") {
  TofuGates gates(100);
  namespace error = model::gate_error;
  GateWiring w;
  w.channel = 3;
  CHECK(gates.wire(3, w) == error::kWiringIncomplete);  // neither inputs nor outputs
  w.local_destination = 20;
  CHECK(gates.wire(20, w) == error::kWiringSelf);
  CHECK(gates.wire(21, w) == error::kWiringIncomplete);  // no inputs
  CHECK(gates.wire(4, w) == error::kWiringIncomplete);   // a start gate of another channel
  CHECK(gates.start(3, GateOperation::Barrier) == error::kStartUnwired);
  w.source = {100, 3};
  CHECK(gates.wire(3, w) == error::kWiringSelf);
  w.source = {101, 3};
  CHECK(gates.wire(3, w) == 0);
  CHECK(gates.start(3, GateOperation::Barrier, GateForm::Word) == error::kStartOperation);
  CHECK(gates.start(3, GateOperation::And, GateForm::State) == error::kStartOperation);
  CHECK(gates.start(3, GateOperation::Fsum, GateForm::Word) == error::kStartOperation);
  CHECK(gates.start(3, GateOperation::Broadcast, GateForm::Double) == error::kStartOperation);
  CHECK(gates.start(3, static_cast<GateOperation>(8)) == error::kStartOperation);
  GateData wrong{};
  wrong[4] = std::uint64_t{3} << 56;  // the second lane is of group 3, the first empty
  CHECK(gates.start(3, GateOperation::Fsum, GateForm::State, wrong) == error::kStartOperand);
  gates.take_errors();
  CHECK(gates.start(3, GateOperation::Barrier) == 0);
  CHECK(gates.start(3, GateOperation::Barrier) == error::kStartBusy);
  CHECK(gates.wire(3, std::nullopt) == error::kWiringBusy);
  CHECK(gates.take_errors() == (error::kStartBusy | error::kWiringBusy | error::kAddress));
  gates.reset(3);
  CHECK(gates.start(3, GateOperation::Barrier) == error::kStartUnwired);
  CHECK(gates.wire(3, w) == 0);
  CHECK(gates.start(3, GateOperation::Barrier) == 0);
}
