/* SPDX-License-Identifier: Apache-2.0 */
/* As much of MPI (mpi-forum.org, version 3.1) as the programs here call, over QMP: one communicator, messages by rank and
 * tag, in the order they are sent. What is not here does not link. */
#ifndef HYPERTORUS_OUTSIDE_MPI_H
#define HYPERTORUS_OUTSIDE_MPI_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Op;
typedef struct MpiRequest *MPI_Request;
typedef struct {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
} MPI_Status;

enum { MPI_SUCCESS = 0, MPI_ERR_OTHER = 15 };
enum { MPI_COMM_NULL, MPI_COMM_WORLD };
enum {
  MPI_BYTE,
  MPI_CHAR,
  MPI_INT8_T,
  MPI_UINT8_T,
  MPI_SHORT,
  MPI_UNSIGNED_SHORT,
  MPI_INT,
  MPI_UNSIGNED,
  MPI_LONG,
  MPI_UNSIGNED_LONG,
  MPI_FLOAT,
  MPI_DOUBLE
};
/* Fortran's names, and other names of the same types. */
#define MPI_REAL MPI_FLOAT
#define MPI_DOUBLE_PRECISION MPI_DOUBLE
#define MPI_INTEGER1 MPI_INT8_T
#define MPI_LONG_LONG MPI_LONG
#define MPI_INT64_T MPI_LONG
#define MPI_UINT64_T MPI_UNSIGNED_LONG
#define MPI_INT32_T MPI_INT
#define MPI_UINT32_T MPI_UNSIGNED
enum { MPI_SUM, MPI_MIN, MPI_MAX };
#define MPI_IN_PLACE ((void *)-1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_REQUEST_NULL ((MPI_Request)0)

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int MPI_Abort(MPI_Comm comm, int code);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
double MPI_Wtime(void);

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Send(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm);
int MPI_Recv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Sendrecv(const void *sent, int send_count, MPI_Datatype send_type, int to, int send_tag, void *received,
                 int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                 MPI_Status *status);
int MPI_Send_init(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Request *request);
int MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Start(MPI_Request *request);
int MPI_Startall(int count, MPI_Request requests[]);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int MPI_Cancel(MPI_Request *request);
int MPI_Request_free(MPI_Request *request);

int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Allreduce(const void *sent, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Alltoall(const void *sent, int send_count, MPI_Datatype send_type, void *received, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm);

#ifdef __cplusplus
}
#endif
#endif
