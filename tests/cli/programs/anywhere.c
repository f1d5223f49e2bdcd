/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages by number between nodes that need not be neighbours. The argument says what: one past
 * nodes that have ended ("past"), a receive that is too short ("short"), between neighbours one
 * that is longer ("near") or too short ("near short"), or of which nothing is sent ("near empty"),
 * one from a node that has ended ("early"), one that passes a node whose own, long one is received
 * after it ("ahead"), one that nobody receives ("orphan"), some of no bytes ("empty"), between
 * neighbours and all receives, or all sends, started by one call ("empty receives", "empty sends").
 */
#include <qmp.h>
#include <stdio.h>
#include <string.h>

enum { most = 400 };
static unsigned char out[most], in[most + 64];
static int me, nodes, wrong;

static unsigned char byte(int i) {
  return (unsigned char)(31 * i + 17);
}

/* Nodes other than the first and the one farthest from it end at once. */
static void past(void) {
  const int far = nodes / 2 + (nodes > 4 ? 1 : 0);
  if (me == 0) {
    for (int i = 0; i < most; ++i) out[i] = byte(i);
    double start = QMP_time();
    while (QMP_time() < start + 20e-6) {
    }
    QMP_msghandle_t send = QMP_declare_send_to(QMP_declare_msgmem(out, most), far, 0);
    QMP_start(send);
    QMP_wait(send);
  } else if (me == far) {
    /* Room for more than is sent. */
    QMP_msghandle_t receive = QMP_declare_receive_from(QMP_declare_msgmem(in, most + 64), 0, 0);
    QMP_start(receive);
    QMP_wait(receive);
    for (int i = 0; i < most; ++i) wrong += in[i] != byte(i);
    for (int i = most; i < most + 64; ++i) wrong += in[i] != 0;
    printf("received\n");
  }
}

static void too_short(void) {
  const int far = nodes / 2 + (nodes > 4 ? 1 : 0);
  QMP_msghandle_t message = NULL;
  if (me == 0) message = QMP_declare_send_to(QMP_declare_msgmem(out, 100), far, 0);
  if (me == far) message = QMP_declare_receive_from(QMP_declare_msgmem(in, 50), 0, 0);
  if (message == NULL) return;
  QMP_start(message);
  QMP_wait(message);
}

/* Between neighbours: a receive of 50 bytes, of what is longer or not. */
static void near(int bytes) {
  int lengths[2] = {QMP_get_allocated_dimensions()[0], QMP_get_allocated_dimensions()[1]};
  QMP_declare_logical_topology(lengths, 2);
  QMP_msghandle_t message = NULL;
  for (int i = 0; i < bytes; ++i) out[i] = byte(i);
  if (me == 0) message = QMP_declare_send_relative(QMP_declare_msgmem(out, bytes), 0, 1, 0);
  if (me == 1) message = QMP_declare_receive_relative(QMP_declare_msgmem(in, 50), 0, -1, 0);
  if (message == NULL) return;
  QMP_start(message);
  QMP_wait(message);
  for (int i = 0; i < 50 && me == 1; ++i) wrong += in[i] != (i < bytes ? byte(i) : 0);
}

/* Node 3 waits for one that has ended. */
static void early(void) {
  if (me != 3) return;
  QMP_msghandle_t message = QMP_declare_receive_from(QMP_declare_msgmem(in, 50), 0, 0);
  QMP_start(message);
  QMP_wait(message);
}

/* What node 2 sends to node 0 goes by node 3. */
static void ahead(void) {
  enum { long_one = 8192 };
  static unsigned char from[2][long_one];
  for (int i = 0; i < long_one; ++i) from[1][i] = byte(i);
  if (me == 2 || me == 3) {
    QMP_msghandle_t send =
        QMP_declare_send_to(QMP_declare_msgmem(from[1], me == 2 ? 8 : long_one), 0, 0);
    double start = QMP_time();
    while (me == 2 && QMP_time() < start + 20e-6) {
    }
    QMP_start(send);
    QMP_wait(send);
  }
  if (me != 0) return;
  for (int node = 2; node < 4; ++node) {
    const int bytes = node == 2 ? 8 : long_one;
    QMP_msghandle_t receive = QMP_declare_receive_from(QMP_declare_msgmem(from[0], bytes), node, 0);
    QMP_start(receive);
    QMP_wait(receive);
    wrong += memcmp(from[0], from[1], bytes) != 0;
  }
}

