/* SPDX-License-Identifier: Apache-2.0
 *
 * Every node prints who it is, counts calls in a global variable of its own, and adds up what all
 * have counted: on n nodes the sum is 1 + 2 + ... + n. */
#include <qmp.h>
#include <stdio.h>

static int count; /* one for each node, though all nodes are one process */

static void call(void) {
  ++count;
}

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  const int* where;
  int nodes, i, sum;

  if (QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided) != QMP_SUCCESS) return 2;
  nodes = QMP_get_number_of_nodes();
  where = QMP_get_allocated_coordinates();

  printf("hello from node %d of %d at (", QMP_get_node_number(), nodes);
  for (i = 0; i < QMP_get_allocated_number_of_dimensions(); ++i)
    printf("%s%d", i == 0 ? "" : ",", where[i]);
  printf(")");
  for (i = 1; i < argc; ++i) printf(" %s", argv[i]);
  printf("\n");

  for (i = 0; i <= QMP_get_node_number(); ++i) call();
  sum = count;
  QMP_sum_int(&sum);
  if (QMP_is_primary_node()) printf("%d calls on all nodes, %d of them mine\n", sum, count);
  QMP_finalize_msg_passing();
  return sum == nodes * (nodes + 1) / 2 ? 0 : 1;
}
