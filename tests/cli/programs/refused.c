/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of the network that fail, which its first argument names, on nodes from its second on; it
 * goes on regardless. */
#include <qmp.h>
#include <stdlib.h>
#include <string.h>
#include <utofu.h>

static char data[256];

static void many(void) {
  for (int i = 0; i < 1000; ++i) QMP_declare_send_to(QMP_declare_msgmem(data, 64), 99, 0);
}

/* Memory is given back while a message to itself is to come there, and again when it has. */
static void free_early(void) {
  const int me = QMP_get_node_number();
  QMP_mem_t* memory = QMP_allocate_memory(128);
  QMP_msgmem_t in = QMP_declare_msgmem(QMP_get_memory_pointer(memory), 128);
  QMP_msghandle_t receive = QMP_declare_receive_from(in, me, 0);
  QMP_msghandle_t send = QMP_declare_send_to(QMP_declare_msgmem(data, 128), me, 0);
  QMP_start(receive);
  QMP_free_memory(memory);
  QMP_start(send);
  QMP_wait(receive);
  QMP_wait(send);
  QMP_free_memory(memory);
}

static void left_behind(int send, int finalize) {
  QMP_msgmem_t memory = QMP_declare_msgmem(data, 128);
  QMP_start(send ? QMP_declare_send_relative(memory, 0, 1, 0)
                 : QMP_declare_receive_relative(memory, 0, 1, 0));
  if (finalize) QMP_finalize_msg_passing();
  exit(0);
}

/* Started, complete, and never asked for: nothing is lost. */
static void not_waited_for(void) {
  QMP_msgmem_t out = QMP_declare_msgmem(data, 128), in = QMP_declare_msgmem(data + 128, 128);
  QMP_msghandle_t receive = QMP_declare_receive_relative(in, 0, -1, 0);
  QMP_start(receive);
  QMP_start(QMP_declare_send_relative(out, 0, 1, 0));
  QMP_wait(receive);
  QMP_barrier();
}

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  const char* what = argc > 1 ? argv[1] : "";
  const int from = argc > 2 ? atoi(argv[2]) : 0;
  int wrong = 0;
  if (strcmp(what, "before") == 0) QMP_barrier();
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided);
  QMP_declare_logical_topology(QMP_get_allocated_dimensions(),
                               QMP_get_allocated_number_of_dimensions());
  if (strcmp(what, "complete") == 0) not_waited_for();
  if (QMP_get_node_number() >= from) {
    double sum = 0;
    if (strcmp(what, "many") == 0) many();
    if (strcmp(what, "length") == 0) QMP_declare_msgmem(data, (size_t)-8);
    if (strcmp(what, "free") == 0) free_early();
    if (strcmp(what, "memory") == 0)
      QMP_declare_send_relative(QMP_declare_msgmem(data, (size_t)1 << 40), 0, 1, 0);
    if (strcmp(what, "axis") == 0) QMP_declare_send_relative(QMP_declare_msgmem(data, 8), 7, 1, 0);
    if (strcmp(what, "handle") == 0) wrong = QMP_start((QMP_msghandle_t)data) == QMP_SUCCESS;
    if (strcmp(what, "sum") == 0) wrong = QMP_sum_double_array(&sum, -1) == QMP_SUCCESS;
    if (strcmp(what, "alone") == 0) wrong = QMP_abort != 0 && QMP_init_msg_passing(0, 0, 0, 0) == 0;
    if (strcmp(what, "gates") == 0) wrong = utofu_barrier(0, 0) == UTOFU_SUCCESS;
    if (strcmp(what, "queue") == 0) wrong = utofu_create_vcq(99, 0, 0) == UTOFU_SUCCESS;
    if (strcmp(what, "ask") == 0) {
      utofu_tni_id_t* ids;
      size_t count;
      if (utofu_get_onesided_tnis(&ids, &count) == UTOFU_SUCCESS) free(ids);
      if (utofu_get_barrier_tnis(&ids, &count) == UTOFU_SUCCESS) free(ids);
    }
    if (strcmp(what, "receive") == 0) left_behind(0, 1);
    if (strcmp(what, "receive, exit") == 0) left_behind(0, 0);
  }
  QMP_finalize_msg_passing();
  if (strcmp(what, "after") == 0) QMP_get_node_number();
  return wrong;
}
