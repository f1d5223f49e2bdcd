// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/cli/common/call_report.hpp"
#include "sim/cli/run/trace_event.hpp"
#include "sim/cli/version.hpp"

namespace ht::cli {
namespace {

void print_history(const std::vector<double>& history) {
  for (std::size_t k = 0; k < history.size(); ++k) {
    if (k % 4 == 0) fmt::print("{}|r|^2 {:>4}  ", k == 0 ? "" : "\n", k);
    fmt::print("  {:.9e}", history[k]);
  }
  if (!history.empty()) fmt::print("\n");
}

void print_columns(const RunOptions& o, const dirac::JobResult& job) {
  for (std::size_t i = 0; i < job.columns.size(); ++i) {
    const dirac::ColumnResult& c = job.columns[i];
    fmt::print("\ncolumn {:<7} colour {}", i / std::max<std::size_t>(1, o.shifts.size()), c.colour);
    if (!o.fermions.staggered()) fmt::print(", spin {}", c.spin);
    if (!o.shifts.empty()) fmt::print(", shift {}", c.shift);
    fmt::print(", |source|^2 {:.15g}\n", c.source_norm2);
    print_history(c.history);
    fmt::print("iterations     {}{}{}\ntrue residual  {} = {:.15g}\n", c.iterations,
               o.solver == dirac::SolverKind::Mixed
                   ? fmt::format(", {} residuals in double", c.updates)
                   : "",
               c.converged ? "" : " (not converged)",
               o.shifts.empty() ? "|b - M x| / |b|" : "|b - (A + shift) x| / |b|", c.true_residual);
  }
  if (job.correlator.empty()) return;
  fmt::print("\ncorrelator     pion, summed over the columns\n");
  for (std::size_t t = 0; t < job.correlator.size(); ++t)
    fmt::print("    t = {:<3} {:.15g}\n", t, job.correlator[t]);
}

// What "sustained" counts.
std::string flop_count(const RunOptions& o) {
  if (o.fermions.kind == dirac::OperatorKind::Wilson) return "1320 flop a site and hop";
  return fmt::format("{:.0f} flop a site and iteration",
                     dirac::flops_of_iteration(o.fermions.kind, false));
}

void print_time(const RunResult& r) {
  const auto& nodes = r.job.nodes;
  if (nodes.empty() || !r.options.rtl) return;
  const auto mean = r.job.mean_split();
  const double solve = r.job.solve_seconds();
  if (!(solve > 0)) return;
  const auto percent = [&](double t) { return 100 * t / solve; };
  fmt::print(
      "\ntime in the machine  {:.3f} us for {}{} on the slowest node; mean over the nodes:\n",
      solve * 1e6, r.job.columns.size() == 1 ? "the solve" : "all solves",
      r.continued ? " since it went on," : "");
  fmt::print("    compute {:10.3f} us  {:5.1f} %\n", mean[0] * 1e6, percent(mean[0]));
  fmt::print("    halo    {:10.3f} us  {:5.1f} %\n", mean[1] * 1e6, percent(mean[1]));
  fmt::print("    sum     {:10.3f} us  {:5.1f} %\n", mean[2] * 1e6, percent(mean[2]));
  const double rest = solve - mean[0] - mean[1] - mean[2];
  if (percent(rest) >= 0.05)
    fmt::print("    ended   {:10.3f} us  {:5.1f} %, before the slowest did\n", rest * 1e6,
               percent(rest));
  const double gflops = r.job.sustained_gflops();
  fmt::print("sustained      {:.3f} Gflop/s a node, {:.2f} % of its peak of {:.1f} ({})\n", gflops,
             100 * gflops / r.peak_gflops, r.peak_gflops, flop_count(r.options));
}

void print_links(const RunResult& r) {
  if (r.links.empty()) return;
  fmt::print("\nlinks          {}, retransmissions, errors injected, checksums of both ends\n",
             r.data_unit);
  for (const auto& l : r.links) {
    fmt::print("    node {:>3} {} to {:>3}  {:>8} {:>6} {:>6}  {:08x} {:08x}{}\n", l.from, l.name,
               l.to, l.sent, l.retransmitted, l.errors.injected, l.tx_checksum, l.rx_checksum,
               l.checksums_agree() ? "" : "  DIFFER");
  }
}

// That the solver's recursion came below the tolerance does not mean that its solution did.
void warn_of_residual(const RunResult& r) {
  // Single precision is what a residual ends at; a matrix has to be nearly singular for more.
  const double far_above = r.options.single ? 10 : 1000;
  if (!r.bit_exact() || !r.job.converged()) return;  // which has been said
  const double worst = r.job.worst_residual();
  if (worst <= far_above * r.options.tolerance) return;
  fmt::print(stderr,
             "hypertorus: warning: a solution's |b - M x| / |b| is {:.3g}, though the solver's own "
             "residual came below {:g}: {}\n",
             worst, r.options.tolerance,
             r.options.single ? "single precision reaches 1e-7 at best; leave --precision out, or "
                                "use --solver mixed instead"
                              : "M is nearly singular; choose another kappa, mass or boundary");
}

// Where to look with --trace.
void print_first_retransmission(const RunResult& r) {
  const auto first = std::min_element(
      r.links.begin(), r.links.end(),
      [](const auto& a, const auto& b) { return a.first_retransmission < b.first_retransmission; });
  if (first == r.links.end() || first->first_retransmission == sim::kNever) return;
  fmt::print("    first retransmission at {:.3f} us, node {} {}\n",
             static_cast<double>(first->first_retransmission) * 1e-6, first->from, first->name);
}

void print_errors(const RunResult& r) {
  fmt::print("\nerrors         {} injected = {} detected + {} harmless + {} undetected; {}\n",
             r.errors.injected, r.errors.detected, r.errors.harmless, r.errors.undetected,
             r.interrupted ? "harmless are those, too, that had not shown yet; links were not read"
                           : fmt::format("{} retransmissions", r.retransmissions()));
  for (const auto& kind : sim::error_kinds()) {
    const std::uint64_t injected = r.errors.injected_of[static_cast<std::size_t>(kind.kind)];
    const auto asked = static_cast<std::uint64_t>(r.options.errors[kind.kind].count);
    if (injected == 0 && asked == 0) continue;
    fmt::print("    {:<10} {}{}\n", sim::name(kind.kind), injected,
               injected < asked
                   ? fmt::format(" of {} asked for: the others found nothing to damage", asked)
                   : "");
  }
  // Some machines are cabled along more axes than a job may use.
  std::uint64_t listed = 0;
  for (const auto& link : r.links) listed += link.errors.injected;
  if (!r.links.empty() && !r.continued && listed < r.errors.injected)
    fmt::print("    {} of them on cables that the job sends nothing over\n",
               r.errors.injected - listed);
  print_first_retransmission(r);
  if (r.replays() > 0)
    fmt::print("    {} {} sent again because a receiver had no room yet\n", r.replays(),
               r.data_unit);
}

void print_simulation(const RunResult& r) {
  if (!r.options.rtl) {
    fmt::print("simulation     {:.2f} s here on 1 thread\n", r.wall_seconds);
    return;
  }
  const auto& s = r.statistics;
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  };
  fmt::print(
      "simulation     {:.3f} us in the machine, {:.2f} s here on {} thread{}; {:.1f} % of {} "
      "windows and {:.1f} % of {} node-cycles skipped as idle\n",
      static_cast<double>(r.machine_time) * 1e-6, r.wall_seconds, r.options.threads,
      r.options.threads == 1 ? "" : "s", share(s.skipped_windows, s.windows + s.skipped_windows),
      s.windows + s.skipped_windows, share(s.cycles.skipped, s.cycles.total), s.cycles.total);
}

void print_load(const RunResult& r) {
  if (!r.options.ethernet) return;
  machine::NodeLoad sum, slowest;
  for (const machine::NodeLoad& l : r.loads) {
    sum.bytes += l.bytes;
    sum.files += l.files;
    sum.repeats += l.repeats;
    if (l.time > slowest.time) slowest = l;
  }
  fmt::print(
      "\nload           {} files of {} bytes over Ethernet; the slowest node took {:.3f} us for {} "
      "({:.1f} MB/s)\n               {} frames, {} lost to errors at the server, {} messages "
      "repeated\n",
      sum.files, sum.bytes, static_cast<double>(slowest.time) * 1e-6, slowest.bytes,
      slowest.megabytes_a_second(), r.ethernet.frames_in + r.ethernet.frames_out,
      r.ethernet.bad_frames, r.ethernet.repeats + static_cast<std::uint64_t>(sum.repeats));
}

void print_observation(const RunResult& r) {
  const RunOptions& o = r.options;
  if (!o.pcap.empty())
    fmt::print("packets        {}.pcapng{}\n", o.pcap,
               o.phy ? ", as links handed them to their lanes" : "");
  if (!r.timeline.empty()) fmt::print("timeline       {}\n", r.timeline);
  if (!o.ethernet_pcap.empty()) fmt::print("frames         {}\n", o.ethernet_pcap);
  if (!o.trace.empty() && o.trace_on == TraceOn::Nothing && r.machine_time <= o.trace_from)
    fmt::print("waves          none: the machine was stopped before --trace-from {:.3f} us\n",
               static_cast<double>(o.trace_from) * 1e-6);
  if (o.trace_on == TraceOn::Nothing || (r.interrupted && !r.stopped)) return;
  if (!r.waves) {
    fmt::print("waves          none: --trace-on {} did not happen\n", name(o.trace_on));
    return;
  }
  const TraceWindow& w = *r.waves;
  const auto us = [](Picoseconds time) { return static_cast<double>(time) * 1e-6; };
  std::string place;
  if (w.event.node >= 0) place = fmt::format(", node {}", w.event.node);
  if (w.event.link >= 0) place += fmt::format(" {}", o.type->link_name(w.event.link));
  fmt::print("waves          first {} at {:.3f} us{}; from {:.3f} to {:.3f} us in\n",
             name(o.trace_on), us(w.event.time), place, us(w.from), us(w.to));
  for (const int node : w.nodes) fmt::print("    {}.node{}.fst\n", o.trace, node);
}

void print_cable_faults(const RunResult& r) {
  for (const std::string& fault : r.cable_faults()) fmt::print("    {}\n", fault);
}

void print_unfinished(const RunResult& r) {
  fmt::print("\nverdict        {}{}\n", r.verdict(),
             r.errors.undetected > 0
                 ? fmt::format("; {} errors undetected until then", r.errors.undetected)
                 : "");
  print_cable_faults(r);
}

void print_verdict(const RunResult& r) {
  if (r.interrupted) {
    if (r.stopped) {
      fmt::print("\nstate          at {:.3f} us in the machine\n",
                 static_cast<double>(r.machine_time) * 1e-6);
      for (const std::string& state : r.states) fmt::print("    {}\n", state);
    }
    print_unfinished(r);
    return;
  }
  fmt::print("\nverdict        {}: {}\n", r.verdict(), r.grounds());
  print_cable_faults(r);
}

}  // namespace

