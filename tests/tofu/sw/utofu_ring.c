/* SPDX-License-Identifier: Apache-2.0
 *
 * A uTofu program as C programmers write them: <utofu.h>, ids exchanged by other means, gates
 * wired by hand. Two trips round a ring: the first gathers, the second tells. utofu_test.cpp runs
 * it on every node.
 */
#include "tests/tofu/sw/utofu_ring.h"

#include <stdlib.h>
#include <string.h>
#include <utofu.h>

#define TRY(call)                         \
  do {                                    \
    int rc_ = (call);                     \
    if (rc_ != UTOFU_SUCCESS) return rc_; \
  } while (0)

/* Gate 0 starts and ends, 1 gathers, 2 tells. */
static void wire(struct utofu_vbg_setting s[3], const utofu_vbg_id_t ids[][3], int rank, int size) {
  const int before = (rank + size - 1) % size, after = (rank + 1) % size;
  int i;
  for (i = 0; i < 3; ++i) {
    s[i].vbg_id = ids[rank][i];
    s[i].src_lcl_vbg_id = s[i].src_rmt_vbg_id = UTOFU_VBG_ID_NULL;
    s[i].dst_lcl_vbg_id = s[i].dst_rmt_vbg_id = UTOFU_VBG_ID_NULL;
    s[i].dst_path_coords[0] = UTOFU_PATH_COORD_NULL;
  }
  s[0].dst_lcl_vbg_id = ids[rank][1];
  s[1].src_lcl_vbg_id = ids[rank][0];
  if (rank > 0) s[1].src_rmt_vbg_id = ids[before][1];
  s[1].dst_rmt_vbg_id = rank + 1 < size ? ids[after][1] : ids[after][2];
  s[2].src_rmt_vbg_id = rank > 0 ? ids[before][2] : ids[before][1];
  s[2].dst_lcl_vbg_id = ids[rank][0];
  if (rank + 2 < size) s[2].dst_rmt_vbg_id = ids[after][2];
  s[0].src_lcl_vbg_id = ids[rank][2];
  if (rank + 1 == size) { /* the last one has the sum when it has gathered, and is told by nobody */
    s[1].dst_lcl_vbg_id = ids[rank][0];
    s[0].src_lcl_vbg_id = ids[rank][1];
  }
}

static int wait_for_barrier(utofu_vbg_id_t id) {
  int rc;
  TRY(utofu_barrier(id, 0));
  do {
    rc = utofu_poll_barrier(id, 0);
  } while (rc == UTOFU_ERR_NOT_COMPLETED);
  return rc;
}

static int reduce_word(utofu_vbg_id_t id, enum utofu_reduce_op op, uint64_t* word) {
  int rc;
  TRY(utofu_reduce_uint64(id, op, word, 1, 0));
  do {
    rc = utofu_poll_reduce_uint64(id, 0, word);
  } while (rc == UTOFU_ERR_NOT_COMPLETED);
  return rc;
}

int utofu_ring(int rank, int size, utofu_vbg_id_t ids[][3], void (*everybody)(void*), void* all,
               struct utofu_ring_results* results) {
  struct utofu_barrier_caps* caps;
  struct utofu_vbg_setting settings[3];
  utofu_tni_id_t *tnis, tni;
  size_t num_tnis;
  int rc;

  TRY(utofu_get_barrier_tnis(&tnis, &num_tnis));
  tni = tnis[0];
  free(tnis);
  TRY(utofu_query_barrier_caps(tni, &caps));
  if ((caps->reduce_ops & UTOFU_BARRIER_CAP_REDUCE_OP_BFPSUM) == 0) return UTOFU_ERR_NOT_SUPPORTED;
  TRY(utofu_query_my_coords(results->coords));
  TRY(utofu_alloc_vbg(tni, 3, 0, ids[rank]));
  everybody(all); /* an allgather of ids, in other programs */
  wire(settings, (const utofu_vbg_id_t(*)[3])ids, rank, size);
  TRY(utofu_set_vbg(settings, rank + 1 == size ? 2 : 3));
  everybody(all);

  TRY(wait_for_barrier(ids[rank][0]));
  results->sum = results->maximum = (uint64_t)(rank + 1);
  TRY(reduce_word(ids[rank][0], UTOFU_REDUCE_OP_SUM, &results->sum));
  TRY(reduce_word(ids[rank][0], UTOFU_REDUCE_OP_MAX, &results->maximum));
  TRY(utofu_reduce_double(ids[rank][0], UTOFU_REDUCE_OP_BFPSUM, &results->real, 1, 0));
  do {
    rc = utofu_poll_reduce_double(ids[rank][0], 0, &results->real);
  } while (rc == UTOFU_ERR_NOT_COMPLETED);
  if (rc != UTOFU_SUCCESS) return rc;
  return utofu_free_vbg(ids[rank], 3);
}
