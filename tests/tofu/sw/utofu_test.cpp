// SPDX-License-Identifier: Apache-2.0
// The uTofu API end to end: programs, driver, registers, gates, packets in random order.
#include <bit>
#include <catch2/catch.hpp>
#include <string>

#include "sw/host/errors.hpp"
#include "sw/tofu/gates/gate_collectives.hpp"
#include "tests/tofu/sw/gate_programs.hpp"
#include "tests/tofu/sw/utofu_ring.h"
#include "verif/model/common/order_independent_sum.hpp"

using namespace ht::test;
using namespace ht::tofu;

namespace {

/// N nodes: as many as fit in groups of 2 x 3 x 2, or a row.
Shape row(int n) {
  return n <= 32 ? Shape{{n, 1, 1, 1, 1, 1}, {}} : Shape{{n / 2, 1, 1, 2, 1, 1}, {}};
}

utofu_vbg_setting setting(utofu_vbg_id_t id) {
  return {id,
          UTOFU_VBG_ID_NULL,
          UTOFU_VBG_ID_NULL,
          UTOFU_VBG_ID_NULL,
          UTOFU_VBG_ID_NULL,
          {UTOFU_PATH_COORD_NULL, 0, 0}};
}

int set(const std::vector<utofu_vbg_setting>& settings) {
  auto copy = settings;
  return utofu_set_vbg(copy.data(), copy.size());
}

/// A program on one node of two; the other does nothing.
void on_one_node(const std::function<void()>& program) {
  auto machine = make_machine(row(2), 1);
  run_utofu(*machine, [&](int rank, Meeting&) {
    if (rank == 0) program();
  });
}

}  // namespace

TEST_CASE("uTofu: a program in C, gates wired by hand") {
  for (const int n : {2, 3, 12}) {
    const Shape shape = n == 12 ? Shape{{1, 1, 1, 2, 3, 2}, {}} : row(n);
    auto machine = make_machine(shape, static_cast<unsigned>(n));
    const std::vector<double> numbers = awkward_numbers(n, 7);
    ht::model::OrderIndependentSum exact;
    exact.add(numbers);
    std::vector<std::array<utofu_vbg_id_t, 3>> ids(static_cast<std::size_t>(n));
    Meeting meeting(n);
    machine->run([&](int rank, ht::host::HardwarePort& port) {
      BarrierInterface interface(port, "node " + std::to_string(rank), {});
      UtofuNode node(interface, shape.place(rank), shape);
      utofu_ring_results results{};
      results.real = numbers[static_cast<std::size_t>(rank)];
      const auto join = [](void* all) {
        static_cast<Meeting*>(all)->join(UtofuNode::current()->port());
      };
      CHECK(utofu_ring(rank, n, reinterpret_cast<utofu_vbg_id_t(*)[3]>(ids.data()), join, &meeting,
                       &results) == UTOFU_SUCCESS);
      const auto size = static_cast<std::uint64_t>(n);
      CHECK(results.sum == size * (size + 1) / 2);
      CHECK(results.maximum == size);
      CHECK(std::bit_cast<std::uint64_t>(results.real) ==
            std::bit_cast<std::uint64_t>(exact.round()));
      const Coordinates here = shape.place(rank);
      for (std::size_t i = 0; i < 6; ++i) CHECK(results.coords[i] == here.at[i]);
      // No packet came to a gate that is not wired.
      meeting.join(port);
      CHECK(interface.take_errors() == 0);
    });
  }
}

TEST_CASE("uTofu: every pattern over every number of nodes gives the same bits") {
  for (const Algorithm algorithm : algorithms) {
    for (const int n : sizes()) {
      INFO(text(algorithm) << ", " << n << " nodes");
      auto machine = make_machine(row(n), static_cast<unsigned>(n));
      check_pattern(*machine, algorithm, static_cast<unsigned>(n));
    }
  }
}

TEST_CASE("uTofu: results by registers as by memory, in fewer register accesses by memory") {
  std::uint64_t accesses[2];
  for (const bool memory : {false, true}) {
    auto machine = make_machine(row(5), 3);
    BarrierOptions options;
    options.results_in_memory = memory;
    check_pattern(*machine, Algorithm::Tree, 5, options);
    accesses[memory] = machine->register_accesses(0);
  }
  CHECK(accesses[true] < accesses[false]);
}

