/* SPDX-License-Identifier: Apache-2.0
 *
 * One long put over one, two and four network interfaces of a Tofu node at once, on paths that
 * share no link: from the node at the origin to its neighbour along X, and how fast, in simulated
 * time. No addresses are exchanged: memory is registered under a number all nodes know.
 *
 *     split_put [BYTES]        (default 262144) */
#include <qmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <utofu.h>
#include <utofu_split.h>

enum { INTERFACES = 4, STAG = 1 };

static void must(int code, const char* what) {
  if (code == UTOFU_SUCCESS) return;
  printf("%s: uTofu says %d\n", what, code);
  QMP_abort(3);
}

static unsigned char byte_of(size_t i) {
  return (unsigned char)(7 * i + i / 251);
}

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  QMP_mem_t* block;
  unsigned char* memory;
  uint8_t here[6], there[6];
  utofu_vcq_hdl_t vcq[INTERFACES];
  utofu_vcq_id_t other[INTERFACES];
  utofu_stadd_t from[INTERFACES], to[INTERFACES];
  size_t bytes, i;
  int first, second, ways, k;

  if (QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided) != QMP_SUCCESS) return 2;
  bytes = argc > 1 ? (size_t)atol(argv[1]) : 262144;
  if (bytes < 1 || utofu_query_my_coords(here) != UTOFU_SUCCESS) {
    if (QMP_is_primary_node()) fprintf(stderr, "needs at least a byte, and nodes of Tofu\n");
    QMP_finalize_msg_passing();
    return 2;
  }
  for (k = 1, first = 1; k < 6; ++k) first = first && here[k] == 0;
  second = first && here[0] == 1;
  first = first && here[0] == 0;
  for (k = 0; k < 6; ++k) there[k] = (uint8_t)(k == 0);

  block = QMP_allocate_aligned_memory(bytes, 128, 0);
  memory = QMP_get_memory_pointer(block);
  for (i = 0; i < bytes; ++i) memory[i] = (unsigned char)(first ? byte_of(i) : 0);
  for (k = 0; k < INTERFACES; ++k) {
    const utofu_tni_id_t tni = (utofu_tni_id_t)k;
    must(utofu_create_vcq(tni, 0, &vcq[k]), "a queue");
    must(utofu_reg_mem_with_stag(vcq[k], memory, bytes, STAG, 0, &from[k]), "memory");
    must(utofu_construct_vcq_id(there, tni, 0, 0, &other[k]), "two nodes along X");
    must(utofu_query_stadd(other[k], STAG, &to[k]), "the other's memory");
  }
  QMP_barrier(); /* all have registered */

  for (ways = 1; first && ways <= INTERFACES; ways *= 2) {
    double took = QMP_time();
    must(utofu_put_split((size_t)ways, vcq, other, from, to, bytes, 0,
                         UTOFU_ONESIDED_FLAG_TCQ_NOTICE, NULL),
         "a put");
    for (k = 0; k < ways; ++k) {
      void* data;
      int code;
      do {
        code = utofu_poll_tcq(vcq[k], 0, &data);
      } while (code == UTOFU_ERR_NOT_FOUND);
      must(code, "its end");
    }
    took = QMP_time() - took;
    printf("%d ways: %.3f GB/s\n", ways, (double)bytes / took * 1e-9);
  }
  QMP_barrier(); /* all is there */
  for (i = 0; second && i < bytes; ++i) {
    if (memory[i] != byte_of(i)) QMP_abort_string(3, "wrong bytes");
  }
  for (k = 0; k < INTERFACES; ++k) must(utofu_free_vcq(vcq[k]), "the end of a queue");
  QMP_free_memory(block);
  QMP_finalize_msg_passing();
  return 0;
}
