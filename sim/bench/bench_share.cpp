// SPDX-License-Identifier: Apache-2.0
#include "sim/bench/bench_share.hpp"

#include <algorithm>

#include "sim/kernel/kernel.hpp"
#include "sim/output/exit_codes.hpp"

namespace ht::cli {

BenchShare::BenchShare(sim::RankExchange* ranks, const std::atomic<bool>& stop)
    : ranks_(ranks),
      stop_(stop),
      own_(ranks == nullptr ? 0 : ranks->rank()),
      given_(ranks == nullptr ? 1 : ranks->ranks()) {}

unsigned BenchShare::next(double weight) {
  check_stop(stop_);
  const auto least = std::ranges::min_element(given_);
  *least += weight;
  return static_cast<unsigned>(least - given_.begin());
}

void BenchShare::pass_on(unsigned owner, std::span<std::byte> result) {
  if (own_ == owner) ranks_->send(0, result);
  if (own_ == 0 && !ranks_->receive(owner, result, stop_)) check_stop(stop_);
}

}  // namespace ht::cli
