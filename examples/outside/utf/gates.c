/* SPDX-License-Identifier: Apache-2.0 */
/* UTF's barriers and reductions over the barrier gates of all nodes: results are checked against plain arithmetic, and
 * that no rank leaves a barrier before the last has entered, against the machine's clock. UTF's sources are linked as
 * they are; what its gates need of the rest of UTF (who and where the ranks are, memory that the processes of a node
 * share) is here. */
#include <jtofu.h>
#include <mpi.h>
#include <pmix.h>
#include <qmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf.h>
#include <utf_conf.h>
#include <utf_bg.h>
#include <utf_tofu.h>

#define BARRIERS 20

struct utf_info utf_info;
int utf_dflag;
int mypid;

int utf_printf(const char *format, ...) {
  va_list arguments;
  int printed;
  va_start(arguments, format);
  printed = vprintf(format, arguments);
  va_end(arguments);
  return printed;
}

/* One process a node: nobody to share it with. */
int utf_shm_init(size_t bytes, void **memory) {
  *memory = calloc(1, bytes);
  return *memory == NULL;
}

int utf_shm_finalize(void) { return 0; }

static void fail(const char *what, int code) {
  fprintf(stderr, "gates: %s: %d\n", what, code);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void find_places(int rank, int ranks) {
  pmix_proc_t process;
  int i;
  if (PMIx_Init(&process, NULL, 0) != PMIX_SUCCESS) fail("PMIx_Init", 0);
  utf_info.vname = calloc((size_t)ranks, sizeof *utf_info.vname);
  for (i = 0; i < ranks; ++i) {
    union jtofu_phys_coords place;
    union jtofu_log_coords logical;
    if (jtofu_query_phys_coords(0, (jtofu_rank_t)i, &place) != JTOFU_SUCCESS ||
        jtofu_query_log_coords(0, (jtofu_rank_t)i, &logical) != JTOFU_SUCCESS)
      fail("where is rank", i);
    memcpy(&utf_info.vname[i].xyzabc, &place, sizeof place);
    memcpy(&utf_info.vname[i].xyz, &logical, sizeof logical);
    utf_info.vname[i].vpid = (uint32_t)i;
    utf_info.vname[i].v = 1;
  }
  utf_info.myrank = utf_info.lrank = rank;
  utf_info.nprocs = ranks;
  utf_info.nnodes = (size_t)ranks;
  utf_info.ppn = utf_info.myppn = 1;
}

static utf_coll_group_t connect_gates(int rank, int ranks) {
  uint32_t *members = malloc(sizeof *members * (size_t)ranks);
  utf_bg_info_t *mine = malloc(sizeof *mine * (size_t)ranks), *theirs = malloc(sizeof *theirs * (size_t)ranks);
  utf_coll_group_t group;
  int i, code;
  for (i = 0; i < ranks; ++i) members[i] = (uint32_t)i;
  code = utf_bg_alloc(members, (size_t)ranks, (size_t)rank, 1, UTF_BG_TOFU, mine);
  if (code != UTF_SUCCESS) fail("utf_bg_alloc", code);
  MPI_Alltoall(mine, sizeof *mine, MPI_BYTE, theirs, sizeof *theirs, MPI_BYTE, MPI_COMM_WORLD);
  code = utf_bg_init(members, (size_t)ranks, (size_t)rank, theirs, &group);
  if (code != UTF_SUCCESS) fail("utf_bg_init", code);
  MPI_Barrier(MPI_COMM_WORLD);
  return group;
}

static void barrier(utf_coll_group_t group) {
  int code = utf_barrier(group);
  if (code != UTF_SUCCESS) fail("utf_barrier", code);
  while ((code = utf_poll_barrier(group)) == UTF_ERR_NOT_COMPLETED) {
  }
  if (code != UTF_SUCCESS) fail("utf_poll_barrier", code);
}

static void check_barriers(utf_coll_group_t group, int rank, int ranks) {
  int i;
  for (i = 0; i < BARRIERS; ++i) {
    double in, out, start;
    /* Each round another rank is late. */
    for (start = QMP_time(); i % 2 == 0 && rank == i % ranks && QMP_time() - start < 3e-6;) {
    }
    in = QMP_time();
    barrier(group);
    out = QMP_time();
    MPI_Allreduce(MPI_IN_PLACE, &in, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &out, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    if (out < in) fail("a rank left a barrier before the last came, barrier", i);
  }
  if (rank == 0) printf("barriers %d: nobody left one before the last had come\n", BARRIERS);
}

static void wait_for_result(utf_coll_group_t group) {
  void *data;
  int code;
  while ((code = utf_poll_reduce(group, &data)) == UTF_ERR_NOT_COMPLETED) {
  }
  if (code != UTF_SUCCESS) fail("utf_poll_reduce", code);
}

static void all_reduce(utf_coll_group_t group, const void *in, size_t count, void *out, enum utf_datatype type,
                       enum utf_reduce_op op) {
  const int code = utf_allreduce(group, in, count, NULL, out, NULL, type, op);
  if (code != UTF_SUCCESS) fail("utf_allreduce", code);
  wait_for_result(group);
}

static void report(int rank, const char *what, double ours, double arithmetic) {
  if (ours != arithmetic) fail(what, (int)ours);
  if (rank == 0) printf("%-32s gates %.17g  arithmetic %.17g\n", what, ours, arithmetic);
}

static void check_reductions(utf_coll_group_t group, int rank, int ranks) {
  const int64_t number = 1000 + rank;
  const uint64_t bit = (uint64_t)1 << rank;
  const double value = 0.5 + rank;
  int64_t sum = 0, most = 0, least = 0, rooted = 0;
  uint64_t any = 0, all = 0, mask = ~bit;
  double total = 0, largest = 0;
  int code;
  all_reduce(group, &number, 1, &sum, UTF_DATATYPE_INT64_T, UTF_REDUCE_OP_SUM);
  report(rank, "sum of 1000 + rank", (double)sum, 1000.0 * ranks + ranks * (ranks - 1) / 2);
  all_reduce(group, &number, 1, &most, UTF_DATATYPE_INT64_T, UTF_REDUCE_OP_MAX);
  report(rank, "largest of them", (double)most, 999.0 + ranks);
  all_reduce(group, &number, 1, &least, UTF_DATATYPE_INT64_T, UTF_REDUCE_OP_MIN);
  report(rank, "smallest of them", (double)least, 1000);
  all_reduce(group, &bit, 1, &any, UTF_DATATYPE_UINT64_T, UTF_REDUCE_OP_BOR);
  report(rank, "or of 1 << rank", (double)any, (double)(((uint64_t)1 << ranks) - 1));
  all_reduce(group, &mask, 1, &all, UTF_DATATYPE_UINT64_T, UTF_REDUCE_OP_BAND);
  report(rank, "and of ~(1 << rank), inverted", (double)~all, (double)(((uint64_t)1 << ranks) - 1));
  all_reduce(group, &value, 1, &total, UTF_DATATYPE_DOUBLE, UTF_REDUCE_OP_SUM);
  report(rank, "sum of 0.5 + rank", total, 0.5 * ranks + ranks * (ranks - 1) / 2);
  all_reduce(group, &value, 1, &largest, UTF_DATATYPE_DOUBLE, UTF_REDUCE_OP_MAX);
  report(rank, "largest of them, doubles", largest, ranks - 0.5);
  code = utf_reduce(group, &number, 1, NULL, &rooted, NULL, UTF_DATATYPE_INT64_T, UTF_REDUCE_OP_SUM, 0);
  if (code != UTF_SUCCESS) fail("utf_reduce", code);
  wait_for_result(group);
  if (rank == 0) report(rank, "sum at rank 0", (double)rooted, 1000.0 * ranks + ranks * (ranks - 1) / 2);
}

static void check_broadcast(utf_coll_group_t group, int rank, int ranks) {
  double value = rank == ranks - 1 ? 47.11 : 0;
  void *data;
  int code = utf_broadcast(group, &value, sizeof value, NULL, ranks - 1);
  if (code != UTF_SUCCESS) fail("utf_broadcast", code);
  while ((code = utf_poll_reduce(group, &data)) == UTF_ERR_NOT_COMPLETED) {
  }
  if (code != UTF_SUCCESS) fail("utf_poll_reduce", code);
  report(rank, "broadcast from the last rank", value, 47.11);
}

int main(int argc, char **argv) {
  utf_coll_group_t group;
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  find_places(rank, ranks);
  group = connect_gates(rank, ranks);
  check_barriers(group, rank, ranks);
  check_reductions(group, rank, ranks);
  check_broadcast(group, rank, ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  utf_bg_free(group);
  MPI_Finalize();
  if (rank == 0) printf("gates: all as they should be\n");
  return 0;
}
