// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inner loops compiled for several instruction sets; by default the computer's widest is used.
#include <cstdint>
#include <string_view>

// GCC warns of the ABI of vectors wider than the baseline's registers; ours are passed only between
// functions that are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"
#define HT_INLINE inline __attribute__((always_inline))
#if defined(__x86_64__)
#define HT_AVX2 __attribute__((target("avx2")))
#define HT_AVX512 __attribute__((target("avx512vl,avx512dq")))
#else
#define HT_AVX2
#define HT_AVX512
#endif

namespace ht::dirac {

/// All give the same bits: explicit arithmetic on vectors of four, no fused multiply-add. Avx512
/// uses AVX-512's instructions on the same vectors, not wider ones. Auto is the widest that this
/// computer has.
enum class Isa : std::uint8_t { Auto, Baseline, Avx2, Avx512 };

/// What Auto is here.
Isa widest_isa();
/// "baseline", "avx2", "avx512".
std::string_view to_string(Isa isa);
/// `isa`, or what Auto stands for. Throws UsageError if this computer lacks it.
Isa usable(Isa isa);

/// An inner loop, compiled for one of them.
template <class Arguments>
using LoopOn = void (*)(const Arguments&);

template <class Loop, class Arguments>
void run_baseline(const Arguments& a) {
  Loop::run(a);
}
template <class Loop, class Arguments>
HT_AVX2 void run_avx2(const Arguments& a) {
  Loop::run(a);
}
template <class Loop, class Arguments>
HT_AVX512 void run_avx512(const Arguments& a) {
  Loop::run(a);
}

/// Loop::run(const Arguments&), a static HT_INLINE function, compiled for `isa` (see usable()).
template <class Loop, class Arguments>
LoopOn<Arguments> compiled_for(Isa isa) {
  switch (usable(isa)) {
    case Isa::Avx512:
      return &run_avx512<Loop, Arguments>;
    case Isa::Avx2:
      return &run_avx2<Loop, Arguments>;
    default:
      return &run_baseline<Loop, Arguments>;
  }
}

}  // namespace ht::dirac
