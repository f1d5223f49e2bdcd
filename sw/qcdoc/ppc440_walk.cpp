// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/ppc440_walk.hpp"

#include <algorithm>

namespace ht::qcdoc::ppc440 {
namespace {

using host::FieldPlacement;
using host::KernelStep;
using host::Reach;

// Sites of a large lattice that show its steady state: as many before as are measured.
constexpr std::int64_t shown_sites = 512, whole_sweep = 1024;

int reach_of(Reach reach) {
  return reach == Reach::Third ? 3 : 1;
}

}  // namespace

Walk::Walk(const Sweep& sweep, const CoreTiming& core)
    : sweep_(sweep), integers_of_step_(core.step), integers_of_site_(core.site) {
  const auto& kernel = sweep_.kernel;
  std::int64_t sites = 1;
  for (const int length : sweep_.lattice) sites *= length;
  half_ = std::max<std::int64_t>(sites / 2, 1);
  std::int64_t shown = half_;
  if (sweep_.order == Order::Face) shown = std::max<std::int64_t>(half_ / sweep_.lattice[2], 1);
  const bool whole = shown <= whole_sweep;
  warm_ = whole ? shown : shown_sites;
  measured_ = whole ? shown : shown_sites;
  half_ = shown;

  const bool fields_far = sweep_.placement == FieldPlacement::Far;
  const bool links_far = sweep_.placement != FieldPlacement::Near;
  int instructions = 0;
  std::size_t fields = 0;
  std::int64_t entries = std::max<std::int64_t>(sites / 2, 1);
  for (std::size_t i = 0; i < kernel.steps.size(); ++i) {
    const KernelStep& s = kernel.steps[i];
    repetitions_ += s.times;
    instructions += s.times * s.instructions;
    const int of_entry = s.reach == Reach::Site ? s.times * s.field_reals : s.field_reals;
    for (; fields < static_cast<std::size_t>(s.fields); ++fields)
      fields_.push_back(reserve(entries, of_entry, fields_far));
    if (s.link_reals > 0) links_[i] = reserve(entries, s.times * s.link_reals, links_far);
    if (s.reach == Reach::Site) continue;
    for (int d = 0; d < s.times && d < 8; ++d) {
      const std::int64_t face = entries / sweep_.lattice[static_cast<std::size_t>(d / 2)];
      // Two sweeps, each with what came for it.
      halos_[i][static_cast<std::size_t>(d)] =
          reserve(2 * (face + 1) * reach_of(s.reach), s.halo_reals, false);
    }
  }
  if (kernel.stores > 0) {
    out_ = kernel.in_place && !fields_.empty()
               ? fields_.back()
               : reserve(entries, kernel.stores, fields_far && !sweep_.to_send);
  }
  const int each = std::max(1, instructions / std::max(repetitions_, 1));
  ahead_ = std::clamp((core.ahead + each - 1) / each, 1, 8);
}

Walk::Region Walk::reserve(std::int64_t entries, int reals, bool external) {
  Region r;
  r.entry = static_cast<std::uint64_t>(reals * sweep_.real_bytes);
  const std::uint64_t bytes = (static_cast<std::uint64_t>(entries) * r.entry + 127) / 128 * 128;
  // What does not fit into the embedded memory lies outside.
  if (embedded_ + bytes > DataMemory::embedded_bytes) external = true;
  std::uint64_t& next = external ? external_ : embedded_;
  r.base = next;
  next += bytes;
  return r;
}

std::int64_t Walk::site() const {
  const std::int64_t n = number_ % half_;
  if (sweep_.order == Order::Sweep) return n;
  const std::int64_t run = std::max(sweep_.lattice[0] * sweep_.lattice[1] / 2, 1);
  return n / run * run * sweep_.lattice[2] + n % run;
}

// Where a gathered entry is: with the other parity's sites, or in a halo.
std::uint64_t Walk::gathered(const KernelStep& step, std::size_t index, int field, int& reals) {
  const auto axis = static_cast<std::size_t>(time_ / 2);
  const int sign = time_ % 2 == 0 ? 1 : -1;
  const auto& l = sweep_.lattice;
  // Of either parity: lexicographic places of all sites go in pairs.
  std::int64_t place = 2 * site();
  std::array<int, 4> at{};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    at[mu] = static_cast<int>(place % l[mu]);
    place /= l[mu];
  }
  // The pair's site of this sweep's parity; every second row begins with the other one.
  const int odd = (at[1] + at[2] + at[3]) % 2;
  at[0] = std::min(at[0] + odd, l[0] - 1);
  const int to = at[axis] + sign * reach_of(step.reach);
  const auto d = static_cast<std::size_t>(time_);
  if (to < 0 || to >= l[axis]) {
    reals = step.halo_reals;
    const Region& halo = halos_[index][d];
    const std::int64_t sweep = number_ / half_ % 2;
    const std::int64_t capacity =
        (std::max<std::int64_t>(half_ / l[axis], 0) + 1) * reach_of(step.reach);
    const std::int64_t slot = slots_[index][d]++ % capacity + sweep * capacity;
    return halo.base + static_cast<std::uint64_t>(slot) * halo.entry;
  }
  std::int64_t lexicographic = 0;
  for (std::size_t mu = 4; mu-- > 0;)
    lexicographic = lexicographic * l[mu] + (mu == axis ? to : at[mu]);
  const Region& f = fields_[static_cast<std::size_t>(field)];
  return f.base + static_cast<std::uint64_t>(lexicographic / 2) * f.entry;
}

