// SPDX-License-Identifier: Apache-2.0
// The functional network: its time, and how it says that a program is wrong.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "sw/host/errors.hpp"
#include "sw/qmp/functional_machine.hpp"
#include "sw/qmp/node.hpp"
#include "sw/qmp/qmp.h"
#include "sw/qmp/sum_states.hpp"
#include "tests/qmp/complaint.hpp"
#include "tests/qmp/program_support.hpp"

using Catch::Matchers::Contains;
using ht::model::OrderIndependentSum;
using ht::qmp::Channel;
using ht::qmp::FunctionalMachine;
using ht::qmp::FunctionalOptions;
using ht::qmp::Transport;
using ht::qmp::tests::complaint;
using ht::qmp::tests::Session;

namespace {

int send_only(Transport& t) {
  double x = 1;
  const auto m = t.declare_send(0, Channel::User, &x, sizeof x);
  t.start(m);
  t.wait(m);
  return 0;
}

}  // namespace

TEST_CASE("Exit codes are collected by rank") {
  FunctionalMachine machine({3, 2});
  CHECK(machine.nodes() == 6);
  CHECK(machine.run([](Transport& t) { return 10 + t.rank(); }) ==
        std::vector<int>{10, 11, 12, 13, 14, 15});
}

TEST_CASE(
    "A node that only computes, or moves its own data, for long is not taken for a deadlock") {
  // More turns than a program may take in which nothing happens.
  constexpr int copies = 21'000 * 1024;
  FunctionalMachine machine({1});
  CHECK_NOTHROW(machine.run([](Transport& t) {
    for (int i = 0; i < copies; ++i) t.charge_copy(8);
    return 0;
  }));
  CHECK_NOTHROW(machine.run([](Transport& t) {
    for (int i = 0; i < copies; ++i) t.runtime().advance(1);
    return 0;
  }));
}

