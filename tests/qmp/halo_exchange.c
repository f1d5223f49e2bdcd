/* SPDX-License-Identifier: Apache-2.0
 *
 * A QMP program in plain C, as an application would write it: a field on a four-dimensional lattice
 * is shifted once around every axis through the neighbours' halos, and must come back unchanged. */
#include <qmp.h>
#include <stdlib.h>

#define ND 4

static int local[ND];

static int index_of(const int x[ND]) {
  int i = 0, d;
  for (d = ND - 1; d >= 0; --d) i = i * local[d] + x[d];
  return i;
}

static void place_of(int i, int x[ND]) {
  int d;
  for (d = 0; d < ND; ++d) {
    x[d] = i % local[d];
    i /= local[d];
  }
}

/* to(x + dir) = from(x), one step along an axis. */
static int shift(double* to, const double* from, int axis, int dir) {
  const int volume = QMP_get_number_of_subgrid_sites();
  const int face = volume / local[axis];
  QMP_mem_t* out_mem = QMP_allocate_aligned_memory(face * sizeof(double), 128, QMP_MEM_COMMS);
  QMP_mem_t* in_mem = QMP_allocate_memory(face * sizeof(double));
  double* out = (double*)QMP_get_memory_pointer(out_mem);
  double* in = (double*)QMP_get_memory_pointer(in_mem);
  QMP_msgmem_t msg[2];
  QMP_msghandle_t half[2], both;
  int i, k = 0;

  for (i = 0; i < volume; ++i) {
    int x[ND];
    place_of(i, x);
    if (x[axis] == (dir > 0 ? local[axis] - 1 : 0)) out[k++] = from[i];
  }
  msg[0] = QMP_declare_msgmem(in, face * sizeof(double));
  msg[1] = QMP_declare_msgmem(out, face * sizeof(double));
  half[0] = QMP_declare_receive_relative(msg[0], axis, -dir, 0);
  half[1] = QMP_declare_send_relative(msg[1], axis, dir, 0);
  both = QMP_declare_multiple(half, 2);
  if (both == NULL) return 1;
  if (QMP_start(both) != QMP_SUCCESS) return 1;
  for (i = 0; i < volume; ++i) {
    int x[ND];
    place_of(i, x);
    x[axis] += dir;
    if (x[axis] >= 0 && x[axis] < local[axis]) to[index_of(x)] = from[i];
  }
  if (QMP_wait(both) != QMP_SUCCESS) return 1;
  k = 0;
  for (i = 0; i < volume; ++i) {
    int x[ND];
    place_of(i, x);
    if (x[axis] == (dir > 0 ? 0 : local[axis] - 1)) to[i] = in[k++];
  }
  QMP_free_msghandle(both);
  QMP_free_msgmem(msg[0]);
  QMP_free_msgmem(msg[1]);
  QMP_free_memory(out_mem);
  QMP_free_memory(in_mem);
  return 0;
}

int main(int argc, char* argv[]) {
  QMP_thread_level_t provided;
  int lattice[ND] = {4, 4, 4, 8};
  int axis, i, wrong = 0;
  double *a, *b;

  if (QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided) != QMP_SUCCESS) return 2;
  for (i = 1; i <= ND && i < argc; ++i) lattice[i - 1] = atoi(argv[i]);
  if (QMP_layout_grid(lattice, ND) != QMP_SUCCESS) {
    if (QMP_is_primary_node()) QMP_fprintf(stderr, "the nodes do not divide the lattice");
    QMP_finalize_msg_passing();
    return 3;
  }
  for (i = 0; i < ND; ++i) local[i] = QMP_get_subgrid_dimensions()[i];

  a = (double*)malloc(QMP_get_number_of_subgrid_sites() * sizeof(double));
  b = (double*)malloc(QMP_get_number_of_subgrid_sites() * sizeof(double));
  for (axis = 0; axis < ND; ++axis) {
    const int dir = axis % 2 == 0 ? 1 : -1;
    int step;
    for (i = 0; i < QMP_get_number_of_subgrid_sites(); ++i) {
      a[i] = 1000.0 * QMP_get_node_number() + i;
    }
    for (step = 0; step < lattice[axis]; ++step) {
      double* swap = a;
      if (shift(b, a, axis, dir) != 0) QMP_abort(4);
      a = b;
      b = swap;
      /* Half-way it must be somebody else's, unless there is nobody else. */
      if (step == 0 && lattice[axis] > 1 && a[0] == 1000.0 * QMP_get_node_number()) ++wrong;
    }
    for (i = 0; i < QMP_get_number_of_subgrid_sites(); ++i) {
      if (a[i] != 1000.0 * QMP_get_node_number() + i) ++wrong;
    }
  }
  free(a);
  free(b);
  QMP_sum_int(&wrong);
  QMP_finalize_msg_passing();
  return wrong == 0 ? 0 : 1;
}
