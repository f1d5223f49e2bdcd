/* SPDX-License-Identifier: Apache-2.0
 *
 * One-sided communication as C programmers write it: <utofu.h>, memory from malloc() and of the
 * program's own, ids exchanged by other means. A put to the next rank, gets from it, tickets drawn
 * from a counter of rank 0, a lock there by compare and swap. onesided_test.cpp runs it on every
 * node.
 */
#include "tests/tofu/sw/utofu_onesided.h"

#include <stdlib.h>
#include <string.h>
#include <utofu.h>

#define STEP(number, condition)      \
  do {                               \
    if (!(condition)) return number; \
  } while (0)

enum { RELAY = 7, TICKET = 300, LOCK = 301 };

static int wait_for_tcq(utofu_vcq_hdl_t vcq, void* expected) {
  void* cbdata = NULL;
  int rc;
  do {
    rc = utofu_poll_tcq(vcq, 0, &cbdata);
  } while (rc == UTOFU_ERR_NOT_FOUND);
  return rc == UTOFU_SUCCESS && cbdata == expected;
}

static int wait_for_mrq(utofu_vcq_hdl_t vcq, int type, uint64_t edata,
                        struct utofu_mrq_notice* notice) {
  int rc;
  do {
    rc = utofu_poll_mrq(vcq, 0, notice);
  } while (rc == UTOFU_ERR_NOT_FOUND);
  return rc == UTOFU_SUCCESS && notice->notice_type == type && notice->edata == edata;
}