TEST_CASE("uTofu: seven channels at once, each with its own pattern and operation") {
  constexpr int n = 6;
  auto machine = make_machine(row(n), 11);
  std::vector<Ids> ids(7, Ids(n));
  run_utofu(*machine, [&](int rank, Meeting& meeting) {
    const auto r = static_cast<std::size_t>(rank);
    for (std::size_t c = 0; c < 7; ++c)
      lay(BarrierPattern(algorithms[c % 4], n), rank, ids[c], meeting);
    for (int round = 0; round < 3; ++round) {
      std::vector<std::uint64_t> words(7);
      for (std::size_t c = 0; c < 7; ++c) {
        words[c] = (r + 1) << c;
        CHECK(utofu_reduce_uint64(ids[c][r][0], UTOFU_REDUCE_OP_SUM, &words[c], 1, 0) ==
              UTOFU_SUCCESS);
      }
      for (std::size_t c = 7; c-- > 0;) {
        int rc = 0;
        while ((rc = utofu_poll_reduce_uint64(ids[c][r][0], 0, &words[c])) ==
               UTOFU_ERR_NOT_COMPLETED) {
        }
        CHECK(rc == UTOFU_SUCCESS);
        CHECK(words[c] == std::uint64_t{n * (n + 1) / 2} << c);
      }
    }
  });
}

TEST_CASE("uTofu: what a barrier interface can do, and where gates are") {
  on_one_node([] {
    utofu_barrier_caps* caps = nullptr;
    REQUIRE(utofu_query_barrier_caps(0, &caps) == UTOFU_SUCCESS);
    CHECK(caps->reduce_ops == (0x1ffUL & ~1UL & ~UTOFU_BARRIER_CAP_REDUCE_OP_MAXLOC));
    CHECK(caps->max_uint64_reduction == 1);
    CHECK(caps->max_double_reduction == 1);
    CHECK(utofu_query_barrier_caps(1, &caps) == UTOFU_ERR_INVALID_TNI_ID);
    CHECK(utofu_query_barrier_caps(0, nullptr) == UTOFU_ERR_INVALID_POINTER);

    const utofu_vbg_id_t id = Vbg{Coordinates{{1, 0, 0, 0, 0, 0}}, 33, 9, 0}.id();
    std::uint8_t coords[6];
    utofu_tni_id_t tni = 7;
    utofu_bg_id_t gate = 0;
    std::uint16_t group = 0;
    REQUIRE(utofu_query_vbg_info(id, coords, &tni, &gate, &group) == UTOFU_SUCCESS);
    CHECK(coords[0] == 1);
    CHECK(coords[5] == 0);
    CHECK(tni == 0);
    CHECK(gate == 33);
    CHECK(group == 9);
    CHECK(utofu_query_vbg_info(id, nullptr, nullptr, nullptr, nullptr) == UTOFU_SUCCESS);
    CHECK(utofu_query_vbg_info(UTOFU_VBG_ID_NULL, coords, &tni, &gate, &group) ==
          UTOFU_ERR_INVALID_VBG_ID);
    const utofu_vbg_id_t elsewhere = Vbg{Coordinates{{2, 0, 0, 0, 0, 0}}, 33, 1, 0}.id();
    CHECK(utofu_query_vbg_info(elsewhere, coords, &tni, &gate, &group) == UTOFU_ERR_INVALID_VBG_ID);
  });
  std::uint8_t coords[6];
  CHECK(utofu_query_my_coords(coords) == UTOFU_ERR_NOT_AVAILABLE);  // not on a node
  int major = 0, minor = 1;
  utofu_query_tofu_version(&major, &minor);
  CHECK(major == 1);
  CHECK(minor == 0);
}

