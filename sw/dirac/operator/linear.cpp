// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/linear.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace ht::dirac {
namespace {

template <class T>
inline void combine(Spinor<T>& y, T a, const Spinor<T>& x, T b) {
  for (int c = 0; c < 3; ++c) {
    for (int h = 0; h < 2; ++h) y.c[c][h] = a * x.c[c][h] + b * y.c[c][h];
  }
}

template <class T>
inline void accumulate(Spinor<T>& y, T a, const Spinor<T>& x) {
  for (int c = 0; c < 3; ++c) {
    for (int h = 0; h < 2; ++h) y.c[c][h] = y.c[c][h] + a * x.c[c][h];
  }
}

}  // namespace

template <class T>
double site_norm2(const Spinor<T>& x) {
  Vec4d sum = {};
  for (int c = 0; c < 3; ++c) {
    for (int h = 0; h < 2; ++h) {
      const Vec4d v = __builtin_convertvector(x.c[c][h], Vec4d);
      sum += v * v;
    }
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

template double site_norm2<double>(const Spinor<double>&);
template double site_norm2<float>(const Spinor<float>&);

template <class T>
void Linear<T>::charge(std::size_t sites, int read, int written, int flops) const {
  if (sites == 0) return;
  clock_.meter().linear({.sites = static_cast<std::int64_t>(sites),
                         .real_bytes = static_cast<int>(sizeof(T)),
                         .spinors_read = read,
                         .spinors_written = written,
                         .flops = flops});
}

template <class T>
void Linear<T>::scale_add(SpinorField<T>& y, double a, const SpinorField<T>& x, double b) const {
  for (std::size_t i = 0; i < y.size(); ++i) {
    combine(y[i], static_cast<T>(a), x[i], static_cast<T>(b));
  }
  charge(y.size(), 2, 1, 72);
}

template <class T>
void Linear<T>::add(SpinorField<T>& y, double a, const SpinorField<T>& x) const {
  for (std::size_t i = 0; i < y.size(); ++i) accumulate(y[i], static_cast<T>(a), x[i]);
  charge(y.size(), 2, 1, 48);
}

template <class T>
double Linear<T>::add_norm2(SpinorField<T>& y, double a, const SpinorField<T>& x) const {
  LocalSum sum = reduce_.local();
  for (std::size_t i = 0; i < y.size(); ++i) {
    accumulate(y[i], static_cast<T>(a), x[i]);
    sum.add(site_norm2(y[i]));
  }
  charge(y.size(), 2, 1, 96);
  return reduce_(sum);
}

template <class T>
double Linear<T>::scale_add_norm2(SpinorField<T>& y, double a, const SpinorField<T>& x,
                                  double b) const {
  LocalSum sum = reduce_.local();
  for (std::size_t i = 0; i < y.size(); ++i) {
    combine(y[i], static_cast<T>(a), x[i], static_cast<T>(b));
    sum.add(site_norm2(y[i]));
  }
  charge(y.size(), 2, 1, 120);
  return reduce_(sum);
}

template <class T>
void Linear<T>::add_norm2_to(LocalSum& sum, const SpinorField<T>& x) const {
  for (const Spinor<T>& s : x) sum.add(site_norm2(s));
  charge(x.size(), 1, 0, 48);
}

template <class T>
double Linear<T>::norm2(const SpinorField<T>& x) const {
  LocalSum sum = reduce_.local();
  add_norm2_to(sum, x);
  return reduce_(sum);
}

template class Linear<double>;
template class Linear<float>;

}  // namespace ht::dirac
