/* SPDX-License-Identifier: Apache-2.0
 *
 * uTofu's commands with strides and gaps, prepared once and posted every round, on nodes of Tofu.
 * Nodes form a ring. Each has a field of rows of sites; the first and the last column go to the
 * neighbours' halos, once straight from where they are, once packed into a vector and unpacked over
 * there. Then node 0 puts vectors in packets with gaps, which leave the links to others.
 *
 *     strides [ROWS [BYTES [ROUNDS]]]      sites of a column (32), bytes of a site (192), (3) */
#include <qmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utofu.h>

#define MUST(call)                    \
  do {                                \
    const int rc_ = (call);           \
    if (rc_ != UTOFU_SUCCESS) {       \
      printf("%s: %d\n", #call, rc_); \
      QMP_abort(3);                   \
    }                                 \
  } while (0)

enum { COLUMNS = 6, LEFT_HALO = 0, FIRST = 1, LAST = 4, RIGHT_HALO = 5, VECTOR = 65536 };

/* A node's memory, all of which its neighbours may write: the field, four vectors of a column each,
 * two flags, a long vector. */
struct place {
  size_t rows, site, stride, out, in, flags, vector, bytes;
};

struct end {
  utofu_vcq_id_t vcq;
  utofu_stadd_t memory;
};

/* Everybody gets what node `from` has. */
static uint64_t told_by(int from, uint64_t mine) {
  unsigned long low = QMP_get_node_number() == from ? mine & 0xffffffff : 0;
  unsigned long high = QMP_get_node_number() == from ? mine >> 32 : 0;
  QMP_xor_ulong(&low);
  QMP_xor_ulong(&high);
  return (uint64_t)high << 32 | low;
}

static struct end end_of(int node, const struct end* mine) {
  struct end e;
  e.vcq = told_by(node, mine->vcq);
  e.memory = told_by(node, mine->memory);
  MUST(utofu_set_vcq_id_path(&e.vcq, NULL));
  return e;
}

static size_t site_at(const struct place* p, size_t row, int column) {
  return row * p->stride + (size_t)column * p->site;
}

static unsigned char value(int node, int round, size_t row, int column, size_t byte) {
  return (unsigned char)(17 * node + 5 * round + 3 * (int)row + column + 7 * (int)byte);
}

static void wait_for_two(utofu_vcq_hdl_t vcq) {
  struct utofu_mrq_notice notice;
  int got = 0;
  while (got < 2) {
    const int rc = utofu_poll_mrq(vcq, 0, &notice);
    if (rc == UTOFU_ERR_NOT_FOUND) continue;
    MUST(rc);
    ++got;
  }
}

/* Commands for one neighbour, in one piece: its data, and behind them a word with a notice. Returns
 * bytes of `desc` used. */
static size_t prepare(utofu_vcq_hdl_t vcq, const struct end* mine, const struct end* to,
                      const struct place* p, int upwards, int packed, char* desc) {
  const unsigned long order = UTOFU_ONESIDED_FLAG_STRONG_ORDER;
  const unsigned long last = order | UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE;
  const size_t column = p->rows * p->site, half = upwards ? 0 : column;
  size_t data, word;
  if (packed)
    MUST(utofu_prepare_put(vcq, to->vcq, mine->memory + p->out + half, to->memory + p->in + half,
                           column, 0, order, desc, &data));
  else
    MUST(utofu_prepare_put_stride(vcq, to->vcq,
                                  mine->memory + site_at(p, 0, upwards ? LAST : FIRST),
                                  to->memory + site_at(p, 0, upwards ? LEFT_HALO : RIGHT_HALO),
                                  p->site, p->stride, p->rows, 0, order, desc, &data));
  MUST(utofu_prepare_put_piggyback8(vcq, to->vcq, 1, to->memory + p->flags + (upwards ? 0 : 8), 8,
                                    0, last, desc + data, &word));
  return data + word;
}

static int wrong_halos(const unsigned char* memory, const struct place* p, int before, int after,
                       int round) {
  int wrong = 0;
  size_t row, i;
  for (row = 0; row < p->rows; ++row) {
    for (i = 0; i < p->site; ++i) {
      wrong +=
          memory[site_at(p, row, LEFT_HALO) + i] != value(before, round, row, LAST, i) ||
          memory[site_at(p, row, RIGHT_HALO) + i] != value(after, round, row, FIRST, i) ||
          memory[site_at(p, row, FIRST) + i] != value(QMP_get_node_number(), round, row, FIRST, i);
    }
  }
  return wrong;
}

static void pack(unsigned char* memory, const struct place* p, int back) {
  size_t row, i;
  for (row = 0; row < p->rows; ++row) {
    for (i = 0; i < 2; ++i) {
      unsigned char* const packed =
          memory + (back ? p->in : p->out) + (i * p->rows + row) * p->site;
      unsigned char* const site =
          memory +
          site_at(p, row, back ? (i == 0 ? LEFT_HALO : RIGHT_HALO) : (i == 0 ? LAST : FIRST));
      memcpy(back ? site : packed, back ? packed : site, p->site);
    }
  }
}

/* us of the transfers of one round, or a negative number if a halo was wrong. */
static double exchange(utofu_vcq_hdl_t vcq, char* desc, size_t bytes, unsigned char* memory,
                       const struct place* p, int before, int after, int packed, int rounds) {
  double took = 0;
  int round, wrong = 0;
  for (round = 1; round <= rounds; ++round) {
    size_t row, i;
    double start;
    int column;
    for (row = 0; row < p->rows; ++row) {
      for (column = FIRST; column <= LAST; ++column) {
        for (i = 0; i < p->site; ++i)
          memory[site_at(p, row, column) + i] = value(QMP_get_node_number(), round, row, column, i);
      }
    }
    QMP_barrier(); /* everybody has looked at its halos of the round before */
    start = QMP_time();
    if (packed) pack(memory, p, 0);
    MUST(utofu_post_toq(vcq, desc, bytes, NULL));
    wait_for_two(vcq);
    if (packed) pack(memory, p, 1);
    took += QMP_time() - start;
    wrong += wrong_halos(memory, p, before, after, round);
    QMP_barrier(); /* what was put is still being read there */
  }
  QMP_sum_int(&wrong);
  return wrong != 0 ? -1 : took / rounds * 1e6;
}

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  struct utofu_onesided_caps* caps;
  struct place p;
  struct end mine, next, previous;
  utofu_vcq_hdl_t vcq;
  QMP_mem_t* block;
  unsigned char* memory;
  char* desc;
  int me, nodes, i, rounds, packed, failed = 0;

  if (QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided) != QMP_SUCCESS) return 2;
  me = QMP_get_node_number();
  nodes = QMP_get_number_of_nodes();
  memset(&p, 0, sizeof p);
  p.rows = argc > 1 ? (size_t)atol(argv[1]) : 32;
  p.site = argc > 2 ? (size_t)atol(argv[2]) : 192;
  rounds = argc > 3 ? atoi(argv[3]) : 3;
  if (nodes < 2 || p.rows < 1 || p.site < 1 || rounds < 1 ||
      utofu_query_onesided_caps(0, &caps) != UTOFU_SUCCESS) {
    if (me == 0) fprintf(stderr, "needs two nodes of Tofu, at least a row, a byte and a round\n");
    QMP_finalize_msg_passing();
    return 2;
  }
  p.stride = COLUMNS * p.site;
  p.out = p.rows * p.stride;
  p.in = p.out + 2 * p.rows * p.site;
  p.flags = (p.in + 2 * p.rows * p.site + 7) / 8 * 8;
  p.vector = p.flags + 16;
  p.bytes = p.vector + VECTOR;
  block = QMP_allocate_memory(p.bytes);
  desc = malloc(4 * caps->max_toq_desc_size);
  if (block == NULL || desc == NULL) QMP_abort_string(3, "no memory");
  memory = QMP_get_memory_pointer(block);
  memset(memory, 0, p.bytes);
  MUST(utofu_create_vcq(0, 0, &vcq));
  MUST(utofu_query_vcq_id(vcq, &mine.vcq));
  MUST(utofu_reg_mem(vcq, memory, p.bytes, 0, &mine.memory));
  next = previous = mine;
  for (i = 0; i < nodes; ++i) {
    const struct end e = end_of(i, &mine);
    if (i == (me + 1) % nodes) next = e;
    if (i == (me + nodes - 1) % nodes) previous = e;
  }

  for (packed = 0; packed < 2; ++packed) {
    size_t bytes = prepare(vcq, &mine, &next, &p, 1, packed, desc);
    double us;
    bytes += prepare(vcq, &mine, &previous, &p, 0, packed, desc + bytes);
    us = exchange(vcq, desc, bytes, memory, &p, (me + nodes - 1) % nodes, (me + 1) % nodes, packed,
                  rounds);
    if (us < 0) failed = 1;
    if (me == 0)
      printf("two columns of %d x %d bytes, %s: %.3f us\n", (int)p.rows, (int)p.site,
             packed ? "packed (packing not counted)" : "by strides", us);
  }

  for (i = 0; i <= 24; i = i == 0 ? 8 : 3 * i) {
    const double start = QMP_time();
    void* cbdata;
    int rc = UTOFU_ERR_NOT_FOUND;
    if (me != 0) continue;
    MUST(utofu_put_gap(vcq, next.vcq, mine.memory + p.vector, next.memory + p.vector, VECTOR, 0,
                       UTOFU_ONESIDED_FLAG_TCQ_NOTICE, caps->max_mtu, (size_t)i, NULL));
    while (rc == UTOFU_ERR_NOT_FOUND) rc = utofu_poll_tcq(vcq, 0, &cbdata);
    MUST(rc);
    printf("%d bytes, gap %d: %.3f GB/s\n", VECTOR, i, VECTOR / (QMP_time() - start) * 1e-9);
  }
  QMP_barrier();
  if (failed && me == 0) fprintf(stderr, "a halo is wrong\n");
  MUST(utofu_dereg_mem(vcq, mine.memory, 0));
  MUST(utofu_free_vcq(vcq));
  free(desc);
  QMP_free_memory(block);
  QMP_finalize_msg_passing();
  return failed ? 1 : 0;
}