TEST_CASE("uTofu: allocation, and its refusals") {
  on_one_node([] {
    std::vector<utofu_vbg_id_t> ids(64);
    CHECK(utofu_alloc_vbg(1, 1, 0, ids.data()) == UTOFU_ERR_INVALID_TNI_ID);
    CHECK(utofu_alloc_vbg(0, 0, 0, ids.data()) == UTOFU_ERR_INVALID_NUMBER);
    CHECK(utofu_alloc_vbg(0, 1, 2, ids.data()) == UTOFU_ERR_INVALID_FLAGS);
    CHECK(utofu_alloc_vbg(0, 1, 0, nullptr) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_alloc_vbg(0, 58, 0, ids.data()) == UTOFU_ERR_FULL);  // 56 relays, one start
    CHECK(utofu_alloc_vbg(0, 57, UTOFU_VBG_FLAG_THREAD_SAFE, ids.data()) == UTOFU_SUCCESS);
    utofu_vbg_id_t other = 0;
    CHECK(utofu_alloc_vbg(0, 1, 0, &other) == UTOFU_SUCCESS);
    utofu_vbg_id_t two[2];
    CHECK(utofu_alloc_vbg(0, 2, 0, two) == UTOFU_ERR_FULL);  // no relay left
    CHECK(utofu_free_vbg(ids.data(), 57) == UTOFU_SUCCESS);
    CHECK(utofu_free_vbg(&other, 1) == UTOFU_SUCCESS);

    // More channels than eight, one of which is the system's.
    for (std::size_t c = 0; c < 7; ++c) CHECK(utofu_alloc_vbg(0, 1, 0, &ids[c]) == UTOFU_SUCCESS);
    CHECK(utofu_alloc_vbg(0, 1, 0, &other) == UTOFU_ERR_FULL);
    CHECK(utofu_free_vbg(&ids[3], 1) == UTOFU_SUCCESS);
    CHECK(utofu_free_vbg(&ids[3], 1) == UTOFU_ERR_INVALID_VBG_ID);  // freed already
    CHECK(utofu_alloc_vbg(0, 1, 0, &other) == UTOFU_SUCCESS);
    CHECK(other == ids[3]);
    utofu_vbg_id_t twice[2] = {ids[0], ids[0]};
    CHECK(utofu_free_vbg(twice, 2) == UTOFU_ERR_INVALID_VBG_ID);
    CHECK(utofu_free_vbg(nullptr, 1) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_free_vbg(twice, 0) == UTOFU_ERR_INVALID_NUMBER);
    CHECK(utofu_free_vbg(ids.data(), 7) == UTOFU_SUCCESS);
  });
}

