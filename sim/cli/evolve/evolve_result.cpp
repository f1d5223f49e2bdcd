// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/evolve/evolve_result.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/cli/common/machine_json.hpp"
#include "sim/cli/run/run_json.hpp"
#include "sim/cli/version.hpp"
#include "sim/plugin/error_options.hpp"

namespace ht::cli {

using nlohmann::ordered_json;

bool EvolveResult::bit_exact() const {
  return !interrupted && words_compared > 0 && words_different == 0 &&
         trajectories_different == 0 && cables_good();
}

std::string EvolveResult::verdict() const {
  if (interrupted) return "interrupted";
  return bit_exact() ? "bit-exact" : "mismatch";
}

void print_evolve_setup(const EvolveOptions& o, const std::string& field) {
  const dirac::EvolutionSpec& s = o.spec;
  fmt::print("hypertorus {}\n", version());
  if (o.rtl) {
    fmt::print("machine        {} torus {}, {}\n", o.type->title(), fmt::join(o.nodes, "x"),
               o.type->clocks(o));
    fmt::print("cables         {} ns, {}; seed {}\n", static_cast<double>(o.cable_delay) * 1e-3,
               machine::describe(o.errors), o.seed);
  } else {
    fmt::print("machine        functional network {}, no hardware\n", fmt::join(o.nodes, "x"));
  }
  fmt::print("field          {}, {}\n", field, fmt::join(s.lattice, "x"));
  fmt::print("action         Wilson's plaquettes, beta {}", s.beta);
  if (s.flavours > 0) {
    fmt::print("; {} flavours of Wilson fermions, kappa {}", s.flavours, s.kappa);
    if (s.mu != 0) fmt::print(", twisted mass {}", s.mu);
    fmt::print(", boundary {}, |r| <= {} |phi|", fmt::join(s.boundary, ","), s.tolerance);
  }
  fmt::print("\ntrajectories   {} from number {}, length {}, {} steps, {}\n\n", s.trajectories,
             s.first, s.length, s.steps, to_string(s.integrator));
}

void print_trajectory(const dirac::Trajectory& t) {
  fmt::print("trajectory {:<5} delta H {:>13.6e}  {}  plaquette {:.15g}", t.number, t.delta_h,
             t.accepted ? "accepted" : "rejected", t.plaquette.average());
  if (t.iterations > 0) fmt::print("  {} CG iterations", t.iterations);
  fmt::print("\n");
}

void print_evolve_result(const EvolveResult& r) {
  if (!r.options.quiet && !r.interrupted) {
    fmt::print("\nacceptance     {:.3f}, <exp(-delta H)> {:.6g}\n", r.evolution.acceptance(),
               r.evolution.mean_exp_minus_delta_h());
    fmt::print("field          CRC-32 {:08x}\n", r.field_crc32);
    if (r.options.rtl) {
      fmt::print(
          "errors         {} injected = {} detected + {} harmless + {} undetected; {} "
          "retransmissions\n",
          r.errors.injected, r.errors.detected, r.errors.harmless, r.errors.undetected,
          r.retransmissions());
      fmt::print("simulation     {:.3f} us in the machine, {:.2f} s here\n",
                 static_cast<double>(r.machine_time) * 1e-6, r.wall_seconds);
    }
    if (!r.options.save.empty()) fmt::print("saved          {}\n", r.options.save);
  }
  if (r.interrupted) {
    fmt::print("\nverdict        interrupted\n");
    return;
  }
  fmt::print(
      "\nverdict        {}: {} of {} words of the field and {} of {} trajectories differ from the "
      "functional run's",
      r.verdict(), r.words_different, r.words_compared, r.trajectories_different,
      r.evolution.trajectories.size());
  if (!r.links.empty())
    fmt::print(", {} of {} link checksums disagree, {} errors undetected", r.checksum_mismatches(),
               r.links.size(), r.errors.undetected);
  fmt::print("\n");
  for (const std::string& fault : r.cable_faults()) fmt::print("    {}\n", fault);
}

ordered_json evolve_document(const EvolveResult& r) {
  const EvolveOptions& o = r.options;
  const dirac::EvolutionSpec& s = o.spec;
  ordered_json options = machine_json(o);
  options.update({{"config", o.config},
                  {"field", o.config.empty() ? to_string(s.field) : ""},
                  {"beta", s.beta},
                  {"flavours", s.flavours}});
  if (s.flavours > 0)
    options.update({{"kappa", s.kappa},
                    {"mu", s.mu},
                    {"boundary", s.boundary},
                    {"tolerance", s.tolerance},
                    {"max_iterations", s.max_iterations}});
  options.update({{"integrator", to_string(s.integrator)},
                  {"steps", s.steps},
                  {"length", s.length},
                  {"first", s.first},
                  {"trajectories", s.trajectories}});
  ordered_json trajectories = ordered_json::array();
  for (const dirac::Trajectory& t : r.evolution.trajectories)
    trajectories.push_back({{"number", t.number},
                            {"delta_h", t.delta_h},
                            {"accepted", t.accepted},
                            {"plaquette", t.plaquette.average()},
                            {"iterations", t.iterations}});
  ordered_json links = ordered_json::array();
  for (const auto& l : r.links) links.push_back(link_json(l, r.data_unit));
  return {{"options", options},
          {"verdict", r.verdict()},
          {"field", r.field},
          {"lattice", s.lattice},
          {"local_lattice", r.evolution.local_lattice},
          {"plaquette_before", r.evolution.plaquette_before},
          {"trajectories", trajectories},
          {"acceptance", r.evolution.acceptance()},
          {"exp_minus_delta_h", r.evolution.mean_exp_minus_delta_h()},
          {"field_crc32", r.field_crc32},
          {"words_compared", r.words_compared},
          {"words_different", r.words_different},
          {"trajectories_different", r.trajectories_different},
          {"errors",
           {{"injected", r.errors.injected},
            {"detected", r.errors.detected},
            {"harmless", r.errors.harmless},
            {"undetected", r.errors.undetected},
            {"retransmissions", r.retransmissions()}}},
          {"undetected", r.undetected},
          {"machine_time_ps", r.machine_time},
          {"wall_seconds", r.wall_seconds},
          {"links", links}};
}

}  // namespace ht::cli
