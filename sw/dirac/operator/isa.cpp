// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/isa.hpp"

#include <fmt/format.h>

#include "sw/host/errors.hpp"

namespace ht::dirac {

Isa widest_isa() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) return Isa::Avx512;
  if (__builtin_cpu_supports("avx2")) return Isa::Avx2;
#endif
  return Isa::Baseline;
}

std::string_view to_string(Isa isa) {
  switch (isa) {
    case Isa::Auto:
      return to_string(widest_isa());
    case Isa::Avx2:
      return "avx2";
    case Isa::Avx512:
      return "avx512";
    default:
      return "baseline";
  }
}

Isa usable(Isa isa) {
  const Isa widest = widest_isa();
  if (isa > widest)
    throw UsageError(fmt::format("this computer has no {}; use the {} kernels", to_string(isa),
                                 to_string(widest)));
  return isa == Isa::Auto ? widest : isa;
}

}  // namespace ht::dirac
