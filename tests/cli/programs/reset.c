/* SPDX-License-Identifier: Apache-2.0
 *
 * Node 1 puts the same word into node 0's memory again and again. Node 0 looks at it until it is
 * there, resets it without a call, and tells node 1 by a put of its own to go on. The memory lies
 * where the first argument says: global, heap, large, stack or allocated. */
#include <qmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utofu.h>

enum { rounds = 5, words = 300 };
struct shared {
  volatile uint64_t before, flag[words], after, go;
};
static struct shared global;

static void must(int code) {
  if (code != UTOFU_SUCCESS) QMP_abort(3);
}

static uint64_t from(int node, uint64_t value) {
  double halves[2] = {0, 0};
  if (QMP_get_node_number() == node) {
    halves[0] = (double)(value >> 32);
    halves[1] = (double)(value & 0xffffffff);
  }
  QMP_sum_double_array(halves, 2);
  return (uint64_t)halves[0] << 32 | (uint64_t)halves[1];
}

static int run(struct shared* s) {
  const int me = QMP_get_node_number();
  utofu_tni_id_t* tnis;
  size_t count;
  utofu_vcq_hdl_t vcq;
  utofu_vcq_id_t id, other;
  utofu_stadd_t here, there[2];
  memset((void*)s, 0, sizeof *s);
  s->before = s->after = 7;
  must(utofu_get_onesided_tnis(&tnis, &count));
  must(utofu_create_vcq(tnis[0], 0, &vcq));
  free(tnis);
  must(utofu_reg_mem(vcq, (void*)s, sizeof *s, 0, &here));
  must(utofu_query_vcq_id(vcq, &id));
  for (int node = 0; node < 2; node++) {
    const uint64_t its = from(node, id);
    if (node != me) other = its;
    there[node] = from(node, here);
  }
  must(utofu_set_vcq_id_path(&other, NULL));
  QMP_barrier();
  for (uint64_t round = 1; round <= rounds; round++) {
    void* data;
    if (me == 0) {
      while (s->flag[words - 1] != 42) {
      }
      s->flag[words - 1] = 0;
      must(utofu_put_piggyback8(vcq, other, round, there[1] + offsetof(struct shared, go), 8, 0,
                                UTOFU_ONESIDED_FLAG_TCQ_NOTICE, NULL));
    } else {
      const uint64_t at = there[0] + offsetof(struct shared, flag) + 8 * (words - 1);
      must(utofu_put_piggyback8(vcq, other, 42, at, 8, 0, UTOFU_ONESIDED_FLAG_TCQ_NOTICE, NULL));
      while (s->go != round) {
      }
    }
    while (utofu_poll_tcq(vcq, 0, &data) == UTOFU_ERR_NOT_FOUND) {
    }
  }
  QMP_barrier();
  must(utofu_dereg_mem(vcq, here, 0));
  must(utofu_free_vcq(vcq));
  return s->before == 7 && s->after == 7;
}

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided);
  const char* where = argc > 1 ? argv[1] : "global";
  struct shared stack;
  void* const heap = malloc(sizeof stack);
  char* const large = malloc(1 << 20);
  QMP_mem_t* const allocated = QMP_allocate_memory(sizeof stack);
  struct shared* place = &global;
  if (strcmp(where, "stack") == 0) place = &stack;
  if (strcmp(where, "heap") == 0) place = heap;
  /* Over the border of two pages. */
  if (strcmp(where, "large") == 0) place = (struct shared*)(large + 8192 - 1024 - 16);
  if (strcmp(where, "allocated") == 0) place = QMP_get_memory_pointer(allocated);
  int good = 1;
  for (int times = 0; times < 3; times++) good = run(place) && good;
  if (good) printf("reset %d times\n", 3 * rounds);
  free(heap);
  free(large);
  QMP_free_memory(allocated);
  QMP_finalize_msg_passing();
  return !good;
}
