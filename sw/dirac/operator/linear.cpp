// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/linear.hpp"

#include "sw/host/lattice_kernels.hpp"

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
inline void combine(ColourVector<T>& y, T a, const ColourVector<T>& x, T b) {
  for (int c = 0; c < 3; ++c) {
    for (int part = 0; part < 2; ++part) y.c[c][part] = a * x.c[c][part] + b * y.c[c][part];
  }
}

template <class T>
inline void accumulate(Spinor<T>& y, T a, const Spinor<T>& x) {
  for (int c = 0; c < 3; ++c) {
    for (int h = 0; h < 2; ++h) y.c[c][h] = y.c[c][h] + a * x.c[c][h];
  }
}

template <class T>
inline void accumulate(ColourVector<T>& y, T a, const ColourVector<T>& x) {
  for (int c = 0; c < 3; ++c) {
    for (int part = 0; part < 2; ++part) y.c[c][part] = y.c[c][part] + a * x.c[c][part];
  }
}

/// Re <x, y> of one site.
template <class T>
inline double site_product(const Spinor<T>& x, const Spinor<T>& y) {
  Vec4d sum = {};
  for (int c = 0; c < 3; ++c) {
    for (int h = 0; h < 2; ++h) {
      sum += __builtin_convertvector(x.c[c][h], Vec4d) * __builtin_convertvector(y.c[c][h], Vec4d);
    }
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

template <class T>
inline double site_product(const ColourVector<T>& x, const ColourVector<T>& y) {
  double sum = 0;
  for (int c = 0; c < 3; ++c) {
    for (int part = 0; part < 2; ++part) {
      sum += static_cast<double>(x.c[c][part]) * static_cast<double>(y.c[c][part]);
    }
  }
  return sum;
}

void charge_sites(WorkMeter& meter, const Spinor<double>* /*kind*/, std::int64_t sites,
                  int real_bytes, int read, int written, int flops) {
  meter.linear({.sites = sites,
                .real_bytes = real_bytes,
                .spinors_read = read,
                .spinors_written = written,
                .flops = flops});
}

/// A colour vector has a quarter of a spinor's reals, and the same work on each.
void charge_sites(WorkMeter& meter, const ColourVector<double>* /*kind*/, std::int64_t sites,
                  int real_bytes, int read, int written, int flops) {
  meter.kernel(
      {.sites = sites,
       .real_bytes = real_bytes,
       .kernel = host::linear_kernel(host::colour_vector_reals, read, written, flops / 4.0)});
}

}  // namespace

template <class T>
double site_norm2(const Spinor<T>& x) {
  return site_product(x, x);
}

template <class T>
double site_norm2(const ColourVector<T>& x) {
  return site_product(x, x);
}

template double site_norm2<double>(const Spinor<double>&);
template double site_norm2<float>(const Spinor<float>&);
template double site_norm2<double>(const ColourVector<double>&);
template double site_norm2<float>(const ColourVector<float>&);

template <class T, template <class> class Site>
void Linear<T, Site>::charge(std::size_t sites, int read, int written, int flops,
                             Operand where) const {
  if (sites == 0) return;
  if (where == Operand::InRegisters) {
    --read;
    --written;
  }
  charge_sites(clock_.meter(), static_cast<const Site<double>*>(nullptr),
               static_cast<std::int64_t>(sites), static_cast<int>(sizeof(T)), read, written, flops);
}

template <class T, template <class> class Site>
void Linear<T, Site>::scale_add(Field& y, double a, const Field& x, double b, Operand where) const {
  for (std::size_t i = 0; i < y.size(); ++i) {
    combine(y[i], static_cast<T>(a), x[i], static_cast<T>(b));
  }
  charge(y.size(), 2, 1, 72, where);
}

template <class T, template <class> class Site>
void Linear<T, Site>::add(Field& y, double a, const Field& x) const {
  for (std::size_t i = 0; i < y.size(); ++i) accumulate(y[i], static_cast<T>(a), x[i]);
  charge(y.size(), 2, 1, 48);
}

template <class T, template <class> class Site>
double Linear<T, Site>::add_norm2(Field& y, double a, const Field& x) const {
  LocalSum sum = reduce_.local();
  for (std::size_t i = 0; i < y.size(); ++i) {
    accumulate(y[i], static_cast<T>(a), x[i]);
    sum.add(site_norm2(y[i]));
  }
  charge(y.size(), 2, 1, 96);
  return reduce_(sum);
}

template <class T, template <class> class Site>
double Linear<T, Site>::scale_add_norm2(Field& y, double a, const Field& x, double b,
                                        Operand where) const {
  LocalSum sum = reduce_.local();
  for (std::size_t i = 0; i < y.size(); ++i) {
    combine(y[i], static_cast<T>(a), x[i], static_cast<T>(b));
    sum.add(site_norm2(y[i]));
  }
  charge(y.size(), 2, 1, 120, where);
  return reduce_(sum);
}

template <class T, template <class> class Site>
void Linear<T, Site>::add_norm2_to(LocalSum& sum, const Field& x) const {
  for (const Site<T>& s : x) sum.add(site_norm2(s));
  charge(x.size(), 1, 0, 48);
}

template <class T, template <class> class Site>
double Linear<T, Site>::norm2(const Field& x) const {
  LocalSum sum = reduce_.local();
  add_norm2_to(sum, x);
  return reduce_(sum);
}

template <class T, template <class> class Site>
double Linear<T, Site>::product(const Field& x, const Field& y) const {
  LocalSum sum = reduce_.local();
  for (std::size_t i = 0; i < x.size(); ++i) sum.add(site_product(x[i], y[i]));
  charge(x.size(), 2, 0, 48);
  return reduce_(sum);
}

template class Linear<double>;
template class Linear<float>;
template class Linear<double, ColourVector>;
template class Linear<float, ColourVector>;

}  // namespace ht::dirac
