// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/evolve/evolution.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "sw/dirac/evolve/trajectory.hpp"
#include "sw/dirac/gauge/generate.hpp"
#include "sw/dirac/node.hpp"
#include "sw/host/errors.hpp"
#include "verif/model/common/logarithm.hpp"

namespace ht::dirac {

std::optional<Integrator> parse_integrator(std::string_view name) {
  for (const Integrator i : {Integrator::Leapfrog, Integrator::Omelyan}) {
    if (name == to_string(i)) return i;
  }
  return std::nullopt;
}

std::string_view to_string(Integrator integrator) {
  return integrator == Integrator::Leapfrog ? "leapfrog" : "omelyan";
}

namespace {

void require(bool good, std::string what) {
  if (!good) throw UsageError(std::move(what));
}

}  // namespace

void validate(const EvolutionSpec& s) {
  checked_grid(s.lattice, s.node_grid);
  require(!s.gauge || s.gauge->lattice == s.lattice,
          "the configuration holds another lattice than the run; leave the lattice option out");
  require(volume_of(s.lattice) <= std::numeric_limits<std::uint32_t>::max(),
          fmt::format("lattice {}: too large for the random numbers", to_string(s.lattice)));
  require(std::isfinite(s.beta) && s.beta >= 0,
          fmt::format("beta {}: must be a number from 0, as 5.6", s.beta));
  require(s.flavours == 0 || s.flavours == 2,
          fmt::format("{} flavours: 0 (pure gauge) or 2 of Wilson fermions", s.flavours));
  if (s.flavours > 0) {
    for (const int extent : s.lattice)
      require(extent % 2 == 0, fmt::format("lattice {}: even-odd preconditioning needs even "
                                           "extents; use another lattice, or no flavours",
                                           to_string(s.lattice)));
    require(std::isfinite(s.kappa) && s.kappa > 0 && s.kappa < 1,
            fmt::format("kappa {}: must lie between 0 and 1, as 0.1", s.kappa));
    require(std::isfinite(s.mu), fmt::format("mu {}: must be a number, as 0", s.mu));
    for (const double factor : s.boundary)
      require(std::isfinite(factor), "boundary: give four numbers, as 1,1,1,-1");
    require(s.tolerance > 0 && s.tolerance < 1,
            fmt::format("tolerance {}: must lie between 0 and 1, as 1e-10", s.tolerance));
    require(s.max_iterations >= 1, "iterations: allow at least 1");
  }
  require(std::isfinite(s.length) && s.length > 0,
          fmt::format("length {}: a trajectory's must be above 0, as 1", s.length));
  require(s.steps >= 1 && s.length / s.steps <= 0.5,
          fmt::format("{} steps to a trajectory of length {}: take steps of 0.5 at the most",
                      s.steps, s.length));
  require(s.trajectories >= 1 && s.first >= 0 && s.trajectories <= 1'000'000'000 - s.first,
          fmt::format("trajectories {} from number {}: at least 1, and from 0", s.trajectories,
                      s.first));
  require(s.save_every >= 0, "fields are saved every 1 or more trajectories");
}

double bytes_of_node(const EvolutionSpec& s) {
  double sites = 1;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const int nodes = axis < s.node_grid.size() ? s.node_grid[axis] : 1;
    sites *= static_cast<double>(s.lattice[axis]) / nodes;
  }
  // Links now and before, momenta, force and its change, twelve neighbours' of an axis each; with
  // fermions their links, three times, eight vectors of half the sites and six whole ones.
  const double matrices = 4 * 4 + 12 + 4, spinors = s.flavours > 0 ? 8 / 2.0 + 6 : 0;
  return sites * (matrices * sizeof(Link) + (s.flavours > 0 ? 3 * sizeof(SiteLinks) : 0) +
                  spinors * sizeof(Spinor<double>));
}

double EvolutionResult::acceptance() const {
  double sum = 0;
  for (const Trajectory& t : trajectories) sum += t.accepted ? 1 : 0;
  return trajectories.empty() ? 0 : sum / static_cast<double>(trajectories.size());
}

double EvolutionResult::mean_exp_minus_delta_h() const {
  double sum = 0;
  for (const Trajectory& t : trajectories) sum += std::exp(-t.delta_h);
  return trajectories.empty() ? 0 : sum / static_cast<double>(trajectories.size());
}

EvolutionSink::EvolutionSink(const EvolutionSpec& spec, Save save)
    : save_(std::move(save)), last_(spec.first + spec.trajectories - 1) {
  gauge_.lattice = spec.lattice;
  gauge_.links.resize(static_cast<std::size_t>(volume_of(spec.lattice)));
  missing_ = volume_of(spec.lattice);
}

