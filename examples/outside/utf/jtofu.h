/* SPDX-License-Identifier: Apache-2.0 */
/* As much of Fujitsu's job library for Tofu as UTF's barrier gates call: where each rank of a job lies. */
#ifndef HYPERTORUS_OUTSIDE_JTOFU_H
#define HYPERTORUS_OUTSIDE_JTOFU_H

#include <stddef.h>
#include <stdint.h>

enum { JTOFU_SUCCESS = 0, JTOFU_ERR = -1 };
typedef uint32_t jtofu_job_id_t;
typedef uint32_t jtofu_rank_t;
union jtofu_phys_coords {
  uint8_t a[6];
  struct {
    uint8_t x, y, z, a, b, c;
  } s;
};
union jtofu_log_coords {
  uint32_t a[3];
  struct {
    uint32_t x, y, z;
  } s;
};
union jtofu_path_coords {
  uint8_t a[3];
  struct {
    uint8_t a, b, c;
  } s;
};

int jtofu_query_max_proc_per_node(void);
int jtofu_query_phys_coords(jtofu_job_id_t job, jtofu_rank_t rank, union jtofu_phys_coords *coords);
int jtofu_query_log_coords(jtofu_job_id_t job, jtofu_rank_t rank, union jtofu_log_coords *coords);
int jtofu_query_ranks_from_phys_coords(jtofu_job_id_t job, union jtofu_phys_coords *coords, size_t most,
                                       jtofu_rank_t *ranks, size_t *count);

#endif