void Walk::add_loads(Repetition& r, std::uint64_t address, int reals) const {
  const auto real = static_cast<std::uint64_t>(sweep_.real_bytes);
  for (int i = 0; i < reals; ++i) {
    const std::uint64_t a = address + static_cast<std::uint64_t>(i) * real;
    r.loads.push_back(a);
    if (i == 0 || a % DataMemory::line_bytes < real) r.touches.push_back(a);
  }
}

void Walk::next(Repetition& r) {
  r.loads.clear();
  r.touches.clear();
  r.stores.clear();
  while (time_ >= sweep_.kernel.steps[step_].times) {
    time_ = 0;
    step_ = (step_ + 1) % sweep_.kernel.steps.size();
  }
  const KernelStep& s = sweep_.kernel.steps[step_];
  const auto real = static_cast<std::uint64_t>(sweep_.real_bytes);
  r.instructions = s.instructions;
  r.chains = s.chains;
  r.integers = s.reach == Reach::Site ? 0 : integers_of_step_;
  for (int f = 0; f < s.fields; ++f) {
    int reals = s.field_reals;
    std::uint64_t address = 0;
    if (s.reach == Reach::Site) {
      const Region& field = fields_[static_cast<std::size_t>(f)];
      address = field.base + static_cast<std::uint64_t>(site()) * field.entry +
                static_cast<std::uint64_t>(time_ * s.field_reals) * real;
    } else {
      address = gathered(s, step_, f, reals);
    }
    add_loads(r, address, reals);
  }
  if (s.link_reals > 0) {
    const Region& links = links_[step_];
    add_loads(r,
              links.base + static_cast<std::uint64_t>(site()) * links.entry +
                  static_cast<std::uint64_t>(time_ * s.link_reals) * real,
              s.link_reals);
  }
  ++time_;
  // The last repetition of the site?
  bool last = time_ >= s.times;
  for (std::size_t i = step_ + 1; i < sweep_.kernel.steps.size(); ++i)
    last = last && sweep_.kernel.steps[i].times == 0;
  if (!last) return;
  r.integers += integers_of_site_;
  r.to_send = sweep_.to_send;
  const std::int64_t entry = sweep_.to_send ? number_ % half_ : site();
  for (int i = 0; i < sweep_.kernel.stores; ++i) {
    const std::uint64_t a = out_.base + static_cast<std::uint64_t>(entry) * out_.entry +
                            static_cast<std::uint64_t>(i) * real;
    // Past the cache, a line at a time.
    if (!sweep_.to_send || i == 0 || a % DataMemory::line_bytes < real) r.stores.push_back(a);
  }
  ++number_;
  step_ = 0;
  time_ = 0;
}

}  // namespace ht::qcdoc::ppc440
