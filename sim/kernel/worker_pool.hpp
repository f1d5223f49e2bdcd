// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ht::sim {

/// All of `count` threads meet here. Who has to wait spins for `patience`, then sleeps.
class Barrier {
 public:
  Barrier(unsigned count, std::chrono::microseconds patience)
      : count_(count), patience_(patience) {}
  void arrive_and_wait();
  /// From now on so many fewer meet here: they will never come. The caller will.
  void excuse(unsigned absent) { count_ -= absent; }

 private:
  std::atomic<unsigned> count_;
  const std::chrono::microseconds patience_;
  alignas(64) std::atomic<unsigned> arrived_{0};
  alignas(64) std::atomic<unsigned> phase_{0};
  alignas(64) std::mutex mutex_;  ///< held where the phase changes
  std::condition_variable changed_;
};

/// Threads that do the same steps together, the caller being number 0. They live as long as the
/// pool, so that a node's fibre stays on its thread from run to run, and sleep between steps.
class WorkerPool {
 public:
  /// Throws std::system_error if the computer has no more threads.
  explicit WorkerPool(unsigned threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  unsigned threads() const { return threads_; }

  /// Every thread calls first(number); when all have returned, second(number); returns when all
  /// have returned from that. Neither may throw.
  using Step = std::function<void(unsigned)>;
  void run(const Step& first, const Step& second);

 private:
  void work(unsigned number);
  void end();

  const unsigned threads_;
  Barrier barrier_;
  const Step *first_ = nullptr, *second_ = nullptr;  ///< null: end
  std::vector<std::jthread> workers_;
};

}  // namespace ht::sim
