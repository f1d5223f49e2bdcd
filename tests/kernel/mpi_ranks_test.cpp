// SPDX-License-Identifier: Apache-2.0
// Run by mpiexec with two processes: half a ring of toy nodes on each.
#define CATCH_CONFIG_RUNNER
#include "sim/kernel/mpi_ranks.hpp"

#define OMPI_SKIP_MPICXX 1  // the C interface only
#include <mpi.h>

#include <catch2/catch.hpp>

#include "sw/host/errors.hpp"
#include "sw/host/sanitizers.hpp"
#include "tests/kernel/toy_node.hpp"

using namespace ht;
using namespace ht::test;
using sim::RunEnd;

namespace {

sim::KernelOptions with(sim::RankExchange* ranks, unsigned threads) {
  sim::KernelOptions o;
  o.ranks = ranks;
  o.threads = threads;
  return o;
}

struct Outcome {
  std::map<int, std::uint64_t> hashes;
  std::map<std::string, std::size_t> errors;  ///< by cable
  Picoseconds now = 0;
};

Outcome simulate(ToyRing ring, sim::RankExchange* ranks, unsigned threads) {
  sim::Kernel kernel(with(ranks, threads));
  if (ranks != nullptr) {
    ring.rank_of = [&](int i) { return static_cast<unsigned>(i) * ranks->ranks() / 5; };
    ring.rank = ranks->rank();
  }
  const auto nodes = ring.build(kernel);
  REQUIRE(kernel.run() == RunEnd::Finished);
  REQUIRE(kernel.settle() == RunEnd::Finished);
  Outcome o;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] != nullptr) o.hashes[static_cast<int>(i)] = nodes[i]->hash();
  }
  for (std::size_t i = 0; i < kernel.cable_count(); ++i) {
    const auto& l = kernel.cable(i).ledger();
    if (!l.errors().empty()) o.errors[l.cable()] = l.errors().size();
  }
  o.now = kernel.now();
  return o;
}

}  // namespace

TEST_CASE("MPI: two ranks give the same bits as one process") {
  sim::MpiRanks ranks;
  REQUIRE(ranks.ranks() == 2);
  ToyRing ring;
  ring.faults.bit_error_rate = 2e-5;
  ring.faults.drawn = {3, 30, 5, 5, 0, 50'000'000};
  const Outcome whole = simulate(ring, nullptr, 1);
  for (const unsigned threads : {1U, 2U}) {
    const Outcome part = simulate(ring, &ranks, threads);
    CHECK(part.now == whole.now);
    CHECK(part.hashes.size() == (ranks.rank() == 0 ? 3 : 2));
    for (const auto& [node, hash] : part.hashes) CHECK(hash == whole.hashes.at(node));
    CHECK_FALSE(part.errors.empty());
    for (const auto& [cable, count] : part.errors) CHECK(count == whole.errors.at(cable));
  }
}

namespace {

/// Looks at the nodes when an exchange begins, and when it ends.
struct WatchedRanks final : sim::RankExchange {
  sim::MpiRanks ranks_;
  std::function<void()> at_begin, at_end;

  unsigned rank() const override { return ranks_.rank(); }
  unsigned ranks() const override { return ranks_.ranks(); }
  void begin_exchange(const std::vector<Crossing>& crossings) override {
    at_begin();
    ranks_.begin_exchange(crossings);
  }
  void end_exchange(const std::vector<Crossing>& crossings) override {
    at_end();
    ranks_.end_exchange(crossings);
  }
  sim::WindowVote combine(const sim::WindowVote& mine) override { return ranks_.combine(mine); }
  void merge(std::span<std::byte> bytes) override { ranks_.merge(bytes); }
  std::vector<std::string> gather(const std::string& mine) override { return ranks_.gather(mine); }
  void send(unsigned to, std::span<const std::byte> bytes) override { ranks_.send(to, bytes); }
  bool receive(unsigned from, std::span<std::byte> bytes, const std::atomic<bool>& stop) override {
    return ranks_.receive(from, bytes, stop);
  }
  std::uint64_t bytes_sent() const override { return ranks_.bytes_sent(); }
};

}  // namespace

TEST_CASE("MPI: what the other rank needs is under way while nodes run that it does not see") {
  for (const unsigned threads : {1U, 2U}) {
    WatchedRanks ranks;
    ToyRing ring;
    // Of rank 0's three nodes 0 and 2 are its neighbours, and node 1 is inside.
    ring.rank_of = [](int i) { return i < 3 ? 0U : 1U; };
    ring.rank = ranks.rank();
    sim::Kernel kernel(with(&ranks, threads));
    const auto nodes = ring.build(kernel);
    int begun = 0, ended = 0;
    const auto behind = [&] {
      const auto cycles = [&](std::size_t i) { return nodes[i]->cycles().total; };
      REQUIRE(cycles(0) + 1 >= cycles(2));
      REQUIRE(cycles(2) + 1 >= cycles(0));
      return cycles(1) + 1 < cycles(0);
    };
    ranks.at_begin = [&] {
      ++begun;
      if (ranks.rank() == 0) CHECK(behind());
    };
    ranks.at_end = [&] {
      ++ended;
      if (ranks.rank() == 0) CHECK_FALSE(behind());
    };
    REQUIRE(kernel.run() == RunEnd::Finished);
    CHECK(begun > 100);
    CHECK(begun == ended);
  }
}

TEST_CASE("MPI: one rank's failure and standstill end all") {
  sim::MpiRanks ranks;
  CHECK_FALSE(ranks.ends_together());
  for (const bool fails : {true, false}) {
    ToyRing ring;
    ring.rank_of = [](int i) { return i < 3 ? 0U : 1U; };
    ring.rank = ranks.rank();
    if (ranks.rank() == 1) {
      if (fails) ring.node.throw_at = 10;
      if (!fails) ring.node.wait_at = 10;
    }
    sim::Kernel kernel(with(&ranks, 1));
    ring.build(kernel);
    if (!fails) {
      CHECK_THROWS_AS(kernel.run(), TimeoutError);
    } else {
      CHECK_THROWS_WITH(kernel.run(), Catch::Contains("broke"));
    }
    CHECK(ranks.ends_together());
  }
}

TEST_CASE("MPI: of what several nodes throw, every rank throws what one process would") {
  const auto thrown = [](sim::RankExchange* ranks) {
    ToyRing ring;
    // Each in its first window, as soon as it has something to send.
    ring.node.throw_at = 0;
    if (ranks != nullptr) {
      // The last nodes are rank 0's.
      ring.rank_of = [](int i) { return i < 3 ? 1U : 0U; };
      ring.rank = ranks->rank();
    }
    sim::Kernel kernel(with(ranks, 1));
    ring.build(kernel);
    try {
      kernel.run();
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  sim::MpiRanks ranks;
  const std::string alone = thrown(nullptr);
  CHECK(alone.ends_with(" broke"));
  CHECK(thrown(&ranks) == alone);
}

int main(int argc, char** argv) {
  {
    int provided = 0;
    [[maybe_unused]] const host::sanitizer::MayLeak components;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  }
  const int result = Catch::Session().run(argc, argv);
  // A rank that failed a test may have left the other waiting.
  if (result != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  host::sanitizer::look_for_leaks();
  MPI_Finalize();
  return 0;
}
