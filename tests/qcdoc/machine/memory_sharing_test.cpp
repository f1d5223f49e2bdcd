// SPDX-License-Identifier: Apache-2.0
// Processor and unit share a node's memory: each is in the other's way, by as much as the other is
// at it, and nothing of that depends on skipped cycles.
#include <catch2/catch.hpp>

#include "sim/qcdoc/machine.hpp"

using namespace ht;
using qmp::Channel;

namespace {

constexpr std::size_t words = 400;
constexpr Picoseconds work = 100'000'000;  // longer than the words take

struct Seen {
  Picoseconds computed = 0;  ///< node 1, from the begin of its computing to its end
  Picoseconds arrived = 0;   ///< the first word
};

// Node 0 sends and computes, node 1 computes while the words come, each with its memory busy for a
// share of the time.
Seen share_memory(double share, double sender_share, bool skip, int line_cycles = 2) {
  machine::QcdocMachineOptions options;
  options.shape = {2};
  options.kernel.threads = 1;
  options.kernel.jump = skip;
  options.node.skip_idle = skip;
  options.node.line_cycles = line_cycles;
  machine::QcdocMachine m(options);
  Seen seen;
  m.node(1).watch_memory([&](const machine::MemoryAccess& a) {
    if (a.write && seen.arrived == 0) seen.arrived = a.time;
  });
  REQUIRE(m.run([&](qcdoc::Driver& d) {
    void* const buffer = d.allocate(8 * words, 8);
    auto& node = m.node(d.rank());
    if (d.rank() == 0) {
      const qmp::MessageId message = d.declare_send(0, Channel::User, buffer, 8 * words);
      d.start(message);
      node.compute(work, sender_share);
      d.wait(message);
    } else {
      const qmp::MessageId message = d.declare_receive(1, Channel::User, buffer, 8 * words);
      d.start(message);
      const Picoseconds begin = node.now();
      node.compute(work, share);
      seen.computed = node.now() - begin;
      d.wait(message);
    }
  }));
  return seen;
}

}  // namespace

TEST_CASE("QCDOC: words that come while a node computes take memory from it") {
  CHECK(share_memory(0, 0, true).computed == work);
  // Two cycles of 2 ns a word, as often as the processor is at the memory.
  for (const double share : {0.25, 0.5, 1.0}) {
    const Picoseconds longer = share_memory(share, 0, true).computed - work;
    CHECK(longer == Approx(words * 2 * share * 2000).margin(4000));
    CHECK(share_memory(share, 0, false).computed - work == longer);
  }
}

TEST_CASE("QCDOC: what a node sends while it computes is read later") {
  // Were a line of the processor's to take 40 cycles: so much later at the most, and by whole
  // bytes, which a part of it may fit into.
  const Picoseconds alone = share_memory(0, 0, true, 40).arrived;
  const Picoseconds later = share_memory(0, 1, true, 40).arrived - alone;
  CHECK(later >= 16'000);
  CHECK(later <= 40 * 2000 + 16'000);
  CHECK(later % 16'000 == 0);
  CHECK(share_memory(0, 1, false, 40).arrived - alone == later);
  CHECK(share_memory(0, 0.5, true, 40).arrived - alone < later);
}
