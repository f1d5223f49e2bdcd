/* SPDX-License-Identifier: Apache-2.0
 *
 * uTofu beside QMP, on Tofu nodes: node 0 writes into the memory of node 1, which writes back, and
 * half of a round trip is printed for growing sizes, in simulated time. No receive is posted: the
 * waiting node polls for the notice that comes with the data.
 *
 *     put [LARGEST [ROUNDS]]      bytes (default 16384), round trips of each size (4) */
#include <qmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utofu.h>

/* Where the other one may write: its queue, and the address of its memory. */
struct end {
  utofu_vcq_id_t vcq;
  utofu_stadd_t memory;
};

static int check(int code, const char* what) {
  if (code == UTOFU_SUCCESS) return 0;
  if (QMP_is_primary_node()) fprintf(stderr, "%s: uTofu says %d\n", what, code);
  return 1;
}

/* Everybody gets what node `from` has. */
static uint64_t told_by(int from, uint64_t mine) {
  unsigned long low = QMP_get_node_number() == from ? mine & 0xffffffff : 0;
  unsigned long high = QMP_get_node_number() == from ? mine >> 32 : 0;
  QMP_xor_ulong(&low);
  QMP_xor_ulong(&high);
  return (uint64_t)high << 32 | low;
}

static int wait_for_put(utofu_vcq_hdl_t vcq) {
  struct utofu_mrq_notice notice;
  int code;
  do {
    code = utofu_poll_mrq(vcq, 0, &notice);
  } while (code == UTOFU_ERR_NOT_FOUND);
  return code == UTOFU_SUCCESS && notice.notice_type != UTOFU_MRQ_TYPE_RMT_PUT ? -1 : code;
}

static int put(utofu_vcq_hdl_t vcq, const struct end* there, utofu_stadd_t from, size_t bytes) {
  const unsigned long flags =
      UTOFU_ONESIDED_FLAG_TCQ_NOTICE | UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE;
  void* data;
  int code = utofu_put(vcq, there->vcq, from, there->memory, bytes, 0, flags, NULL);
  if (code != UTOFU_SUCCESS) return code;
  do {
    code = utofu_poll_tcq(vcq, 0, &data);
  } while (code == UTOFU_ERR_NOT_FOUND);
  return code;
}

/* Half of the time of a round trip in us; negative if something went wrong. */
static double half_round_trip(utofu_vcq_hdl_t vcq, const struct end* there, unsigned char* data,
                              utofu_stadd_t memory, size_t bytes, int rounds, int first) {
  const double start = QMP_time();
  int i;
  data[bytes - 1] = 0;
  for (i = 0; i < rounds; ++i) {
    if (first && check(put(vcq, there, memory, bytes), "put") != 0) return -1;
    if (check(wait_for_put(vcq), "waiting") != 0) return -1;
    data[bytes - 1]++; /* each end once a round */
    if (!first && check(put(vcq, there, memory, bytes), "put") != 0) return -1;
  }
  if (data[bytes - 1] != (unsigned char)(first ? 2 * rounds : 2 * rounds - 1)) return -1;
  return (QMP_time() - start) / rounds / 2 * 1e6;
}

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  struct end mine, there[2];
  utofu_vcq_hdl_t vcq;
  unsigned char* data;
  size_t largest, bytes;
  int rounds, me, i, wrong = 0;

  if (QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided) != QMP_SUCCESS) return 2;
  me = QMP_get_node_number();
  largest = argc > 1 ? (size_t)atol(argv[1]) : 16384;
  rounds = argc > 2 ? atoi(argv[2]) : 4;
  if (QMP_get_number_of_nodes() < 2 || largest < 8 || rounds < 1) {
    if (me == 0) fprintf(stderr, "needs two nodes, at least 8 bytes and one round\n");
    QMP_finalize_msg_passing();
    return 2;
  }
  data = malloc(largest);
  if (data == NULL || check(utofu_create_vcq(0, 0, &vcq), "utofu_create_vcq") != 0 ||
      check(utofu_query_vcq_id(vcq, &mine.vcq), "utofu_query_vcq_id") != 0 ||
      check(utofu_reg_mem(vcq, data, largest, 0, &mine.memory), "utofu_reg_mem") != 0)
    QMP_abort_string(3, "needs nodes of Tofu, as in: hypertorus exec tofu -- ./put");
  memset(data, 0, largest);
  for (i = 0; i < 2; ++i) {
    there[i].vcq = told_by(i, mine.vcq);
    there[i].memory = told_by(i, mine.memory);
    wrong += check(utofu_set_vcq_id_path(&there[i].vcq, NULL), "utofu_set_vcq_id_path");
  }

  if (me <= 1) {
    if (me == 0) printf("%8s %12s %10s\n", "bytes", "one way, us", "GB/s");
    for (bytes = 8; bytes <= largest && wrong == 0; bytes *= 2) {
      const double us =
          half_round_trip(vcq, &there[1 - me], data, mine.memory, bytes, rounds, me == 0);
      if (us < 0) ++wrong;
      if (me == 0) printf("%8d %12.3f %10.4f\n", (int)bytes, us, (double)bytes / us * 1e-3);
    }
  }
  QMP_sum_int(&wrong); /* nobody goes before all have been written to */
  wrong += check(utofu_dereg_mem(vcq, mine.memory, 0), "utofu_dereg_mem");
  wrong += check(utofu_free_vcq(vcq), "utofu_free_vcq");
  free(data);
  QMP_finalize_msg_passing();
  return wrong == 0 ? 0 : 1;
}
