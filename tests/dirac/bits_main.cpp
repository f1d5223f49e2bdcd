// SPDX-License-Identifier: Apache-2.0
// Prints a checksum of everything the application computes in floating point on one node. Built
// with several compiler options; all must print the same.
#include <fmt/format.h>
#include <zlib.h>

#include "sw/dirac/gauge/heatbath.hpp"
#include "sw/dirac/operator/hopping.hpp"
#include "sw/dirac/operator/linear.hpp"
#include "sw/dirac/source.hpp"
#include "tests/dirac/kernel_samples.hpp"

using namespace ht;
using namespace ht::dirac;

namespace {

class Checksum {
 public:
  void add(const void* data, std::size_t bytes) {
    crc_ = crc32_z(crc_, static_cast<const Bytef*>(data), bytes);
  }
  unsigned long value() const { return crc_; }

 private:
  unsigned long crc_ = 0;
};

template <class T>
void hop_and_norms(const Geometry& geometry, const LocalLinks<double>& links, PhaseClock& clock,
                   Checksum& sum) {
  const auto fermion = fermion_links<T>(geometry, links, {1, 1, 1, -1});
  Reducer reduce(SumKind::Reproducible, clock);
  const Linear<T> linear(clock, reduce);
  const auto colours = colour_source(geometry, links, {true, {1, 0, 3, 2}, 2.0, 5}, 1, clock);
  for (const Isa isa : {Isa::Baseline, Isa::Auto}) {
    HoppingTerm<T> hop(geometry, fermion, clock, {Targets::All}, isa);
    SpinorField<T> a = spinor_source<T>(colours, 2), b(a.size());
    for (int i = 0; i < 6; ++i) {
      hop.apply(Targets::All, i % 3 == 0 ? -1 : 1, b, a);
      linear.scale_add(b, 0.3, a, -0.11);
      linear.add(a, 1 / 3.0, b);
    }
    sum.add(a.data(), a.size() * sizeof a[0]);
    for (const Spinor<T>& s : a) {
      const double norm = site_norm2(s);
      sum.add(&norm, sizeof norm);
    }
  }
}

}  // namespace

int main() {
  Checksum sum;
  for (const FieldKind kind : {FieldKind::Weak, FieldKind::Hot}) {
    const GlobalGauge gauge = generate_gauge(kind, 77, {4, 4, 4, 6});
    sum.add(gauge.links.data(), gauge.links.size() * sizeof gauge.links[0]);
    const double measured[] = {gauge.plaquette.average(), gauge.link_trace};
    sum.add(measured, sizeof measured);
    const std::array<int, 4> one{1, 1, 1, 1}, zero{};
    const Geometry geometry(gauge.lattice, one, zero);
    FreeWork free;
    PhaseClock clock(free);
    LocalLinks<double> links;
    for (int site = 0; site < geometry.volume(); ++site) {
      links.push_back(gauge.at(geometry.global_place(site)));
    }
    hop_and_norms<double>(geometry, links, clock, sum);
    hop_and_norms<float>(geometry, links, clock, sum);
  }
  GlobalGauge gauge = generate_gauge(FieldKind::Hot, 78, {4, 4, 2, 4});
  Heatbath heatbath(gauge, {});
  for (int i = 0; i < 5; ++i) heatbath.sweep();
  sum.add(gauge.links.data(), gauge.links.size() * sizeof gauge.links[0]);
  for (const Isa isa : {Isa::Baseline, Isa::Auto}) {
    const std::string samples = test::kernel_samples(isa);
    sum.add(samples.data(), samples.size());
  }
  fmt::print("{:08x}\n", sum.value());
  return 0;
}
