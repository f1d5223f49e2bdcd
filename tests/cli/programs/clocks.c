/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks, before and after waiting for a time of the network's: nanoseconds by each of them. The
 * last line has no newline. */
#include <qmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long long monotonic(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long long day(void) {
  struct timeval t;
  gettimeofday(&t, NULL);
  return t.tv_sec * 1000000000LL + t.tv_usec * 1000LL;
}

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided);
  const double wait = 5e-6;
  const double qmp = QMP_time();
  const long long before = monotonic(), day_before = day();
  const clock_t processor_before = clock();
  while (QMP_time() < qmp + wait) {
  }
  fprintf(stderr, "%d arguments\n", argc);
  printf("%lld %lld %ld %ld\nand so on", monotonic() - before, day() - day_before,
         (long)(clock() - processor_before), (long)time(NULL));
  QMP_finalize_msg_passing();
  return argc > 1 ? atoi(argv[1]) : 0;
}
