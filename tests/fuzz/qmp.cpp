// SPDX-License-Identifier: Apache-2.0
// Sequences of QMP calls on four nodes of the functional network. All nodes make the same calls,
// out of the input, and know what must come of them; in between one makes calls with arguments that
// are wrong, which must be refused and change nothing, and at the end nodes may break their
// agreement, which must end the run with an error of ours.
#include "sw/qmp/qmp.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "sw/qmp/functional_machine.hpp"
#include "sw/qmp/node.hpp"
#include "tests/fuzz/property.hpp"

using namespace ht;
using namespace ht::fuzz;

namespace {

constexpr int nodes = 4, most_bytes = 96, most_calls = 24;
using Block = std::array<std::uint8_t, most_bytes>;

std::uint8_t mark(int node, int salt, std::size_t i) {
  return static_cast<std::uint8_t>(node * 67 + salt * 5 + static_cast<int>(i));
}

Block marked(int node, int salt) {
  Block block;
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = mark(node, salt, i);
  return block;
}

void good(QMP_status_t status, const char* what) {
  require(status == QMP_SUCCESS, what);
}

// A node's program: its input is the same everywhere.
class Program {
 public:
  Program(Draw draw, bool& broken) : draw_(draw), broken_(broken) {}

  int run() {
    QMP_thread_level_t provided = QMP_THREAD_SINGLE;
    good(QMP_init_msg_passing(nullptr, nullptr, QMP_THREAD_SINGLE, &provided), "no start");
    const int dims[] = {2, 2};
    good(QMP_declare_logical_topology(dims, 2), "no topology");
    me_ = QMP_get_node_number();
    require(QMP_get_number_of_nodes() == nodes && me_ >= 0 && me_ < nodes, "another machine");
    for (int calls = 0; calls < most_calls && !draw_.empty(); ++calls) {
      ++salt_;
      switch (draw_.below(9)) {
        case 0:
          neighbours();
          break;
        case 1:
          by_number();
          break;
        case 2:
          several();
          break;
        case 3:
          sums();
          break;
        case 4:
          broadcast();
          break;
        case 5:
          all_to_all();
          break;
        case 6:
          good(QMP_barrier(), "a barrier fails");
          break;
        case 7:
          wrong_arguments();
          break;
        default:
          if (draw_.below(8) == 0) disagree();
      }
    }
    QMP_finalize_msg_passing();
    return 0;
  }

 private:
  struct Message {
    QMP_msgmem_t memory = nullptr;
    QMP_msghandle_t handle = nullptr;
  };

  // Whole, or in blocks with gaps between them: `bytes` of them in all.
  struct Shape {
    std::size_t block = 1, stride = 1;
    int blocks = 1;
  };
  Shape shape() {
    Shape s;
    s.block = 1 + draw_.below(8);
    s.blocks = 1 + static_cast<int>(draw_.below(8));
    s.stride = s.block + draw_.below(4);
    return s;
  }
  static QMP_msgmem_t declare(Block& at, const Shape& s) {
    QMP_msgmem_t memory = s.blocks == 1
                              ? QMP_declare_msgmem(at.data(), s.block)
                              : QMP_declare_strided_msgmem(at.data(), s.block, s.blocks,
                                                           static_cast<std::ptrdiff_t>(s.stride));
    require(memory != nullptr, "memory is refused");
    return memory;
  }
  // `in` was all 0xEE before; the bytes of `from` came, in the shape, and nothing else.
  static void arrived(const Block& in, const Shape& s, int from, int salt) {
    Block expected;
    expected.fill(0xEE);
    for (int b = 0; b < s.blocks; ++b) {
      for (std::size_t i = 0; i < s.block; ++i) {
        const std::size_t at = static_cast<std::size_t>(b) * s.stride + i;
        expected[at] = mark(from, salt, at);
      }
    }
    require(in == expected, "what was received is not what was sent");
  }

  void wait_or_poll(QMP_msghandle_t handle) {
    if (polls_) {
      while (QMP_is_complete(handle) == QMP_FALSE) {
      }
    }
    good(QMP_wait(handle), "a wait fails");
    require(QMP_is_complete(handle) == QMP_TRUE, "waited for, and not complete");
  }

  void exchange(QMP_msghandle_t receive, QMP_msghandle_t send) {
    require(receive != nullptr && send != nullptr, "a message is refused");
    const bool send_first = draw_.below(2) != 0;
    polls_ = draw_.below(2) != 0;
    good(QMP_start(send_first ? send : receive), "a start fails");
    good(QMP_start(send_first ? receive : send), "a start fails");
    wait_or_poll(send_first ? receive : send);
    wait_or_poll(send_first ? send : receive);
  }