namespace {

void print_machine(const RunOptions& o) {
  const auto count = [](const std::vector<int>& shape) {
    const int nodes = machine::node_count(shape);
    return fmt::format("{} node{}", nodes, nodes == 1 ? "" : "s");
  };
  if (!o.rtl) {
    fmt::print("machine        functional network {}, {}, no hardware\n", fmt::join(o.nodes, "x"),
               count(o.nodes));
  } else {
    const bool folded = o.type->folded(o);
    const std::vector<int>& shape = folded ? o.machine : o.nodes;
    fmt::print("machine        {} torus {}{}, {}, {}\n", o.type->title(), fmt::join(shape, "x"),
               folded ? fmt::format(" as {}", fmt::join(o.nodes, "x")) : "", count(shape),
               o.type->clocks(o));
    if (!o.set.empty()) fmt::print("variant        {}\n", machine::to_string(o.set));
    if (!o.far.empty())
      fmt::print("far            node {}: {}\n", machine::node_count(shape) - 1,
                 o.far == "netlist" ? "as it was placed and routed for an FPGA"
                                    : "as placed and routed, some tables inverted");
  }
}

}  // namespace

namespace {

const char* solver_text(dirac::SolverKind solver) {
  switch (solver) {
    case dirac::SolverKind::Full:
      return "unpreconditioned";
    case dirac::SolverKind::MultiShift:
      return "even-odd multi-shift";
    default:
      return "even-odd";
  }
}

// Of a run that lost nothing, or ended before the nodes that are left had said so.
void print_losses(const RunResult& r) {
  const machine::Losses& planned = r.options.losses;
  if (planned.empty()) return;
  const auto gone = std::ranges::count_if(
      planned, [&r](const machine::Loss& loss) { return loss.time <= r.machine_time; });
  if (!r.interrupted || gone == 0) {
    fmt::print("losses         none: the run had ended before\n");
    return;
  }
  fmt::print(
      "losses         {} of {} until then; it ended before all nodes that are left had said so\n",
      gone, planned.size());
}

}  // namespace

