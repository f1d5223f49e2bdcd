// SPDX-License-Identifier: Apache-2.0
// Operations of all nodes together.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#ifndef HYPERTORUS_NODE_PROGRAM
#include "sw/qmp/node.hpp"
#endif
#include "tests/qmp/program_support.hpp"
#include "tests/qmp/programs.hpp"

namespace ht::qmp::tests {
namespace {

/// A number whose sums depend on their order.
double awkward(int node) {
  return (node % 2 == 0 ? 1.0 : -1.0) * (1.0 / 3 + node) * (node % 3 == 0 ? 1e17 : 1.0);
}

/// What the nodes' values give when they are added along x, then y, and so on, each in the order of
/// the coordinates: what QMP here promises.
template <typename T, typename Value>
T sum_along_axes(Value value) {
  std::vector<T> v;
  for (int node = 0; node < QMP_get_number_of_nodes(); ++node) {
    v.push_back(static_cast<T>(value(node)));
  }
  for (int axis = 0; axis < QMP_get_allocated_number_of_dimensions(); ++axis) {
    const auto length = static_cast<std::size_t>(QMP_get_allocated_dimensions()[axis]);
    for (std::size_t i = 0; i < v.size() / length; ++i) {
      T sum = v[i * length];
      for (std::size_t c = 1; c < length; ++c) sum += v[i * length + c];
      v[i] = sum;
    }
    v.resize(v.size() / length);
  }
  return v[0];
}

/// 50 us of computing.
void be_late() {
#ifdef HYPERTORUS_NODE_PROGRAM
  for (const double until = QMP_time() + 50e-6; QMP_time() < until;) continue;
#else
  Node::current_transport()->runtime().advance(50'000'000);
#endif
}

void barrier() {
  const Session session;
  for (int late = 0; late < QMP_get_number_of_nodes(); ++late) {
    if (QMP_get_node_number() == late) {
      be_late();
    }
    double arrived = QMP_time();
    MUST(QMP_barrier() == QMP_SUCCESS);
    const double left = QMP_time();
    MUST(QMP_max_double(&arrived) == QMP_SUCCESS);
    MUST(left >= arrived);  // nobody leaves before the last has come
  }
}

void integer_sums() {
  const Session session;
  const int nodes = QMP_get_number_of_nodes(), here = QMP_get_node_number();
  int i = 10 * here - 3;
  MUST(QMP_sum_int(&i) == QMP_SUCCESS && i == 5 * nodes * (nodes - 1) - 3 * nodes);
  int negative = -1;
  MUST(QMP_sum_int(&negative) == QMP_SUCCESS && negative == -nodes);
  std::uint64_t u = (std::uint64_t{1} << 60) + static_cast<std::uint64_t>(here);
  MUST(QMP_sum_uint64_t(&u) == QMP_SUCCESS);
  const auto n = static_cast<std::uint64_t>(nodes);
  MUST(u == (n << 60) + n * (n - 1) / 2);
  unsigned long x = 1UL << (here % 60), expected = 0;
  for (int node = 0; node < nodes; ++node) expected ^= 1UL << (node % 60);
  MUST(QMP_xor_ulong(&x) == QMP_SUCCESS && x == expected);
}

void floating_sums() {
  const Session session;
  const int here = QMP_get_node_number();
  double d = awkward(here);
  MUST(QMP_sum_double(&d) == QMP_SUCCESS);
  MUST(d == sum_along_axes<double>(awkward));
  // Added in double, rounded once: in float the threes would vanish beside the large number.
  const auto uneven = [](int node) { return node == 0 ? 1e8F : 3.0F; };
  float f = uneven(here);
  MUST(QMP_sum_float(&f) == QMP_SUCCESS);
  MUST(f == static_cast<float>(sum_along_axes<double>(uneven)));
  long double l = static_cast<long double>(awkward(here));
  MUST(QMP_sum_long_double(&l) == QMP_SUCCESS);
  MUST(l == sum_along_axes<long double>(awkward));
  double e = awkward(here);
  MUST(QMP_sum_double_extended(&e) == QMP_SUCCESS);
  MUST(e == static_cast<double>(sum_along_axes<long double>(awkward)));
  // The same bits everywhere: nobody's sum is larger than anybody else's.
  double largest = d, smallest = d;
  MUST(QMP_max_double(&largest) == QMP_SUCCESS && QMP_min_double(&smallest) == QMP_SUCCESS);
  MUST(largest == smallest);
}

void array_sums() {
  const Session session;
  const int nodes = QMP_get_number_of_nodes(), here = QMP_get_node_number();
  for (const int length : {1, 2, 17, 300}) {
    const auto size = static_cast<std::size_t>(length);
    std::vector<double> d(size + 1);
    std::vector<float> f(size + 1);
    std::vector<long double> l(size + 1);
    for (std::size_t i = 0; i <= size; ++i) {
      d[i] = static_cast<double>(i) + 0.5 * here;
      f[i] = static_cast<float>(d[i]);
      l[i] = static_cast<long double>(d[i]);
    }
    MUST(QMP_sum_double_array(d.data(), length) == QMP_SUCCESS);
    MUST(QMP_sum_float_array(f.data(), length) == QMP_SUCCESS);
    MUST(QMP_sum_long_double_array(l.data(), length) == QMP_SUCCESS);
    for (std::size_t i = 0; i < size; ++i) {
      // Small multiples of a half: exact in any order.
      const double expected = static_cast<double>(i) * nodes + 0.25 * nodes * (nodes - 1);
      MUST(d[i] == expected && f[i] == static_cast<float>(expected));
      MUST(l[i] == static_cast<long double>(expected));
    }
    MUST(d[size] == static_cast<double>(length) + 0.5 * here);  // not touched
  }
  MUST(QMP_sum_double_array(nullptr, 3) == QMP_INVALID_ARG);
  double none = 1;
  MUST(QMP_sum_double_array(&none, 0) == QMP_SUCCESS && none == 1);
}

void extremes() {
  const Session session;
  const int nodes = QMP_get_number_of_nodes(), here = QMP_get_node_number();
  // The largest is on the middle node, the smallest on the last.
  const double mine = here == nodes / 2 ? 1e300 : -static_cast<double>(here);
  double d = mine;
  MUST(QMP_max_double(&d) == QMP_SUCCESS && d == 1e300);
  d = -mine;
  MUST(QMP_min_double(&d) == QMP_SUCCESS && d == -1e300);
  float f = static_cast<float>(here) - 0.5F;
  MUST(QMP_max_float(&f) == QMP_SUCCESS && f == static_cast<float>(nodes) - 1.5F);
  f = static_cast<float>(here) - 0.5F;
  MUST(QMP_min_float(&f) == QMP_SUCCESS && f == -0.5F);
  double infinite = here == 0 ? -std::numeric_limits<double>::infinity() : 0.0;
  MUST(QMP_min_double(&infinite) == QMP_SUCCESS);
  MUST(infinite == -std::numeric_limits<double>::infinity());
}

using Matrix = std::array<unsigned, 4>;

/// Associative, but the order matters.
void multiply(void* inout, void* in) {
  Matrix a, b;
  std::memcpy(&a, inout, sizeof a);
  std::memcpy(&b, in, sizeof b);
  const Matrix c{a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                 a[2] * b[1] + a[3] * b[3]};
  std::memcpy(inout, &c, sizeof c);
  std::memset(in, 0xFF, sizeof b);  // in is the function's to spoil
}

Matrix matrix_of(int node) {
  const auto n = static_cast<unsigned>(node);
  return {1 + n, 2, 3, 5 * n};
}

void reduction_by_a_function() {
  const Session session;
  Matrix expected = matrix_of(0);
  for (int node = 1; node < QMP_get_number_of_nodes(); ++node) {
    Matrix next = matrix_of(node);
    multiply(&expected, &next);
  }
  for (int round = 0; round < 2; ++round) {
    Matrix m = matrix_of(QMP_get_node_number());
    MUST(QMP_binary_reduction(&m, sizeof m, multiply) == QMP_SUCCESS);
    MUST(m == expected);
  }
  Matrix m{};
  MUST(QMP_binary_reduction(&m, sizeof m, nullptr) == QMP_INVALID_ARG);
}

void broadcast() {
  const Session session;
  const int here = QMP_get_node_number();
  for (const std::size_t bytes : {1, 8, 128, 1001, 70001}) {
    std::vector<unsigned char> data(bytes + 1);
    for (std::size_t i = 0; i <= bytes; ++i) {
      data[i] = static_cast<unsigned char>(here == 0 ? 3 * i + bytes : 0xA5);
    }
    MUST(QMP_broadcast(data.data(), bytes) == QMP_SUCCESS);
    for (std::size_t i = 0; i < bytes; ++i) {
      MUST(data[i] == static_cast<unsigned char>(3 * i + bytes));
    }
    if (here != 0) MUST(data[bytes] == 0xA5);
  }
  MUST(QMP_broadcast(nullptr, 4) == QMP_INVALID_ARG);
}

/// Global operations back to back, of changing sizes, while messages of the program are under way.
void mixed() {
  const Session session;
  declare_native_topology();
  const int nodes = QMP_get_number_of_nodes(), here = QMP_get_node_number();
  int out = here, in = -1;
  QMP_msgmem_t mo = QMP_declare_msgmem(&out, sizeof out);
  QMP_msgmem_t mi = QMP_declare_msgmem(&in, sizeof in);
  QMP_msghandle_t s = QMP_declare_send_relative(mo, 0, 1, 0);
  QMP_msghandle_t r = QMP_declare_receive_relative(mi, 0, -1, 0);
  for (int round = 0; round < 12; ++round) {
    out = 100 * here + round;
    MUST(QMP_start(r) == QMP_SUCCESS);
    double d = here;
    MUST(QMP_sum_double(&d) == QMP_SUCCESS && d == 0.5 * nodes * (nodes - 1));
    MUST(QMP_start(s) == QMP_SUCCESS);
    std::vector<double> array(static_cast<std::size_t>(3 * round + 1), 1.0);
    MUST(QMP_sum_double_array(array.data(), 3 * round + 1) == QMP_SUCCESS);
    MUST(std::all_of(array.begin(), array.end(), [&](double x) { return x == nodes; }));
    int word = here == 0 ? round : -1;
    MUST(QMP_broadcast(&word, sizeof word) == QMP_SUCCESS && word == round);
    MUST(QMP_wait(r) == QMP_SUCCESS && QMP_wait(s) == QMP_SUCCESS);
    MUST(in == 100 * neighbour(0, -1) + round);
  }
}

void all_to_all() {
  const Session session;
  const int nodes = QMP_get_number_of_nodes(), here = QMP_get_node_number();
  std::vector<int> out, in(static_cast<std::size_t>(nodes), -1);
  for (int to = 0; to < nodes; ++to) out.push_back(1000 * here + to);
  MUST(QMP_comm_alltoall(QMP_comm_get_default(), reinterpret_cast<char*>(in.data()),
                         reinterpret_cast<char*>(out.data()), sizeof(int)) == QMP_SUCCESS);
  for (int from = 0; from < nodes; ++from) {
    MUST(in[static_cast<std::size_t>(from)] == 1000 * from + here);
  }
}

}  // namespace

void add_global_programs(std::vector<Conformance>& list) {
  list.insert(list.end(), {{"barrier", barrier},
                           {"integer sums", integer_sums},
                           {"floating sums", floating_sums},
                           {"array sums", array_sums},
                           {"extremes", extremes},
                           {"reduction by a function", reduction_by_a_function},
                           {"broadcast", broadcast},
                           {"mixed", mixed},
                           {"all to all", all_to_all}});
}

}  // namespace ht::qmp::tests
