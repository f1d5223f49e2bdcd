/* SPDX-License-Identifier: Apache-2.0
 *
 * A node by itself: it puts a word into its own memory by uTofu, looks there until it has come, and
 * sums by QMP. */
#include <qmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <utofu.h>

static void must(int code) {
  if (code != UTOFU_SUCCESS) QMP_abort(3);
}

int main(int argc, char** argv) {
  QMP_thread_level_t level;
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &level);
  static volatile uint64_t memory[2];
  utofu_tni_id_t* tnis;
  size_t count;
  utofu_vcq_hdl_t vcq;
  utofu_vcq_id_t id;
  utofu_stadd_t here;
  must(utofu_get_onesided_tnis(&tnis, &count));
  must(utofu_create_vcq(tnis[count - 1], 0, &vcq));
  must(utofu_query_vcq_id(vcq, &id));
  must(utofu_reg_mem(vcq, (void*)memory, sizeof memory, 0, &here));
  must(utofu_put_piggyback8(vcq, id, 42, here + 8, 8, 0, 0, NULL));
  while (memory[1] != 42) {
  }
  double sum = 7;
  QMP_sum_double(&sum);
  printf("put %d to myself; the sum of one is %g\n", (int)memory[1], sum);
  free(tnis);
  QMP_finalize_msg_passing();
  return 0;
}
