/* SPDX-License-Identifier: Apache-2.0 */
/* As much of PMIx (pmix.org) as UTF's barrier gates call: who this process is in its job. */
#ifndef HYPERTORUS_OUTSIDE_PMIX_H
#define HYPERTORUS_OUTSIDE_PMIX_H

#include <stddef.h>
#include <stdint.h>

#define PMIX_MAX_NSLEN 255
enum { PMIX_SUCCESS = 0, PMIX_ERROR = -1, PMIX_ERR_NOT_FOUND = -46 };
typedef int pmix_status_t;
typedef struct {
  char nspace[PMIX_MAX_NSLEN + 1];
  uint32_t rank;
} pmix_proc_t;
typedef struct {
  char key[512];
} pmix_info_t;

pmix_status_t PMIx_Init(pmix_proc_t *process, pmix_info_t info[], size_t count);
pmix_status_t PMIx_Finalize(const pmix_info_t info[], size_t count);

#endif
