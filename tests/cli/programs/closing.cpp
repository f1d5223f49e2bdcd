// SPDX-License-Identifier: Apache-2.0
// Node 0 waits for a message that nobody sends, all others for it; whatever ends the programs, a
// destructor on the stack of each calls QMP again, as writers of QDP++ do.
#include <qmp.h>

#include <iostream>

struct Writer {
  ~Writer() {
    QMP_barrier();
    double sum = 1;
    QMP_sum_double(&sum);
    std::cout << "closed" << std::endl;
  }
};

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided);
  const int shape[] = {2, 2};
  QMP_declare_logical_topology(shape, 2);
  const Writer writer;
  if (QMP_get_node_number() == 0) {
    char buffer[128];
    QMP_msgmem_t memory = QMP_declare_msgmem(buffer, sizeof buffer);
    QMP_msghandle_t message = QMP_declare_receive_relative(memory, 0, 1, 0);
    QMP_start(message);
    QMP_wait(message);
  }
  QMP_barrier();
  QMP_finalize_msg_passing();
  return 0;
}
