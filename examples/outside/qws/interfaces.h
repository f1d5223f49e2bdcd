/* SPDX-License-Identifier: Apache-2.0 */
/* QWS' part for uTofu asks for six network interfaces, as TofuD has them. Where there are fewer, this, included before
 * its own files (-include), lets it have six numbers, which share those that there are. */
#ifndef HYPERTORUS_OUTSIDE_INTERFACES_H
#define HYPERTORUS_OUTSIDE_INTERFACES_H

#include <stdlib.h>
#include <utofu.h>

#define WANTED_INTERFACES 6

static inline int shared_interfaces(utofu_tni_id_t **numbers, size_t *count) {
  utofu_tni_id_t *all;
  size_t i;
  const int code = utofu_get_onesided_tnis(numbers, count);
  if (code != UTOFU_SUCCESS || *count == 0 || *count >= WANTED_INTERFACES) return code;
  all = (utofu_tni_id_t *)malloc(WANTED_INTERFACES * sizeof *all);
  for (i = 0; i < WANTED_INTERFACES; ++i) all[i] = (utofu_tni_id_t)(i < *count ? (*numbers)[i] : i);
  free(*numbers);
  *numbers = all;
  *count = WANTED_INTERFACES;
  return UTOFU_SUCCESS;
}

static inline int queue_of_shared(utofu_tni_id_t wanted, unsigned long int flags, utofu_vcq_hdl_t *queue) {
  utofu_tni_id_t *numbers, number;
  size_t count;
  const int code = utofu_get_onesided_tnis(&numbers, &count);
  if (code != UTOFU_SUCCESS) return code;
  number = numbers[wanted % count];
  free(numbers);
  return utofu_create_vcq(number, flags, queue);
}

#define utofu_get_onesided_tnis shared_interfaces
#define utofu_create_vcq queue_of_shared

#endif