TEST_CASE("uTofu: wirings that are refused") {
  on_one_node([] {
    utofu_vbg_id_t a[3], b[2];
    REQUIRE(utofu_alloc_vbg(0, 3, 0, a) == UTOFU_SUCCESS);
    REQUIRE(utofu_alloc_vbg(0, 2, 0, b) == UTOFU_SUCCESS);
    const Coordinates there{{1, 0, 0, 0, 0, 0}};
    const utofu_vbg_id_t remote = Vbg{there, 9, 1, 0}.id();
    auto start = setting(a[0]), relay = setting(a[1]);
    start.dst_lcl_vbg_id = a[1];
    start.src_rmt_vbg_id = remote;
    relay.src_lcl_vbg_id = a[0];
    relay.dst_rmt_vbg_id = remote;
    CHECK(set({start, relay}) == UTOFU_SUCCESS);
    // As libraries put it together that know of no group; another job's is refused.
    relay.dst_rmt_vbg_id = Vbg{there, 9, 0, 0}.id();
    CHECK(set({start, relay}) == UTOFU_SUCCESS);
    relay.dst_rmt_vbg_id = Vbg{there, 9, 2, 0}.id();
    CHECK(set({start, relay}) == UTOFU_ERR_INVALID_VBG_ID);
    relay.dst_rmt_vbg_id = remote;
    CHECK(utofu_set_vbg(nullptr, 1) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_set_vbg(&start, 0) == UTOFU_ERR_INVALID_NUMBER);

    const auto refused = [&](int code, const std::function<void(utofu_vbg_setting&)>& change) {
      auto changed = relay;
      change(changed);
      CHECK(set({start, changed}) == code);
    };
    // To itself, by signal or by packet.
    refused(UTOFU_ERR_INVALID_ARG, [&](auto& s) { s.dst_lcl_vbg_id = a[1]; });
    refused(UTOFU_ERR_INVALID_ARG, [&](auto& s) { s.src_lcl_vbg_id = a[1]; });
    refused(UTOFU_ERR_INVALID_ARG, [&](auto& s) { s.dst_rmt_vbg_id = a[1]; });
    refused(UTOFU_ERR_INVALID_VBG_ID, [&](auto& s) { s.dst_rmt_vbg_id = a[2]; });
    // No inputs, no outputs.
    refused(UTOFU_ERR_INVALID_ARG, [&](auto& s) { s.src_lcl_vbg_id = UTOFU_VBG_ID_NULL; });
    refused(UTOFU_ERR_INVALID_ARG, [&](auto& s) { s.dst_rmt_vbg_id = UTOFU_VBG_ID_NULL; });
    CHECK(set({setting(a[0])}) == UTOFU_ERR_INVALID_ARG);
    // Two ends that do not fit: a[0] feeds a[1], which takes from a[2].
    refused(UTOFU_ERR_INVALID_ARG, [&](auto& s) {
      s.src_lcl_vbg_id = UTOFU_VBG_ID_NULL;
      s.src_rmt_vbg_id = remote;
    });
    CHECK(set({start, start}) == UTOFU_ERR_INVALID_ARG);
    // Another allocation's gate, another group's, one that is not there, the system's.
    refused(UTOFU_ERR_INVALID_VBG_ID, [&](auto& s) { s.dst_lcl_vbg_id = b[1]; });
    refused(UTOFU_ERR_INVALID_VBG_ID, [&](auto& s) {
      s.dst_rmt_vbg_id = Vbg{there, 9, 2, 0}.id();
    });
    refused(UTOFU_ERR_INVALID_VBG_ID, [&](auto& s) {
      s.dst_rmt_vbg_id = Vbg{there, 0, 1, 0}.id();
    });
    refused(UTOFU_ERR_INVALID_VBG_ID, [&](auto& s) {
      s.dst_rmt_vbg_id = Vbg{Coordinates{{2, 0, 0, 0, 0, 0}}, 9, 1, 0}.id();
    });
    refused(UTOFU_ERR_INVALID_VBG_ID, [&](auto& s) { s.dst_rmt_vbg_id = 1234567; });
    refused(UTOFU_ERR_INVALID_VBG_ID, [&](auto& s) { s.vbg_id = remote; });
    // Freed gates.
    REQUIRE(utofu_free_vbg(&a[2], 1) == UTOFU_SUCCESS);
    refused(UTOFU_ERR_INVALID_VBG_ID, [&](auto& s) { s.dst_lcl_vbg_id = a[2]; });
    refused(UTOFU_ERR_INVALID_VBG_ID, [&](auto& s) { s.vbg_id = a[2]; });
    // A path outside the machine (which has one node along A, B and C).
    refused(UTOFU_ERR_INVALID_PATH, [&](auto& s) {
      s.dst_path_coords[0] = 1;
      s.dst_path_coords[1] = 0;
    });
    relay.dst_path_coords[0] = 0;
    CHECK(set({start, relay}) == UTOFU_SUCCESS);
  });
}

TEST_CASE("uTofu: of the gates that QMP keeps, none is had, nor sent to at another node") {
  auto machine = make_machine(row(2), 1);
  constexpr int gates = 40;  // those from 40 are QMP's
  machine->run([&](int rank, ht::host::HardwarePort& port) {
    BarrierInterface interface(port, "node", {});
    const Coordinates here = row(2).place(rank), there = row(2).place(1 - rank);
    const UtofuNode node(interface, UtofuNetwork{{}, {}, here, row(2), {}}, gates);
    if (rank != 0) return;
    std::array<utofu_vbg_id_t, 1 + gates - channels_per_node> all{};
    CHECK(utofu_alloc_vbg(0, all.size() + 1, 0, all.data()) == UTOFU_ERR_FULL);
    REQUIRE(utofu_alloc_vbg(0, all.size(), 0, all.data()) == UTOFU_SUCCESS);
    for (int gate = 0; gate < gates_per_node; ++gate) {
      CAPTURE(gate);
      auto first = setting(all[0]);
      first.src_rmt_vbg_id = first.dst_rmt_vbg_id = Vbg{there, gate, 1, 0}.id();
      CHECK(set({first}) == (gate > 0 && gate < gates ? UTOFU_SUCCESS : UTOFU_ERR_INVALID_VBG_ID));
    }
  });
}

