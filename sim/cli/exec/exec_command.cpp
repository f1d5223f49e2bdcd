// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/exec/exec_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string_view>

#include "sim/cli/common/call_report.hpp"
#include "sim/cli/common/console_news.hpp"
#include "sim/cli/common/gather_calls.hpp"
#include "sim/cli/common/machine_factory.hpp"
#include "sim/cli/exec/exec_outcome.hpp"
#include "sim/cli/exec/program_news.hpp"
#include "sim/cli/report/report_library.hpp"
#include "sim/kernel/agreement.hpp"
#include "sim/machine/gather.hpp"
#include "sim/machine/timeline.hpp"
#include "sim/machine/torus.hpp"
#include "sim/output/distinct_files.hpp"
#include "sim/output/exit_codes.hpp"
#include "sim/output/progress_line.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/held_file.hpp"
#include "sw/host/output_file.hpp"
#include "sw/program/node_output.hpp"
#include "sw/program/program_set.hpp"
#include "sw/qmp/functional_torus.hpp"
#include "sw/qmp/node.hpp"

namespace ht::cli {
namespace {

using Calls = std::vector<qmp::CallProfile>;

// A copy of this process, which a program forked, simulates and prints nothing.
void end_copies(pid_t simulator) {
  if (getpid() != simulator) _exit(static_cast<int>(ExitCode::Protocol));
}

// Programs of partitions are known by their nodes' numbers.
int program_count(const ExecOptions& o) {
  return machine::node_count(o.partitions > 1 ? o.machine : o.nodes);
}

/// One run of a program: what it is made of, and what is said of it at its end.
class Execution {
 public:
  Execution(const ExecOptions& options, Session& session)
      : o_(options),
        session_(session),
        programs_(o_.command.front(), program_count(o_), session.programs),
        calls_(o_.profile_calls || !o_.timeline.empty() ? static_cast<std::size_t>(programs_.size())
                                                        : 0),
        progress_(o_.quiet || !Ranks::reports()) {}

  /// Throws what ends it before its time, with what the nodes were doing.
  const Outcome& run() {
    if (o_.rtl) {
      run_on_machine();
    } else {
      run_functional();
    }
    return outcome_;
  }
  /// Of all nodes; in every process.
  program::ProgramStates states() const;
  const Calls& calls() const { return calls_; }

 private:
  void load(std::vector<int> ranks);
  void run_on_machine();
  void run_programs(machine::Machine& machine, ProgramNews& news, machine::Timeline* timeline);
  void collect(machine::Machine& machine);
  void run_functional();
  [[noreturn]] void fail(const Error& error);