void print_setup(const RunOptions& o, const dirac::JobSpec& spec) {
  fmt::print("hypertorus {}\n", version());
  print_machine(o);
  if (o.rtl) {
    fmt::print("cables         {} ns, {}; seed {}\n", static_cast<double>(o.cable_delay) * 1e-3,
               machine::describe(o.errors), o.seed);
    if (o.phy) fmt::print("lanes          {}\n", machine::describe(*o.phy));
  }
  const auto us = [](Picoseconds t) { return static_cast<double>(t) * 1e-6; };
  for (const machine::Loss& loss : o.losses)
    fmt::print("loss           {} at {} us\n",
               loss.link
                   ? fmt::format("cable of node {} {}", loss.node, o.type->link_name(*loss.link))
                   : fmt::format("node {}", loss.node),
               us(loss.time));
  if (o.noise) {
    fmt::print("noise          programs interrupted about every {} us, for {} to {} us\n",
               us(o.noise->mean_interval), us(o.noise->shortest), us(o.noise->longest));
  }
  fmt::print("operator       {}, boundary {}; {} CG, {} precision, |r| <= {} {}, sums {}\n",
             describe(o.fermions), fmt::join(o.boundary, ","), solver_text(o.solver),
             o.solver == dirac::SolverKind::Mixed ? "mixed"
             : o.single                           ? "single"
                                                  : "double",
             o.tolerance, o.fermions.staggered() ? "|b|" : "|M^dagger b|",
             o.reproducible ? "reproducible" : "fast");
  fmt::print("source         {} at {}", o.source.gaussian ? "Gaussian" : "point",
             fmt::join(o.source.position, ","));
  if (o.source.gaussian)
    fmt::print(", width {}, {} iterations", o.source.width, o.source.iterations);
  fmt::print("; {} column{}\n", spec.columns, spec.columns == 1 ? "" : "s");
}

