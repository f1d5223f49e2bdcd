// SPDX-License-Identifier: Apache-2.0
#include "sw/program/loaded_program.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "sw/host/errors.hpp"
#include "sw/host/fibre.hpp"
#include "sw/program/crash_guard.hpp"
#include "sw/program/debugger.hpp"
#include "sw/program/turn_limit.hpp"
#include "sw/qmp/node.hpp"

namespace ht::program {
namespace {

// dlopen() runs constructors, and has no argument to pass them their node.
thread_local const hypertorus_host* loading = nullptr;

// There is no way back to main() from a constructor (dlopen() is under way), or from a thread.
[[noreturn]] void end_elsewhere(int rank, std::string_view what) {
  fmt::print(stderr, "hypertorus: node {}: {}\n", rank, what);
  _exit(static_cast<int>(ExitCode::Protocol));
}

// What a thread finds that is left when everything has ended; what it prints is lost.
[[noreturn]] void stay(void* /*node*/, hypertorus_end /*how*/, int /*code*/, const char* /*text*/) {
  for (;;) pause();
}

void take_no_turn(void* /*node*/, void* /*place*/) {}

long long look_at_computer(void* /*node*/) {
  return -1;
}

// As a process ends.
[[noreturn]] void end_process(hypertorus_end how, int code) {
  if (how != HYPERTORUS_ABORT) _exit(code & 0xFF);
  std::abort();  // of which CrashGuard leaves such a process to die
}

// "std::runtime_error: what()", of the exception that is being handled.
std::string text_of_exception(const std::type_info& type) {
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, nullptr), &std::free);
  std::string text = name ? name.get() : type.name();
  try {
    throw;
  } catch (const std::exception& error) {
    text += fmt::format(": {}", error.what());
  } catch (...) {
  }
  return text;
}

// Counts the blocks of a program while it runs, however it is left.
class Counted {
 public:
  explicit Counted(const hypertorus_program& program) : program_(program) {
    program_.count_blocks(1);
  }
  ~Counted() { program_.count_blocks(0); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  const hypertorus_program& program_;
};

// What a look at memory is charged with: as much as drivers charge for one (sw/host/README.md,
// "What the network costs a program").
constexpr Picoseconds turn_cost = 20'000;
// As QMP_time() is.
constexpr Picoseconds look_at_clock = 10'000;
// Longer than any window.
constexpr Picoseconds turn_when_stopping = 1'000'000;

}  // namespace

extern "C" const hypertorus_host* hypertorus_attach_4(void) {
  return loading;
}

// Of other shared libraries that hypertorus-cc compiled: shared by all nodes, so no node's turn.
extern "C" void __sanitizer_cov_trace_pc(void) {}

LoadedProgram::Attached::Attached(LoadedProgram& program, int rank, RunRecord& record)
    : program(program),
      output(rank),
      host{this,
           output.standard_output(),
           output.standard_error(),
           &LoadedProgram::write,
           &LoadedProgram::end,
           &std::fclose,
           static_cast<std::size_t>(rank) < RunRecord::most_nodes
               ? record.nodes[static_cast<std::size_t>(rank)].call.data()
               : unseen_call.data(),
           &LoadedProgram::take_turn,
           &LoadedProgram::clock} {}

LoadedProgram::LoadedProgram(int rank, const ProgramFile& file, const std::string& copy,
                             RunRecord& record)
    : rank_(rank),
      file_(file),
      record_(record),
      attached_(std::make_unique<Attached>(*this, rank, record)) {
  loading = &attached_->host;
  handle_ = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  loading = nullptr;
  if (handle_ == nullptr) {
    std::string why = dlerror();
    if (why.starts_with(copy + ": ")) why.erase(0, copy.size() + 2);
    throw DataError(fmt::format("{}: cannot be loaded: {}", file.path(), why));
  }
  entry_ = static_cast<const hypertorus_program*>(dlsym(handle_, "hypertorus_program_4"));
  link_map* map = nullptr;
  if (entry_ == nullptr || dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 ||
      entry_->bytes != sizeof(hypertorus_program))
    throw DataError(file.path() + ": not a program built for hypertorus; link it again");
  base_ = map->l_addr;
}

// The copy stays loaded, and with it what it points to: a thread that the program left behind may
// still run, and what a program that did not come to its end would call when it is unloaded would
// meet what ended it, in the middle of something.
LoadedProgram::~LoadedProgram() {
  if (handle_ == nullptr) return;
  hypertorus_host& host = attached_->host;
  host.end = stay;
  host.take_turn = take_no_turn;
  host.clock = look_at_computer;
  attached_->output.set_clock({});
  attached_->output.redirect({});
  static_cast<void>(attached_.release());
}

ssize_t LoadedProgram::write(void* node, int descriptor, const void* data, std::size_t bytes) {
  return static_cast<Attached*>(node)->output.write(descriptor, data, bytes);
}

