/* SPDX-License-Identifier: Apache-2.0
 *
 * elsewhere FOLDER: goes there, and writes to a file instead of standard output. */
#include <errno.h>
#include <qmp.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  QMP_thread_level_t level;
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &level);
  const int node = QMP_get_node_number();
  printf("here %d\n", node);
  if (node == 0 && chdir(argv[1]) != 0) return 1;
  QMP_barrier();
  char name[20];
  snprintf(name, sizeof name, "out%d", node);
  errno = 0;
  if (freopen("no/such/folder", "w", stdout) != NULL || errno != ENOENT) return 2;
  if (freopen(NULL, "r", stdout) != NULL || errno != EBADF) return 3;
  if (freopen(name, "w", stdout) != stdout) return 4;
  printf("reopened %d\n", node);
  if (freopen(name, "a", stdout) != stdout) return 5;
  printf("and again %d\n", node);
  QMP_barrier();
  fprintf(stderr, "late %d\n", node);
  QMP_finalize_msg_passing();
  return 0;
}
