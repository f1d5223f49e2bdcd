// SPDX-License-Identifier: Apache-2.0
#include "sw/program/turn_limit.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sw/host/errors.hpp"
#include "sw/host/fibre.hpp"

namespace ht::program {
namespace {

constexpr double looks = 8;        // in the time that is allowed
constexpr double soon = 0.01;      // seconds
constexpr int most_looks = 100;    // that soon
constexpr double shortest = 0.01;  // the clock is no finer

struct Watched {
  timer_t timer{};
  int users = 0;
  double seconds = 0;
  std::uint64_t switches = 0;
  double since = 0;
  int looks_left = most_looks;
};
thread_local Watched watched;

double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void look_every(double seconds) {
  timespec t{};
  t.tv_sec = static_cast<time_t>(seconds);
  t.tv_nsec = static_cast<long>((seconds - static_cast<double>(t.tv_sec)) * 1e9);
  const itimerspec times{t, t};
  timer_settime(watched.timer, 0, &times, nullptr);
}

}  // namespace

int TurnLimit::signal() {
  return SIGRTMAX;
}

TurnLimit::TurnLimit(double seconds) {
  if (watched.users++ > 0 || seconds <= 0) return;
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal();
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &watched.timer) != 0) {
    --watched.users;
    throw DataError(
        fmt::format("no timer for the programs' processor time: {}; --processor-timeout 0s does "
                    "without",
                    std::strerror(errno)));
  }
  watched.seconds = seconds;
  watched.switches = host::Fibre::switches();
  watched.since = processor_time();
  watched.looks_left = most_looks;
  look_every(std::max(seconds / looks, shortest));
}

TurnLimit::~TurnLimit() {
  if (--watched.users > 0 || watched.seconds == 0) return;
  timer_delete(watched.timer);
  watched.seconds = 0;
}

bool TurnLimit::is_over() {
  if (watched.seconds == 0) return false;
  const double now = processor_time();
  if (const std::uint64_t switches = host::Fibre::switches(); switches != watched.switches) {
    watched.switches = switches;
    watched.since = now;
    if (watched.looks_left < most_looks) {
      watched.looks_left = most_looks;
      look_every(std::max(watched.seconds / looks, shortest));
    }
  }
  return now - watched.since > watched.seconds;
}

bool TurnLimit::look_again() {
  if (watched.looks_left == 0) return false;
  if (watched.looks_left-- == most_looks) look_every(soon);
  return true;
}

}  // namespace ht::program
