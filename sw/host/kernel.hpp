// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

namespace ht::host {

// A site, in real numbers.
constexpr int spinor_reals = 24, half_spinor_reals = 12, colour_vector_reals = 6, link_reals = 18;

/// Whose entry of a field a step of a kernel loads. Repetition i of a step takes direction i of
/// forwards and backwards along x, y, z and t.
enum class Reach : std::uint8_t {
  Site,       ///< the site itself
  Neighbour,  ///< one hop away
  Third,      ///< three hops away
};

/// A piece of a kernel, `times` times over, each time with data of its own. Loads come first, then
/// arithmetic that needs them.
struct KernelStep {
  int times = 1;
  Reach reach = Reach::Site;
  int fields = 0;       ///< different fields that are loaded from
  int field_reals = 0;  ///< of one entry of each
  /// Instead of these, where a neighbour is on another node: what it has sent.
  int halo_reals = 0;
  int link_reals = 0;  ///< of what every site has its own of, each read once in a sweep: links
  /// Floating point, one multiply and one add each at the most, the sum of the product.
  int instructions = 0;
  /// Results that are computed at the same time: the instructions are spread over them, and each
  /// one needs the one before it of its own result only.
  int chains = 1;

  friend bool operator==(const KernelStep&, const KernelStep&) = default;
};

/// What one site of a kernel loads, computes and stores, step by step, in numbers of reals and
/// instructions. Models of processors take times from it, sites of an operator are charged by it;
/// it depends on neither.
struct Kernel {
  const char* name = "";
  double flops = 0;  ///< by the customary count
  std::array<KernelStep, 3> steps = {};
  int stores = 0;         ///< reals, when all is computed
  bool in_place = false;  ///< they replace what was loaded of the last field

  constexpr int instructions() const {
    return sum([](const KernelStep& s) { return s.instructions; });
  }
  /// Reals from the nearest cache to registers.
  constexpr int loads() const {
    return sum([](const KernelStep& s) { return s.fields * s.field_reals + s.link_reals; });
  }
  /// Reals of fields between the nearest cache and memory, both ways, where a field comes into the
  /// cache once a sweep and is there for all neighbours.
  constexpr int field_traffic() const {
    int own = 0, gathered = 0;
    for (const KernelStep& s : steps) {
      const int reals = s.fields * s.field_reals;
      if (s.reach == Reach::Site) {
        own += s.times * reals;
      } else if (reals > gathered) {
        gathered = reals;
      }
    }
    return own + gathered + stores;
  }
  /// The same of links.
  constexpr int link_traffic() const {
    return sum([](const KernelStep& s) { return s.link_reals; });
  }

  friend bool operator==(const Kernel&, const Kernel&) = default;

 private:
  template <class F>
  constexpr int sum(F of_step) const {
    int total = 0;
    for (const KernelStep& s : steps) total += s.times * of_step(s);
    return total;
  }
};

}  // namespace ht::host
