// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sw/host/soft_errors.hpp"
#include "sw/tofu/transport.hpp"

namespace ht::tofu {

/// Soft errors in links, router, network interfaces and gates (rtl/tofu/README.md, "What is
/// protected by what"), made by their registers INJECT and ROUTER_INJECT.
class SoftErrorSite final : public host::SoftErrorSite {
 public:
  explicit SoftErrorSite(Transport& transport) : transport_(transport), port_(transport.port()) {}
  void flip(std::mt19937_64& draw, bool two_bits) override;
  /// The router and the interfaces say only that there was one since they were asked last.
  std::uint64_t corrected() override;
  std::string fault() override;

 private:
  /// Counts and clears what the router and the interfaces have corrected.
  void collect();

  Transport& transport_;
  host::HardwarePort& port_;
  std::uint64_t seen_ = 0;  ///< by the router and the interfaces
};

}  // namespace ht::tofu
