// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/worker_pool.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <future>
#include <memory>
#include <vector>

using ht::sim::Barrier;
using ht::sim::WorkerPool;

namespace {

// Threads that meet again and again, after work of random length: none, or about what a thread
// takes to go to sleep, so that the last one often arrives while another is about to.
class Meetings {
 public:
  Meetings(unsigned threads, std::chrono::microseconds patience)
      : barrier_(threads, patience), round_(threads), left_(threads) {}

  /// To be called on every thread; returns on all after the same round.
  void attend(unsigned number, std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    std::uint32_t random = number + 1;
    unsigned early = 0;
    for (unsigned round = 1; !last_; ++round) {
      random = random * 1664525 + 1013904223;
      const std::uint32_t work = (random >> 16) % (round % 2 == 0 ? 1 : 4000);
      for (std::uint32_t i = 0; i < work; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
      round_[number] = round;
      barrier_.arrive_and_wait();
      for (const unsigned r : round_) early += r == round ? 0 : 1;
      barrier_.arrive_and_wait();
      if (number == 0) last_ = std::chrono::steady_clock::now() > end;
      barrier_.arrive_and_wait();
    }
    early_ += early;
    if (--left_ == 0) all_left_.set_value();
  }

  std::future<void> all_left() { return all_left_.get_future(); }
  unsigned early() const { return early_; }
  unsigned rounds() const { return round_[0]; }

 private:
  Barrier barrier_;
  // Not atomic: only the barrier keeps readers from writers, and the thread sanitizer looks.
  std::vector<unsigned> round_;
  bool last_ = false;
  std::atomic<unsigned> early_{0}, left_;
  std::promise<void> all_left_;
};

}  // namespace

TEST_CASE("barrier: nobody passes early, and nobody sleeps through it") {
  using namespace std::chrono_literals;
  for (const auto patience : {0us, 5us}) {
    for (const unsigned threads : {2U, 3U, 8U}) {
      const auto meetings = std::make_shared<Meetings>(threads, patience);
      auto all_left = meetings->all_left();
      // Detached: a thread that sleeps for ever could not be joined.
      for (unsigned i = 0; i < threads; ++i)
        std::thread([meetings, i] { meetings->attend(i, 300ms); }).detach();
      INFO(threads << " threads, patience " << patience.count() << " us");
      REQUIRE(all_left.wait_for(30s) == std::future_status::ready);
      CHECK(meetings->early() == 0);
      CHECK(meetings->rounds() > 10);
    }
  }
}

TEST_CASE("worker pool: every thread does both steps, and none starts the second early") {
  for (const unsigned threads : {1U, 2U, 5U}) {
    WorkerPool pool(threads);
    std::vector<int> first(threads), seen(threads);
    std::vector<std::thread::id> ids(threads);
    bool same_thread = true;
    for (int round = 1; round <= 300; ++round) {
      pool.run(
          [&](unsigned i) {
            first[i] = round;
            if (round > 1 && ids[i] != std::this_thread::get_id()) same_thread = false;
            ids[i] = std::this_thread::get_id();
          },
          [&](unsigned i) {
            for (const int f : first) seen[i] += f == round ? 1 : 0;
          });
    }
    CHECK(same_thread);
    CHECK(ids[0] == std::this_thread::get_id());
    for (const int s : seen) REQUIRE(s == 300 * static_cast<int>(threads));
  }
}
