/* SPDX-License-Identifier: Apache-2.0
 *
 * What every generated program begins with (random_programs.py). Each step fills what it sends with
 * bytes that say step, round, sender and place, and looks at every byte of what it received into:
 * those between the blocks of a strided message must be as they were. */
#include <qmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { untouched = 0xEE, most = 1 << 16 };
static int me, nodes, wrong;

static unsigned char datum(unsigned step, unsigned from, size_t i) {
  unsigned h = step * 2654435761u ^ from * 40503u ^ (unsigned)i * 2246822519u;
  h ^= h >> 15;
  h *= 2246822519u;
  return (unsigned char)(h >> 24);
}

static void complain(const char* what, unsigned step) {
  if (wrong++ < 5) printf("step %u: %s\n", step, what);
}

/* Blocks of a message in memory: `count` of `bytes`, `stride` apart. */
struct layout {
  size_t bytes, stride;
  int count;
};
static size_t span(struct layout l) {
  return l.stride * (size_t)(l.count - 1) + l.bytes;
}
static QMP_msgmem_t declare(void* base, struct layout l) {
  if (l.count == 1) return QMP_declare_msgmem(base, l.bytes);
  return QMP_declare_strided_msgmem(base, l.bytes, l.count, (ptrdiff_t)l.stride);
}
static unsigned char* fill(unsigned char* base, struct layout l, unsigned step) {
  size_t n = 0;
  for (int b = 0; b < l.count; ++b)
    for (size_t i = 0; i < l.bytes; ++i)
      base[(size_t)b * l.stride + i] = datum(step, (unsigned)me, n++);
  return base;
}
static unsigned char* clear(unsigned char* base, struct layout l) {
  memset(base, untouched, span(l));
  return base;
}
/* `sent`: of the bytes there is room for. */
static void check(const unsigned char* base, struct layout l, unsigned step, int from, size_t sent) {
  size_t n = 0;
  for (size_t at = 0; at < span(l); ++at) {
    const int inside = at % l.stride < l.bytes;
    const int came = inside && n < sent;
    const unsigned char wanted = came ? datum(step, (unsigned)from, n) : untouched;
    if (base[at] != wanted) {
      complain("a received byte is wrong", step);
      return;
    }
    if (inside) ++n;
  }
}

/* The rank of the neighbour on an axis of the logical torus. */
static int neighbour(int axis, int sign) {
  const int dimensions = QMP_get_logical_number_of_dimensions();
  const int* lengths = QMP_get_logical_dimensions();
  int at[8];
  memcpy(at, QMP_get_logical_coordinates(), (size_t)dimensions * sizeof at[0]);
  at[axis] = (at[axis] + sign + lengths[axis]) % lengths[axis];
  return QMP_get_node_number_from(at);
}

static void check_double(double got, double wanted, unsigned step) {
  if (got != wanted) complain("a sum is wrong", step);
}
/* Whole numbers, so that sums are exact in any order. */
static double share(unsigned step, unsigned rank, unsigned i) {
  return (double)((step * 31u + rank * 17u + i * 7u) % 1000u);
}
static double total(unsigned step, unsigned i) {
  double sum = 0;
  for (int r = 0; r < nodes; ++r) sum += share(step, (unsigned)r, i);
  return sum;
}
static double extreme(unsigned step, int sign) {
  double best = share(step, 0, 0);
  for (int r = 1; r < nodes; ++r)
    if (sign * share(step, (unsigned)r, 0) > sign * best) best = share(step, (unsigned)r, 0);
  return best;
}
/* Associative and commutative, as QMP asks. */
static void add_and_xor(void* into, void* from) {
  unsigned* a = into;
  const unsigned* b = from;
  a[0] += b[0];
  a[1] ^= b[1];
}
static void pass_time(int units) {
  volatile double x = 1;
  for (int i = 0; i < units; ++i) x = x * 1.0000001;
}