TEST_CASE("uTofu: starts and polls that are refused") {
  on_one_node([] {
    utofu_vbg_id_t a[2];
    REQUIRE(utofu_alloc_vbg(0, 2, 0, a) == UTOFU_SUCCESS);
    std::uint64_t word = 1;
    double x = 1;
    CHECK(utofu_barrier(a[0], 0) == UTOFU_ERR_NOT_AVAILABLE);  // not wired
    auto start = setting(a[0]), relay = setting(a[1]);
    const utofu_vbg_id_t remote = Vbg{Coordinates{{1, 0, 0, 0, 0, 0}}, 9, 1, 0}.id();
    start.dst_lcl_vbg_id = relay.vbg_id;
    start.src_rmt_vbg_id = remote;
    relay.src_lcl_vbg_id = start.vbg_id;
    relay.dst_rmt_vbg_id = remote;
    REQUIRE(set({start}) == UTOFU_SUCCESS);
    CHECK(utofu_barrier(a[0], 0) == UTOFU_ERR_NOT_AVAILABLE);  // only half
    REQUIRE(set({relay}) == UTOFU_SUCCESS);

    CHECK(utofu_barrier(a[0], 1) == UTOFU_ERR_INVALID_FLAGS);
    CHECK(utofu_barrier(a[1], 0) == UTOFU_ERR_INVALID_VBG_ID);  // does not start
    CHECK(utofu_barrier(remote, 0) == UTOFU_ERR_INVALID_VBG_ID);
    CHECK(utofu_poll_barrier(a[0], 0) == UTOFU_ERR_NOT_FOUND);
    CHECK(utofu_poll_barrier(a[0], 4) == UTOFU_ERR_INVALID_FLAGS);
    CHECK(utofu_poll_barrier(a[1], 0) == UTOFU_ERR_INVALID_VBG_ID);
    CHECK(utofu_reduce_uint64(a[0], UTOFU_REDUCE_OP_SUM, nullptr, 1, 0) ==
          UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_reduce_uint64(a[0], UTOFU_REDUCE_OP_SUM, &word, 0, 0) == UTOFU_ERR_INVALID_NUMBER);
    CHECK(utofu_reduce_uint64(a[0], UTOFU_REDUCE_OP_SUM, &word, 2, 0) == UTOFU_ERR_INVALID_NUMBER);
    CHECK(utofu_reduce_uint64(a[0], UTOFU_REDUCE_OP_SUM, &word, 1, 1) == UTOFU_ERR_INVALID_FLAGS);
    CHECK(utofu_reduce_uint64(a[0], UTOFU_REDUCE_OP_BFPSUM, &word, 1, 0) == UTOFU_ERR_INVALID_OP);
    CHECK(utofu_reduce_uint64(a[0], UTOFU_REDUCE_OP_BARRIER, &word, 1, 0) == UTOFU_ERR_INVALID_OP);
    CHECK(utofu_reduce_uint64(a[0], UTOFU_REDUCE_OP_MAXLOC, &word, 1, 0) ==
          UTOFU_ERR_NOT_SUPPORTED);
    CHECK(utofu_reduce_double(a[0], UTOFU_REDUCE_OP_SUM, &x, 1, 0) == UTOFU_ERR_INVALID_OP);
    CHECK(utofu_reduce_double(a[0], UTOFU_REDUCE_OP_BFPSUM, &x, 2, 0) == UTOFU_ERR_INVALID_NUMBER);
    CHECK(utofu_reduce_double(a[0], UTOFU_REDUCE_OP_BFPSUM, nullptr, 1, 0) ==
          UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_reduce_double(a[0], UTOFU_REDUCE_OP_BFPSUM, &x, 1, 8) == UTOFU_ERR_INVALID_FLAGS);
    CHECK(utofu_poll_reduce_uint64(a[0], 0, nullptr) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_poll_reduce_double(a[0], 0, nullptr) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_poll_reduce_uint64(a[0], 2, &word) == UTOFU_ERR_INVALID_FLAGS);
    CHECK(utofu_poll_reduce_double(a[0], 2, &x) == UTOFU_ERR_INVALID_FLAGS);

    // Nobody answers.
    REQUIRE(utofu_reduce_uint64(a[0], UTOFU_REDUCE_OP_SUM, &word, 1, 0) == UTOFU_SUCCESS);
    CHECK(utofu_poll_reduce_uint64(a[0], 0, &word) == UTOFU_ERR_NOT_COMPLETED);
    CHECK(utofu_poll_barrier(a[0], 0) == UTOFU_ERR_INVALID_OP);
    CHECK(utofu_poll_reduce_double(a[0], 0, &x) == UTOFU_ERR_INVALID_OP);
    CHECK(utofu_barrier(a[0], 0) == UTOFU_ERR_BUSY);
    CHECK(utofu_reduce_double(a[0], UTOFU_REDUCE_OP_BFPSUM, &x, 1, 0) == UTOFU_ERR_BUSY);
    CHECK(utofu_free_vbg(a, 2) == UTOFU_ERR_BUSY);
    CHECK(set({start, relay}) == UTOFU_ERR_BUSY);
  });
}

