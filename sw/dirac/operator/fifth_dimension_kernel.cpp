// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/fifth_dimension_kernel.hpp"

#include <cstddef>

namespace ht::dirac {
namespace {

/// Calls column(x, b, half, colour, first, last, step) for every site, colour and chirality. Half 0
/// has spins 0 and 1, on which gamma_5 is 1. It hops from s + step, in the direction from `first`
/// to `last`.
template <class T, class Column>
HT_INLINE void each_column(const FifthDimensionArguments<T>& a, const Column& column) {
  for (int site = 0; site < a.sites; ++site) {
    const std::ptrdiff_t at = std::ptrdiff_t{site} * a.length;
    for (int half = 0; half < 2; ++half) {
      // P_+ takes from s - 1, its transpose from s + 1.
      const bool up = (half == 1) != a.dagger;
      const int first = up ? 0 : a.length - 1;
      for (int c = 0; c < 3; ++c)
        column(a.out + at, a.in + at, half, c, first, a.length - 1 - first, up ? 1 : -1);
    }
  }
}

template <class T>
struct Apply {
  static HT_INLINE void run(const FifthDimensionArguments<T>& a) {
    each_column(
        a, [&](Spinor<T> * x, const Spinor<T>* b, int half, int c, int first, int last, int step)
               __attribute__((always_inline)) {
                 // Each needs what comes after it, so that out may be in; the last one needs the
                 // first.
                 const Vec4<T> start = b[first].c[c][half];
                 Vec4<T> here = start;
                 for (int s = first; s != last; s += step) {
                   const Vec4<T> next = b[s + step].c[c][half];
                   x[s].c[c][half] = a.a * here - next;
                   here = next;
                 }
                 x[last].c[c][half] = a.a * here + a.mass * start;
               });
  }
};

template <class T>
struct ApplyInverse {
  static HT_INLINE void run(const FifthDimensionArguments<T>& a) {
    const T inverse = 1 / a.a;
    each_column(
        a, [&](Spinor<T> * x, const Spinor<T>* b, int half, int c, int first, int last, int step)
               __attribute__((always_inline)) {
                 // a x_s - x_next = b_s, and a x_last + m x_first = b_last. x_first = sum_k b_k /
                 // a^(k+1) + x_last / a^(length-1), k from the first on: that gives x_last, and the
                 // others from it.
                 Vec4<T> sum = {};
                 T power = inverse;
                 for (int s = first; s != last; s += step) {
                   sum = sum + power * b[s].c[c][half];
                   power = power * inverse;
                 }
                 Vec4<T> next = a.close * (b[last].c[c][half] - a.mass * sum);
                 x[last].c[c][half] = next;
                 for (int s = last; s != first;) {
                   s -= step;
                   next = inverse * (b[s].c[c][half] + next);
                   x[s].c[c][half] = next;
                 }
               });
  }
};

}  // namespace

template <class T>
LoopOn<FifthDimensionArguments<T>> fifth_dimension_kernel(Isa isa) {
  return compiled_for<Apply<T>, FifthDimensionArguments<T>>(isa);
}
template <class T>
LoopOn<FifthDimensionArguments<T>> inverse_fifth_dimension_kernel(Isa isa) {
  return compiled_for<ApplyInverse<T>, FifthDimensionArguments<T>>(isa);
}

template LoopOn<FifthDimensionArguments<double>> fifth_dimension_kernel<double>(Isa);
template LoopOn<FifthDimensionArguments<float>> fifth_dimension_kernel<float>(Isa);
template LoopOn<FifthDimensionArguments<double>> inverse_fifth_dimension_kernel<double>(Isa);
template LoopOn<FifthDimensionArguments<float>> inverse_fifth_dimension_kernel<float>(Isa);

}  // namespace ht::dirac
