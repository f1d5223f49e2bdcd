/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls and messages that its test counts: of a ring of nodes, node n sends n + 1 messages of 128
 * bytes to the next one, and all of them sum three times. */
#include <qmp.h>

static char out[128] __attribute__((aligned(128))), in[128] __attribute__((aligned(128)));

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided);
  const int nodes = QMP_get_number_of_nodes(), node = QMP_get_node_number();
  QMP_declare_logical_topology(&nodes, 1);
  const int before = (node + nodes - 1) % nodes;
  QMP_msghandle_t send = QMP_declare_send_relative(QMP_declare_msgmem(out, 128), 0, 1, 0);
  QMP_msghandle_t receive = QMP_declare_receive_relative(QMP_declare_msgmem(in, 128), 0, -1, 0);
  for (int i = 0; i <= before; ++i) {
    if (i <= node) QMP_start(send);
    QMP_start(receive);
    QMP_wait(receive);
    if (i <= node) QMP_wait(send);
  }
  for (int i = before + 1; i <= node; ++i) {
    QMP_start(send);
    QMP_wait_all(&send, 1);
  }
  double sum = node;
  for (int i = 0; i < 3; ++i) QMP_sum_double(&sum);
  QMP_free_msghandle(send);
  QMP_free_msghandle(receive);
  QMP_finalize_msg_passing();
  return 0;
}
