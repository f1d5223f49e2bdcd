/* SPDX-License-Identifier: Apache-2.0 */
/* MPI's beginning and end, and its operations of all ranks, by QMP's own wherever it has them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

size_t mpi_bytes(int count, MPI_Datatype type) {
  static const size_t sizes[] = {1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  if (count < 0 || type < 0 || type > MPI_DOUBLE) mpi_fail("a message", "no such type, or count");
  return (size_t)count * sizes[type];
}

void mpi_fail(const char *call, const char *why) {
  fprintf(stderr, "MPI over QMP: rank %d: %s: %s\n", QMP_get_node_number(), call, why);
  QMP_abort(1);
}

int MPI_Init(int *argc, char ***argv) {
  QMP_thread_level_t provided;
  if (QMP_init_msg_passing(argc, argv, QMP_THREAD_SINGLE, &provided) != QMP_SUCCESS) return MPI_ERR_OTHER;
  mpi_open_messages();
  return MPI_SUCCESS;
}

int MPI_Finalize(void) {
  mpi_close_messages();
  QMP_finalize_msg_passing();
  return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int code) {
  (void)comm;
  QMP_abort(code);
  return MPI_ERR_OTHER;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  (void)comm;
  *rank = QMP_get_node_number();
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size) {
  (void)comm;
  *size = QMP_get_number_of_nodes();
  return MPI_SUCCESS;
}

double MPI_Wtime(void) { return QMP_time(); }

int MPI_Barrier(MPI_Comm comm) {
  (void)comm;
  return QMP_barrier() == QMP_SUCCESS ? MPI_SUCCESS : MPI_ERR_OTHER;
}

/* The operation under way: QMP's reduction hands its function nothing but operands. */
static struct {
  size_t count;
  MPI_Datatype type;
  MPI_Op op;
} reduction;

#define COMBINE(T)                                                                             \
  {                                                                                            \
    T *a = inout;                                                                              \
    const T *b = in;                                                                           \
    for (i = 0; i < reduction.count; ++i) {                                                    \
      a[i] = (T)(reduction.op == MPI_SUM ? a[i] + b[i]                                         \
                                         : (reduction.op == MPI_MIN) == (a[i] < b[i]) ? a[i] : b[i]); \
    }                                                                                          \
  }                                                                                            \
  break

static void combine(void *inout, void *in) {
  size_t i;
  switch (reduction.type) {
    case MPI_CHAR: COMBINE(char);
    case MPI_INT8_T: COMBINE(int8_t);
    case MPI_SHORT: COMBINE(short);
    case MPI_UNSIGNED_SHORT: COMBINE(unsigned short);
    case MPI_INT: COMBINE(int);
    case MPI_UNSIGNED: COMBINE(unsigned);
    case MPI_LONG: COMBINE(long);
    case MPI_UNSIGNED_LONG: COMBINE(unsigned long);
    case MPI_FLOAT: COMBINE(float);
    case MPI_DOUBLE: COMBINE(double);
    default: COMBINE(uint8_t);
  }
}

int MPI_Allreduce(const void *sent, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  (void)comm;
  if (op < MPI_SUM || op > MPI_MAX) mpi_fail("MPI_Allreduce", "no such operation");
  if (sent != MPI_IN_PLACE) memcpy(result, sent, mpi_bytes(count, type));
  if (op == MPI_SUM && type == MPI_DOUBLE) {
    QMP_sum_double_array(result, count);
  } else if (op == MPI_SUM && type == MPI_FLOAT) {
    QMP_sum_float_array(result, count);
  } else {
    reduction.count = (size_t)count;
    reduction.type = type;
    reduction.op = op;
    QMP_binary_reduction(result, mpi_bytes(count, type), combine);
  }
  return MPI_SUCCESS;
}

/* QMP broadcasts from rank 0; from another, its bytes are summed with noughts. */
int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const size_t bytes = mpi_bytes(count, type);
  if (root == 0) return QMP_broadcast(buffer, bytes) == QMP_SUCCESS ? MPI_SUCCESS : MPI_ERR_OTHER;
  if (root != QMP_get_node_number()) memset(buffer, 0, bytes);
  return MPI_Allreduce(MPI_IN_PLACE, buffer, (int)bytes, MPI_BYTE, MPI_SUM, comm);
}

int MPI_Alltoall(const void *sent, int send_count, MPI_Datatype send_type, void *received, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm) {
  const size_t out = mpi_bytes(send_count, send_type), in = mpi_bytes(receive_count, receive_type);
  const int ranks = QMP_get_number_of_nodes(), self = QMP_get_node_number();
  int step;
  for (step = 0; step < ranks; ++step) {
    const int to = (self + step) % ranks, from = (self - step + ranks) % ranks;
    MPI_Sendrecv((const char *)sent + (size_t)to * out, send_count, send_type, to, 0x7fff0000,
                 (char *)received + (size_t)from * in, receive_count, receive_type, from, 0x7fff0000, comm,
                 MPI_STATUS_IGNORE);
  }
  return MPI_SUCCESS;
}
