// SPDX-License-Identifier: Apache-2.0
// Messages between neighbours, to oneself, and by node number; scattered memory; handles.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "tests/qmp/program_support.hpp"
#include "tests/qmp/programs.hpp"

namespace ht::qmp::tests {
namespace {

/// A send and a receive along one axis whose memory is given back at the end.
struct Exchange {
  QMP_msgmem_t out_memory, in_memory;
  QMP_msghandle_t send, receive;

  Exchange(const void* out, void* in, std::size_t bytes, int axis, int dir)
      : Exchange(QMP_declare_msgmem(out, bytes), QMP_declare_msgmem(in, bytes), axis, dir) {}
  Exchange(QMP_msgmem_t out, QMP_msgmem_t in, int axis, int dir)
      : out_memory(out),
        in_memory(in),
        send(QMP_declare_send_relative(out, axis, dir, 0)),
        receive(QMP_declare_receive_relative(in, axis, -dir, 0)) {
    MUST(send != nullptr && receive != nullptr);
  }
  void run() const {
    MUST(QMP_start(send) == QMP_SUCCESS && QMP_start(receive) == QMP_SUCCESS);
    MUST(QMP_wait(receive) == QMP_SUCCESS && QMP_wait(send) == QMP_SUCCESS);
  }
  void free_memories() const {
    QMP_free_msgmem(out_memory);
    QMP_free_msgmem(in_memory);
  }
  void free_all() const {
    QMP_free_msghandle(send);
    QMP_free_msghandle(receive);
    free_memories();
  }
};

/// A halo exchange as an application does it: declared once, everything in one handle, used often.
void halo() {
  const Session session;
  const int axes = static_cast<int>(declare_native_topology().size());
  constexpr int numbers = 32;
  const auto faces = static_cast<std::size_t>(2 * axes);
  QMP_mem_t* out_memory = QMP_allocate_memory(faces * numbers * sizeof(double));
  QMP_mem_t* in_memory = QMP_allocate_memory(faces * numbers * sizeof(double));
  auto* out = static_cast<double*>(QMP_get_memory_pointer(out_memory));
  auto* in = static_cast<double*>(QMP_get_memory_pointer(in_memory));
  std::vector<QMP_msghandle_t> handles;
  for (int face = 0; face < 2 * axes; ++face) {
    // Face 2a is sent towards +a; in[face] is what came in from there.
    const int axis = face / 2, dir = face % 2 == 0 ? 1 : -1;
    QMP_msgmem_t mo = QMP_declare_msgmem(out + face * numbers, numbers * sizeof(double));
    QMP_msgmem_t mi = QMP_declare_msgmem(in + face * numbers, numbers * sizeof(double));
    handles.push_back(QMP_declare_receive_relative(mi, axis, dir, 0));
    handles.push_back(QMP_declare_send_relative(mo, axis, dir, 0));
    QMP_free_msgmem(mo);  // handles do not need them any more
    QMP_free_msgmem(mi);
  }
  QMP_msghandle_t all = QMP_declare_multiple(handles.data(), static_cast<int>(handles.size()));
  MUST(all != nullptr);
  for (int round = 0; round < 3; ++round) {
    for (int face = 0; face < 2 * axes; ++face) {
      for (int i = 0; i < numbers; ++i) {
        out[face * numbers + i] = mark(QMP_get_node_number(), 1000 * round + 64 * face + i);
      }
    }
    std::fill(in, in + faces * numbers, -1.0);
    MUST(QMP_start(all) == QMP_SUCCESS);
    MUST(QMP_wait(all) == QMP_SUCCESS);
    for (int face = 0; face < 2 * axes; ++face) {
      const int from = neighbour(face / 2, face % 2 == 0 ? 1 : -1);
      for (int i = 0; i < numbers; ++i) {
        MUST(in[face * numbers + i] == mark(from, 1000 * round + 64 * (face ^ 1) + i));
      }
    }
  }
  QMP_free_msghandle(all);
  QMP_free_memory(out_memory);
  QMP_free_memory(in_memory);
}

/// The n-th message started meets the n-th receive started, whatever the order of sends among
/// receives, and whatever is waited for first.
void order() {
  const Session session;
  declare_native_topology();
  constexpr int messages = 6;
  for (const int dir : {1, -1}) {
    std::vector<std::vector<int>> out, in;
    std::vector<Exchange> exchanges;
    for (int i = 0; i < messages; ++i) {
      const auto length = static_cast<std::size_t>(1 + 37 * (i % 3));
      out.emplace_back(length, 100 * QMP_get_node_number() + i);
      in.emplace_back(length, -1);
    }
    for (std::size_t i = 0; i < messages; ++i) {
      exchanges.emplace_back(out[i].data(), in[i].data(), out[i].size() * sizeof(int), 0, dir);
    }
    const bool receives_first = QMP_get_node_number() % 2 == 0;
    for (const bool receives : {receives_first, !receives_first}) {
      for (const Exchange& e : exchanges) {
        MUST(QMP_start(receives ? e.receive : e.send) == QMP_SUCCESS);
      }
    }
    for (std::size_t i = messages; i-- > 0;) MUST(QMP_wait(exchanges[i].receive) == QMP_SUCCESS);
    for (const Exchange& e : exchanges) MUST(QMP_wait(e.send) == QMP_SUCCESS);
    for (int i = 0; i < messages; ++i) {
      for (const int x : in[static_cast<std::size_t>(i)]) {
        MUST(x == 100 * neighbour(0, -dir) + i);
      }
    }
    for (const Exchange& e : exchanges) e.free_all();
  }
}

/// Lengths around every boundary a machine may have, from memory of any alignment.
void lengths_and_alignments() {
  const Session session;
  declare_native_topology();
  for (const std::size_t bytes : {1, 3, 8, 127, 128, 129, 1000, 2048, 5000}) {
    for (const std::size_t shift : {0, 1, 8}) {
      std::vector<unsigned char> out(bytes + 16), in(bytes + 16, 0xEE);
      for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<unsigned char>(7 * static_cast<std::size_t>(QMP_get_node_number()) +
                                            i * i + bytes);
      }
      const Exchange e(out.data() + shift, in.data() + shift, bytes, 0, 1);
      e.run();
      const auto from = static_cast<std::size_t>(neighbour(0, -1));
      for (std::size_t i = 0; i < in.size(); ++i) {
        const bool inside = i >= shift && i < shift + bytes;
        MUST(in[i] == (inside ? static_cast<unsigned char>(7 * from + i * i + bytes) : 0xEE));
      }
      e.free_all();
    }
  }
}

void empty_messages() {
  const Session session;
  declare_native_topology();
  int dummy = 0;
  const Exchange e(&dummy, &dummy, 0, 0, 1);
  e.run();
  e.free_all();
}

/// Rows of a matrix out, a column in: sizes agree, layouts need not.
void strided() {
  const Session session;
  declare_native_topology();
  constexpr int n = 6;
  std::vector<double> a(n * n), b(n * n, -1.0);
  for (int i = 0; i < n * n; ++i) a[static_cast<std::size_t>(i)] = mark(QMP_get_node_number(), i);
  // Column 2 of a becomes row 4 of b, then row 1 of a column 0 of b.
  const Exchange down(QMP_declare_strided_msgmem(&a[2], sizeof(double), n, n * sizeof(double)),
                      QMP_declare_strided_msgmem(&b[4 * n], sizeof(double), n, sizeof(double)), 0,
                      1);
  down.run();
  const int from = neighbour(0, -1);
  for (int i = 0; i < n; ++i) {
    MUST(b[static_cast<std::size_t>(4 * n + i)] == mark(from, i * n + 2));
  }
  const Exchange across(QMP_declare_msgmem(&a[n], n * sizeof(double)),
                        QMP_declare_strided_msgmem(&b[0], sizeof(double), n, n * sizeof(double)), 0,
                        1);
  across.run();
  for (int i = 0; i < n; ++i) {
    MUST(b[static_cast<std::size_t>(i * n)] == mark(from, n + i));
    if (i != 4) MUST(b[static_cast<std::size_t>(i * n + 1)] == -1.0);
  }
  // Used again: gathered afresh.
  for (double& x : a) x += 0.25;
  down.run();
  MUST(b[4 * n + 3] == mark(from, 3 * n + 2) + 0.25);
  down.free_all();
  across.free_all();
  // Backwards through memory.
  const Exchange back(QMP_declare_strided_msgmem(&a[5], sizeof(double), 6, -8),
                      QMP_declare_msgmem(&b[0], 6 * sizeof(double)), 0, 1);
  back.run();
  for (int i = 0; i < 6; ++i) {
    MUST(b[static_cast<std::size_t>(i)] == mark(from, 5 - i) + 0.25);
  }
  back.free_all();
}

void strided_array() {
  const Session session;
  declare_native_topology();
  std::vector<int> a(100), b(100, -1);
  std::iota(a.begin(), a.end(), 1000 * QMP_get_node_number());
  void* base[] = {&a[50], &a[3], &a[90]};
  std::size_t size[] = {8, 4, 12};
  int blocks[] = {2, 3, 1};
  std::ptrdiff_t stride[] = {20, 8, 0};
  const Exchange e(QMP_declare_strided_array_msgmem(base, size, blocks, stride, 3),
                   QMP_declare_msgmem(b.data(), 40), 0, -1);
  e.run();
  const int from = 1000 * neighbour(0, 1);
  const int expected[] = {50, 51, 55, 56, 3, 5, 7, 90, 91, 92};
  for (std::size_t i = 0; i < 10; ++i) MUST(b[i] == from + expected[i]);
  MUST(b[10] == -1);
  e.free_all();
}

void indexed() {
  const Session session;
  declare_native_topology();
  std::vector<float> a(64), b(64, -1.0F);
  for (std::size_t i = 0; i < 64; ++i) {
    a[i] = static_cast<float>(100 * QMP_get_node_number()) + static_cast<float>(i);
  }
  int out_lengths[] = {2, 1, 3}, out_index[] = {9, 0, 20};
  int in_lengths[] = {1, 5}, in_index[] = {63, 1};
  const Exchange e(QMP_declare_indexed_msgmem(a.data(), out_lengths, out_index, 4, 3),
                   QMP_declare_indexed_msgmem(b.data(), in_lengths, in_index, 4, 2), 0, 1);
  // The lists are the caller's: changing them later changes nothing.
  out_index[0] = in_index[0] = 40;
  e.run();
  const float from = static_cast<float>(100 * neighbour(0, -1));
  const int expected[] = {9, 10, 0, 20, 21, 22};
  MUST(b[63] == from + 9.0F);
  for (std::size_t i = 1; i < 6; ++i) MUST(b[i] == from + static_cast<float>(expected[i]));
  MUST(b[0] == -1.0F && b[6] == -1.0F && b[40] == -1.0F);
  e.free_all();
}

void change_of_address() {
  const Session session;
  declare_native_topology();
  std::vector<double> a(8), b(8, -1.0);
  for (int i = 0; i < 8; ++i) a[static_cast<std::size_t>(i)] = mark(QMP_get_node_number(), i);
  const Exchange plain(&a[0], &b[0], sizeof(double), 0, 1);
  plain.run();
  MUST(QMP_change_address(plain.send, &a[3]) == QMP_SUCCESS);
  MUST(QMP_change_address(plain.receive, &b[5]) == QMP_SUCCESS);
  plain.run();
  const int from = neighbour(0, -1);
  MUST(b[0] == mark(from, 0) && b[5] == mark(from, 3));

  QMP_msghandle_t pair[] = {plain.receive, plain.send};
  QMP_msghandle_t both = QMP_declare_send_recv_pairs(pair, 2);
  void* addresses[] = {&b[7], &a[6]};
  MUST(QMP_change_address(both, &a[0]) == QMP_INVALID_ARG);
  MUST(QMP_change_address_multiple(both, addresses, 1) == QMP_INVALID_ARG);
  MUST(QMP_change_address_multiple(both, addresses, 2) == QMP_SUCCESS);
  MUST(QMP_start(both) == QMP_SUCCESS && QMP_wait(both) == QMP_SUCCESS);
  MUST(b[7] == mark(from, 6));
  QMP_free_msghandle(both);
  plain.free_memories();

  const Exchange scattered(QMP_declare_strided_msgmem(&a[0], 8, 2, 16),
                           QMP_declare_strided_msgmem(&b[0], 8, 2, 24), 0, 1);
  scattered.run();
  MUST(QMP_change_address(scattered.send, &a[1]) == QMP_SUCCESS);
  MUST(QMP_change_address(scattered.receive, &b[1]) == QMP_SUCCESS);
  scattered.run();
  MUST(b[0] == mark(from, 0) && b[3] == mark(from, 2));
  MUST(b[1] == mark(from, 1) && b[4] == mark(from, 3));
  scattered.free_all();
}

void polling() {
  const Session session;
  declare_native_topology();
  int out = QMP_get_node_number(), in = -1;
  const Exchange e(&out, &in, sizeof out, 0, 1);
  MUST(QMP_is_complete(e.send) == QMP_TRUE);  // not started: nothing to wait for
  MUST(QMP_wait(e.receive) == QMP_SUCCESS);
  MUST(QMP_start(e.receive) == QMP_SUCCESS && QMP_start(e.send) == QMP_SUCCESS);
  while (QMP_is_complete(e.receive) == QMP_FALSE) {
  }
  MUST(in == neighbour(0, -1));
  while (QMP_is_complete(e.send) == QMP_FALSE) {
  }
  MUST(QMP_is_complete(e.receive) == QMP_TRUE);
  e.free_all();
}

/// Multiples join, nest and own; wait_all.
void multiples() {
  const Session session;
  const int axes = static_cast<int>(declare_native_topology().size());
  std::vector<int> out(4, QMP_get_node_number()), in(4, -1);
  for (int i = 0; i < 4; ++i) out[static_cast<std::size_t>(i)] += 1000 * i;
  std::vector<Exchange> e;
  for (std::size_t i = 0; i < 4; ++i) {
    e.emplace_back(&out[i], &in[i], sizeof(int), static_cast<int>(i) % axes, i % 2 == 0 ? 1 : -1);
  }
  QMP_msghandle_t first[] = {e[0].send, e[0].receive, e[1].send, e[1].receive};
  QMP_msghandle_t inner = QMP_declare_multiple(first, 4);
  MUST(QMP_declare_multiple(first, 4) == nullptr);  // taken
  MUST(QMP_declare_multiple(first, -1) == nullptr);
  MUST(QMP_start(e[0].send) == QMP_INVALID_OP);
  QMP_msghandle_t second[] = {inner, e[2].receive, e[2].send};
  QMP_msghandle_t outer = QMP_declare_multiple(second, 3);
  MUST(outer != nullptr);
  MUST(QMP_start(inner) == QMP_BAD_MESSAGE);  // dissolved
  QMP_msghandle_t all[] = {outer, e[3].receive, e[3].send};
  for (QMP_msghandle_t h : all) MUST(QMP_start(h) == QMP_SUCCESS);
  MUST(QMP_start(outer) == QMP_INVALID_OP);
  MUST(QMP_get_error_number(outer) == QMP_INVALID_OP);
  MUST(QMP_wait_all(all, 3) == QMP_SUCCESS);
  for (int i = 0; i < 4; ++i) {
    MUST(in[static_cast<std::size_t>(i)] == neighbour(i % axes, i % 2 == 0 ? -1 : 1) + 1000 * i);
  }
  MUST(QMP_start(outer) == QMP_SUCCESS);
  while (QMP_is_complete(outer) == QMP_FALSE) {
  }
  QMP_free_msghandle(e[2].send);  // refused: it is the multiple's
  MUST(QMP_get_error_number(nullptr) == QMP_INVALID_OP);
  QMP_free_msghandle(outer);
  MUST(QMP_start(e[1].send) == QMP_BAD_MESSAGE);
  e[3].free_all();
  for (std::size_t i = 0; i < 3; ++i) e[i].free_memories();
}

/// Halos along an axis of length 1 come from the node itself.
void to_oneself() {
  const Session session;
  const int axes = QMP_get_allocated_number_of_dimensions();
  const int* lengths = QMP_get_allocated_dimensions();
  std::vector<int> dims(lengths, lengths + axes);
  dims.push_back(1);
  MUST(QMP_declare_logical_topology(dims.data(), axes + 1) == QMP_SUCCESS);
  int up = QMP_get_node_number() + 10000, down = QMP_get_node_number() + 20000;
  int from_below = -1, from_above = -1;
  const Exchange upwards(&up, &from_below, sizeof up, axes, 1);
  const Exchange downwards(&down, &from_above, sizeof down, axes, -1);
  MUST(QMP_start(upwards.send) == QMP_SUCCESS);
  MUST(QMP_is_complete(upwards.send) == QMP_FALSE);
  MUST(QMP_start(downwards.receive) == QMP_SUCCESS);
  MUST(QMP_start(downwards.send) == QMP_SUCCESS);
  MUST(QMP_start(upwards.receive) == QMP_SUCCESS);
  MUST(QMP_wait(upwards.receive) == QMP_SUCCESS && QMP_wait(downwards.receive) == QMP_SUCCESS);
  MUST(QMP_wait(upwards.send) == QMP_SUCCESS && QMP_wait(downwards.send) == QMP_SUCCESS);
  MUST(from_below == up && from_above == down);
  upwards.free_all();
  downwards.free_all();
}

void by_number() {
  const Session session;
  const int nodes = QMP_get_number_of_nodes(), here = QMP_get_node_number();
  declare_native_topology();
  int dummy = 0;
  QMP_msgmem_t memory = QMP_declare_msgmem(&dummy, sizeof dummy);
  MUST(QMP_declare_send_to(memory, nodes, 0) == nullptr);
  MUST(QMP_get_error_number(nullptr) == QMP_NODE_OUTRANGE);
  MUST(QMP_declare_receive_from(memory, -1, 0) == nullptr);
  // Neighbours both ways round every axis, and oneself, work on every machine.
  for (int axis = 0; axis < QMP_get_logical_number_of_dimensions(); ++axis) {
    for (const int dir : {1, -1}) {
      int out = 10 * here + dir, in = -1;
      QMP_msgmem_t mo = QMP_declare_msgmem(&out, sizeof out);
      QMP_msgmem_t mi = QMP_declare_msgmem(&in, sizeof in);
      QMP_msghandle_t s = QMP_declare_send_to(mo, neighbour(axis, dir), 0);
      QMP_msghandle_t r = QMP_declare_receive_from(mi, neighbour(axis, -dir), 0);
      MUST(s != nullptr && r != nullptr);
      MUST(QMP_start(s) == QMP_SUCCESS && QMP_start(r) == QMP_SUCCESS);
      MUST(QMP_wait(r) == QMP_SUCCESS && QMP_wait(s) == QMP_SUCCESS);
      MUST(in == 10 * neighbour(axis, -dir) + dir);
      QMP_free_msghandle(s);
      QMP_free_msghandle(r);
      QMP_free_msgmem(mo);
      QMP_free_msgmem(mi);
    }
  }
  // Across the machine: either it works, or it is refused for the right reason.
  int out = here, in = -1;
  QMP_msgmem_t mo = QMP_declare_msgmem(&out, sizeof out);
  QMP_msgmem_t mi = QMP_declare_msgmem(&in, sizeof in);
  const int far = nodes - 1 - here;
  QMP_msghandle_t s = QMP_declare_send_to(mo, far, 0);
  const QMP_status_t why = QMP_get_error_number(nullptr);
  QMP_msghandle_t r = QMP_declare_receive_from(mi, far, 0);
  MUST((s == nullptr) == (r == nullptr));
  if (s != nullptr) {
    MUST(QMP_start(s) == QMP_SUCCESS && QMP_start(r) == QMP_SUCCESS);
    MUST(QMP_wait(r) == QMP_SUCCESS && QMP_wait(s) == QMP_SUCCESS);
    MUST(in == far);
  } else {
    MUST(why == QMP_NOTSUPPORTED);
  }
}

void misuse() {
  const Session session;
  int value = 0;
  QMP_msgmem_t memory = QMP_declare_msgmem(&value, sizeof value);
  MUST(QMP_declare_send_relative(memory, 0, 1, 0) == nullptr);
  MUST(QMP_get_error_number(nullptr) == QMP_NONEIGHBOR_INFO);
  const int axes = static_cast<int>(declare_native_topology().size());
  MUST(QMP_declare_send_relative(memory, axes, 1, 0) == nullptr);
  MUST(QMP_declare_send_relative(memory, -1, 1, 0) == nullptr);
  MUST(QMP_declare_send_relative(memory, 0, 2, 0) == nullptr);
  MUST(QMP_declare_send_relative(nullptr, 0, 1, 0) == nullptr);
  MUST(QMP_get_error_number(nullptr) == QMP_INVALID_ARG);
  MUST(QMP_declare_msgmem(nullptr, 4) == nullptr);
  MUST(QMP_start(nullptr) == QMP_BAD_MESSAGE);
  MUST(QMP_wait(nullptr) == QMP_BAD_MESSAGE);
  int in = 0;
  const Exchange e(&value, &in, sizeof value, 0, 1);
  MUST(QMP_clear_to_send(e.receive, QMP_CTS_READY) == QMP_SUCCESS);
  MUST(QMP_start(e.receive) == QMP_SUCCESS);
  MUST(QMP_start(e.receive) == QMP_INVALID_OP);
  MUST(QMP_clear_to_send(e.receive, QMP_CTS_READY) == QMP_INVALID_OP);
  MUST(QMP_change_address(e.receive, &value) == QMP_INVALID_OP);
  QMP_free_msghandle(e.receive);  // refused while nothing can have come
  MUST(QMP_start(e.send) == QMP_SUCCESS);
  MUST(QMP_wait(e.receive) == QMP_SUCCESS && QMP_wait(e.send) == QMP_SUCCESS);
  e.free_all();
  MUST(QMP_start(e.send) == QMP_BAD_MESSAGE);
  QMP_free_msgmem(memory);
  QMP_free_msgmem(memory);
  MUST(QMP_get_error_number(nullptr) == QMP_BAD_MEMORY);
}

}  // namespace

void add_message_programs(std::vector<Conformance>& list) {
  list.insert(list.end(), {{"halo", halo},
                           {"order", order},
                           {"lengths and alignments", lengths_and_alignments},
                           {"empty messages", empty_messages},
                           {"strided", strided},
                           {"strided array", strided_array},
                           {"indexed", indexed},
                           {"change of address", change_of_address},
                           {"polling", polling},
                           {"multiples", multiples},
                           {"to oneself", to_oneself},
                           {"by number", by_number},
                           {"misuse", misuse}});
}

}  // namespace ht::qmp::tests