  const ExecOptions& o_;
  Session& session_;
  const pid_t simulator_ = getpid();
  program::ProgramSet programs_;
  Calls calls_;
  ProgressLine progress_;
  Outcome outcome_;
};

void Execution::load(std::vector<int> ranks) {
  std::ranges::sort(ranks);
  programs_.load(ranks);
  programs_.stop_on(session_.stop);
  if (Ranks::reports()) programs_.set_output(o_.output, o_.output_dir);
  for (const int rank : ranks) {
    if (o_.machine_clock) programs_[rank].use_machine_clock();
    if (!calls_.empty()) programs_[rank].profile_calls(calls_[static_cast<std::size_t>(rank)]);
  }
  if (o_.gdb >= 0) {
    programs_[o_.gdb].stop_in_debugger();
  } else {
    programs_.limit_turns(o_.processor_timeout);
  }
}

program::ProgramStates Execution::states() const {
  using program::ProgramState;
  std::vector<ProgramState> all = programs_.states();
  if (sim::RankExchange* const ranks = session_.ranks.exchange(); ranks != nullptr) {
    nlohmann::json mine = nlohmann::json::array();
    for (const ProgramState& p : all)
      mine.push_back({p.rank, p.state, p.exit_code, p.description, p.refusals});
    all.clear();
    for (const auto& p : machine::gather_lists(ranks, std::move(mine)))
      all.push_back({p[0], p[1], p[2], p[3], p[4]});
    std::ranges::sort(all, {}, &ProgramState::rank);
  }
  return program::ProgramStates(std::move(all));
}

void Execution::run_on_machine() {
  BuildRequirements requirements;
  requirements.host_path = o_.type->program_host_path();
  requirements.forwards = true;
  // What every program was doing is reported: none may be ended by a kill, but for the other
  // partition's sake.
  requirements.kill_on_error = o_.partitions > 1;
  const auto built = build_machine(o_, requirements, session_.ranks, session_.stop);
  machine::Machine& machine = *built;
  std::vector<int> here;
  for (int node = 0; node < machine.size(); ++node) {
    if (!machine.is_local(node)) continue;
    if (const int program = ProgramNews::program_of(o_, machine, node); program >= 0)
      here.push_back(program);
  }
  load(std::move(here));
  ProgramNews news(o_, machine, programs_, session_.ranks.exchange(),
                   [this] { progress_.clear(); });
  std::optional<ConsoleNews> console;
  if (o_.console) console.emplace(machine, [this] { progress_.clear(); });
  const auto finish = [&] {
    news.finish();
    if (console) console->finish();
  };
  const auto timeline = o_.timeline.empty() ? nullptr
                                            : std::make_unique<machine::Timeline>(
                                                  machine, o_.timeline, o_.timeline_events);
  session_.ranks.begin();
  session_.ranks.compare(
      fmt::format("{:08x}", programs_.file().crc32()), [&](std::size_t rank, auto&&...) {
        return fmt::format(
            "{}: process {} has another file of that name than process 0; copy it again, or take a "
            "folder that all computers share",
            o_.command.front(), rank);
      });
  try {
    run_programs(machine, news, timeline.get());
    finish();
    if (!outcome_.interrupted && states().failed().empty()) news.check_left();
    collect(machine);
  } catch (const Error& e) {
    // Others may still be running, and this process has nothing to say of their programs.
    if (!session_.ranks.together()) throw;
    // A single process' ends with its destructor.
    if (timeline != nullptr && machine.ranks() != nullptr) timeline->finish();
    try {
      finish();
    } catch (const Error& first) {
      fail(first);
    }
    outcome_.unreceived = news.unreceived();
    fail(e);
  }
  if (timeline == nullptr) return;
  timeline->finish();
  outcome_.timeline = timeline->summary();
}

void Execution::run_programs(machine::Machine& machine, ProgramNews& news,
                             machine::Timeline* timeline) {
  // How long the programs will run nobody knows: no time left.
  progress_.stage("running");
  machine.kernel().on_news([&news] { return news.any(); },
                           [this, &news] {
                             end_copies(simulator_);
                             news.exchange();
                           });
  machine.kernel().on_window([this, timeline](Picoseconds now) {
    end_copies(simulator_);
    if (timeline != nullptr) timeline->collect();
    progress_.time(now);
  });
  outcome_.data_unit = machine.data_unit();
  outcome_.interrupted = !machine.run_everywhere(
      [&](qmp::Transport& transport, int number) {
        const qmp::Node node(transport, &news.collectives(number), &news.messages(number),
                             o_.any_lengths);
        const auto interface = machine.open_interface(transport);
        // Ranks are what the program knows its nodes by; those of partitions are not unique.
        if (timeline != nullptr)
          timeline->listen_to_calls(calls_[static_cast<std::size_t>(transport.rank())], number);
        program::LoadedProgram& program = programs_[ProgramNews::program_of(o_, machine, number)];
        if (!o_.console) {
          program.run(transport, o_.command);
          return;
        }
        const auto console = machine.consoles()->open_console(number);
        program.output().redirect([&](std::string_view text) { console->write(text); });
        program.run(transport, o_.command);
        program.output().redirect({});
      },
      o_.stop_at);
  progress_.clear();
}

// What the machine counted, of all processes.
void Execution::collect(machine::Machine& machine) {
  outcome_.states = machine.states_at_stop();
  outcome_.machine_time = machine.kernel().now();
  if (!outcome_.interrupted) outcome_.links = machine.report_links();
  outcome_.errors = machine.close_ledgers();
  outcome_.undetected = machine.say_undetected();
  gather_calls(session_.ranks.exchange(), calls_);
  if (o_.window_report) outcome_.windows = window_rows(machine);
  outcome_.counted = true;
}

void Execution::run_functional() {
  std::vector<int> all(static_cast<std::size_t>(programs_.size()));
  std::iota(all.begin(), all.end(), 0);
  load(std::move(all));
  const auto machine = o_.type->build_functional(o_, o_.processor_timeout);
  try {
    machine->run([&](qmp::Transport& transport) {
      const int code = programs_[transport.rank()].run(transport, o_.command);
      end_copies(simulator_);
      programs_.print(programs_.take_output());
      return code;
    });
  } catch (const Error& e) {
    programs_.print(programs_.take_output());
    fail(e);
  }
  outcome_.machine_time = machine->elapsed();
  outcome_.counted = true;
}

void Execution::fail(const Error& error) {
  gather_calls(session_.ranks.exchange(), calls_);
  const program::ProgramStates programs = states();
  session_.results.add(exec_document(o_, programs, outcome_, calls_, "failed"));
  // That a partition was killed is the consequence of what one of its programs came to.
  const bool killed = dynamic_cast<const KilledError*>(&error) != nullptr;
  report(programs, killed && !programs.failed().empty() ? ExitCode::Mismatch : error.exit_code(),
         with_way_out(o_, error.what(), outcome_.unreceived));
}

/// While it lives, programs may change the current folder. Files that are named later, too, lie
/// where the user said.
class CurrentFolder {
 public:
  CurrentFolder() : folder_(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)) {}
  ~CurrentFolder() {
    if (folder_ < 0) return;
    if (fchdir(folder_) != 0)
      fmt::print(stderr, "hypertorus: cannot return to the folder of the command: {}\n",
                 std::strerror(errno));
    close(folder_);
  }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;

