// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/worker_pool.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ht::sim {
namespace {

// About what it costs to wake a sleeper, on a virtual machine. Longer gains nothing; yielding loses
// much where others use the cores (README.md).
constexpr std::chrono::microseconds kPatience{20};
constexpr int kPauses = 10;  ///< between looks at the clock

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace

void Barrier::arrive_and_wait() {
  const unsigned phase = phase_.load(std::memory_order_acquire);
  const auto passed = [&] { return phase_.load(std::memory_order_acquire) != phase; };
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == count_) {
    arrived_.store(0, std::memory_order_relaxed);
    {
      // Locked: else a thread that has found the phase unchanged, but does not sleep yet, would
      // miss its wake-up.
      const std::lock_guard lock(mutex_);
      phase_.store(phase + 1, std::memory_order_release);
    }
    changed_.notify_all();
    return;
  }
  if (patience_.count() > 0) {
    const auto end = std::chrono::steady_clock::now() + patience_;
    do {
      for (int i = 0; i < kPauses; ++i) {
        if (passed()) return;
        pause();
      }
    } while (std::chrono::steady_clock::now() < end);
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, passed);
}

// With more threads than cores, whoever spins may be in the way of whom it waits for.
WorkerPool::WorkerPool(unsigned threads)
    : threads_(threads),
      barrier_(threads,
               threads <= std::thread::hardware_concurrency() ? kPatience : kPatience.zero()) {
  workers_.reserve(threads);
  try {
    for (unsigned i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
  } catch (...) {
    // Those that are there wait for the others.
    barrier_.excuse(threads - 1 - static_cast<unsigned>(workers_.size()));
    end();
    throw;
  }
}

WorkerPool::~WorkerPool() {
  end();
}

void WorkerPool::end() {
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
