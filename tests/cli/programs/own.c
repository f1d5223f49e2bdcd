/* SPDX-License-Identifier: Apache-2.0
 *
 * What a node has for itself: globals, static locals, arguments, standard output in all its ways,
 * the C library's random numbers and strtok(). Nodes take turns in every barrier, so that a thing
 * they shared would show. */
#include <qmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int common = 100;
static int counter;

static int next(void) {
  static int calls = 0;
  return ++calls;
}

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  int node, wrong = 0, i;
  long drawn, expected;
  double fraction;
  char text[] = "a b c";
  char* word;
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided);
  node = QMP_get_node_number();

  /* The reference: what one node alone would draw. */
  srandom((unsigned)node + 7);
  for (i = 0, expected = 0; i < 10; ++i) expected = random();
  srandom((unsigned)node + 7);
  srand48(node);
  common += node;
  argv[argc - 1][0] = (char)('0' + node);
  word = strtok(text, " ");
  for (i = 0, drawn = 0; i < 10; ++i) {
    QMP_barrier();
    ++counter;
    next();
    drawn = random();
    fraction = drand48();
    if (i == 0) word = strtok(NULL, " ");
  }
  word = strtok(NULL, " ");
  if (counter != 10 || next() != 11 || common != 100 + node) wrong |= 1;
  if (argv[argc - 1][0] != '0' + node || strcmp(argv[argc - 1] + 1, "rgument") != 0) wrong |= 2;
  if (drawn != expected) wrong |= 4;
  srand48(node);
  for (i = 0; i < 9; ++i) drand48();
  if (drand48() != fraction) wrong |= 8;
  if (word == NULL || strcmp(word, "c") != 0) wrong |= 16;

  printf("printf %d\n", node);
  fprintf(stdout, "fprintf %d", node);
  putchar('\n');
  puts("puts");
  fwrite("fwrite\n", 1, 7, stdout);
  fputs("fputs\n", stdout);
  fflush(stdout);
  if (write(1, "write\n", 6) != 6) wrong |= 32;
  QMP_printf("QMP_printf %d", node);
  fprintf(stderr, "standard error %d\n", node);
  fclose(stdout);
  printf("unfinished");
  QMP_finalize_msg_passing();
  return wrong;
}
