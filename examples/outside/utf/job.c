/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of pmix.h and jtofu.h over QMP and uTofu. */
#include <jtofu.h>
#include <pmix.h>
#include <qmp.h>
#include <stdlib.h>
#include <string.h>
#include <utofu.h>

static union jtofu_phys_coords *places; /* by rank */
static int ranks;

static void unite(void *inout, void *in) {
  unsigned char *a = inout, *b = in;
  int i;
  for (i = 0; i < 8 * ranks; ++i) a[i] |= b[i];
}

/* Every rank says where it is: on all ranks at once, as PMIx_Init() is called. */
static int gather_places(void) {
  const int self = QMP_get_node_number();
  uint8_t *all;
  int i;
  ranks = QMP_get_number_of_nodes();
  all = calloc((size_t)ranks, 8);
  places = calloc((size_t)ranks, sizeof *places);
  if (all == NULL || places == NULL || utofu_query_my_coords(all + 8 * self) != UTOFU_SUCCESS) return PMIX_ERROR;
  QMP_binary_reduction(all, 8 * (size_t)ranks, unite);
  for (i = 0; i < ranks; ++i) memcpy(places[i].a, all + 8 * i, 6);
  free(all);
  return PMIX_SUCCESS;
}

pmix_status_t PMIx_Init(pmix_proc_t *process, pmix_info_t info[], size_t count) {
  (void)info;
  (void)count;
  strcpy(process->nspace, "hypertorus");
  process->rank = (uint32_t)QMP_get_node_number();
  return places != NULL ? PMIX_SUCCESS : gather_places();
}

pmix_status_t PMIx_Finalize(const pmix_info_t info[], size_t count) {
  (void)info;
  (void)count;
  return PMIX_SUCCESS;
}

int jtofu_query_max_proc_per_node(void) { return 1; }

int jtofu_query_phys_coords(jtofu_job_id_t job, jtofu_rank_t rank, union jtofu_phys_coords *coords) {
  (void)job;
  if (places == NULL || (int)rank >= ranks) return JTOFU_ERR;
  *coords = places[rank];
  return JTOFU_SUCCESS;
}

/* The job's own axes are those of exec's --nodes, x fastest. */
int jtofu_query_log_coords(jtofu_job_id_t job, jtofu_rank_t rank, union jtofu_log_coords *coords) {
  const int *shape = QMP_get_allocated_dimensions();
  const int axes = QMP_get_allocated_number_of_dimensions();
  int axis;
  (void)job;
  if (axes > 3 || (int)rank >= ranks) return JTOFU_ERR;
  for (axis = 0; axis < 3; ++axis) {
    const int length = axis < axes ? shape[axis] : 1;
    coords->a[axis] = rank % (uint32_t)length;
    rank /= (uint32_t)length;
  }
  return JTOFU_SUCCESS;
}

int jtofu_query_ranks_from_phys_coords(jtofu_job_id_t job, union jtofu_phys_coords *coords, size_t most,
                                       jtofu_rank_t *found, size_t *count) {
  int rank;
  (void)job;
  *count = 0;
  for (rank = 0; rank < ranks; ++rank) {
    if (memcmp(&places[rank], coords, sizeof *coords) != 0) continue;
    if (*count == most) return JTOFU_ERR;
    found[(*count)++] = (jtofu_rank_t)rank;
  }
  return *count > 0 ? JTOFU_SUCCESS : JTOFU_ERR;
}

/* Of uTofu, and not there: the simulator has said on stderr why a call failed. */
int utofu_get_last_error(char *message) {
  strcpy(message, "see hypertorus' line");
  return UTOFU_SUCCESS;
}