int utofu_onesided(int rank, int size, size_t bytes, struct utofu_onesided_ends ends[],
                   void (*everybody)(void*), void* all, uint64_t tickets[2]) {
  const unsigned long both = UTOFU_ONESIDED_FLAG_TCQ_NOTICE | UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE;
  const unsigned long told =
      UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE | UTOFU_ONESIDED_FLAG_STRONG_ORDER;
  const int before = (rank + size - 1) % size, after = (rank + 1) % size;
  struct utofu_onesided_caps* caps;
  struct utofu_mrq_notice notice;
  utofu_tni_id_t *tnis, tni;
  utofu_vcq_hdl_t vcq;
  utofu_vcq_id_t next, zero;
  utofu_stadd_t out_stadd, back_stadd;
  uint64_t counter[3] = {0, 0, 0}; /* tickets, lock, what the lock guards */
  unsigned char *out = malloc(bytes), *in = malloc(bytes), *back = malloc(bytes);
  size_t num_tnis, i;

  STEP(1, utofu_get_onesided_tnis(&tnis, &num_tnis) == UTOFU_SUCCESS);
  STEP(1, num_tnis == 4 || num_tnis == 1);
  tni = tnis[(size_t)rank % num_tnis];
  free(tnis);
  STEP(2, utofu_query_onesided_caps(tni, &caps) == UTOFU_SUCCESS);
  STEP(3, caps->max_putget_size >= bytes && (caps->flags & UTOFU_ONESIDED_CAP_FLAG_ARMW) != 0);
  STEP(4, utofu_create_vcq(tni, 0, &vcq) == UTOFU_SUCCESS);
  STEP(5, utofu_query_vcq_id(vcq, &ends[rank].vcq) == UTOFU_SUCCESS);
  for (i = 0; i < bytes; ++i) {
    out[i] = (unsigned char)(31 * (size_t)rank + i);
    in[i] = back[i] = 0xee;
  }
  STEP(6,
       utofu_reg_mem(vcq, out, bytes, UTOFU_REG_MEM_FLAG_READ_ONLY, &out_stadd) == UTOFU_SUCCESS);
  STEP(7, utofu_reg_mem(vcq, in, bytes, 0, &ends[rank].inbox) == UTOFU_SUCCESS);
  STEP(8, utofu_reg_mem(vcq, back, bytes, 0, &back_stadd) == UTOFU_SUCCESS);
  STEP(9, utofu_reg_mem(vcq, counter, sizeof counter, 0, &ends[rank].counter) == UTOFU_SUCCESS);
  everybody(all); /* an allgather of ids and addresses, in other programs */
  next = ends[after].vcq;
  zero = ends[0].vcq;
  STEP(10, utofu_set_vcq_id_path(&next, NULL) == UTOFU_SUCCESS);
  STEP(11, utofu_set_vcq_id_path(&zero, NULL) == UTOFU_SUCCESS);

  /* To the next. */
  STEP(12, utofu_put(vcq, next, out_stadd, ends[after].inbox, bytes, RELAY, both, &notice) ==
               UTOFU_SUCCESS);
  STEP(13, wait_for_tcq(vcq, &notice));
  STEP(14, wait_for_mrq(vcq, UTOFU_MRQ_TYPE_RMT_PUT, RELAY, &notice));
  STEP(15, notice.rmt_stadd == ends[rank].inbox + bytes);
  for (i = 0; i < bytes; ++i) STEP(16, in[i] == (unsigned char)(31 * (size_t)before + i));
  everybody(all);

  /* And back from there. */
  STEP(17, utofu_get(vcq, next, back_stadd, ends[after].inbox, bytes, RELAY, told, NULL) ==
               UTOFU_SUCCESS);
  STEP(18, wait_for_mrq(vcq, UTOFU_MRQ_TYPE_LCL_GET, RELAY, &notice));
  STEP(19, notice.lcl_stadd == back_stadd + bytes);
  STEP(20, memcmp(back, out, bytes) == 0);

  /* What writes behind a get, in order, is not in what that brings; and who is told that its memory
   * was read may write it. */
  everybody(all);
  if (bytes >= 16) {
    const uint64_t behind = 0x9999999999999999;
    int got = 0, put = 0, read = 0;
    memset(back, 0xee, bytes);
    STEP(42, utofu_get(vcq, next, back_stadd, ends[after].inbox, bytes, RELAY,
                       told | UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE, NULL) == UTOFU_SUCCESS);
    STEP(43, utofu_put_piggyback8(vcq, next, behind, ends[after].inbox + bytes - 8, 8, RELAY, told,
                                  NULL) == UTOFU_SUCCESS);
    while (!got || !put || !read) {
      int rc;
      do {
        rc = utofu_poll_mrq(vcq, 0, &notice);
      } while (rc == UTOFU_ERR_NOT_FOUND);
      STEP(44, rc == UTOFU_SUCCESS);
      got |= notice.notice_type == UTOFU_MRQ_TYPE_LCL_GET;
      put |= notice.notice_type == UTOFU_MRQ_TYPE_LCL_PUT;
      if (notice.notice_type == UTOFU_MRQ_TYPE_RMT_GET) {
        read = 1;
        memset(in, 0xcc, bytes - 8);
      }
    }
    STEP(45, memcmp(back, out, bytes) == 0);
    everybody(all);
    STEP(46, memcmp(in + bytes - 8, &behind, 8) == 0);
  }

  /* Tickets, of 8 bytes and of 4. */
  STEP(21, utofu_armw8(vcq, zero, UTOFU_ARMW_OP_ADD, 1, ends[0].counter, TICKET, told, NULL) ==
               UTOFU_SUCCESS);
  STEP(22, wait_for_mrq(vcq, UTOFU_MRQ_TYPE_LCL_ARMW, TICKET, &notice));
  tickets[0] = notice.rmt_value;
  STEP(23, utofu_armw4(vcq, zero, UTOFU_ARMW_OP_ADD, 1, ends[0].counter, TICKET, told, NULL) ==
               UTOFU_SUCCESS);
  STEP(24, wait_for_mrq(vcq, UTOFU_MRQ_TYPE_LCL_ARMW, TICKET, &notice));
  tickets[1] = notice.rmt_value;

  /* A lock; who has it adds to what it guards, by get and put. */
  do {
    STEP(25, utofu_cswap8(vcq, zero, 0, (uint64_t)rank + 1, ends[0].counter + 8, LOCK, told,
                          NULL) == UTOFU_SUCCESS);
    STEP(26, wait_for_mrq(vcq, UTOFU_MRQ_TYPE_LCL_ARMW, LOCK, &notice));
  } while (notice.rmt_value != 0);
  STEP(27,
       utofu_get(vcq, zero, back_stadd, ends[0].counter + 16, 8, 0, told, NULL) == UTOFU_SUCCESS);
  STEP(28, wait_for_mrq(vcq, UTOFU_MRQ_TYPE_LCL_GET, 0, &notice));
  {
    uint64_t value;
    memcpy(&value, back, sizeof value);
    value += (uint64_t)rank + 1;
    STEP(29, utofu_put_piggyback8(vcq, zero, value, ends[0].counter + 16, 8, 0, told, NULL) ==
                 UTOFU_SUCCESS);
    STEP(30, wait_for_mrq(vcq, UTOFU_MRQ_TYPE_LCL_PUT, 0, &notice));
  }
  STEP(31, utofu_armw8(vcq, zero, UTOFU_ARMW_OP_SWAP, 0, ends[0].counter + 8, LOCK, told, NULL) ==
               UTOFU_SUCCESS);
  STEP(32, wait_for_mrq(vcq, UTOFU_MRQ_TYPE_LCL_ARMW, LOCK, &notice));
  STEP(33, notice.rmt_value == (uint64_t)rank + 1);
  STEP(34, utofu_nop(vcq, UTOFU_ONESIDED_FLAG_TCQ_NOTICE, &rank) == UTOFU_SUCCESS);
  STEP(35, wait_for_tcq(vcq, &rank));
  everybody(all);
  {
    size_t count = 99; /* any call brings the counter up to date */
    STEP(36, utofu_query_num_unread_mrq(vcq, &count) == UTOFU_SUCCESS && count == 0);
  }
  if (rank == 0) {
    const uint64_t n = (uint64_t)size;
    STEP(37, counter[0] == 2 * n && counter[1] == 0 && counter[2] == n * (n + 1) / 2);
  }

  STEP(38, utofu_dereg_mem(vcq, out_stadd, 0) == UTOFU_SUCCESS);
  STEP(39, utofu_dereg_mem(vcq, ends[rank].inbox, 0) == UTOFU_SUCCESS);
  STEP(40, utofu_dereg_mem(vcq, back_stadd, 0) == UTOFU_SUCCESS);
  STEP(41, utofu_free_vcq(vcq) == UTOFU_SUCCESS);
  free(out);
  free(in);
  free(back);
  return 0;
}
