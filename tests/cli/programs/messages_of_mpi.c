/* SPDX-License-Identifier: Apache-2.0 */
/* What examples/outside/mpi promises of MPI: messages by tag, early and late, to oneself, persistent, cancelled; sums. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int failures, rank, ranks;

static void expect(int good, const char *what) {
  if (!good) printf("rank %d: %s\n", rank, what);
  failures += !good;
}

/* Sent as tags 1, 2, 3, received as 3, 1, 2. */
static void tags_out_of_order(void) {
  const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  int out[3], in[3] = {0, 0, 0}, i;
  MPI_Request sends[3];
  for (i = 0; i < 3; ++i) {
    out[i] = 100 * rank + i;
    MPI_Isend(&out[i], 1, MPI_INT, to, i + 1, MPI_COMM_WORLD, &sends[i]);
  }
  MPI_Recv(&in[2], 1, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(&in[0], 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(&in[1], 1, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
  for (i = 0; i < 3; ++i) expect(in[i] == 100 * from + i, "tags out of order");
}

/* Messages of one tag come in the order they are sent, whether their receives are there or not. */
static void order_of_a_tag(void) {
  const int peer = ranks - 1 - rank;
  int out[5], in[5] = {0, 0, 0, 0, 0}, i;
  MPI_Request sends[5], first;
  MPI_Irecv(&in[0], 1, MPI_INT, peer, 7, MPI_COMM_WORLD, &first);
  for (i = 0; i < 5; ++i) {
    out[i] = 1000 * rank + i;
    MPI_Isend(&out[i], 1, MPI_INT, peer, i < 4 ? 7 : 8, MPI_COMM_WORLD, &sends[i]);
  }
  MPI_Wait(&first, MPI_STATUS_IGNORE);
  /* When the last of them is there, the others are. */
  MPI_Recv(&in[4], 1, MPI_INT, peer, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (i = 1; i < 4; ++i) MPI_Recv(&in[i], 1, MPI_INT, peer, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(5, sends, MPI_STATUSES_IGNORE);
  for (i = 0; i < 5; ++i) expect(in[i] == 1000 * peer + i, "order of a tag");
}

/* To and from the neighbour, started three times; a receive that is longer than its message; one that is cancelled. */
static void persistent(void) {
  const int to = rank ^ 1, from = rank ^ 1;
  double out[5] = {0}, in[8];
  int round, i;
  MPI_Request send, receive, never;
  MPI_Status status;
  MPI_Send_init(out, 5, MPI_DOUBLE, to, 9, MPI_COMM_WORLD, &send);
  MPI_Recv_init(in, 8, MPI_DOUBLE, from, 9, MPI_COMM_WORLD, &receive);
  MPI_Recv_init(&round, 1, MPI_INT, from, 10, MPI_COMM_WORLD, &never);
  MPI_Start(&never);
  for (round = 0; round < 3; ++round) {
    for (i = 0; i < 5; ++i) out[i] = rank + 0.5 * i + 10 * round;
    MPI_Start(&receive);
    MPI_Start(&send);
    MPI_Wait(&receive, &status);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    expect(status.MPI_SOURCE == from && status.MPI_TAG == 9, "status");
    for (i = 0; i < 5; ++i) expect(in[i] == from + 0.5 * i + 10 * round, "persistent");
  }
  MPI_Cancel(&never);
  MPI_Wait(&never, MPI_STATUS_IGNORE);
  MPI_Request_free(&never);
  MPI_Request_free(&receive);
  MPI_Request_free(&send);
  expect(never == MPI_REQUEST_NULL && send == MPI_REQUEST_NULL, "freed");
}

static void oneself(void) {
  int out = 17 + rank, in = 0;
  MPI_Sendrecv(&out, 1, MPI_INT, rank, 4, &in, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect(in == out, "to oneself");
}

/* Sends that nobody takes before a global operation do not keep it from going on. */
static void across_a_barrier(void) {
  const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  char out[600], in[600];
  MPI_Request send;
  memset(out, rank, sizeof out);
  MPI_Isend(out, sizeof out, MPI_CHAR, to, 5, MPI_COMM_WORLD, &send);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Recv(in, sizeof in, MPI_CHAR, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  expect(in[0] == from && in[599] == from, "across a barrier");
}

static void operations(void) {
  double sum[2] = {rank, 1};
  unsigned short least = (unsigned short)(rank + 3), value = least;
  int most = -rank, all[64], mine[64], i, told = rank == ranks - 1 ? 4711 : -1;
  MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  expect(sum[0] == ranks * (ranks - 1) / 2 && sum[1] == ranks, "sum");
  MPI_Allreduce(&value, &least, 1, MPI_UNSIGNED_SHORT, MPI_MIN, MPI_COMM_WORLD);
  expect(least == 3, "min");
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  expect(most == 0, "max");
  MPI_Bcast(&told, 1, MPI_INT, ranks - 1, MPI_COMM_WORLD);
  expect(told == 4711, "broadcast");
  for (i = 0; i < ranks; ++i) mine[i] = 100 * rank + i;
  MPI_Alltoall(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (i = 0; i < ranks; ++i) expect(all[i] == 100 * i + rank, "all to all");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  tags_out_of_order();
  order_of_a_tag();
  persistent();
  oneself();
  across_a_barrier();
  operations();
  MPI_Finalize();
  printf("%d failures\n", failures);
  return failures != 0;
}