  void neighbours() {
    const int axis = static_cast<int>(draw_.below(2)), dir = draw_.below(2) == 0 ? 1 : -1;
    const Shape s = shape();
    Block out = marked(me_, salt_), in;
    in.fill(0xEE);
    QMP_msgmem_t from = declare(in, s), to = declare(out, s);
    QMP_msghandle_t receive = QMP_declare_receive_relative(from, axis, -dir, 0);
    QMP_msghandle_t send = QMP_declare_send_relative(to, axis, dir, 0);
    const int again = 1 + static_cast<int>(draw_.below(3));
    for (int i = 0; i < again; ++i) {
      in.fill(0xEE);
      exchange(receive, send);
      arrived(in, s, me_ ^ (1 << axis), salt_);
    }
    QMP_free_msghandle(receive);
    QMP_free_msghandle(send);
    QMP_free_msgmem(from);
    QMP_free_msgmem(to);
  }

  void by_number() {
    const int step = 1 + static_cast<int>(draw_.below(nodes - 1));
    const Shape s = shape();
    Block out = marked(me_, salt_), in;
    in.fill(0xEE);
    QMP_msgmem_t from = declare(in, s), to = declare(out, s);
    QMP_msghandle_t receive = QMP_declare_receive_from(from, (me_ + nodes - step) % nodes, 0);
    QMP_msghandle_t send = QMP_declare_send_to(to, (me_ + step) % nodes, 0);
    exchange(receive, send);
    arrived(in, s, (me_ + nodes - step) % nodes, salt_);
    QMP_free_msghandle(receive);
    QMP_free_msghandle(send);
    QMP_free_msgmem(from);
    QMP_free_msgmem(to);
  }

  // All directions at once, in one handle.
  void several() {
    const Shape s = shape();
    std::array<Block, 4> in;
    Block out = marked(me_, salt_);
    std::vector<QMP_msgmem_t> memory;
    std::vector<QMP_msghandle_t> handles;
    for (int way = 0; way < 4; ++way) {
      Block& to = in[static_cast<std::size_t>(way)];
      to.fill(0xEE);
      const int axis = way / 2, dir = way % 2 == 0 ? 1 : -1;
      memory.push_back(declare(to, s));
      handles.push_back(QMP_declare_receive_relative(memory.back(), axis, -dir, 0));
      memory.push_back(declare(out, s));
      handles.push_back(QMP_declare_send_relative(memory.back(), axis, dir, 0));
    }
    QMP_msghandle_t all = draw_.below(2) == 0 ? QMP_declare_multiple(handles.data(), 8)
                                              : QMP_declare_send_recv_pairs(handles.data(), 8);
    require(all != nullptr, "messages are refused");
    good(QMP_start(all), "a start fails");
    if (draw_.below(4) == 0)
      require(QMP_start(all) == QMP_INVALID_OP || QMP_is_complete(all) == QMP_TRUE,
              "started while it is under way");
    polls_ = draw_.below(2) != 0;
    wait_or_poll(all);
    for (int way = 0; way < 4; ++way)
      arrived(in[static_cast<std::size_t>(way)], s, me_ ^ (1 << (way / 2)), salt_);
    QMP_free_msghandle(all);
    for (QMP_msgmem_t m : memory) QMP_free_msgmem(m);
  }

  void sums() {
    const int seed = draw_.number();
    int whole = me_ * 3 + seed;
    good(QMP_sum_int(&whole), "a sum fails");
    require(whole == nodes * seed + 18, "a sum is wrong");
    double real = me_ + 0.5 * seed;
    good(QMP_sum_double(&real), "a sum fails");
    require(real == 6 + 2.0 * seed, "a sum is wrong");
    std::vector<double> array(1 + draw_.below(20));
    std::iota(array.begin(), array.end(), me_);
    good(QMP_sum_double_array(array.data(), static_cast<int>(array.size())), "a sum fails");
    for (std::size_t i = 0; i < array.size(); ++i)
      require(array[i] == 4.0 * static_cast<double>(i) + 6, "an element of a sum is wrong");
    float least = static_cast<float>((me_ + seed) % nodes);
    good(QMP_min_float(&least), "a minimum fails");
    require(least == 0, "a minimum is wrong");
    unsigned long bits = 1UL << (me_ + seed % 32);
    good(QMP_xor_ulong(&bits), "an exclusive or fails");
    require(bits == 15UL << (seed % 32), "an exclusive or is wrong");
  }

  void broadcast() {
    const std::size_t bytes = 1 + draw_.below(most_bytes);
    Block block = marked(me_, salt_), expected = marked(0, salt_);
    std::copy(block.begin() + static_cast<std::ptrdiff_t>(bytes), block.end(),
              expected.begin() + static_cast<std::ptrdiff_t>(bytes));
    good(QMP_broadcast(block.data(), bytes), "a broadcast fails");
    require(block == expected, "a broadcast is wrong");
  }

