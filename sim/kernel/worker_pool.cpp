// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/worker_pool.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ht::sim {
namespace {

constexpr int kSpins = 200, kYields = 20;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace

void Barrier::arrive_and_wait() {
  const unsigned phase = phase_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == count_) {
    arrived_.store(0, std::memory_order_relaxed);
    // Sequentially consistent: notify_all() first looks whether anybody waits. If that look came
    // before the store was seen, a thread going to sleep in between would never be woken.
    phase_.store(phase + 1, std::memory_order_seq_cst);
    phase_.notify_all();
    return;
  }
  const auto passed = [&] { return phase_.load(std::memory_order_acquire) != phase; };
  for (int i = 0; i < kSpins; ++i) {
    if (passed()) return;
    pause();
  }
  for (int i = 0; i < kYields; ++i) {
    if (passed()) return;
    std::this_thread::yield();
  }
  while (!passed()) phase_.wait(phase, std::memory_order_acquire);
}

WorkerPool::WorkerPool(unsigned threads) : threads_(threads), barrier_(threads) {
  for (unsigned i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
}

WorkerPool::~WorkerPool() {
  first_ = second_ = nullptr;
  if (threads_ > 1) barrier_.arrive_and_wait();
}

void WorkerPool::run(const Step& first, const Step& second) {
  if (threads_ == 1) {
    first(0);
    second(0);
    return;
  }
  first_ = &first;
  second_ = &second;
  barrier_.arrive_and_wait();
  first(0);
  barrier_.arrive_and_wait();
  second(0);
  barrier_.arrive_and_wait();
}

void WorkerPool::work(unsigned number) {
  for (;;) {
    barrier_.arrive_and_wait();
    if (first_ == nullptr) return;
    (*first_)(number);
    barrier_.arrive_and_wait();
    (*second_)(number);
    barrier_.arrive_and_wait();
  }
}

}  // namespace ht::sim