int LoadedProgram::run(qmp::Transport& transport, std::span<const std::string> arguments) {
  const CrashGuard::Stack signal_stack;
  host::Runtime& runtime = transport.runtime();
  output().set_clock([&runtime] { return runtime.now(); });
  // The program may change both the strings and the list: they are its own.
  std::vector<std::string> strings(arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& s : strings) argv.push_back(s.data());
  argv.push_back(nullptr);
  fibre_ = host::Fibre::current();
  show(fibre_);
  if (stops_in_debugger_)
    start_debugger(file_.path(), base_, reinterpret_cast<std::uintptr_t>(entry_->main));
  state_ = State::Running;
  runtime_ = &runtime;
  const TurnLimit limit(longest_turn_);
  qmp::Node::on_refusal([this](const std::string& why) { refused(why); });
  if (profile_ != nullptr) qmp::Node::profile_calls(*profile_, entry_->call);
  {
    const Counted counted(*entry_);
    enter(static_cast<int>(strings.size()), argv.data());
  }
  if (state_ == State::Ended && exit_code_ == 0) qmp::Node::check_messages();
  fibre_ = nullptr;
  show(nullptr);
  if (thrown_away_) std::rethrow_exception(thrown_away_);
  ended_at_ = runtime.now();
  output().set_clock([at = ended_at_] { return at; });
  output().end_lines();
  if (state_ == State::Crashed) throw ProtocolError(description());
  if (state_ == State::Aborted) throw MismatchError(description());
  if (state_ == State::Stuck)
    throw TimeoutError(
        fmt::format("node {} kept its turn for {} s of processor time", rank_, longest_turn_));
  return exit_code_;
}

// Said once for each call in the program, however often it is made.
void LoadedProgram::refused(const std::string& why) {
  const void* const call = *entry_->call;
  const void* const caller = *entry_->caller;
  if (!refused_at_.insert({call, caller}).second) return;
  std::string what = "the end of main(): " + why;
  if (state_ != State::Ended && call != nullptr) {
    const std::string name = *entry_->call;
    what = fmt::format("{}{}; called from {}", why.starts_with(name) ? "" : name + "(): ", why,
                       place(reinterpret_cast<std::uintptr_t>(caller)));
  }
  const std::string line = fmt::format("hypertorus: refused: {}\n", what);
  output().write(STDERR_FILENO, line.data(), line.size());
  refusals_.push_back(std::move(what));
}

// To who watches from outside: this thread runs fibres, and this node is in `fibre`.
void LoadedProgram::show(const host::Fibre* fibre) {
  thread_local bool shown = false;
  if (!shown) {
    shown = true;
    const unsigned place = record_.threads_used++;
    if (place < RunRecord::most_threads) host::Fibre::report_to(&record_.threads[place].fibre);
  }
  const auto rank = static_cast<std::size_t>(rank_);
  if (rank < RunRecord::most_nodes) record_.nodes[rank].fibre = fibre;
}

// Left by returning, or by a jump out of the middle of main(), as exit() would: without unwinding.
// Nothing here needs a destructor. Exceptions of the simulator's pass.
int LoadedProgram::enter(int argc, char** argv) {
  if (sigsetjmp(way_out_, 0) != 0) return exit_code_;
  try {
    exit_code_ = entry_->main(argc, argv, environ) & 0xFF;
    how_ = "returned from main()";
    entry_->finish();
  } catch (...) {
    const std::type_info* const type = abi::__cxa_current_exception_type();
    if (type == nullptr || !contains(reinterpret_cast<std::uintptr_t>(type))) throw;
    how_ = "an exception left main(): " + text_of_exception(*type);
    exit_code_ = 128 + SIGABRT;
    state_ = State::Aborted;
  }
  if (is_forked())
    end_process(state_ == State::Aborted ? HYPERTORUS_ABORT : HYPERTORUS_EXIT, exit_code_);
  if (state_ == State::Running) state_ = State::Ended;
  return exit_code_;
}

void LoadedProgram::leave() {
  siglongjmp(way_out_, 1);
}

void LoadedProgram::end(void* node, hypertorus_end how, int code, const char* text) {
  LoadedProgram* const self = &static_cast<Attached*>(node)->program;
  if (self->is_forked()) end_process(how, code);
  if (how == HYPERTORUS_THREAD) {
    // Whoever throws a fibre away may be another thread than its own.
    if (self->fibre_ == host::Fibre::current()) host::Fibre::end_if_thrown_away();
    end_elsewhere(self->rank_, fmt::format("{}() in a thread of its own: the network is for the "
                                           "thread that main() runs on",
                                           text));
  }
  if (self->state_ != State::Running)
    end_elsewhere(self->rank_, "exit() or abort() in a constructor of a global object");
  if (self->fibre_ != host::Fibre::current())
    end_elsewhere(self->rank_,
                  "exit() or abort() in a thread of its own: a program ends where main() runs");
  self->exit_code_ = code & (how == HYPERTORUS_QMP_ABORT ? -1 : 0xFF);
  self->state_ = how == HYPERTORUS_EXIT || how == HYPERTORUS_QUICK ? State::Ended : State::Aborted;
  switch (how) {
    case HYPERTORUS_EXIT:
      self->how_ = "called exit()";
      break;
    case HYPERTORUS_QUICK:
      self->how_ = "called _exit()";
      break;
    case HYPERTORUS_ABORT:
      self->how_ = text;
      break;
    case HYPERTORUS_QMP_ABORT:
      self->how_ = fmt::format("QMP_abort({}){}{}", code, text == nullptr ? "" : ": ",
                               text == nullptr ? "" : text);
      break;
    case HYPERTORUS_THREAD:
      break;
  }
  self->leave();
}

