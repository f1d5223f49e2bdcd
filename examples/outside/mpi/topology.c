/* SPDX-License-Identifier: Apache-2.0 */
/* mpi-ext.h: the axes of a job are those of exec's --nodes, x fastest. */
#include <mpi-ext.h>

#include "shim.h"

static int length(int axis) {
  return axis < QMP_get_allocated_number_of_dimensions() ? QMP_get_allocated_dimensions()[axis] : 1;
}

int FJMPI_Topology_get_dimension(int *dimension) {
  *dimension = QMP_get_allocated_number_of_dimensions();
  return FJMPI_SUCCESS;
}

int FJMPI_Topology_get_shape(int *x, int *y, int *z) {
  *x = length(0);
  *y = length(1);
  *z = length(2);
  return FJMPI_SUCCESS;
}

int FJMPI_Topology_get_coords(MPI_Comm comm, int rank, int view, int count, int coords[]) {
  int axis;
  (void)comm;
  if (view != FJMPI_LOGICAL || rank < 0 || rank >= QMP_get_number_of_nodes()) return FJMPI_ERR_TOPOLOGY_INVALID;
  for (axis = 0; axis < count; ++axis) {
    coords[axis] = rank % length(axis);
    rank /= length(axis);
  }
  return FJMPI_SUCCESS;
}
