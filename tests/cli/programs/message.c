/* SPDX-License-Identifier: Apache-2.0
 *
 * Node 1 sends a word of its own to node 0, which looks at its memory until the word is there, and
 * only then asks the network. Between the two of them the word is reset and comes again. */
#include <qmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided);
  const int dims[] = {2};
  const int rounds = argc > 1 ? atoi(argv[1]) : 4;
  QMP_declare_logical_topology(dims, 1);
  enum { bytes = 1024 };
  QMP_mem_t* memory = QMP_allocate_aligned_memory(bytes, 128, 0);
  volatile uint64_t* word = QMP_get_memory_pointer(memory);
  QMP_msgmem_t buffer = QMP_declare_msgmem((void*)word, bytes);
  const int receives = QMP_get_node_number() == 0;
  QMP_msghandle_t message = receives ? QMP_declare_receive_relative(buffer, 0, -1, 0)
                                     : QMP_declare_send_relative(buffer, 0, 1, 0);
  const int last = bytes / 8 - 1;
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i <= last; i++) word[i] = receives ? 0 : 42;
    if (receives) QMP_start(message);
    QMP_barrier();
    if (receives) {
      while (word[last] != 42) {
      }
    } else {
      QMP_start(message);
    }
    QMP_wait(message);
    QMP_barrier();
  }
  if (receives) printf("received %d times\n", rounds);
  QMP_free_msghandle(message);
  QMP_free_msgmem(buffer);
  QMP_free_memory(memory);
  QMP_finalize_msg_passing();
  return 0;
}