void print_failure(const RunResult& r) {
  if (r.errors.undetected > 0) print_unfinished(r);
}

void print_result(const RunResult& r) {
  if (!r.options.quiet) {
    if (!r.interrupted) {
      const dirac::JobResult& job = r.job;
      fmt::print("field          {}\n", job.field);
      fmt::print("lattice        {}, node grid {}, local volume {}\n", fmt::join(job.lattice, "x"),
                 fmt::join(job.node_grid, "x"), fmt::join(job.local_lattice, "x"));
      fmt::print("plaquette      {:.15g}\n", job.plaquette.average());
      print_columns(r.options, job);
      print_time(r);
    }
    print_load(r);
    print_links(r);
    if (r.options.rtl) print_errors(r);
    print_simulation(r);
    if (r.options.soft_errors.rate > 0)
      fmt::print(
          "soft errors    {} words in memories of the network's hardware, {} of them in two "
          "bits; {} corrected\n",
          r.soft_errors.made, r.soft_errors.two_bits, r.soft_errors.corrected);
    print_losses(r);
    print_observation(r);
    print_calls(stdout, r.calls, r.machine_time);
    print_windows(stdout, r.windows);
  }
  print_verdict(r);
  if (!r.interrupted) warn_of_residual(r);
}

}  // namespace ht::cli
