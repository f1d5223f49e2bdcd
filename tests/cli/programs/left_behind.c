/* SPDX-License-Identifier: Apache-2.0
 *
 * left_behind WHAT: on two nodes of Tofu, node 0 ends without having looked what became of
 *   good      a put that arrives
 *   beyond    one that reaches beyond the registered memory of node 1
 *   freed     the same, its VCQ freed
 *   barrier   a barrier
 *   stray     a packet to a gate of node 1 that is not wired; all of them sum afterwards */
#include <qmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utofu.h>

enum { bytes = 4096 };

static uint8_t memory[bytes] __attribute__((aligned(256)));

/* node 1's, on both */
static uint64_t told(uint64_t mine) {
  unsigned long word = QMP_get_node_number() == 1 ? mine : 0;
  QMP_xor_ulong(&word);
  return word;
}

int main(int argc, char** argv) {
  QMP_thread_level_t level;
  utofu_tni_id_t* tnis;
  size_t count;
  utofu_vcq_hdl_t vcq;
  utofu_vcq_id_t id, far_id;
  utofu_stadd_t here, there;
  const char* const what = argc > 1 ? argv[1] : "good";
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &level);
  if (utofu_get_onesided_tnis(&tnis, &count) != UTOFU_SUCCESS) return 2;
  if (utofu_create_vcq(tnis[0], 0, &vcq) != UTOFU_SUCCESS) return 3;
  free(tnis);
  if (utofu_query_vcq_id(vcq, &id) != UTOFU_SUCCESS) return 4;
  if (utofu_reg_mem(vcq, memory, bytes, 0, &here) != UTOFU_SUCCESS) return 5;
  far_id = told(id);
  there = told(here);
  if (QMP_get_node_number() == 0 && strcmp(what, "barrier") != 0 && strcmp(what, "stray") != 0) {
    const utofu_stadd_t at = strcmp(what, "good") == 0 ? there : there + bytes - 8;
    if (utofu_put(vcq, far_id, here, at, 1024, 0, UTOFU_ONESIDED_FLAG_TCQ_NOTICE, NULL) !=
        UTOFU_SUCCESS)
      return 6;
  }
  if (strcmp(what, "freed") == 0) {
    int rc;
    if (utofu_dereg_mem(vcq, here, 0) != UTOFU_SUCCESS && QMP_get_node_number() == 1) return 7;
    do {
      rc = utofu_free_vcq(vcq);
    } while (rc == UTOFU_ERR_BUSY);
    if (rc != UTOFU_SUCCESS) return 8;
  }
  if (strcmp(what, "barrier") == 0) {
    /* Of this node alone: the first gate sends to the second, and that one back. */
    utofu_vbg_id_t gates[2];
    struct utofu_vbg_setting settings[2];
    int i;
    if (utofu_get_barrier_tnis(&tnis, &count) != UTOFU_SUCCESS) return 9;
    if (utofu_alloc_vbg(tnis[0], 2, 0, gates) != UTOFU_SUCCESS) return 10;
    free(tnis);
    for (i = 0; i < 2; ++i) {
      settings[i].vbg_id = gates[i];
      settings[i].src_lcl_vbg_id = settings[i].dst_lcl_vbg_id = gates[1 - i];
      settings[i].src_rmt_vbg_id = settings[i].dst_rmt_vbg_id = UTOFU_VBG_ID_NULL;
      settings[i].dst_path_coords[0] = UTOFU_PATH_COORD_NULL;
    }
    if (utofu_set_vbg(settings, 2) != UTOFU_SUCCESS) return 11;
    if (utofu_barrier(gates[0], 0) != UTOFU_SUCCESS) return 12;
  }
  if (strcmp(what, "stray") == 0) {
    utofu_vbg_id_t gates[2], far_gate;
    struct utofu_vbg_setting s;
    int i;
    if (utofu_get_barrier_tnis(&tnis, &count) != UTOFU_SUCCESS) return 9;
    if (utofu_alloc_vbg(tnis[0], 2, 0, gates) != UTOFU_SUCCESS) return 10;
    free(tnis);
    far_gate = told(gates[1]);
    if (QMP_get_node_number() == 0) {
      s.vbg_id = gates[0];
      s.src_lcl_vbg_id = s.dst_lcl_vbg_id = s.src_rmt_vbg_id = UTOFU_VBG_ID_NULL;
      s.dst_rmt_vbg_id = far_gate;
      s.dst_path_coords[0] = UTOFU_PATH_COORD_NULL;
      if (utofu_set_vbg(&s, 1) != UTOFU_SUCCESS) return 11;
      if (utofu_barrier(gates[0], 0) != UTOFU_SUCCESS) return 12;
      while (utofu_poll_barrier(gates[0], 0) == UTOFU_ERR_NOT_COMPLETED) {
      }
    }
    for (i = 0; i < 5; ++i) told(7);
  }
  return 0;
}