void EvolutionSink::put_links(int trajectory,
                              const std::vector<std::pair<std::int64_t, SiteLinks>>& links) {
  const std::lock_guard lock(mutex_);
  for (const auto& [site, here] : links) gauge_.links.at(static_cast<std::size_t>(site)) = here;
  missing_ -= static_cast<std::int64_t>(links.size());
  if (missing_ > 0) return;
  missing_ = volume_of(gauge_.lattice);
  whole_ = trajectory;
  measure(gauge_);
  gauge_.description = fmt::format("after trajectory {}", trajectory);
  if (save_) save_(gauge_, trajectory);
}

void EvolutionSink::put(const Trajectory& trajectory) {
  const std::lock_guard lock(mutex_);
  result_.trajectories.push_back(trajectory);
  if (watch_) watch_(trajectory);
}

void EvolutionSink::put_common(double plaquette_before, const Coordinates& local) {
  const std::lock_guard lock(mutex_);
  result_.plaquette_before = plaquette_before;
  result_.local_lattice = local;
}

const GlobalGauge& EvolutionSink::gauge() const {
  const std::lock_guard lock(mutex_);
  if (whole_ != last_) throw std::logic_error("the evolution has not run to its end");
  return gauge_;
}

void run_evolution(const EvolutionSpec& spec, EvolutionSink& sink, WorkMeter& meter) {
  validate(spec);
  const Geometry geometry = declare_geometry(spec.lattice, spec.node_grid);
  PhaseClock clock(meter);
  MolecularDynamics dynamics(spec, geometry, clock);
  JobSpec field;
  field.lattice = spec.lattice;
  field.gauge = spec.gauge;
  field.field = spec.field;
  field.seed = spec.seed;
  const LocalLinks<double> start = local_links(geometry, field);
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (const SiteLinks& site : start) dynamics.links[mu].push_back(site[mu]);
    // Numbers of 32 bits are in the group to 1e-7 or so only; the trajectories' links are, and what
    // is saved is read.
    if (spec.gauge && spec.gauge->precision_bits == 32) {
      for (Link& u : dynamics.links[mu]) project_su3(u);
    }
  }
  const bool speaks = QMP_is_primary_node();
  for (int number = spec.first; number < spec.first + spec.trajectories; ++number) {
    dynamics.refresh(number);
    const LinkFields before = dynamics.links;
    const int iterations = dynamics.iterations();
    const MolecularDynamics::Energy at_start = dynamics.energy(true);
    if (speaks && number == spec.first)
      sink.put_common(at_start.plaquette.average(), geometry.local());
    dynamics.integrate();
    const MolecularDynamics::Energy at_end = dynamics.energy(false);
    Trajectory out{.number = number, .plaquette = at_end.plaquette};
    out.delta_h = (at_end.kinetic - at_start.kinetic) + (at_end.gauge - at_start.gauge) +
                  (at_end.fermions - at_start.fermions);
    if (std::isnan(out.delta_h))
      throw UsageError(
          fmt::format("trajectory {}: delta H is not a number: its numbers grew too large; choose "
                      "a smaller beta, "
                      "shorter trajectories or more steps",
                      number));
    UniformStream random(
        spec.seed, {0, static_cast<std::uint32_t>(Draw::Step), static_cast<std::uint32_t>(number)});
    // With probability min(1, exp(-delta H)): a uniform number lies below that.
    out.accepted = model::minus_log(random.next()) > out.delta_h;
    if (out.accepted) {
      // Rounding takes links from the group by 1e-15 or so a step.
      for (LinkField& links : dynamics.links) {
        for (Link& u : links) project_su3(u);
      }
    } else {
      dynamics.links = before;
      out.plaquette = at_start.plaquette;
    }
    out.iterations = dynamics.iterations() - iterations;
    if (speaks) sink.put(out);
    const bool last = number == spec.first + spec.trajectories - 1;
    if (!last && (spec.save_every == 0 || (number + 1 - spec.first) % spec.save_every != 0))
      continue;
    std::vector<std::pair<std::int64_t, SiteLinks>> links;
    for (int site = 0; site < geometry.volume(); ++site) {
      const auto s = static_cast<std::size_t>(site);
      links.emplace_back(geometry.global_index(site),
                         SiteLinks{dynamics.links[0][s], dynamics.links[1][s], dynamics.links[2][s],
                                   dynamics.links[3][s]});
    }
    sink.put_links(number, links);
  }
}

}  // namespace ht::dirac
