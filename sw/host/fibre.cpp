// SPDX-License-Identifier: Apache-2.0
#include "sw/host/fibre.hpp"

#include <cxxabi.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

// The bare switch, not Boost's fiber on top of it: the sanitizers must be notified of a switch in
// the very function that makes it (sanitizers.hpp).
#include <boost/context/detail/fcontext.hpp>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include "sw/host/sanitizers.hpp"

namespace ht::host {
namespace {

namespace context = boost::context::detail;

/// An mmap()ed stack with its guard below it.
class Stack {
 public:
  explicit Stack(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto whole = [page](std::size_t n) { return (n + page - 1) / page * page; };
    guard_ = whole(Fibre::guard_bytes);
    usable_ = whole(bytes);
    base_ = ::mmap(nullptr, guard_ + usable_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (base_ == MAP_FAILED) throw std::bad_alloc();
    if (::mprotect(base_, guard_, PROT_NONE) != 0) {
      ::munmap(base_, guard_ + usable_);
      throw std::bad_alloc();
    }
    bottom_ = static_cast<char*>(base_) + guard_;
  }
  ~Stack() {
    if (kept_) return;
    // Frames that never return (the fibre's outermost) leave marks that whoever gets these
    // addresses next must not inherit.
    sanitizer::forget_memory(bottom_, usable_);
    ::munmap(base_, guard_ + usable_);
  }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  /// Its frames are left for good. Whatever they own is lost with them, which is no leak to be told
  /// of: the leak sanitizer sees it from here.
  void leave_for_good() { kept_ = sanitizer::reaches(bottom_, usable_); }

  const void* bottom() const { return bottom_; }
  std::size_t usable() const { return usable_; }

  void* top() const { return bottom_ + usable_; }

  bool guards(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const auto end = reinterpret_cast<std::uintptr_t>(bottom_);
    return at < end && end - at <= guard_;
  }

 private:
  void* base_ = nullptr;
  std::size_t guard_ = 0;
  char* bottom_ = nullptr;
  std::size_t usable_ = 0;
  bool kept_ = false;
};

/// Per-thread state of the C++ runtime: exceptions caught and not yet done with, and how many are
/// in flight (Itanium C++ ABI, 2.2.2).
struct ExceptionState {
  void* caught = nullptr;
  unsigned int uncaught = 0;
};

void exchange_exception_state(ExceptionState& mine) {
  auto* globals = reinterpret_cast<char*>(abi::__cxa_get_globals());
  ExceptionState other;
  std::memcpy(&other.caught, globals, sizeof other.caught);
  std::memcpy(&other.uncaught, globals + sizeof other.caught, sizeof other.uncaught);
  std::memcpy(globals, &mine.caught, sizeof mine.caught);
  std::memcpy(globals + sizeof mine.caught, &mine.uncaught, sizeof mine.uncaught);
  mine = other;
}

thread_local Fibre* current_fibre = nullptr;
thread_local std::atomic<const void*>* reported_to = nullptr;
thread_local std::uint64_t switch_count = 0;

bool is_copy = false;
int exit_code_of_copies = 0;

void report(const Fibre* fibre) {
  ++switch_count;
  if (reported_to != nullptr) reported_to->store(fibre, std::memory_order_relaxed);
}

}  // namespace

struct Fibre::Switch {
  Switch(std::function<void()> body_in, std::size_t stack_bytes)
      : body(std::move(body_in)), stack(stack_bytes) {}

  std::function<void()> body;
  Stack stack;
  context::fcontext_t inside = nullptr;   ///< where resume() goes on
  context::fcontext_t outside = nullptr;  ///< where suspend() goes on
  Fibre* outer = nullptr;                 ///< the fibre that resumed this one
  std::exception_ptr failure;
  ExceptionState exceptions;
  sanitizer::Context sanitizer_context;
  bool running = false;
  bool finished = false;
  bool cancelled = false;

