// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/tofud.hpp"

extern "C" const ht::machine::TofudBuilder* hypertorus_tofud() {
  using namespace ht::machine;
  static const TofudBuilder builder{[](TofuMachineOptions options) -> std::unique_ptr<Machine> {
    return std::make_unique<TofudMachine>(std::move(options));
  }};
  return &builder;
}