// The program may be anywhere, also where no exception may pass: thrown away, it is left by a jump.
void LoadedProgram::let_pass(Picoseconds time) {
  try {
    runtime_->advance(time);
  } catch (...) {
    thrown_away_ = std::current_exception();
  }
  if (thrown_away_) leave();
}

void LoadedProgram::take_turn(void* node, void* place) {
  LoadedProgram* const self = &static_cast<Attached*>(node)->program;
  if (self->fibre_ != host::Fibre::current()) return;
  if (self->is_forked()) return;  // has no turns
  self->turn_at_ = reinterpret_cast<std::uintptr_t>(place);
  const bool stopping = self->stop_ != nullptr && *self->stop_;
  self->let_pass(stopping ? turn_when_stopping : turn_cost);
  self->turn_at_ = 0;
}

// Elsewhere than on its fibre (constructors, threads, copies that it forked) time stands still.
long long LoadedProgram::clock(void* node) {
  LoadedProgram* const self = &static_cast<Attached*>(node)->program;
  if (!self->machine_clock_) return -1;
  if (self->state_ == State::Running && self->fibre_ == host::Fibre::current() &&
      !self->is_forked()) {
    self->let_pass(look_at_clock);
    self->seen_on_clock_ = self->runtime_->now();
  }
  return self->seen_on_clock_ / 1000;
}

void LoadedProgram::crash(const Crash& crash) {
  crash_ = crash;
  state_ = State::Crashed;
  exit_code_ = 128 + crash.signal;
  leave();
}

void LoadedProgram::end_turn(const Crash& where) {
  crash_ = where;
  state_ = State::Stuck;
  exit_code_ = 128 + where.signal;
  leave();
}

// "exchange(), halo.c:12": an instruction after a call, of the program's.
std::string LoadedProgram::place(std::uintptr_t address) const {
  if (!contains(address)) return "?";
  return fmt::format("{}, {}", file_.function_at(address - base_ - 1),
                     file_.line_at(address - base_ - 1));
}

std::string LoadedProgram::function(std::uintptr_t address) const {
  return contains(address) ? file_.function_at(address - base_) : "?";
}

// "memcpy(), called from exchange()"
std::string LoadedProgram::place_of_crash() const {
  if (contains(crash_.at))
    return crash_.caller == 0 ? function(crash_.at)
                              : "a call to a library, from " + function(crash_.caller - 1);
  std::string where;
  if (crash_.callee != nullptr) {
    where = std::string(crash_.callee) + "()";
  } else if (crash_.library != nullptr) {
    where = std::filesystem::path(crash_.library).filename().string();
  } else {
    where = fmt::format("code at {:#x}, where there is none", crash_.at);
  }
  if (crash_.caller != 0) where += ", called from " + function(crash_.caller - 1);
  return where;
}

std::string LoadedProgram::description() const {
  // Where a call returns to is the instruction after it.
  std::string call;
  if (entry_->call != nullptr && *entry_->call != nullptr)
    call = fmt::format("{}(), called from {}", *entry_->call,
                       function(reinterpret_cast<std::uintptr_t>(*entry_->caller) - 1));
  const std::string last = call.empty() ? "before any QMP call" : "last QMP call " + call;
  const double us = static_cast<double>(ended_at_) * 1e-6;
  switch (state_) {
    case State::NotStarted:
      return "not started";
    case State::Running:
      if (turn_at_ != 0)
        return fmt::format("computes, or looks at memory, in {}; {}", place(turn_at_), last);
      return call.empty() ? "running, before any QMP call" : "in " + call;
    case State::Ended:
      return exit_code_ == 0
                 ? "ended with exit code 0"
                 : fmt::format("ended with exit code {}: {}; {}", exit_code_, how_, last);
    case State::Aborted:
      return fmt::format("aborted at {:.3f} us: {}; {}", us, how_, last);
    case State::Stuck:
      return fmt::format(
          "does not give up its turn in {}{}; {}", place_of_crash(),
          contains(crash_.at) && crash_.caller == 0 ? ", " + file_.line_at(crash_.at - base_) : "",
          last);
    case State::Crashed:
      break;
  }
  if (crash_.stack_full)
    return fmt::format("crashed at {:.3f} us: its stack, {} MB, is full in {}; {}", us,
                       host::Fibre::default_stack_bytes >> 20, place_of_crash(), last);
  return fmt::format("crashed at {:.3f} us: SIG{} (address {:#x}) in {}; {}", us,
                     sigabbrev_np(crash_.signal), crash_.address, place_of_crash(), last);
}

}  // namespace ht::program
