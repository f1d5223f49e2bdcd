// SPDX-License-Identifier: Apache-2.0
// Messages by number between any two nodes.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "tests/qmp/program_support.hpp"
#include "tests/qmp/programs.hpp"

namespace ht::qmp::tests {
namespace {

unsigned char byte(int from, int to, int round, int i) {
  return static_cast<unsigned char>(from * 31 + to * 17 + round * 7 + i);
}

/// A message by number of `bytes` bytes, received in `room`, of which the rest is left alone.
class Post {
 public:
  Post(int other, int round, int bytes, int room)
      : other_(other),
        round_(round),
        out_(static_cast<std::size_t>(bytes)),
        in_(static_cast<std::size_t>(room), 0x5A) {
    const int here = QMP_get_node_number();
    for (int i = 0; i < bytes; ++i) out_[static_cast<std::size_t>(i)] = byte(here, other, round, i);
    QMP_msgmem_t out = QMP_declare_msgmem(out_.data(), out_.size());
    QMP_msgmem_t in = QMP_declare_msgmem(in_.data(), in_.size());
    send = QMP_declare_send_to(out, other, 0);
    receive = QMP_declare_receive_from(in, other, 0);
    MUST(send != nullptr && receive != nullptr);
    QMP_free_msgmem(out);
    QMP_free_msgmem(in);
  }
  /// Of what came, the first `bytes` bytes were sent.
  void check(int bytes) const {
    for (int i = 0; i < static_cast<int>(in_.size()); ++i) {
      const unsigned char right = i < bytes ? byte(other_, QMP_get_node_number(), round_, i) : 0x5A;
      MUST(in_[static_cast<std::size_t>(i)] == right);
    }
  }
  void free() const {
    QMP_free_msghandle(send);
    QMP_free_msghandle(receive);
  }

  QMP_msghandle_t send = nullptr, receive = nullptr;

