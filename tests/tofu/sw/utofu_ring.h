/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HT_TESTS_TOFU_UTOFU_RING_H
#define HT_TESTS_TOFU_UTOFU_RING_H
#include <utofu.h>

#ifdef __cplusplus
extern "C" {
#endif

struct utofu_ring_results {
  uint64_t sum, maximum;
  double real; /**< in: this rank's addend */
  uint8_t coords[6];
};

/** Returns the first code that is not UTOFU_SUCCESS. `ids` is shared by all ranks; everybody(all)
 *  returns when all have called it. */
int utofu_ring(int rank, int size, utofu_vbg_id_t ids[][3], void (*everybody)(void*), void* all,
               struct utofu_ring_results* results);

#ifdef __cplusplus
}
#endif
#endif
