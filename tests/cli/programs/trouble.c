/* SPDX-License-Identifier: Apache-2.0
 *
 * Does one thing wrong on node 1: what, its first argument says. */
#include <assert.h>
#include <qmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int depth(int n) {
  volatile char page[4096];
  page[n % 4096] = (char)n;
  return n > 1000000000 ? 0 : depth(n + 1) + page[n % 4096];
}

/* More than a node's stack, of which the first byte and the last are used. */
static int large_frame(int n) {
  volatile char large[12 << 20];
  large[n] = (char)n;
  return large[n] + large[sizeof large - 1];
}

static void touch_nothing(void) {
  *(volatile int*)16 = 1;
}

static void copy_nothing(size_t bytes) {
  char* volatile nowhere = NULL;
  static char source[4096];
  memcpy(nowhere, source, bytes);
}

static void send_from_nothing(void) {
  QMP_msgmem_t memory = QMP_declare_msgmem((void*)64, 4096);
  QMP_msghandle_t send = QMP_declare_send_relative(memory, 0, 1, 0);
  QMP_start(send);
}

static void wait_for_nobody(void) {
  static char data[128];
  QMP_msgmem_t memory = QMP_declare_msgmem(data, sizeof data);
  QMP_msghandle_t receive = QMP_declare_receive_relative(memory, 0, 1, 0);
  QMP_start(receive);
  QMP_wait(receive);
}

static void handler_of_exit(void) {
  printf("handler of exit\n");
}

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  const char* what = argc > 1 ? argv[1] : "";
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided);
  QMP_declare_logical_topology(QMP_get_allocated_dimensions(),
                               QMP_get_allocated_number_of_dimensions());
  atexit(handler_of_exit);
  if (QMP_get_node_number() == 1) {
    if (strcmp(what, "store") == 0) touch_nothing();
    if (strcmp(what, "memcpy") == 0) copy_nothing(1000);
    if (strcmp(what, "send") == 0) send_from_nothing();
    if (strcmp(what, "call") == 0) ((void (*volatile)(void))0)();
    if (strcmp(what, "recursion") == 0) return depth(0);
    if (strcmp(what, "frame") == 0) return large_frame(argc);
    if (strcmp(what, "divide") == 0) return argc / (argc - argc);
    if (strcmp(what, "abort") == 0) abort();
    if (strcmp(what, "assert") == 0) assert(what == NULL);
    if (strcmp(what, "free") == 0) free(argv[0] + 8);
    if (strcmp(what, "raise") == 0) raise(SIGSEGV);
    if (strcmp(what, "deadlock") == 0) wait_for_nobody();
    if (strcmp(what, "return") == 0) return 7;
    if (strcmp(what, "exit") == 0) exit(9);
    if (strcmp(what, "_exit") == 0) _Exit(11);
    if (strcmp(what, "qmp_abort") == 0) QMP_abort_string(5, "no more");
    if (strcmp(what, "qmp_abort_0") == 0) QMP_abort(0);
    if (strcmp(what, "leave") == 0) return 0;
  }
  double numbers[3] = {1, 2, 3};
  if (strcmp(what, "parts") == 0) {
    QMP_comm_t turned;
    QMP_comm_split(QMP_comm_get_default(), 0, -QMP_get_node_number(), &turned);
    if (QMP_get_node_number() == 1)
      QMP_comm_max_double(turned, numbers);
    else
      QMP_comm_min_double(turned, numbers);
  }
  if (strcmp(what, "numbers") == 0) {
    float halves[2] = {1, 2};
    if (QMP_get_node_number() == 1)
      QMP_sum_float_array(halves, 2);
    else
      QMP_sum_double(numbers);
  }
  if (strcmp(what, "widened") == 0) {
    float half = 0.5F;
    if (QMP_get_node_number() == 1)
      QMP_sum_float(&half);
    else
      QMP_sum_double(numbers);
  }
  if (strcmp(what, "extended") == 0) {
    long double wide = 1;
    if (QMP_get_node_number() == 1)
      QMP_sum_double_extended(numbers);
    else
      QMP_sum_long_double(&wide);
  }
  if (strcmp(what, "split") == 0) {
    QMP_comm_t part;
    if (QMP_get_node_number() == 1)
      QMP_comm_split(QMP_comm_get_default(), 0, 0, &part);
    else
      QMP_sum_double(numbers);
  }
  if (strcmp(what, "lengths") == 0) QMP_sum_double_array(numbers, 2 + (QMP_get_node_number() == 1));
  if (strcmp(what, "kinds") == 0 && QMP_get_node_number() == 1) QMP_barrier();
  if (strcmp(what, "kinds") == 0 && QMP_get_node_number() != 1) QMP_sum_double(numbers);
  while (strcmp(what, "forever") == 0) QMP_barrier();
  if (strcmp(what, "early") == 0 && QMP_get_node_number() == 1) return 3;
  if (strcmp(what, "leave") == 0 || strcmp(what, "early") == 0) QMP_barrier();
  QMP_finalize_msg_passing();
  return 0;
}
