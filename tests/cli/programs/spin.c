/* SPDX-License-Identifier: Apache-2.0
 *
 * Node 1 waits by looking at memory, or computes: how, the first argument says; how long, the
 * second; the third is a file that is made when it begins. */
#include <pthread.h>
#include <qmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int flag;
static int plain_flag;

static void wait_for_flag(void) {
  while (flag == 0) {
  }
}

/* The compiler may read this flag once only. */
static void __attribute__((noinline)) wait_for_plain_flag(void) {
  while (plain_flag == 0) {
  }
}

/* Nothing is left of it that the compiler counts. */
static void __attribute__((noinline)) stand_still(void) {
  for (;;) {
  }
}

/* All the time inside a library. */
static void __attribute__((noinline)) scan(void) {
  static char text[1 << 16];
  volatile size_t length = 0;
  for (;;) {
    memset(text, 'x', sizeof text - 1);
    for (int i = 0; i < 100; i++) length += strlen(text);
  }
}

static void block_signals(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  wait_for_flag();
}

static void ignore_signals(void) {
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  wait_for_flag();
}

static void at_exit(void) {
  wait_for_flag();
}

static void* count(void* nothing) {
  for (volatile int i = 0; i < 10000000; i++) {
  }
  return nothing;
}

/* Code of another thread: none of the node's blocks. */
static void run_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, count, NULL);
  pthread_join(thread, NULL);
}

/* So many blocks and a few more: each round of the loop is one or two. */
static void compute(long rounds) {
  volatile double sum = 0;
  for (long i = 0; i < rounds; i++) sum += (double)i;
  if (sum < 0) printf("no sum\n");
}

static void spin(const char* what, int argc, char** argv) {
  if (strcmp(what, "flag") == 0) wait_for_flag();
  if (strcmp(what, "plain") == 0) wait_for_plain_flag();
  if (strcmp(what, "still") == 0) stand_still();
  if (strcmp(what, "scan") == 0) scan();
  if (strcmp(what, "block") == 0) block_signals();
  if (strcmp(what, "ignore") == 0) ignore_signals();
  if (strcmp(what, "sleep") == 0) sleep(1000);
  if (strcmp(what, "atexit") == 0) exit((atexit(at_exit), 0));
  if (strcmp(what, "thread") == 0) run_thread();
  if (strcmp(what, "compute") == 0) compute(argc > 2 ? atol(argv[2]) : 1000000);
}

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided);
  QMP_barrier();
  const double began = QMP_time();
  if (argc > 1 && QMP_get_node_number() == 1) {
    if (argc > 3) fclose(fopen(argv[3], "w")); /* says that it has begun */
    spin(argv[1], argc, argv);
  }
  const double took = QMP_time() - began;
  if (QMP_get_node_number() == 1) printf("took %.0f ps\n", took * 1e12);
  QMP_barrier();
  QMP_finalize_msg_passing();
  return 0;
}
