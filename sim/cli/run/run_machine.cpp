// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run/run_machine.hpp"

#include <fmt/format.h>

#include <optional>
#include <type_traits>

#include "sim/cli/common/console_news.hpp"
#include "sim/cli/common/gather_calls.hpp"
#include "sim/cli/common/machine_factory.hpp"
#include "sim/cli/run/job_files.hpp"
#include "sim/cli/run/run_job.hpp"
#include "sim/cli/run/trace_event.hpp"
#include "sim/machine/packet_capture.hpp"
#include "sim/machine/timeline.hpp"
#include "sw/host/errors.hpp"
#include "sw/qmp/node.hpp"

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

std::unique_ptr<machine::Machine> machine_for(const RunOptions& o, const dirac::JobSpec& spec,
                                              const host::ProcessorModel& processor,
                                              const Ranks& ranks, const std::atomic<bool>& stop) {
  BuildRequirements requirements;
  requirements.host_path = processor.host_path();
  requirements.ethernet_bit_error_rate = o.ethernet_ber;
  if (o.ethernet) requirements.ethernet_files = job_files(spec);
  return build_machine(o, requirements, ranks, stop);
}

// A node reads its job over Ethernet, and runs it.
machine::NodeLoad run_booted(machine::NodeEthernet& ethernet, int node,
                             const dirac::JobSpec& host_spec, dirac::JobSink& sink,
                             dirac::WorkMeter& meter, machine::ConsoleWriter* console) {
  const auto boot = ethernet.open_reader(node);
  dirac::JobSpec spec = boot->read_job();
  if (console != nullptr)
    console->write(fmt::format("boot block read over Ethernet, {} bytes\n", boot->load().bytes));
  spec.progress = host_spec.progress;  // who watches is no part of the job
  machine::run_job(spec, sink, meter);
  boot->close();
  if (console != nullptr) {
    const machine::NodeLoad& l = boot->load();
    console->write(fmt::format("{} bytes read over Ethernet in {:.1f} us, {} messages repeated\n",
                               l.bytes, static_cast<double>(l.time) * 1e-6, l.repeats));
  }
  return boot->load();
}

// The job on every node of a machine, until `limit`; false if it did not come to its end.
bool run_on(machine::Machine& machine, const RunOptions& o, const dirac::JobSpec& spec,
            dirac::JobSink& sink, const host::ProcessorModel& processor,
            std::vector<machine::NodeLoad>* loads = nullptr, Picoseconds limit = sim::kNever,
            std::span<qmp::CallProfile> calls = {}, machine::Timeline* timeline = nullptr) {
  if (loads != nullptr) loads->resize(static_cast<std::size_t>(machine.size()));
  return machine.run_everywhere(
      [&](qmp::Transport& transport, int number) {
        qmp::Node node(transport);
        machine::WorkCharge::Listener phases;
        if (timeline != nullptr)
          phases = [&own = timeline->node(number)](const char* name, Picoseconds begin,
                                                   Picoseconds end) {
            own.add_phase(name, begin, end);
          };
        if (!calls.empty()) {
          qmp::CallProfile& profile = calls[static_cast<std::size_t>(transport.rank())];
          qmp::Node::profile_calls(profile);
          if (timeline != nullptr) timeline->listen_to_calls(profile, number);
        }
        machine::WorkCharge charge(processor, transport.runtime(), std::move(phases));
        std::unique_ptr<machine::ConsoleWriter> console;
        if (o.console) {
          console = machine.consoles()->open_console(number);
          console->write(fmt::format("{}, rank {}\n", transport.description(), transport.rank()));
        }
        if (o.ethernet) {
          const machine::NodeLoad load =
              run_booted(*machine.ethernet(), number, spec, sink, charge, console.get());
          if (loads != nullptr) (*loads)[static_cast<std::size_t>(number)] = load;
        } else {
          machine::run_job(spec, sink, charge);
        }
        if (console) console->write("job done\n");
      },
      limit);
}

void finish_observers(machine::PacketCapture* capture, machine::Capture* frames,
                      machine::Timeline* timeline) {
  if (capture != nullptr) capture->finish();
  if (frames != nullptr) frames->finish();
  if (timeline != nullptr) timeline->finish();
}

// How the nodes' reading of their jobs went, each of which one process knows.
void gather_loads(sim::RankExchange* ranks, std::vector<machine::NodeLoad>& loads) {
  static_assert(std::is_trivially_copyable_v<machine::NodeLoad>);
  if (ranks != nullptr) ranks->merge(std::as_writable_bytes(std::span(loads)));
}

