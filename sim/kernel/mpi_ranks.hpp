// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/kernel/kernel.hpp"

namespace ht::sim {

/// RankExchange over MPI: one message a peer and window, and one small reduction. MPI must be
/// initialised before, with at least MPI_THREAD_FUNNELED, and finalised after; all calls come from
/// the thread that runs the kernel. A copy of the process that a program forked ends here.
class MpiRanks final : public RankExchange {
 public:
  /// All processes of MPI_COMM_WORLD. Throws std::runtime_error if MPI is not initialised.
  MpiRanks();
  ~MpiRanks() override;

  unsigned rank() const override;
  unsigned ranks() const override;
  void begin_exchange(const std::vector<Crossing>& crossings) override;
  void end_exchange(const std::vector<Crossing>& crossings) override;
  WindowVote combine(const WindowVote& mine) override;
  void merge(std::span<std::byte> bytes) override;
  std::vector<std::string> gather(const std::string& mine) override;
  void send(unsigned to, std::span<const std::byte> bytes) override;
  bool receive(unsigned from, std::span<std::byte> bytes, const std::atomic<bool>& stop) override;
  std::uint64_t bytes_sent() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ht::sim