  void run() {
    try {
      body();
    } catch (const Cancelled&) {  // thrown away: nothing to report to
    } catch (...) {
      if (!cancelled) failure = std::current_exception();
    }
    body = nullptr;
    finished = true;
  }

  HT_SWITCHES_STACK static void entry(context::transfer_t from) {
    auto* self = static_cast<Switch*>(from.data);
    self->outside = from.fctx;
    self->sanitizer_context.entered();
    self->run();
    self->sanitizer_context.leave_for_good();
    context::jump_fcontext(self->outside, nullptr);
  }

  HT_SWITCHES_STACK void jump_in() {
    sanitizer_context.enter(stack.bottom(), stack.usable());
    inside = context::jump_fcontext(inside, this).fctx;
    sanitizer_context.came_back();
  }

  HT_SWITCHES_STACK void jump_out() {
    sanitizer_context.leave();
    outside = context::jump_fcontext(outside, nullptr).fctx;
    sanitizer_context.entered();
  }

  /// Out of a fibre that is thrown away, never to come back.
  [[noreturn]] HT_SWITCHES_STACK void leave() {
    finished = true;
    stack.leave_for_good();
    sanitizer_context.leave_for_good();
    context::jump_fcontext(outside, nullptr);
    std::terminate();
  }

  /// Into the fibre and back.
  void enter(Fibre* self) {
    if (inside == nullptr) {
      inside = context::make_fcontext(stack.top(), stack.usable(), &Switch::entry);
    }
    outer = std::exchange(current_fibre, self);
    report(self);
    running = true;
    exchange_exception_state(exceptions);
    jump_in();
    exchange_exception_state(exceptions);
    running = false;
    current_fibre = outer;
    report(outer);
  }
};

Fibre::Fibre(std::function<void()> body, std::size_t stack_bytes)
    : switch_(std::make_unique<Switch>(std::move(body), stack_bytes)) {}

Fibre::~Fibre() {
  if (switch_->inside == nullptr || switch_->finished) return;
  switch_->cancelled = true;
  // A body that swallows Cancelled and blocks again gets it again.
  while (!switch_->finished) switch_->enter(this);
}

void Fibre::resume() {
  if (switch_->finished) throw std::logic_error("Fibre::resume: the fibre has finished");
  if (switch_->running) throw std::logic_error("Fibre::resume: the fibre is running");
  switch_->enter(this);
  if (switch_->failure) std::rethrow_exception(std::exchange(switch_->failure, nullptr));
}

bool Fibre::finished() const {
  return switch_->finished;
}

bool Fibre::is_beyond_stack(const void* address) const {
  return switch_->stack.guards(address);
}

Fibre* Fibre::current() {
  return current_fibre;
}

void Fibre::report_to(std::atomic<const void*>* place) {
  reported_to = place;
  report(current_fibre);
}

std::uint64_t Fibre::switches() {
  return switch_count;
}

void Fibre::end_copies(int exit_code) {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { is_copy = current_fibre != nullptr; });
  if (registered != 0) throw std::bad_alloc();
  exit_code_of_copies = exit_code;
}

void Fibre::suspend() {
  Fibre* self = current_fibre;
  if (self == nullptr) throw std::logic_error("Fibre::suspend: not inside a fibre");
  if (is_copy) _exit(exit_code_of_copies);
  Switch& s = *self->switch_;
  if (!s.cancelled) s.jump_out();
  end_if_thrown_away();
}

bool Fibre::is_thrown_away() {
  return current_fibre != nullptr && current_fibre->switch_->cancelled;
}

void Fibre::end_if_thrown_away() {
  if (!is_thrown_away()) return;
  if (std::uncaught_exceptions() > 0) current_fibre->switch_->leave();  // in a destructor
  [[maybe_unused]] const sanitizer::MayLeak exception;
  throw Cancelled{};
}

}  // namespace ht::host
