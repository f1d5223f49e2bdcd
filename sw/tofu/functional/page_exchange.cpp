// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/functional/page_exchange.hpp"

#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <csignal>
#include <system_error>

namespace ht::tofu {
namespace {

std::mutex turn;
// Odd while there is an exchange. A signal handler can reach nothing but static objects.
std::atomic<std::uint64_t> changes{0};
thread_local bool exchanges = false;
thread_local std::uint64_t tried_at = 0;
struct sigaction before {};

void* at(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);
}

// Back to the instruction, which is tried again. If nothing was exchanged since that was done the
// last time, it is none of ours.
bool may_try_again() {
  if (exchanges) return false;
  std::uint64_t now = changes;
  while (now % 2 != 0) {
    ::sched_yield();
    now = changes;
  }
  if (now == tried_at) return false;
  tried_at = now;
  return true;
}

void handle(int signal, siginfo_t* info, void* context) {
  const bool sent = info->si_code <= 0;  // by somebody
  if (!sent && may_try_again()) return;
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    return before.sa_handler(signal);
  if (sent && before.sa_handler == SIG_IGN) return;
  // The instruction is tried once more, and the process ends as it would have.
  std::signal(signal, SIG_DFL);
  if (sent) raise(signal);
}

// Programs, and what watches them, set handlers of their own: ours is to be the first.
void listen() {
  struct sigaction now {};
  sigaction(SIGSEGV, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handle) return;
  before = now;
  struct sigaction ours {};
  ours.sa_sigaction = handle;
  // A handler before it may be left by a jump: the signal must not stay blocked.
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  if (sigaction(SIGSEGV, &ours, nullptr) != 0)
    throw std::system_error(errno, std::generic_category(), "sigaction");
}

}  // namespace

PageExchange::PageExchange() : turn_(turn) {
  listen();
  exchanges = true;
  ++changes;
}

PageExchange::~PageExchange() {
  ++changes;
  exchanges = false;
}

bool PageExchange::hold(std::uintptr_t address, std::size_t bytes) {
  return ::mprotect(at(address), bytes, PROT_READ) == 0;
}

void PageExchange::release(std::uintptr_t address, std::size_t bytes) {
  (void)::mprotect(at(address), bytes, PROT_READ | PROT_WRITE);
}

}  // namespace ht::tofu