 private:
  int folder_;
};

const Outcome& run(Execution& execution) {
  const CurrentFolder folder;
  return execution.run();
}

std::string_view verdict_of(const Outcome& outcome, const program::ProgramStates& programs,
                            bool from_outside) {
  if (outcome.interrupted) return from_outside ? "interrupted" : "stopped";
  if (!programs.failed().empty()) return "failed";
  if (!programs.refused().empty()) return "refused";
  return outcome.cables_good() ? "good" : "mismatch";
}

std::vector<NamedFile> written_files(const ExecOptions& o) {
  std::vector<NamedFile> files{
      {"--json", o.json},
      {"--ethernet-pcap", o.ethernet_pcap},
      {"--timeline", o.timeline},
      {"--report", o.report},
      {"--report", o.report.empty() ? "" : report_figure_file(o.report, "messages")}};
  if (o.output != program::OutputStyle::Files) return files;
  for (int node = 0; node < program_count(o); ++node) {
    for (const bool error : {false, true})
      files.push_back({"--output files", program::file_of_node(o.output_dir, node, error)});
  }
  return files;
}

// As wait() sees it, but of a failure never 0: of QMP_abort(256).
int code_of_process(int code) {
  return (code & 0xFF) == 0 ? 1 : code & 0xFF;
}

}  // namespace

int exec_command(const ExecOptions& o, Session& session) {
  check_distinct(written_files(o), {{"the program", o.command.front()}});
  if (Ranks::reports()) session.results.open(o.json);
  session.results.add({{"command", o.command}, {"verdict", "failed"}});
  const ReportLibrary* const page = o.report.empty() ? nullptr : report_library();
  if (page != nullptr && Ranks::reports()) page->check_writable(o.report);
  if (!o.timeline.empty() && Ranks::reports()) host::check_free(o.timeline, "run");
  Execution execution(o, session);
  const Outcome& outcome = run(execution);
  const program::ProgramStates programs = execution.states();
  session.ranks.end();
  const bool from_outside = session.stop || outcome.machine_time < o.stop_at;
  const std::string_view verdict = verdict_of(outcome, programs, from_outside);
  if (!Ranks::reports()) return static_cast<int>(ExitCode::Ok);
  const auto document = exec_document(o, programs, outcome, execution.calls(), verdict);
  session.results.add(document);
  if (page != nullptr) page->write_calls(document, execution.calls(), o.report);
  if (!o.quiet && o.profile_calls) print_calls(stderr, execution.calls(), outcome.machine_time);
  if (!o.quiet) print_windows(stderr, outcome.windows);
  if (!o.quiet && !outcome.timeline.empty()) fmt::print(stderr, "timeline: {}\n", outcome.timeline);
  if (outcome.interrupted) {
    fmt::print(stderr, "hypertorus: {} at {:.3f} us\nthe program:{}\n", verdict,
               static_cast<double>(outcome.machine_time) * 1e-6, programs.text());
    if (!from_outside)
      fmt::print(stderr, "the machine:\n  {}\n", fmt::join(outcome.states, "\n  "));
    return exit_interrupted;
  }
  if (!o.quiet) print_summary(o, outcome);
  if (verdict == "failed" && o.alone) return code_of_process(programs.all().front().exit_code);
  if (verdict == "failed") report(programs, ExitCode::Mismatch, {});
  if (verdict == "refused")
    throw MismatchError(
        fmt::format("calls of the network failed on {}, as said above, and the program went on",
                    programs.refused()));
  if (verdict == "mismatch")
    throw MismatchError(fmt::format("what the network delivered is not to be trusted:\n{}",
                                    fmt::join(outcome.cable_faults(), "\n")));
  return static_cast<int>(ExitCode::Ok);
}

}  // namespace ht::cli