std::unique_ptr<machine::PacketCapture> start_capture(machine::Machine& machine,
                                                      const RunOptions& o) {
  if (o.pcap.empty()) return nullptr;
  auto capture = std::make_unique<machine::PacketCapture>(machine, o.pcap + ".pcapng");
  for (const PortChoice& port : o.pcap_links) {
    if (machine.has_cable(port.node, port.link)) capture->add(port.node, port.link);
  }
  return capture;
}

// What came of errors; those before a loss are there.
void close_ledgers(RunResult& result, machine::Machine& machine) {
  result.errors += machine.close_ledgers();
  for (std::string& error : machine.say_undetected()) result.undetected.push_back(std::move(error));
}

}  // namespace

void run_machine(dirac::JobSpec spec, dirac::JobSink& sink, RunResult& result,
                 ProgressLine& progress, Ranks& ranks, const std::atomic<bool>& stop) {
  const RunOptions& o = result.options;
  const auto processor = processor_for(o, spec);
  result.peak_gflops = processor->peak_flops(o.single ? 4 : 8) * 1e-9;
  const auto built = machine_for(o, spec, *processor, ranks, stop);
  machine::Machine& machine = *built;
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
  const auto capture = start_capture(machine, o);
  const auto frames =
      o.ethernet_pcap.empty() ? nullptr : machine.ethernet()->capture_ethernet(o.ethernet_pcap);
  const auto timeline = o.timeline.empty() ? nullptr
                                           : std::make_unique<machine::Timeline>(
                                                 machine, o.timeline, o.timeline_events);
  machine.kernel().on_window([&](Picoseconds now) {
    progress.time(now);
    if (capture != nullptr) capture->collect(now);
    if (timeline != nullptr) timeline->collect();
    if (frames != nullptr) frames->collect(now);
  });
  std::optional<ConsoleNews> console;
  if (o.console) console.emplace(machine, [&progress] { progress.clear(); });
  // A solve that goes on after a loss counts from there.
  if (o.profile_calls || timeline != nullptr)
    result.calls.assign(static_cast<std::size_t>(machine::node_count(o.nodes)), {});
  ranks.begin();
  bool finished = false;
  try {
    finished = run_on(machine, o, spec, sink, *processor, &result.loads, o.stop_at, result.calls,
                      timeline.get());
  } catch (...) {
    if (!ranks.together()) throw;
    // A single process' end with their destructors.
    if (ranks.exchange() != nullptr) finish_observers(capture.get(), frames.get(), timeline.get());
    note_events(result, machine);
    result.machine_time = machine.kernel().now();
    result.statistics = machine.statistics();
    result.soft_errors += machine.soft_errors_made();
    close_ledgers(result, machine);
    throw;
  }
  if (console) console->finish();
  result.interrupted = !finished;
  // A signal may have come to another process.
  result.stopped = !finished && !stop && machine.kernel().now() >= o.stop_at;
  if (result.stopped) result.states = machine.states_at_stop();
  if (o.ethernet) {
    result.ethernet = machine.ethernet()->ethernet_totals();
    gather_loads(ranks.exchange(), result.loads);
  }
  result.soft_errors += machine.soft_errors_made();
  result.machine_time = machine.kernel().now();
  result.statistics = machine.statistics();
  if (o.window_report) result.windows = window_rows(machine);
  note_events(result, machine);
  result.data_unit = machine.data_unit();
  if (finished) result.links = machine.report_links();
  merge_sink(ranks.exchange(), sink);
  close_ledgers(result, machine);
  machine.close_traces();
  finish_observers(capture.get(), frames.get(), timeline.get());
  if (timeline != nullptr) result.timeline = timeline->summary();
  if (!o.profile_calls) result.calls.clear();
  gather_calls(ranks.exchange(), result.calls);
}

void repeat_with_waves(const dirac::JobSpec& spec, RunResult& result, ProgressLine& progress,
                       Ranks& ranks, const std::atomic<bool>& stop, bool failed) {
  const TraceWindow& window = *result.waves;
  const auto processor = processor_for(result.options, spec);
  const auto built = machine_for(result.options, spec, *processor, ranks, stop);
  machine::Machine& machine = *built;
  machine::TraceOptions trace = trace_options(result.options);
  trace.from = window.from;
  trace.to = window.to;
  trace.marker = window.event.time;
  for (const int rank : window.nodes) {
    if (machine.is_local(rank)) machine.processor(rank).trace(trace);
  }
  machine.kernel().on_window([&](Picoseconds now) { progress.time(now); });
  progress.stage("again, with waves");
  dirac::JobSink sink(spec);
  ranks.begin();
  try {
    run_on(machine, result.options, spec, sink, *processor, nullptr, window.to);
  } catch (const Error&) {
    if (!failed) throw;  // a run that failed does so again, if that is within the window
    if (!ranks.together()) throw;
  }
  machine.close_traces();
  check_repeated(window, machine, stop);
}

}  // namespace ht::cli
