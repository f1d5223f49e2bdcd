/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of MPI over QMP share. */
#ifndef HYPERTORUS_OUTSIDE_SHIM_H
#define HYPERTORUS_OUTSIDE_SHIM_H

#include <mpi.h>
#include <qmp.h>

size_t mpi_bytes(int count, MPI_Datatype type);
/* Ends the run with a line that names the call. */
void mpi_fail(const char *call, const char *why);
/* The messages' part of MPI_Init() and of MPI_Finalize(). */
void mpi_open_messages(void);
void mpi_close_messages(void);

#endif