TEST_CASE("uTofu: nodes in different operations all end with a mismatch, and can go on") {
  for (const Algorithm algorithm : algorithms) {
    INFO(text(algorithm));
    constexpr int n = 7;
    auto machine = make_machine(row(n), 5);
    Ids ids(n);
    run_utofu(*machine, [&](int rank, Meeting& meeting) {
      lay(BarrierPattern(algorithm, n), rank, ids, meeting);
      const utofu_vbg_id_t id = ids[static_cast<std::size_t>(rank)][0];
      std::uint64_t word = 1;
      if (rank == 4)
        CHECK(reduce(id, UTOFU_REDUCE_OP_MAX, word) == UTOFU_ERR_BARRIER_MISMATCH);
      else
        CHECK(reduce(id, UTOFU_REDUCE_OP_SUM, word) == UTOFU_ERR_BARRIER_MISMATCH);
      CHECK(word == 1);  // not summed
      CHECK(reduce(id, UTOFU_REDUCE_OP_SUM, word) == UTOFU_SUCCESS);
      CHECK(word == n);
    });
  }
}

TEST_CASE("uTofu: a packet out of sequence, and one from a wrong gate, are errors everywhere") {
  const auto run = [](const std::function<void(ht::model::GatePacket&)>& damage) {
    constexpr int n = 5;
    auto machine = make_machine(row(n), 9);
    bool damaged = false;
    machine->tamper = [&](ht::model::GatePacket& p) {
      // The only packet of this kind: rank 3 of a tree of 5 tells its parent.
      if (!damaged && p.from.node == 3) {
        damaged = true;
        damage(p);
      }
      return true;
    };
    Ids ids(n);
    run_utofu(*machine, [&](int rank, Meeting& meeting) {
      lay(BarrierPattern(Algorithm::Tree, n), rank, ids, meeting);
      std::uint64_t word = 1;
      CHECK(reduce(ids[static_cast<std::size_t>(rank)][0], UTOFU_REDUCE_OP_SUM, word) ==
            UTOFU_ERR_BARRIER_OTHER);
    });
    CHECK(damaged);
  };
  run([](auto& p) { p.sequence += 5; });
  run([](auto& p) { p.from.gate = static_cast<std::uint8_t>(p.from.gate + 1); });
}

TEST_CASE("uTofu: a packet that is lost, or of another group, leaves everybody waiting") {
  for (const bool lose : {true, false}) {
    auto machine = make_machine(row(3), 2);
    machine->tamper = [&](ht::model::GatePacket& p) {
      p.group = 77;
      return !lose;
    };
    Ids ids(3);
    CHECK_THROWS_AS(run_utofu(*machine,
                              [&](int rank, Meeting& meeting) {
                                lay(BarrierPattern(Algorithm::Tree, 3), rank, ids, meeting);
                                barrier(ids[static_cast<std::size_t>(rank)][0]);
                              }),
                    ht::TimeoutError);
  }
}
