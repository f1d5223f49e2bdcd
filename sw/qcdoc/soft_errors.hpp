// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sw/host/soft_errors.hpp"
#include "sw/qcdoc/scu.hpp"

namespace ht::qcdoc {

/// Soft errors in the memories of the communications unit (rtl/qcdoc/README.md, "Flipped bits in
/// memories"), made by its register INJECT.
class SoftErrorSite final : public host::SoftErrorSite {
 public:
  explicit SoftErrorSite(Scu& scu) : port_(scu.port()) {}
  void flip(std::mt19937_64& draw, bool two_bits) override;
  std::uint64_t corrected() override;
  std::string fault() override;

 private:
  host::HardwarePort& port_;
};

}  // namespace ht::qcdoc
