/* SPDX-License-Identifier: Apache-2.0
 *
 * Latency and bandwidth between node 0 and its neighbour at +x, in simulated time: messages of
 * growing size go to and fro, and half of a round trip is printed for each.
 *
 *     ping_pong [LARGEST [ROUNDS]]      bytes (default 16384), round trips of each size (4) */
#include <qmp.h>
#include <stdio.h>
#include <stdlib.h>

/* Half of the time of a round trip in us; negative if something came back wrong. */
static double half_round_trip(unsigned char* data, size_t bytes, int rounds, int first) {
  const int dir = first ? +1 : -1;
  QMP_msgmem_t memory = QMP_declare_msgmem(data, bytes);
  QMP_msghandle_t send = QMP_declare_send_relative(memory, 0, dir, 0);
  QMP_msghandle_t receive = QMP_declare_receive_relative(memory, 0, dir, 0);
  double start;
  size_t k;
  int i, wrong = 0;

  if (send == NULL || receive == NULL) QMP_abort_string(3, "no messages");
  for (k = 0; k < bytes; ++k) data[k] = 0;
  start = QMP_time();
  for (i = 0; i < rounds; ++i) {
    if (first) {
      QMP_start(send);
      QMP_wait(send);
    }
    QMP_start(receive);
    QMP_wait(receive);
    data[bytes - 1]++; /* each end once a round */
    if (!first) {
      QMP_start(send);
      QMP_wait(send);
    }
  }
  start = QMP_time() - start;
  if (data[bytes - 1] != (unsigned char)(first ? 2 * rounds : 2 * rounds - 1)) wrong = 1;
  QMP_free_msghandle(send);
  QMP_free_msghandle(receive);
  QMP_free_msgmem(memory);
  return wrong ? -1 : start / rounds / 2 * 1e6;
}

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  size_t largest, bytes;
  int rounds, wrong = 0;

  if (QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided) != QMP_SUCCESS) return 2;
  largest = argc > 1 ? (size_t)atol(argv[1]) : 16384;
  rounds = argc > 2 ? atoi(argv[2]) : 4;
  if (QMP_declare_logical_topology(QMP_get_allocated_dimensions(),
                                   QMP_get_allocated_number_of_dimensions()) != QMP_SUCCESS ||
      QMP_get_allocated_dimensions()[0] < 2 || largest < 8 || rounds < 1) {
    if (QMP_is_primary_node())
      fprintf(stderr, "needs two nodes along x, at least 8 bytes and one round\n");
    QMP_finalize_msg_passing();
    return 2;
  }

  if (QMP_get_node_number() <= 1) {
    QMP_mem_t* memory = QMP_allocate_aligned_memory(largest, 128, QMP_MEM_COMMS);
    if (memory == NULL) QMP_abort_string(3, "no memory for the largest message");
    if (QMP_is_primary_node()) printf("%8s %12s %10s\n", "bytes", "one way, us", "GB/s");
    for (bytes = 8; bytes <= largest; bytes *= 2) {
      const double us = half_round_trip((unsigned char*)QMP_get_memory_pointer(memory), bytes,
                                        rounds, QMP_get_node_number() == 0);
      if (us < 0) ++wrong;
      if (QMP_is_primary_node())
        printf("%8d %12.3f %10.4f\n", (int)bytes, us, (double)bytes / us * 1e-3);
    }
    QMP_free_memory(memory);
  }
  QMP_sum_int(&wrong);
  QMP_finalize_msg_passing();
  return wrong == 0 ? 0 : 1;
}