  void all_to_all() {
    const int count = 1 + static_cast<int>(draw_.below(most_bytes / nodes));
    Block out = marked(me_, salt_), in;
    in.fill(0xEE);
    good(QMP_comm_alltoall(QMP_comm_get_default(), reinterpret_cast<char*>(in.data()),
                           reinterpret_cast<char*>(out.data()), count),
         "an exchange of all with all fails");
    const auto n = static_cast<std::size_t>(count);
    for (std::size_t at = 0; at < in.size(); ++at) {
      const std::size_t from = at / n;
      const std::uint8_t expected =
          from >= nodes
              ? 0xEE
              : mark(static_cast<int>(from), salt_, static_cast<std::size_t>(me_) * n + at % n);
      require(in[at] == expected, "an exchange of all with all is wrong");
    }
  }

  // One node asks for what cannot be. What is granted is given back.
  void wrong_arguments() {
    Draw mine = draw_;
    draw_.take(8);
    if (mine.below(nodes) != static_cast<unsigned>(me_)) return;
    Block block{};
    const int a = static_cast<std::int8_t>(mine.number()),
              b = static_cast<std::int8_t>(mine.number());
    QMP_msgmem_t memory = mine.below(4) == 0 ? nullptr : QMP_declare_msgmem(block.data(), 8);
    QMP_msghandle_t handle = nullptr;
    switch (mine.below(8)) {
      case 0:
        handle = QMP_declare_receive_relative(memory, a, b, 0);
        require(handle == nullptr || (memory != nullptr && a >= 0 && a < 2 && (b == 1 || b == -1)),
                "a receive along no axis");
        break;
      case 1:
        handle = QMP_declare_send_to(memory, a, b);
        require(handle == nullptr || (memory != nullptr && a >= 0 && a < nodes),
                "a send to nobody");
        break;
      case 2: {
        int coordinates[] = {a, b};
        const int node = QMP_get_node_number_from(coordinates);
        const bool there = a >= 0 && a < 2 && b >= 0 && b < 2;
        require(there ? node == a + 2 * b : node == -1, "a node where none is");
        break;
      }
      case 3: {
        const int dims[] = {a, b};
        require(QMP_declare_logical_topology(dims, 2) != QMP_SUCCESS, "a second topology");
        break;
      }
      case 4: {
        QMP_msgmem_t strided = QMP_declare_strided_msgmem(
            block.data(), static_cast<std::size_t>(a & 7), b, static_cast<std::ptrdiff_t>(a));
        require(strided == nullptr || b >= 0, "a negative number of blocks");
        if (strided != nullptr) QMP_free_msgmem(strided);
        break;
      }
      case 5:
        require(QMP_start(nullptr) != QMP_SUCCESS, "nothing is started");
        require(QMP_wait(nullptr) != QMP_SUCCESS, "nothing is waited for");
        break;
      case 6: {
        QMP_msghandle_t none[] = {nullptr, nullptr};
        const int num = std::min(a, 2);
        handle = QMP_declare_multiple(none, num);
        require((handle == nullptr) == (num != 0), "several of nothing");
        if (handle != nullptr) QMP_free_msghandle(handle);
        handle = nullptr;
        break;
      }
      default:
        require(QMP_error_string(static_cast<QMP_status_t>(0x1000 + (a & 0x3F))) != nullptr,
                "a status without words");
    }
    if (handle != nullptr) {
      if (a == b) good(QMP_change_address(handle, block.data()), "an address is refused");
      QMP_free_msghandle(handle);
    }
    if (memory != nullptr) QMP_free_msgmem(memory);
  }

  // Ends the run, as far as nodes notice.
  void disagree() {
    broken_ = true;
    const unsigned who = draw_.below(nodes), what = draw_.below(4);
    if (who != static_cast<unsigned>(me_)) {
      int value = 1;
      good(QMP_sum_int(&value), "a sum fails");
      return;
    }
    Block block{};
    double value = 0;
    if (what == 0) QMP_barrier();
    if (what == 1) QMP_sum_double(&value);
    if (what == 2) QMP_broadcast(block.data(), 16);
    if (what == 3) QMP_abort(7);
  }

  Draw draw_;
  bool& broken_;
  int me_ = 0, salt_ = 0;
  bool polls_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  qmp::FunctionalOptions options;
  options.memory_bytes = 1 << 20;
  options.stack_bytes = 128 << 10;
  qmp::FunctionalMachine machine({2, 2}, options);
  bool broken = false;
  const auto program = [&](qmp::Transport&) { return Program(Draw({data, size}), broken).run(); };
  const bool ended = [&] {
    try {
      const std::vector<int> codes = machine.run(program);
      require(codes == std::vector<int>(nodes, 0), "a program's code is another");
      return true;
    } catch (const Error&) {
      return false;
    } catch (const qmp::AbortError& e) {
      require(e.error_code() == 7, "another code than that of QMP_abort()");
      return false;
    }
  }();
  require(ended || broken, "programs that agree do not end");
  return 0;
}
