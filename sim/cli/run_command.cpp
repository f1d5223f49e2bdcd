// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run_command.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <optional>

#include "sim/cli/ethernet_boot.hpp"
#include "sim/cli/exit_codes.hpp"
#include "sim/cli/html_report.hpp"
#include "sim/cli/machine_factory.hpp"
#include "sim/cli/ranks.hpp"
#include "sim/cli/report.hpp"
#include "sim/cli/run_job.hpp"
#include "sim/cli/run_json.hpp"
#include "sim/cli/run_machine.hpp"
#include "sim/cli/run_partitions.hpp"
#include "sim/cli/run_result.hpp"
#include "sim/cli/trace_event.hpp"
#include "sim/cli/work_charge.hpp"
#include "sim/machine/ethernet_capture.hpp"
#include "sim/machine/packet_capture.hpp"
#include "sw/dirac/job.hpp"
#include "sw/dirac/solution.hpp"
#include "sw/host/errors.hpp"
#include "sw/qmp/functional_machine.hpp"
#include "sw/qmp/node.hpp"
#include "sw/qmp/qmp.h"

namespace ht::cli {
namespace {

machine::TraceOptions trace_options(const RunOptions& o) {
  machine::TraceOptions t;
  t.stem = o.trace;
  t.from = o.trace_from;
  t.to = o.trace_to;
  t.links = o.trace_links;
  t.depth = o.trace_depth;
  return t;
}

BuiltMachine machine_for(const RunOptions& o, const dirac::JobSpec& spec,
                         const host::ProcessorModel& processor, const Ranks& ranks,
                         const std::atomic<bool>& stop) {
  MachineWants wants;
  wants.host_path = processor.host_path();
  wants.ethernet.bit_error_rate = o.ethernet_ber;
  if (o.ethernet) wants.ethernet.files = job_files(spec);
  return build_machine(o, wants, ranks, stop);
}

// A node reads its job over Ethernet, and runs it.
NodeLoad run_booted(host::HardwarePort& port, int rank, const dirac::JobSpec& host_spec,
                    dirac::JobSink& sink, dirac::WorkMeter& meter, qpace::Uart* console) {
  NodeBoot boot(port, rank);
  dirac::JobSpec spec = boot.read_job();
  if (console != nullptr)
    console->write(fmt::format("boot block read over Ethernet, {} bytes\n", boot.load().bytes));
  spec.progress = host_spec.progress;  // who watches is no part of the job
  run_job(spec, sink, meter);
  boot.close();
  if (console != nullptr) {
    const NodeLoad& l = boot.load();
    console->write(fmt::format("{} bytes read over Ethernet in {:.1f} us, {} messages repeated\n",
                               l.bytes, static_cast<double>(l.time) * 1e-6, l.repeats));
  }
  return boot.load();
}

// The job on every node of a machine, until `limit`; false if it did not come to its end.
bool run_on(machine::Machine& machine, const RunOptions& o, const dirac::JobSpec& spec,
            dirac::JobSink& sink, const host::ProcessorModel& processor,
            std::vector<NodeLoad>* loads = nullptr, Picoseconds limit = sim::kNever) {
  if (loads != nullptr) loads->resize(static_cast<std::size_t>(machine.size()));
  return machine.run_everywhere(
      [&](qmp::Transport& transport, int number) {
        qmp::Node node(transport);
        WorkCharge charge(processor, transport.runtime());
        machine::ProgramNode& hardware = machine.processor(number);
        std::optional<qpace::Uart> console;
        if (o.console) {
          console.emplace(hardware, 0);
          console->write(fmt::format("{}, rank {}\n", transport.description(), transport.rank()));
        }
        if (o.ethernet) {
          const NodeLoad load =
              run_booted(hardware, number, spec, sink, charge, console ? &*console : nullptr);
          if (loads != nullptr) (*loads)[static_cast<std::size_t>(number)] = load;
        } else {
          run_job(spec, sink, charge);
        }
        if (console) console->write("job done\n");
      },
      limit);
}

void show_consoles(machine::QpaceMachine& machine, ProgressLine& progress, bool all = false) {
  auto lines = machine.take_console(all);
  if (!lines.empty()) progress.clear();
  machine::print_console(std::move(lines));
}

std::unique_ptr<machine::PacketCapture> start_capture(const BuiltMachine& built,
                                                      const RunOptions& o) {
  if (o.pcap.empty()) return nullptr;
  auto capture = std::make_unique<machine::PacketCapture>(*built.machine, o.pcap + ".pcapng");
  for (const PortChoice& port : o.pcap_links) {
    if (built.machine->has_cable(port.node, port.link)) capture->add(port.node, port.link);
  }
  return capture;
}

}  // namespace

void run_machine(dirac::JobSpec spec, dirac::JobSink& sink, RunResult& result,
                 ProgressLine& progress, const Ranks& ranks, const std::atomic<bool>& stop) {
  const RunOptions& o = result.options;
  const auto processor = processor_for(o.kind, spec);
  result.peak_gflops = processor->peak_flops(o.single ? 4 : 8) * 1e-9;
  const BuiltMachine built = machine_for(o, spec, *processor, ranks, stop);
  machine::Machine& machine = *built.machine;
  if (o.trace_on == TraceOn::Nothing) {
    for (const int rank : o.trace_nodes) {
      if (machine.is_local(rank)) machine.processor(rank).trace(trace_options(o));
    }
  } else {
    spec.progress = [&, show = spec.progress](const dirac::Progress& p) {
      result.iterations.push_back(
          {p.column, p.iteration, p.residual_norm2, machine.processor(0).now()});
      show(p);
    };
  }
  const auto capture = start_capture(built, o);
  const auto frames = o.ethernet_pcap.empty() ? nullptr
                                              : std::make_unique<machine::EthernetCapture>(
                                                    *built.qpace, o.ethernet_pcap);
  machine.kernel().on_window([&](Picoseconds now) {
    progress.time(now);
    if (capture != nullptr) capture->collect(now);
    if (frames != nullptr) frames->collect(now);
    if (o.console) show_consoles(*built.qpace, progress);
  });
  bool finished = false;
  try {
    finished = run_on(machine, o, spec, sink, *processor, &result.loads);
  } catch (...) {
    note_events(result, machine);
    throw;
  }
  if (o.console) show_consoles(*built.qpace, progress, true);
  result.interrupted = !finished;
  if (o.ethernet) result.ethernet = built.qpace->ethernet_server()->totals();
  result.machine_time = machine.kernel().now();
  result.statistics = machine.statistics();
  note_events(result, machine);
  result.data_unit = machine.data_unit();
  if (finished) result.links = machine.report_links();
  if (ranks.exchange() != nullptr)
    sink.merge([&](std::span<std::byte> part) { ranks.exchange()->merge(part); });
  result.errors = machine.close_ledgers();
  machine.close_traces();
  if (capture != nullptr) capture->finish();
  if (frames != nullptr) frames->finish();
}

namespace {

// --trace-on: the same run again, with waves of the window around the event, until its end.
void repeat_with_waves(const dirac::JobSpec& spec, RunResult& result, ProgressLine& progress,
                       const Ranks& ranks, const std::atomic<bool>& stop, bool failed) {
  const TraceWindow& window = *result.waves;
  const auto processor = processor_for(result.options.kind, spec);
  const BuiltMachine built = machine_for(result.options, spec, *processor, ranks, stop);
  machine::Machine& machine = *built.machine;
  machine::TraceOptions trace = trace_options(result.options);
  trace.from = window.from;
  trace.to = window.to;
  trace.marker = window.event.time;
  for (const int rank : window.nodes) machine.processor(rank).trace(trace);
  machine.kernel().on_window([&](Picoseconds now) { progress.time(now); });
  progress.stage("again, with waves");
  dirac::JobSink sink(spec);
  try {
    run_on(machine, result.options, spec, sink, *processor, nullptr, window.to);
  } catch (const Error&) {
    if (!failed) throw;  // a run that failed does so again, if that is within the window
  }
  machine.close_traces();
  if (!stop) check_repeated(window, machine);
}

// Also of a run that went wrong: then it is most wanted.
void save_solution(const dirac::JobSpec& spec, const dirac::JobSink& sink,
                   const RunResult& result) {
  const RunOptions& o = result.options;
  const auto& b = spec.boundary;
  // No machine and no node grid: solutions that agree are files that agree.
  const std::string run = fmt::format("{}, kappa {}, boundary {},{},{},{}, {} source, tolerance {}",
                                      result.job.field, spec.kappa, b[0], b[1], b[2], b[3],
                                      o.source.gaussian ? "Gaussian" : "point", spec.tolerance);
  dirac::write_solution({spec.lattice, spec.precision, spec.columns, sink.solution(), run, {}},
                        o.save_solution);
}

}  // namespace

int run_command(const RunOptions& options, const std::atomic<bool>& stop) {
  if (options.partitions > 1) return run_partitions(options, stop);
  if (!options.json.empty()) check_writable(options.json);
  if (!options.save_solution.empty()) check_writable(options.save_solution);
  if (!options.ethernet_pcap.empty()) check_writable(options.ethernet_pcap);
  if (options.trace_on != TraceOn::Nothing) check_writable(options.trace + ".node0.fst");
  if (!options.report.empty()) check_report_writable(options.report);
  const Ranks ranks;
  if (ranks.exchange() != nullptr &&
      (!options.pcap.empty() || options.trace_on != TraceOn::Nothing || options.ethernet ||
       options.console))
    throw UsageError(
        "--pcap, --trace-on, --load ethernet and --console need the whole machine in one process: "
        "not under mpirun");
  ProgressLine progress(options.quiet || !Ranks::reports());
  const dirac::JobSpec spec = job_spec(options, progress);
  dirac::validate(spec);
  progress.expect_columns(spec.columns);
  if (options.rtl) machine::require_memory(options.machine);
  if (!options.quiet && Ranks::reports()) print_setup(options, spec);
  std::fflush(stdout);

  // One node is the strictest reference: it shares no communication with the run. Fast sums depend
  // on the node grid, so there the reference has the run's own.
  dirac::JobSpec reference_spec = spec;
  if (options.reproducible) reference_spec.node_grid = {1};
  dirac::JobSink reference(reference_spec);
  progress.stage("functional reference");
  run_functional(reference_spec.node_grid, reference_spec, reference);

  RunResult result;
  result.options = options;
  dirac::JobSink sink(spec);
  const auto begin = std::chrono::steady_clock::now();
  progress.stage(options.rtl ? "simulating" : "functional network");
  if (options.rtl) {
    try {
      run_machine(spec, sink, result, progress, ranks, stop);
    } catch (const Error&) {
      result.waves = find_window(result, nullptr);
      if (!result.waves) throw;
      progress.clear();
      fmt::print(stderr, "hypertorus: the run failed; repeating it up to the first {} for waves\n",
                 name(options.trace_on));
      repeat_with_waves(spec, result, progress, ranks, stop, true);
      throw;
    }
  } else {
    run_functional(options.nodes, spec, sink);
  }
  result.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!Ranks::reports()) return static_cast<int>(ExitCode::Ok);
  if (!result.interrupted) {
    result.job = sink.result();
    compare(reference, sink, result);
    const dirac::JobResult expected = reference.result();
    result.waves = find_window(result, &expected);
    if (result.waves) repeat_with_waves(spec, result, progress, ranks, stop, false);
  }
  progress.clear();
  print_result(result);
  if (!options.json.empty()) write_json(result, options.json);
  if (!options.save_solution.empty() && !result.interrupted) save_solution(spec, sink, result);
  if (!options.report.empty()) write_report(result, options.report);
  if (result.interrupted) return exit_interrupted;
  result.job.require_converged();
  return static_cast<int>(result.bit_exact() ? ExitCode::Ok : ExitCode::Mismatch);
}

}  // namespace ht::cli
