// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the inner loops of one site's operators make of some numbers, by instruction set.
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "sw/dirac/operator/clover_kernel.hpp"
#include "sw/dirac/operator/fifth_dimension_kernel.hpp"
#include "sw/dirac/operator/staggered_kernel.hpp"

namespace ht::test {

/// Objects made of reals, all of them drawn.
template <class Object, class T>
std::vector<Object> drawn_objects(std::size_t count, std::mt19937_64& random) {
  std::vector<Object> objects(count);
  std::vector<T> reals(count * sizeof(Object) / sizeof(T));
  for (T& r : reals) r = static_cast<T>(static_cast<double>(random()) * 0x1p-63 - 1);
  std::memcpy(static_cast<void*>(objects.data()), reals.data(), reals.size() * sizeof(T));
  return objects;
}

template <class Object>
std::string bytes_of(const std::vector<Object>& objects) {
  return {reinterpret_cast<const char*>(objects.data()), objects.size() * sizeof(Object)};
}

template <class T>
std::string clover_sample(dirac::Isa isa) {
  std::mt19937_64 random(1);
  const auto in = drawn_objects<dirac::Spinor<T>, T>(9, random);
  const auto blocks = drawn_objects<dirac::CloverSite<T>, T>(9, random);
  std::vector<dirac::Spinor<T>> out(9);
  dirac::clover_kernel<T>(isa)(
      {.out = out.data(), .in = in.data(), .blocks = blocks.data(), .sites = out.size()});
  return bytes_of(out);
}

template <class T>
std::string fifth_dimension_sample(dirac::Isa isa) {
  std::string bytes;
  for (const int length : {1, 2, 5}) {
    for (const bool dagger : {false, true}) {
      std::mt19937_64 random(2);
      const auto in =
          drawn_objects<dirac::Spinor<T>, T>(static_cast<std::size_t>(3 * length), random);
      std::vector<dirac::Spinor<T>> out(in.size());
      const dirac::FifthDimensionArguments<T> arguments{.out = out.data(),
                                                        .in = in.data(),
                                                        .sites = 3,
                                                        .length = length,
                                                        .a = static_cast<T>(3.2),
                                                        .mass = static_cast<T>(0.07),
                                                        .close = static_cast<T>(0.3),
                                                        .dagger = dagger};
      dirac::fifth_dimension_kernel<T>(isa)(arguments);
      bytes += bytes_of(out);
      dirac::inverse_fifth_dimension_kernel<T>(isa)(arguments);
      bytes += bytes_of(out);
    }
  }
  return bytes;
}

template <class T>
std::string staggered_sample(dirac::Isa isa) {
  constexpr int kSources = 7, kTargets = 6, kHops = dirac::max_staggered_hops;
  std::mt19937_64 random(3);
  const auto in = drawn_objects<dirac::ColourVector<T>, T>(kSources, random);
  const auto halo = drawn_objects<dirac::ColourVector<T>, T>(kSources, random);
  const auto matrices = drawn_objects<dirac::HopPair<T>, T>(kTargets * kHops / 2, random);
  std::vector<std::int32_t> neighbours, targets;
  for (int i = 0; i < kTargets * kHops; ++i)
    neighbours.push_back(static_cast<std::int32_t>(random() % (2 * kSources)) - kSources);
  for (int i = kTargets; i > 0; --i) targets.push_back(i - 1);
  std::vector<dirac::ColourVector<T>> out(kTargets);
  dirac::StaggeredArguments<T> arguments{.out = out.data(),
                                         .in = in.data(),
                                         .hops = kHops,
                                         .matrices = matrices.data(),
                                         .neighbours = neighbours.data(),
                                         .targets = targets,
                                         .halo = {}};
  arguments.halo.fill(halo.data());
  dirac::staggered_kernel<T>(isa)(arguments);
  return bytes_of(out);
}

/// All of them.
inline std::string kernel_samples(dirac::Isa isa) {
  return clover_sample<double>(isa) + clover_sample<float>(isa) +
         fifth_dimension_sample<double>(isa) + fifth_dimension_sample<float>(isa) +
         staggered_sample<double>(isa) + staggered_sample<float>(isa);
}

}  // namespace ht::test
