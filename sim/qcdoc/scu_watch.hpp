// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <memory>

#include "sim/cable/error_ledger.hpp"
#include "verif/check/qcdoc/receiver.hpp"

namespace ht::machine {

/// What a QCDOC node reports of its links to the ledgers of its cables: a model beside each
/// receiver reads the same bits and knows which of them the hardware's pulses are about. Costs
/// nothing for links that are not watched. On the node's thread; while it runs, in order of edges:
/// `received()`, the clock edge, `observed()`.
class ScuWatch {
 public:
  static constexpr unsigned links = 12;

  /// Watches link `link` from reset on; its cable's errors are in `ledger`, or in none.
  void watch(unsigned link, sim::ErrorLedger* ledger);
  bool watches() const { return mask_ != 0; }

  /// Symbols on the cables at this edge, bit i: link i. Edges without any may be left out.
  void received(std::int64_t edge, std::uint32_t symbols) {
    for (symbols &= mask_; symbols != 0; symbols &= symbols - 1) receiver(symbols).received(edge);
  }
  /// The observation port after this edge, bit i: link i; of `state` two bits a link. Edges in
  /// which the state does not change and there are no pulses may be left out.
  void observed(std::int64_t edge, std::uint32_t state, std::uint32_t start, std::uint32_t ok,
                std::uint32_t error);
  /// Nothing comes after this edge; before the ledgers are closed.
  void close(std::int64_t edge);

  /// The model of a watched link; null: it is not watched.
  check::QcdocReceiver* receiver_of(unsigned link) { return receivers_.at(link).get(); }

 private:
  check::QcdocReceiver& receiver(std::uint32_t lowest);
  void tell_states(std::int64_t edge, std::uint32_t state);

  std::uint32_t mask_ = 0, state_ = 0;
  std::array<std::unique_ptr<check::QcdocReceiver>, links> receivers_;
};

}  // namespace ht::machine
