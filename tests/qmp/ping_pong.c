/* SPDX-License-Identifier: Apache-2.0
 *
 * A QMP program in plain C: node 0 and its neighbour at +x send each other one message to and fro.
 * Exit code 0 if everything came back right; node 0 prints half the time of a round trip. */
#include <qmp.h>
#include <string.h>

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  QMP_mem_t* mem;
  QMP_msgmem_t msg;
  QMP_msghandle_t send, receive;
  unsigned char* data;
  const size_t bytes = 128;
  const int rounds = 10;
  int other, i, wrong = 0;
  double start, end;

  if (QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided) != QMP_SUCCESS) return 2;
  if (QMP_declare_logical_topology(QMP_get_allocated_dimensions(),
                                   QMP_get_allocated_number_of_dimensions()) != QMP_SUCCESS) {
    QMP_abort_string(2, "no topology");
  }
  mem = QMP_allocate_aligned_memory(bytes, 128, QMP_MEM_DEFAULT);
  data = (unsigned char*)QMP_get_memory_pointer(mem);
  memset(data, 0, bytes);
  msg = QMP_declare_msgmem(data, bytes);

  other = QMP_get_allocated_dimensions()[0] > 1 ? 1 : 0;
  if (other != 0 && QMP_get_node_number() <= 1) {
    const int dir = QMP_get_node_number() == 0 ? 1 : -1;
    send = QMP_declare_send_relative(msg, 0, dir, 0);
    receive = QMP_declare_receive_relative(msg, 0, dir, 0);
    start = QMP_time();
    for (i = 0; i < rounds; ++i) {
      if (QMP_get_node_number() == 0) {
        data[bytes - 1] = (unsigned char)(2 * i);
        QMP_start(send);
        QMP_wait(send);
        QMP_start(receive);
        QMP_wait(receive);
        if (data[bytes - 1] != 2 * i + 1) ++wrong;
      } else {
        QMP_start(receive);
        QMP_wait(receive);
        if (data[bytes - 1] != 2 * i) ++wrong;
        data[bytes - 1] = (unsigned char)(data[bytes - 1] + 1);
        QMP_start(send);
        QMP_wait(send);
      }
    }
    end = QMP_time();
    if (end <= start) ++wrong;
    if (QMP_is_primary_node() && argc > 1 && strcmp(argv[1], "-v") == 0) {
      QMP_printf("%d bytes: half a round trip takes %g us", (int)bytes,
                 (end - start) / rounds / 2 * 1e6);
    }
    QMP_free_msghandle(send);
    QMP_free_msghandle(receive);
  }
  QMP_free_msgmem(msg);
  QMP_free_memory(mem);
  QMP_barrier();
  QMP_sum_int(&wrong);
  QMP_finalize_msg_passing();
  return wrong;
}
