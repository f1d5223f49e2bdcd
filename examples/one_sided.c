/* SPDX-License-Identifier: Apache-2.0
 *
 * One-sided communication by uTofu, on nodes of Tofu: every node puts a vector straight into its
 * successor's memory, gets it back, and draws tickets from a counter of node 0, which is passive.
 * The nodes exchange their ids by QMP.
 *
 *     one_sided [BYTES]        of the vector (default 10000) */
#include <qmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utofu.h>

#define MUST(call)                    \
  do {                                \
    const int rc_ = (call);           \
    if (rc_ != UTOFU_SUCCESS) {       \
      printf("%s: %d\n", #call, rc_); \
      QMP_abort(3);                   \
    }                                 \
  } while (0)

/* What others must know of a node. */
struct end {
  utofu_vcq_id_t vcq;
  utofu_stadd_t inbox, counter;
};

static struct utofu_mrq_notice wait_for(utofu_vcq_hdl_t vcq, int type) {
  struct utofu_mrq_notice notice;
  int rc;
  do {
    rc = utofu_poll_mrq(vcq, 0, &notice);
  } while (rc == UTOFU_ERR_NOT_FOUND);
  MUST(rc);
  if (notice.notice_type != type) QMP_abort_string(3, "a notice of another kind");
  return notice;
}

/* Everybody's `mine`, by node: every node fills in its own and adds zeros elsewhere. */
static void tell_all(struct end* all, int nodes) {
  const int words = (int)(sizeof *all / sizeof(uint64_t)) * nodes;
  uint64_t* const word = (uint64_t*)all;
  int i;
  for (i = 0; i < words; ++i) {
    double half[2];
    half[0] = (double)(word[i] >> 32);
    half[1] = (double)(word[i] & 0xffffffffU);
    QMP_sum_double_array(half, 2);
    word[i] = (uint64_t)half[0] << 32 | (uint64_t)half[1];
  }
}

int main(int argc, char** argv) {
  const unsigned long told = UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE;
  QMP_thread_level_t provided;
  struct end* all;
  struct utofu_mrq_notice notice;
  utofu_tni_id_t* tnis;
  size_t number_of_tnis, bytes, i;
  utofu_vcq_hdl_t vcq;
  utofu_vcq_id_t next, first;
  utofu_stadd_t out, back;
  unsigned char *vector, *inbox, *copy;
  uint64_t counter = 0, ticket;
  double start, took, tickets;
  int me, nodes, before;

  if (QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided) != QMP_SUCCESS) return 2;
  me = QMP_get_node_number();
  nodes = QMP_get_number_of_nodes();
  before = (me + nodes - 1) % nodes;
  bytes = argc > 1 ? (size_t)atol(argv[1]) : 10000;
  if (bytes < 1 || utofu_get_onesided_tnis(&tnis, &number_of_tnis) != UTOFU_SUCCESS) {
    if (me == 0) fprintf(stderr, "needs at least a byte, and nodes of Tofu\n");
    QMP_finalize_msg_passing();
    return 2;
  }
  all = calloc((size_t)nodes, sizeof *all);
  vector = malloc(bytes);
  inbox = calloc(bytes, 1);
  copy = calloc(bytes, 1);
  for (i = 0; i < bytes; ++i) vector[i] = (unsigned char)(7 * (size_t)me + i);

  MUST(utofu_create_vcq(tnis[0], 0, &vcq));
  free(tnis);
  MUST(utofu_query_vcq_id(vcq, &all[me].vcq));
  MUST(utofu_reg_mem(vcq, vector, bytes, UTOFU_REG_MEM_FLAG_READ_ONLY, &out));
  MUST(utofu_reg_mem(vcq, inbox, bytes, 0, &all[me].inbox));
  MUST(utofu_reg_mem(vcq, copy, bytes, 0, &back));
  MUST(utofu_reg_mem(vcq, &counter, sizeof counter, 0, &all[me].counter));
  tell_all(all, nodes);
  next = all[(me + 1) % nodes].vcq;
  first = all[0].vcq;
  MUST(utofu_set_vcq_id_path(&next, NULL));
  MUST(utofu_set_vcq_id_path(&first, NULL));

  start = QMP_time();
  MUST(utofu_put(vcq, next, out, all[(me + 1) % nodes].inbox, bytes, 1,
                 UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE, NULL));
  wait_for(vcq, UTOFU_MRQ_TYPE_RMT_PUT);
  took = QMP_time() - start;
  for (i = 0; i < bytes; ++i) {
    if (inbox[i] != (unsigned char)(7 * (size_t)before + i)) QMP_abort_string(3, "wrong bytes put");
  }
  MUST(utofu_get(vcq, next, back, all[(me + 1) % nodes].inbox, bytes, 2, told, NULL));
  wait_for(vcq, UTOFU_MRQ_TYPE_LCL_GET);
  if (memcmp(copy, vector, bytes) != 0) QMP_abort_string(3, "wrong bytes got");

  MUST(utofu_armw8(vcq, first, UTOFU_ARMW_OP_ADD, 1, all[0].counter, 3, told, NULL));
  notice = wait_for(vcq, UTOFU_MRQ_TYPE_LCL_ARMW);
  ticket = notice.rmt_value;
  tickets = (double)(1ULL << ticket);
  QMP_sum_double(&tickets); /* one bit for each ticket */
  if (tickets != (double)((1ULL << nodes) - 1)) QMP_abort_string(3, "a ticket was drawn twice");

  QMP_barrier();
  if (me == 0)
    printf("%lu bytes to the next node in %.2f us, and back; %d tickets, all different\n",
           (unsigned long)bytes, took * 1e6, nodes);
  MUST(utofu_free_vcq(vcq));
  free(all);
  free(vector);
  free(inbox);
  free(copy);
  QMP_finalize_msg_passing();
  return 0;
}