TEST_CASE("Who waits, asking or not, for one that computes for long gets what it sends") {
  for (const bool asks : {false, true}) {
    FunctionalMachine machine({2});
    const auto codes = machine.run([asks](Transport& t) {
      double x = t.rank() == 0 ? 42 : 0;
      if (t.rank() == 0) {
        for (int i = 0; i < 21'000 * 1024; ++i) t.runtime().advance(1);
        return send_only(t);
      }
      const auto m = t.declare_receive(1, Channel::User, &x, sizeof x);
      t.start(m);
      while (asks && !t.is_complete(m)) {
      }
      if (!asks) t.wait(m);
      return static_cast<int>(x);
    });
    CHECK(codes == std::vector<int>{0, 1});
  }
}

TEST_CASE("A program that only asks for the time ends at the limit of processor time") {
  FunctionalMachine machine({1}, {.processor_timeout = 0.2});
  const std::string text = complaint<ht::TimeoutError>([&] {
    machine.run([](Transport& t) {
      for (;;) t.runtime().advance(1);
      return 0;
    });
  });
  CHECK_THAT(text, Contains("node 0 (0)") && Contains("time to pass"));
}

TEST_CASE("A deadlock says who waits for what") {
  FunctionalMachine machine({2, 2});
  const std::string text =
      complaint<ht::TimeoutError>([&] { machine.run([](Transport& t) { return send_only(t); }); });
  CHECK_THAT(text, Contains("node 0 (0,0)") && Contains("node 3 (1,1)"));
  CHECK_THAT(text, Contains("sending 8 bytes to node 1 (1,0) over +x"));

  const std::string some = complaint<ht::TimeoutError>(
      [&] { machine.run([](Transport& t) { return t.rank() == 2 ? send_only(t) : 0; }); });
  CHECK_THAT(some, Contains("node 2 (0,1)") && Contains("3 nodes have ended"));
  CHECK_THAT(some, !Contains("node 1 ("));
}

TEST_CASE("A program that asks for ever is found out") {
  FunctionalMachine machine({2});
  const std::string text = complaint<ht::TimeoutError>([&] {
    machine.run([](Transport& t) {
      double x = 0;
      const auto m = t.declare_receive(0, Channel::User, &x, sizeof x);
      t.start(m);
      while (!t.is_complete(m)) {
      }
      return 0;
    });
  });
  CHECK_THAT(text, Contains("again and again") && Contains("receiving 8 bytes"));
}

TEST_CASE("A program that asks itself for ever is found out too") {
  FunctionalMachine machine({1});
  const std::string text = complaint<ht::TimeoutError>([&] {
    machine.run([](Transport&) {
      const Session session;
      const int one = 1;
      QMP_declare_logical_topology(&one, 1);
      double x = 0;
      QMP_msghandle_t h = QMP_declare_receive_relative(QMP_declare_msgmem(&x, sizeof x), 0, 1, 0);
      QMP_start(h);
      while (QMP_is_complete(h) == QMP_FALSE) {
      }
      return 0;
    });
  });
  CHECK_THAT(text, Contains("node 0 (0)") && Contains("time to pass"));
}

TEST_CASE("Nodes that call different global operations are found out") {
  FunctionalMachine machine({2});
  CHECK_THROWS_AS(machine.run([](Transport& t) {
    const Session session;
    std::vector<double> x(100);
    QMP_sum_double_array(x.data(), t.rank() == 0 ? 1 : 100);
    return 0;
  }),
                  ht::ProtocolError);
}

TEST_CASE("Global operations that differ are named with both nodes, on every pair of kinds") {
  double x[4] = {};
  unsigned long bits = 0;
  const std::pair<const char*, std::function<void()>> kinds[] = {
      {"a barrier", [] { QMP_barrier(); }},
      {"a sum of 8 bytes", [&] { QMP_sum_double(x); }},
      {"a sum of 16 bytes", [&] { QMP_sum_double_array(x, 2); }},
      {"a maximum of 8 bytes", [&] { QMP_max_double(x); }},
      {"a minimum of 8 bytes", [&] { QMP_min_double(x); }},
      {"an exclusive or of long integers of 8 bytes", [&] { QMP_xor_ulong(&bits); }},
      {"a broadcast of 8 bytes", [&] { QMP_broadcast(x, 8); }},
      {"a broadcast of 16 bytes", [&] { QMP_broadcast(x, 16); }}};
  for (std::size_t i = 0; i < std::size(kinds); ++i) {
    for (std::size_t j = 0; j < std::size(kinds); ++j) {
      FunctionalMachine machine({3});
      const auto program = [&](Transport& t) {
        // No Session: its end would wait for the others, in a destructor.
        QMP_thread_level_t provided = QMP_THREAD_SINGLE;
        QMP_init_msg_passing(nullptr, nullptr, QMP_THREAD_SINGLE, &provided);
        QMP_barrier();
        kinds[t.rank() == 1 ? j : i].second();
        return 0;
      };
      if (i == j) {
        machine.run(program);
        continue;
      }
      const std::string text = complaint<ht::ProtocolError>([&] { machine.run(program); });
      CHECK_THAT(text, Contains(std::string(kinds[i].first) + " on node ") &&
                           Contains(std::string(kinds[j].first) + " on node 1"));
    }
  }
}

TEST_CASE("Lengths that were negative are refused, and nothing is sent") {
  FunctionalMachine({2}).run([](Transport&) {
    const Session session;
    double x[4] = {};
    for (const std::ptrdiff_t length : {-1L, -8L, -4096L, PTRDIFF_MIN}) {
      const auto bytes = static_cast<std::size_t>(length);
      CHECK(QMP_declare_msgmem(x, bytes) == nullptr);
      CHECK(QMP_declare_strided_msgmem(x, bytes, 2, 8) == nullptr);
      CHECK(QMP_allocate_memory(bytes) == nullptr);
      CHECK(QMP_broadcast(x, bytes) == QMP_INVALID_ARG);
      CHECK(QMP_binary_reduction(x, bytes, [](void*, void*) {}) == QMP_INVALID_ARG);
    }
    // Two blocks of half of all that there is.
    CHECK(QMP_declare_strided_msgmem(x, std::size_t{1} << 62, 2, 8) == nullptr);
    CHECK(QMP_declare_strided_msgmem(x, 8, -1, 8) == nullptr);
    CHECK(QMP_sum_double_array(x, -1) == QMP_INVALID_ARG);
    CHECK(QMP_sum_float_array(nullptr, -1) == QMP_INVALID_ARG);
    CHECK(QMP_sum_long_double_array(nullptr, -1) == QMP_INVALID_ARG);
    return 0;
  });
}

TEST_CASE("The first failing node is named, and the exception keeps its type") {
  FunctionalMachine machine({4});
  const auto program = [](Transport& t) {
    if (t.rank() % 2 == 1) throw ht::DataError("bad plaquette");
    return send_only(t);
  };
  const std::string text = complaint<ht::DataError>([&] { machine.run(program); });
  CHECK(text == "node 1 (1): bad plaquette; also node 3 (3): bad plaquette");
  CHECK_THROWS_AS(machine.run([](Transport&) -> int { throw 7; }), int);
}

TEST_CASE("QMP_abort ends the run with its code") {
  FunctionalMachine machine({2});
  try {
    machine.run([](Transport& t) {
      const Session session;
      char why[] = "cannot go on";
      if (t.rank() == 1) QMP_abort_string(42, why);
      QMP_barrier();
      return 0;
    });
    FAIL("did not end");
  } catch (const ht::qmp::AbortError& e) {
    CHECK(e.error_code() == 42);
    CHECK_THAT(e.what(), Contains("node 1") && Contains("cannot go on"));
  }
}

TEST_CASE("Programs in the middle of something are cleaned up when another fails") {
  FunctionalMachine machine({2});
  int alive = 0;
  struct Counter {
    int& n;
    explicit Counter(int& alive_nodes) : n(alive_nodes) { ++n; }
    ~Counter() { --n; }
    Counter(const Counter&) = delete;
    Counter& operator=(const Counter&) = delete;
  };
  // Calls QMP in the midst of it, as objects that hold messages do.
  struct Message {
    double x = 0;
    QMP_mem_t* memory = QMP_allocate_memory(64);
    QMP_msgmem_t part = QMP_declare_msgmem(&x, sizeof x);
    QMP_msghandle_t handle = QMP_declare_receive_from(part, 0, 0);
    Message() = default;
    ~Message() {
      QMP_free_msghandle(handle);
      QMP_free_msgmem(part);
      QMP_free_memory(memory);
    }
    Message(const Message&) = delete;
    Message& operator=(const Message&) = delete;
  };
  CHECK_THROWS(machine.run([&](Transport& t) -> int {
    const Counter counter(alive);
    const Session session;
    const Message message;
    if (t.rank() == 1) throw std::runtime_error("gave up");
    QMP_barrier();
    return 0;
  }));
  CHECK(alive == 0);
}

TEST_CASE("A run repeats itself to the picosecond") {
  FunctionalMachine machine({3, 2});
  const auto program = [](Transport&) {
    const Session session;
    for (int i = 0; i < 5; ++i) {
      double x = i;
      QMP_sum_double(&x);
    }
    return 0;
  };
  machine.run(program);
  const auto first = machine.elapsed();
  CHECK(first > 0);
  machine.run(program);
  CHECK(machine.elapsed() == first);
}

TEST_CASE("A message takes its length over the rate plus the latency") {
  FunctionalOptions options;
  options.latency = 700'000;
  options.bytes_per_us = 500;
  options.start_cost = 0;
  FunctionalMachine machine({2}, options);
  machine.run([](Transport& t) {
    std::vector<char> buffer(1000);
    auto& runtime = t.runtime();
    if (t.rank() == 0) {
      const auto s = t.declare_send(0, Channel::User, buffer.data(), buffer.size());
      t.start(s);
      t.wait(s);
      MUST(runtime.now() == 2'000'000);  // 1000 bytes at 500 bytes/us
      t.start(s);
      t.wait(s);
    } else {
      const auto r = t.declare_receive(1, Channel::User, buffer.data(), buffer.size());
      t.start(r);
      t.wait(r);
      MUST(runtime.now() == 2'700'000);
      t.start(r);
      t.wait(r);
      MUST(runtime.now() == 4'700'000);  // the second followed the first on the cable
    }
    return 0;
  });
}

// Latency is what a global operation costs: half way round every ring, one axis after the other.
TEST_CASE("Sums and broadcasts take the fewest steps a torus allows") {
  FunctionalOptions options;
  options.latency = 1'000'000;
  options.bytes_per_us = 1'000'000'000;
  options.start_cost = 0;
  const std::vector<std::pair<std::vector<int>, int>> expected{
      {{2}, 1}, {{3}, 1}, {{4}, 2}, {{5}, 2}, {{8}, 4}, {{2, 2, 2}, 3}, {{4, 3, 1, 2}, 4}};
  for (const auto& [shape, steps] : expected) {
    FunctionalMachine machine(shape, options);
    machine.run([](Transport&) {
      const Session session;
      double x = 1;
      QMP_sum_double(&x);
      return 0;
    });
    CHECK(machine.elapsed() / 1'000'000 == steps);
    machine.run([](Transport&) {
      const Session session;
      double x = 1;
      QMP_broadcast(&x, sizeof x);
      return 0;
    });
    CHECK(machine.elapsed() / 1'000'000 == steps);
  }
}

TEST_CASE("runtime().wait() returns when something has happened") {
  FunctionalMachine machine({2});
  machine.run([](Transport& t) {
    double x = t.rank();
    if (t.rank() == 0) {
      const auto r = t.declare_receive(0, Channel::User, &x, sizeof x);
      t.start(r);
      while (!t.is_complete(r)) t.runtime().wait("a number from the neighbour");
      MUST(x == 1);
    } else {
      const auto s = t.declare_send(1, Channel::User, &x, sizeof x);
      t.start(s);
      t.wait(s);
    }
    return 0;
  });
  const std::string text = complaint<ht::TimeoutError>([&] {
    machine.run([](Transport& t) {
      t.runtime().wait("Godot");
      return 0;
    });
  });
  CHECK_THAT(text, Contains("Godot"));
}

TEST_CASE("Messages in flight may not be started again or given up") {
  FunctionalMachine machine({2});
  machine.run([](Transport& t) {
    double x = 0;
    const auto r = t.declare_receive(1, Channel::User, &x, sizeof x);
    const auto s = t.declare_send(0, Channel::User, &x, sizeof x);
    t.start(r);
    bool refused = false;
    try {
      t.start(r);
    } catch (const std::logic_error&) {
      refused = true;
    }
    MUST(refused);
    refused = false;
    try {
      t.undeclare(r);
    } catch (const std::logic_error&) {
      refused = true;
    }
    MUST(refused);
    t.start(s);
    t.wait(r);
    t.wait(s);
    t.undeclare(r);
    t.undeclare(s);
    return 0;
  });
}

TEST_CASE("A damaged number of sums reaches no memory behind them") {
  FunctionalMachine machine({2});
  machine.run([](Transport& t) {
    const Session session;
    struct {
      std::uint64_t count;
      std::byte states[2][OrderIndependentSum::kBytes];
    } sums{};
    sums.count = t.rank() == 0 ? std::uint64_t{1} << 40 : 2;
    for (auto& state : sums.states) {
      OrderIndependentSum sum;
      sum.add(t.rank() + 1);
      ht::qmp::store_sum_state(sum, state);
    }
    MUST(QMP_binary_reduction(&sums, sizeof sums, ht::qmp::merge_sum_states) == QMP_SUCCESS);
    for (const auto& state : sums.states) MUST(ht::qmp::load_sum_state(state).round() == 3);
    return 0;
  });
}

TEST_CASE("Shapes that are none are refused") {
  CHECK_THROWS_AS(FunctionalMachine({}), ht::UsageError);
  CHECK_THROWS_AS(FunctionalMachine({2, 0}), ht::UsageError);
  CHECK_THROWS_AS(FunctionalMachine(std::vector<int>(7, 1)), ht::UsageError);
  CHECK_THROWS_AS(FunctionalMachine({100'000, 100'000}), ht::UsageError);
}

TEST_CASE("Outside of a node QMP says that it is not initialised") {
  CHECK(QMP_init_msg_passing(nullptr, nullptr, QMP_THREAD_SINGLE, nullptr) == QMP_NOT_INITED);
  CHECK(QMP_get_error_number(nullptr) == QMP_NOT_INITED);
  CHECK(QMP_time() == 0);
}
