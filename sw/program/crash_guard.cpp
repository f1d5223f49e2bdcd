// SPDX-License-Identifier: Apache-2.0
#include "sw/program/crash_guard.hpp"

#include <dlfcn.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include "sw/host/errors.hpp"
#include "sw/host/fibre.hpp"
#include "sw/program/loaded_program.hpp"
#include "sw/program/turn_limit.hpp"

namespace ht::program {
namespace {

constexpr std::size_t stack_bytes = std::size_t{256} << 10;
constexpr unsigned patience = 30;  // seconds

// A signal handler can reach nothing but static objects.
std::atomic<CrashGuard*> guard{nullptr};
std::atomic<int> first_crashed{-1};

class SignalStack {
 public:
  SignalStack() : memory_(std::make_unique<char[]>(stack_bytes)) {
    stack_t mine{};
    mine.ss_sp = memory_.get();
    mine.ss_size = stack_bytes;
    sigaltstack(&mine, &before_);
  }
  ~SignalStack() { sigaltstack(&before_, nullptr); }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  std::unique_ptr<char[]> memory_;
  stack_t before_{};
};

// Says what is known without anything that may be broken, and ends.
[[noreturn]] void give_up() {
  char text[200];
  const int length = std::snprintf(
      text, sizeof text,
      "hypertorus: node %d crashed or was left in the middle of a library, and with it the "
      "simulator, whose memory it has damaged\n",
      first_crashed.load());
  [[maybe_unused]] const auto written =
      ::write(STDERR_FILENO, text, static_cast<std::size_t>(length));
  _exit(static_cast<int>(ExitCode::Protocol));
}

// As without a handler.
void by_default(int signal) {
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void on_alarm(int signal) {
  if (first_crashed >= 0) give_up();
  by_default(signal);  // a program has set it
}

// Walks from the handler outwards to the first frame that is the program's.
struct Walk {
  const LoadedProgram* program;
  Crash* crash;
  std::uintptr_t inner = 0;  // start of the function one frame further in
  bool seen = false;         // past the handler's own frames
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  auto* walk = static_cast<Walk*>(data);
  const std::uintptr_t ip = _Unwind_GetIP(context);
  walk->seen = walk->seen || ip == walk->crash->at;
  if (!walk->seen) return _URC_NO_REASON;
  if (walk->program->contains(ip)) {
    walk->crash->caller = ip;
    return _URC_END_OF_STACK;
  }
  walk->inner = _Unwind_GetRegionStart(context);
  return _URC_NO_REASON;
}

std::uintptr_t instruction(const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(context.uc_mcontext.pc);
#else
  return 0;
#endif
}

// A call to nowhere, or on its way into a library: its frame is not there yet, but where it returns
// to is on the stack.
std::uintptr_t return_address(const ucontext_t& context) {
#if defined(__x86_64__)
  std::uintptr_t address = 0;
  std::memcpy(&address, reinterpret_cast<const void*>(context.uc_mcontext.gregs[REG_RSP]),
              sizeof address);
  return address;
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(context.uc_mcontext.regs[30]);
#else
  return 0;
#endif
}

// Fills in where it was.
void locate(const LoadedProgram& program, const ucontext_t& context, Crash& crash) {
  crash.at = instruction(context);
  if (program.contains(crash.at)) {
    if (program.leads_out(crash.at) && program.contains(return_address(context)))
      crash.caller = return_address(context);
    return;
  }
  Walk walk{&program, &crash};
  _Unwind_Backtrace(step, &walk);
  Dl_info symbol{};
  const bool nowhere = dladdr(reinterpret_cast<void*>(crash.at), &symbol) == 0;
  if (!nowhere) crash.library = symbol.dli_fname;
  if (nowhere && program.contains(return_address(context))) {
    crash.caller = return_address(context);
  } else if (walk.inner != 0 && dladdr(reinterpret_cast<void*>(walk.inner), &symbol) != 0 &&
             symbol.dli_sname != nullptr &&
             symbol.dli_saddr == reinterpret_cast<void*>(walk.inner)) {
    crash.callee = symbol.dli_sname;
  }
}

}  // namespace

CrashGuard::Stack::Stack() {
  thread_local const SignalStack stack;
}

CrashGuard::CrashGuard(Finder program_on) : program_on_(std::move(program_on)) {
  if (guard.exchange(this) != nullptr)
    throw std::logic_error("CrashGuard: there is one already in this process");
  first_crashed = -1;
  struct sigaction action {};
  action.sa_sigaction = &CrashGuard::handle;
  // A handler is left by a jump: its signal must not stay blocked.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &before_[i]);
  struct sigaction alarm_action {};
  alarm_action.sa_handler = on_alarm;
  sigaction(SIGALRM, &alarm_action, &alarm_before_);
  action.sa_sigaction = &CrashGuard::look;
  action.sa_flags |= SA_RESTART;
  sigaction(TurnLimit::signal(), &action, &look_before_);
}

CrashGuard::~CrashGuard() {
  alarm(0);
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
  sigaction(SIGALRM, &alarm_before_, nullptr);
  sigaction(TurnLimit::signal(), &look_before_, nullptr);
  guard = nullptr;
}

void CrashGuard::handle(int signal, siginfo_t* info, void* data) {
  const auto& context = *static_cast<const ucontext_t*>(data);
  const host::Fibre* fibre = host::Fibre::current();
  CrashGuard* self = guard;
  LoadedProgram* program = self == nullptr || fibre == nullptr ? nullptr : self->program_on_(fibre);
  if (program != nullptr && program->is_forked()) return by_default(signal);
  if (program == nullptr) {  // not a program's doing, or the consequence of one's
    if (first_crashed >= 0) give_up();
    return by_default(signal);
  }
  int none = -1;
  // Several nodes may crash, but none twice.
  if (!first_crashed.compare_exchange_strong(none, program->rank()) && none == program->rank())
    give_up();
  alarm(patience);
  Crash crash;
  crash.signal = signal;
  crash.address = signal == SIGABRT ? 0 : reinterpret_cast<std::uintptr_t>(info->si_addr);
  crash.stack_full = signal == SIGSEGV && fibre->is_beyond_stack(info->si_addr);
  locate(*program, context, crash);
  program->crash(crash);
}

void CrashGuard::look(int /*signal*/, siginfo_t* /*info*/, void* data) {
  const host::Fibre* fibre = host::Fibre::current();
  CrashGuard* self = guard;
  if (self == nullptr || fibre == nullptr || !TurnLimit::is_over()) return;
  LoadedProgram* program = self->program_on_(fibre);
  if (program == nullptr) return;
  const auto& context = *static_cast<const ucontext_t*>(data);
  // Inside a library it may hold a lock. What stays in one is left all the same.
  const bool inside = program->contains(instruction(context));
  if (!inside && TurnLimit::look_again()) return;
  if (!inside) {
    first_crashed = program->rank();
    alarm(patience);
  }
  Crash where;
  where.signal = TurnLimit::signal();
  locate(*program, context, where);
  program->end_turn(where);
}

}  // namespace ht::program
