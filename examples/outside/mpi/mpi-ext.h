/* SPDX-License-Identifier: Apache-2.0 */
/* As much of Fujitsu's extensions of MPI as the programs here call: the job's shape, and where a rank is in it. */
#ifndef HYPERTORUS_OUTSIDE_MPI_EXT_H
#define HYPERTORUS_OUTSIDE_MPI_EXT_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FJMPI_SUCCESS = 0, FJMPI_ERR_TOPOLOGY_INVALID = 1 };
enum { FJMPI_LOGICAL };

int FJMPI_Topology_get_dimension(int *dimension);
int FJMPI_Topology_get_shape(int *x, int *y, int *z);
int FJMPI_Topology_get_coords(MPI_Comm comm, int rank, int view, int count, int coords[]);

#ifdef __cplusplus
}
#endif
#endif