/* It may lie in a link: then its sender knows of nothing. */
static void orphan(void) {
  if (me != 0) return;
  QMP_msghandle_t send = QMP_declare_send_to(QMP_declare_msgmem(out, 8), 1, 0);
  QMP_start(send);
  QMP_wait(send);
}

/* Between neighbours, one side's started by one call: each comes to its own receive. */
static void empty_together(int sends) {
  enum { count = 4 };
  const int bytes[count] = {0, 8, 0, 16};
  QMP_msghandle_t messages[count];
  int lengths[2] = {QMP_get_allocated_dimensions()[0], QMP_get_allocated_dimensions()[1]};
  QMP_declare_logical_topology(lengths, 2);
  if (me > 1) return;
  for (int i = 0; i < count; ++i) {
    unsigned char* buffer = (me == 0 ? out : in) + 16 * i;
    QMP_msgmem_t memory = QMP_declare_msgmem(buffer, bytes[i]);
    for (int k = 0; k < bytes[i]; ++k) out[16 * i + k] = byte(i + k);
    messages[i] = me == 0 ? QMP_declare_send_relative(memory, 0, 1, 0)
                          : QMP_declare_receive_relative(memory, 0, -1, 0);
  }
  if (sends == (me == 0)) {
    QMP_msghandle_t all = QMP_declare_multiple(messages, count);
    QMP_start(all);
    QMP_wait(all);
  } else {
    for (int i = 0; i < count; ++i) QMP_start(messages[i]);
    for (int i = 0; i < count; ++i) QMP_wait(messages[i]);
  }
  for (int i = 0; i < count && me == 1; ++i)
    wrong += memcmp(in + 16 * i, out + 16 * i, bytes[i]) != 0;
}

/* Each of three messages comes to its own receive. */
static void empty(void) {
  const int far = nodes / 2 + (nodes > 4 ? 1 : 0);
  const int sent[3] = {0, 8, 0}, room[3] = {16, 16, 0};
  static unsigned char to[3][16];
  for (int i = 0; i < 16; ++i) to[0][i] = to[1][i] = 99;
  for (int i = 0; i < 8; ++i) out[i] = byte(i);
  QMP_msghandle_t handles[3];
  if (me != 0 && me != far) return;
  for (int i = 0; i < 3; ++i) {
    handles[i] = me == 0 ? QMP_declare_send_to(QMP_declare_msgmem(out, sent[i]), far, 0)
                         : QMP_declare_receive_from(QMP_declare_msgmem(to[i], room[i]), 0, 0);
    QMP_start(handles[i]);
  }
  for (int i = 0; i < 3; ++i) QMP_wait(handles[i]);
  for (int i = 0; i < 16 && me == far; ++i)
    wrong += (to[0][i] != 99) + (to[1][i] != (i < 8 ? byte(i) : 99));
}

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  const char* what = argc > 1 ? argv[1] : "past";
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided);
  me = QMP_get_node_number();
  nodes = QMP_get_number_of_nodes();
  if (strcmp(what, "past") == 0) past();
  if (strcmp(what, "short") == 0) too_short();
  if (strcmp(what, "near") == 0) near(13);
  if (strcmp(what, "near short") == 0) near(100);
  if (strcmp(what, "near empty") == 0) near(0);
  if (strcmp(what, "orphan") == 0) orphan();
  if (strcmp(what, "empty") == 0) empty();
  if (strcmp(what, "empty receives") == 0) empty_together(0);
  if (strcmp(what, "empty sends") == 0) empty_together(1);
  if (strcmp(what, "early") == 0) early();
  if (strcmp(what, "ahead") == 0) ahead();
  if (wrong != 0) printf("%d wrong\n", wrong);
  QMP_finalize_msg_passing();
  return wrong != 0;
}
