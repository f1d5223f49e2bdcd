/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HT_TESTS_TOFU_UTOFU_ONESIDED_H
#define HT_TESTS_TOFU_UTOFU_ONESIDED_H
#include <utofu.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What ranks tell one another before they communicate. */
struct utofu_onesided_ends {
  utofu_vcq_id_t vcq;
  utofu_stadd_t inbox, counter;
};

/** Returns 0, or the number of the first step that went wrong. `ends` is shared by all ranks;
 *  everybody(all) returns when all have called it. `bytes` goes round the ring; `tickets` is where
 *  this rank puts the values it drew from rank 0's counter, two of them. */
int utofu_onesided(int rank, int size, size_t bytes, struct utofu_onesided_ends ends[],
                   void (*everybody)(void*), void* all, uint64_t tickets[2]);

#ifdef __cplusplus
}
#endif
#endif
