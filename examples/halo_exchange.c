/* SPDX-License-Identifier: Apache-2.0
 *
 * The pattern of every lattice program: a field is divided over the nodes, and a sweep over it needs
 * the neighbours' boundary sites (the halo). Here a wave packet of numbers is moved by one site
 * along every axis, again and again, until it must be back where it was.
 *
 *     halo_exchange [X Y Z T]      lattice extents (default 4 4 4 8) */
#include <qmp.h>
#include <stdio.h>
#include <stdlib.h>

#define ND 4

static int local[ND]; /* extents of the part on this node */
static int volume;

/* One axis' halo: a send buffer, a receive buffer, and the two messages as one handle, declared once
 * and started for every step. */
typedef struct {
  int axis, sites;
  QMP_mem_t *out_memory, *in_memory;
  double *out, *in;
  QMP_msgmem_t message[2];
  QMP_msghandle_t both;
} halo_t;

static void halo_open(halo_t* h, int axis) {
  const size_t bytes = (size_t)(volume / local[axis]) * sizeof(double);
  QMP_msghandle_t half[2];
  h->axis = axis;
  h->sites = volume / local[axis];
  h->out_memory = QMP_allocate_aligned_memory(bytes, 128, QMP_MEM_COMMS);
  h->in_memory = QMP_allocate_aligned_memory(bytes, 128, QMP_MEM_COMMS);
  if (h->out_memory == NULL || h->in_memory == NULL) QMP_abort_string(3, "no memory for a halo");
  h->out = (double*)QMP_get_memory_pointer(h->out_memory);
  h->in = (double*)QMP_get_memory_pointer(h->in_memory);
  h->message[0] = QMP_declare_msgmem(h->in, bytes);
  h->message[1] = QMP_declare_msgmem(h->out, bytes);
  half[0] = QMP_declare_receive_relative(h->message[0], axis, -1, 0);
  half[1] = QMP_declare_send_relative(h->message[1], axis, +1, 0);
  h->both = QMP_declare_multiple(half, 2);
  if (h->both == NULL) QMP_abort_string(3, "no messages for a halo");
}

static void halo_close(halo_t* h) {
  QMP_free_msghandle(h->both);
  QMP_free_msgmem(h->message[0]);
  QMP_free_msgmem(h->message[1]);
  QMP_free_memory(h->out_memory);
  QMP_free_memory(h->in_memory);
}

/* Distance in memory between neighbours along an axis. */
static int stride_of(int axis) {
  int stride = 1, d;
  for (d = 0; d < axis; ++d) stride *= local[d];
  return stride;
}

/* to(x + 1) = from(x) along the halo's axis: the face is sent while the interior moves. */
static void shift(halo_t* h, double* to, const double* from) {
  const int stride = stride_of(h->axis), length = local[h->axis];
  int i, k = 0;
  for (i = 0; i < volume; ++i)
    if (i / stride % length == length - 1) h->out[k++] = from[i];
  if (QMP_start(h->both) != QMP_SUCCESS) QMP_abort_string(3, "the halo did not start");
  for (i = 0; i < volume; ++i)
    if (i / stride % length != length - 1) to[i + stride] = from[i];
  if (QMP_wait(h->both) != QMP_SUCCESS) QMP_abort_string(3, "the halo did not arrive");
  k = 0;
  for (i = 0; i < volume; ++i)
    if (i / stride % length == 0) to[i] = h->in[k++];
}

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  int lattice[ND] = {4, 4, 4, 8};
  int axis, i, step, wrong = 0;
  double *now, *next, *swap, start;

  if (QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided) != QMP_SUCCESS) return 2;
  for (i = 1; i <= ND && i < argc; ++i) lattice[i - 1] = atoi(argv[i]);
  if (QMP_layout_grid(lattice, ND) != QMP_SUCCESS) {
    if (QMP_is_primary_node())
      fprintf(stderr, "the nodes do not divide a lattice of %d x %d x %d x %d\n", lattice[0],
              lattice[1], lattice[2], lattice[3]);
    QMP_finalize_msg_passing();
    return 3;
  }
  for (i = 0; i < ND; ++i) local[i] = QMP_get_subgrid_dimensions()[i];
  volume = QMP_get_number_of_subgrid_sites();
  now = (double*)malloc((size_t)volume * sizeof(double));
  next = (double*)malloc((size_t)volume * sizeof(double));

  for (axis = 0; axis < ND; ++axis) {
    halo_t halo;
    halo_open(&halo, axis);
    for (i = 0; i < volume; ++i) now[i] = 1e6 * QMP_get_node_number() + i;
    start = QMP_time();
    for (step = 0; step < lattice[axis]; ++step) {
      shift(&halo, next, now);
      swap = now;
      now = next;
      next = swap;
    }
    if (QMP_is_primary_node())
      printf("axis %d: %d steps, %d bytes to a neighbour in each, %.2f us a step\n", axis, step,
             halo.sites * (int)sizeof(double), (QMP_time() - start) / step * 1e6);
    for (i = 0; i < volume; ++i)
      if (now[i] != 1e6 * QMP_get_node_number() + i) ++wrong;
    halo_close(&halo);
  }
  free(now);
  free(next);
  QMP_sum_int(&wrong);
  if (QMP_is_primary_node())
    printf(wrong == 0 ? "every site came back\n" : "%d sites are wrong\n", wrong);
  QMP_finalize_msg_passing();
  return wrong == 0 ? 0 : 1;
}