 private:
  int other_, round_;
  std::vector<unsigned char> out_, in_;
};

/// The same at both ends, and odd.
int length(int from, int to, int round) {
  return 1 + (from * 7919 + to * 104729 + round * 1299709) % (round % 3 == 2 ? 500 : 130);
}

bool beside(int a, int b) {
  int steps = 0;
  for (int axis = 0; axis < QMP_get_allocated_number_of_dimensions(); ++axis) {
    const int n = QMP_get_allocated_dimensions()[axis], d = (a % n - b % n + n) % n;
    steps += std::min(d, n - d);
    a /= n;
    b /= n;
  }
  return steps == 1;
}

/// Everybody to everybody, all under way at once, and barriers in between: every queue is full.
void all_to_all() {
  const Session session;
  const int here = QMP_get_node_number(), nodes = QMP_get_number_of_nodes();
  for (int round = 0; round < 3; ++round) {
    std::vector<Post> posts;
    posts.reserve(static_cast<std::size_t>(nodes));
    for (int n = 0; n < nodes; ++n) {
      const int room = length(n, here, round);
      posts.emplace_back(n, round, length(here, n, round), room);
    }
    const auto at = [&](int n) -> Post& { return posts[static_cast<std::size_t>(n % nodes)]; };
    for (int k = 0; k < nodes; ++k) {
      MUST(QMP_start(at(here + k).send) == QMP_SUCCESS);
      MUST(QMP_start(at(nodes + here - k).receive) == QMP_SUCCESS);
    }
    if (round == 1) MUST(QMP_barrier() == QMP_SUCCESS);
    for (int n = 0; n < nodes; ++n) {
      while (round == 1 && QMP_is_complete(at(n).receive) == QMP_FALSE) {
      }
      MUST(QMP_wait(at(n).receive) == QMP_SUCCESS);
      at(n).check(length(n, here, round));
    }
    for (const Post& p : posts) {
      MUST(QMP_wait(p.send) == QMP_SUCCESS);
      p.free();
    }
  }
}

/// As MILC's general gathers: one handle for messages to neighbours, others and oneself, of
/// scattered memory, and sums while they are under way.
void general_gather() {
  const Session session;
  const int here = QMP_get_node_number(), nodes = QMP_get_number_of_nodes();
  constexpr int numbers = 16;
  std::vector<double> out(2 * numbers), in(static_cast<std::size_t>(2 * numbers * nodes), -1.0);
  for (int i = 0; i < 2 * numbers; ++i) out[static_cast<std::size_t>(i)] = mark(here, i);
  std::vector<QMP_msghandle_t> handles;
  for (int n = 0; n < nodes; ++n) {
    constexpr std::ptrdiff_t stride = 2 * sizeof(double);
    QMP_msgmem_t to = QMP_declare_strided_msgmem(out.data(), sizeof(double), numbers, stride);
    QMP_msgmem_t from =
        QMP_declare_strided_msgmem(in.data() + 2 * numbers * n, sizeof(double), numbers, stride);
    handles.push_back(QMP_declare_send_to(to, n, 0));
    handles.push_back(QMP_declare_receive_from(from, n, 0));
  }
  QMP_msghandle_t all = QMP_declare_multiple(handles.data(), static_cast<int>(handles.size()));
  MUST(all != nullptr);
  for (int round = 0; round < 2; ++round) {
    MUST(QMP_start(all) == QMP_SUCCESS);
    double sum = here;
    MUST(QMP_sum_double(&sum) == QMP_SUCCESS && sum == nodes * (nodes - 1) / 2.0);
    MUST(QMP_wait(all) == QMP_SUCCESS);
    for (int n = 0; n < nodes; ++n) {
      for (int i = 0; i < 2 * numbers; ++i)
        MUST(in[static_cast<std::size_t>(2 * numbers * n + i)] == (i % 2 == 0 ? mark(n, i) : -1.0));
    }
  }
  QMP_free_msghandle(all);
}

/// To nodes that are no neighbours, receives may be longer; on every machine.
void longer_receives() {
  const Session session;
  const int here = QMP_get_node_number(), nodes = QMP_get_number_of_nodes();
  for (int n = 0; n < nodes; ++n) {
    if (n == here || beside(here, n)) continue;
    const Post post(n, 0, length(here, n, 0), length(n, here, 0) + 77);
    MUST(QMP_start(post.receive) == QMP_SUCCESS && QMP_start(post.send) == QMP_SUCCESS);
    MUST(QMP_wait(post.receive) == QMP_SUCCESS && QMP_wait(post.send) == QMP_SUCCESS);
    post.check(length(n, here, 0));
    post.free();
  }
}

/// Long messages, each to the next node by number: queues are full for long, and turn corners.
void long_messages() {
  const Session session;
  const int here = QMP_get_node_number(), nodes = QMP_get_number_of_nodes();
  constexpr int bytes = 2000;
  const Post to((here + 1) % nodes, 0, bytes, bytes),
      from((here + nodes - 1) % nodes, 0, bytes, bytes);
  MUST(QMP_start(to.send) == QMP_SUCCESS && QMP_start(from.receive) == QMP_SUCCESS);
  MUST(QMP_wait(to.send) == QMP_SUCCESS && QMP_wait(from.receive) == QMP_SUCCESS);
  from.check(bytes);
  to.free();
  from.free();
}

/// Nodes in between have ended when the message is sent. (They pass it on.)
void past_the_end() {
  const Session session;
  const int here = QMP_get_node_number(), last = QMP_get_number_of_nodes() - 1;
  const int far = last / 2 + 1;
  if (last < 2 || (here != 0 && here != far)) return;
  const double start = QMP_time();
  while (QMP_time() < start + 30e-6) {
  }
  const Post post(here == 0 ? far : 0, 0, 300, 300);
  MUST(QMP_start(post.receive) == QMP_SUCCESS && QMP_start(post.send) == QMP_SUCCESS);
  MUST(QMP_wait(post.receive) == QMP_SUCCESS && QMP_wait(post.send) == QMP_SUCCESS);
  post.check(300);
  post.free();
}

/// Groups of the machine's nodes, in orders of their own: numbers, sums, broadcasts, messages.
void groups() {
  const Session session;
  const int here = QMP_get_node_number(), nodes = QMP_get_number_of_nodes();
  QMP_comm_t backwards = nullptr, third = nullptr;
  MUST(QMP_comm_split(QMP_comm_get_default(), 0, -here, &backwards) == QMP_SUCCESS);
  MUST(QMP_comm_get_node_number(backwards) == nodes - 1 - here);
  MUST(QMP_comm_split(backwards, here % 3, 0, &third) == QMP_SUCCESS);
  // In the order of `backwards`: the highest node number first.
  std::vector<int> members;
  for (int n = nodes - 1; n >= 0; --n) {
    if (n % 3 == here % 3) members.push_back(n);
  }
  const int size = static_cast<int>(members.size());
  const int me = QMP_comm_get_node_number(third);
  MUST(QMP_comm_get_number_of_nodes(third) == size);
  MUST(QMP_comm_get_number_of_colors(third) == std::min(nodes, 3));
  MUST(members[static_cast<std::size_t>(me)] == here);

  double sum = here, all = 0;
  for (const int n : members) all += n;
  MUST(QMP_comm_sum_double(third, &sum) == QMP_SUCCESS && sum == all);
  int count = 1;
  MUST(QMP_comm_sum_int(backwards, &count) == QMP_SUCCESS && count == nodes);
  double greatest = mark(here, 0);
  MUST(QMP_comm_max_double(third, &greatest) == QMP_SUCCESS && greatest == mark(members[0], 0));
  // Not commutative: the first of the group wins.
  int first = here;
  MUST(QMP_comm_binary_reduction(third, &first, sizeof first, [](void*, void*) {}) == QMP_SUCCESS);
  MUST(first == members[0]);
  std::vector<double> numbers(40, here == members[0] ? mark(here, 1) : -1.0);
  MUST(QMP_comm_broadcast(third, numbers.data(), 40 * sizeof(double)) == QMP_SUCCESS);
  MUST(std::count(numbers.begin(), numbers.end(), mark(members[0], 1)) == 40);
  MUST(QMP_comm_barrier(third) == QMP_SUCCESS);
  std::vector<char> to(static_cast<std::size_t>(size)), from(to.size());
  for (int i = 0; i < size; ++i) to[static_cast<std::size_t>(i)] = static_cast<char>(10 * me + i);
  MUST(QMP_comm_alltoall(third, from.data(), to.data(), 1) == QMP_SUCCESS);
  for (int i = 0; i < size; ++i) MUST(from[static_cast<std::size_t>(i)] == 10 * i + me);

  // Round the group, while the group adds up.
  double out = mark(here, 2), in = 0;
  QMP_msgmem_t mo = QMP_declare_msgmem(&out, sizeof out), mi = QMP_declare_msgmem(&in, sizeof in);
  QMP_msghandle_t send = QMP_comm_declare_send_to(third, mo, (me + 1) % size, 0);
  QMP_msghandle_t receive = QMP_comm_declare_receive_from(third, mi, (me + size - 1) % size, 0);
  MUST(send != nullptr && receive != nullptr);
  MUST(QMP_start(receive) == QMP_SUCCESS && QMP_start(send) == QMP_SUCCESS);
  sum = here;
  MUST(QMP_comm_sum_double(third, &sum) == QMP_SUCCESS && sum == all);
  MUST(QMP_wait(receive) == QMP_SUCCESS && QMP_wait(send) == QMP_SUCCESS);
  MUST(in == mark(members[static_cast<std::size_t>((me + size - 1) % size)], 2));
  QMP_free_msghandle(send);
  QMP_free_msghandle(receive);
  MUST(QMP_comm_declare_send_to(third, mo, size, 0) == nullptr);
  MUST(QMP_comm_free(third) == QMP_SUCCESS && QMP_comm_free(backwards) == QMP_SUCCESS);
}

/// A torus of `dims`, which the machine need not have: what is sent up and down every axis arrives
/// from there, whatever the order in which it is received, beside messages by number.
void exchange_on(QMP_comm_t comm, const std::vector<int>& dims, const std::vector<int>& map) {
  const int axes = static_cast<int>(dims.size());
  const int here = QMP_comm_get_node_number(comm), nodes = QMP_comm_get_number_of_nodes(comm);
  MUST(QMP_comm_declare_logical_topology_map(comm, dims.data(), axes, map.data(), axes) ==
       QMP_SUCCESS);
  MUST(QMP_comm_logical_topology_is_declared(comm) == QMP_TRUE);
  const std::vector<int> place(QMP_comm_get_logical_coordinates(comm),
                               QMP_comm_get_logical_coordinates(comm) + axes);
  MUST(QMP_comm_get_node_number_from(comm, place.data()) == here);
  std::vector<double> out(static_cast<std::size_t>(2 * axes) + 1), in(out.size(), -1.0);
  std::vector<QMP_msgmem_t> memory;
  std::vector<QMP_msghandle_t> sends, receives;
  std::vector<double> expected;
  const auto declare = [&](double& value, bool send, int axis, int sign) {
    memory.push_back(QMP_declare_msgmem(&value, sizeof value));
    MUST(memory.back() != nullptr);
    QMP_msghandle_t handle = nullptr;
    if (axis == axes) {
      const int other = (here + (send ? 1 : nodes - 1)) % nodes;
      handle = send ? QMP_comm_declare_send_to(comm, memory.back(), other, 0)
                    : QMP_comm_declare_receive_from(comm, memory.back(), other, 0);
    } else {
      handle = send ? QMP_comm_declare_send_relative(comm, memory.back(), axis, sign, 0)
                    : QMP_comm_declare_receive_relative(comm, memory.back(), axis, sign, 0);
    }
    MUST(handle != nullptr);
    (send ? sends : receives).push_back(handle);
  };
  for (int i = 0; i <= 2 * axes; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const int axis = i / 2, sign = i % 2 == 0 ? 1 : -1;
    out[k] = mark(here, i);
    declare(out[k], true, axis, sign);
    declare(in[k], false, axis, sign);
    if (axis == axes) {
      expected.push_back(mark((here + nodes - 1) % nodes, i));
      continue;
    }
    std::vector<int> there = place;
    int& c = there[static_cast<std::size_t>(axis)];
    const int length = dims[static_cast<std::size_t>(axis)];
    c = (c + sign + length) % length;
    // What comes from +1 was sent to -1.
    expected.push_back(mark(QMP_comm_get_node_number_from(comm, there.data()), i ^ 1));
  }
  for (int round = 0; round < 2; ++round) {
    for (const QMP_msghandle_t handle : receives) MUST(QMP_start(handle) == QMP_SUCCESS);
    // By number last, as they are received: they may share a cable, and its order.
    for (const QMP_msghandle_t handle : sends) MUST(QMP_start(handle) == QMP_SUCCESS);
    for (const QMP_msghandle_t handle : receives) MUST(QMP_wait(handle) == QMP_SUCCESS);
    for (const QMP_msghandle_t handle : sends) MUST(QMP_wait(handle) == QMP_SUCCESS);
    for (std::size_t i = 0; i < in.size(); ++i) {
      MUST(in[i] == expected[i]);
      in[i] = -1.0;
    }
    std::reverse(sends.begin(), sends.end() - 1);
  }
  for (const QMP_msghandle_t handle : sends) QMP_free_msghandle(handle);
  for (const QMP_msghandle_t handle : receives) QMP_free_msghandle(handle);
  for (const QMP_msgmem_t m : memory) QMP_free_msgmem(m);
}

void logical_tori() {
  const Session session;
  const int nodes = QMP_get_number_of_nodes(), here = QMP_get_node_number();
  const auto on_copy = [&](int color, const std::vector<int>& dims, const std::vector<int>& map) {
    QMP_comm_t comm = nullptr;
    MUST(QMP_comm_split(QMP_comm_get_default(), color, here, &comm) == QMP_SUCCESS);
    exchange_on(comm, dims, map);
    MUST(QMP_comm_free(comm) == QMP_SUCCESS);
  };
  on_copy(0, {1, nodes, 1}, {0, 1, 2});
  if (nodes % 2 == 0) {
    on_copy(0, {2, nodes / 2}, {0, 1});
    on_copy(0, {2, 1, nodes / 2}, {2, 0, 1});
    on_copy(here % 2, {nodes / 2}, {0});
  }
}

}  // namespace

const std::vector<Conformance>& anywhere_programs() {
  static const std::vector<Conformance> list = {
      {"all to all", all_to_all},           {"general gather", general_gather},
      {"longer receives", longer_receives}, {"long messages", long_messages},
      {"past the end", past_the_end},       {"groups", groups},
      {"logical tori", logical_tori},
  };
  return list;
}

}  // namespace ht::qmp::tests
