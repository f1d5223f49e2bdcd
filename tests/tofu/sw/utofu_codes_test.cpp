// SPDX-License-Identifier: Apache-2.0
// The uTofu API as published: values and types, and every error code of every function
// (sw/tofu/README.md has the table).
#include <catch2/catch.hpp>
#include <cstddef>
#include <type_traits>

#include "sw/tofu/utofu/utofu_node.hpp"
#include "tests/tofu/sw/gate_programs.hpp"

using namespace ht::test;
using namespace ht::tofu;

namespace {

// As Fujitsu's header declares them: utofu.h in the tools of yutaka-ishikawa/utf.
static_assert(std::is_same_v<utofu_tni_id_t, std::uint16_t>);
static_assert(std::is_same_v<utofu_bg_id_t, std::uint16_t>);
static_assert(std::is_same_v<utofu_vbg_id_t, std::uint64_t>);
static_assert(UTOFU_VBG_ID_NULL == ~std::uint64_t{0});
static_assert(UTOFU_PATH_COORD_NULL == 255);
static_assert(sizeof(utofu_vbg_setting) == 48);
static_assert(offsetof(utofu_vbg_setting, src_lcl_vbg_id) == 8);
static_assert(offsetof(utofu_vbg_setting, src_rmt_vbg_id) == 16);
static_assert(offsetof(utofu_vbg_setting, dst_lcl_vbg_id) == 24);
static_assert(offsetof(utofu_vbg_setting, dst_rmt_vbg_id) == 32);
static_assert(offsetof(utofu_vbg_setting, dst_path_coords) == 40);
static_assert(offsetof(utofu_barrier_caps, reduce_ops) == sizeof(long));
static_assert(offsetof(utofu_barrier_caps, max_uint64_reduction) == 2 * sizeof(long));
static_assert(offsetof(utofu_barrier_caps, max_double_reduction) ==
              2 * sizeof(long) + sizeof(std::size_t));
using Flags = unsigned long int;
using Id = utofu_vbg_id_t;
static_assert(
    std::is_same_v<decltype(utofu_get_barrier_tnis), int(utofu_tni_id_t**, std::size_t*)>);
static_assert(std::is_same_v<decltype(utofu_query_barrier_caps),
                             int(utofu_tni_id_t, struct utofu_barrier_caps**)>);
static_assert(
    std::is_same_v<decltype(utofu_alloc_vbg), int(utofu_tni_id_t, std::size_t, Flags, Id*)>);
static_assert(std::is_same_v<decltype(utofu_free_vbg), int(Id*, std::size_t)>);
static_assert(std::is_same_v<decltype(utofu_set_vbg), int(struct utofu_vbg_setting*, std::size_t)>);
static_assert(std::is_same_v<decltype(utofu_query_vbg_info), int(Id, std::uint8_t*, utofu_tni_id_t*,
                                                                 utofu_bg_id_t*, std::uint16_t*)>);
static_assert(std::is_same_v<decltype(utofu_barrier), int(Id, Flags)>);
static_assert(std::is_same_v<decltype(utofu_reduce_uint64),
                             int(Id, enum utofu_reduce_op, std::uint64_t*, std::size_t, Flags)>);
static_assert(std::is_same_v<decltype(utofu_reduce_double),
                             int(Id, enum utofu_reduce_op, double*, std::size_t, Flags)>);
static_assert(std::is_same_v<decltype(utofu_poll_barrier), int(Id, Flags)>);
static_assert(std::is_same_v<decltype(utofu_poll_reduce_uint64), int(Id, Flags, std::uint64_t*)>);
static_assert(std::is_same_v<decltype(utofu_poll_reduce_double), int(Id, Flags, double*)>);

const Shape two{{2, 1, 1, 1, 1, 1}, {}};

// A gate that the first of two nodes can be wired to.
utofu_vbg_id_t remote_gate() {
  return Vbg{Coordinates{{1, 0, 0, 0, 0, 0}}, 9, 1, 0}.id();
}

// A start and a relay to the other node, and back.
std::array<utofu_vbg_setting, 2> chain(utofu_vbg_id_t start, utofu_vbg_id_t relay) {
  constexpr utofu_vbg_id_t none = UTOFU_VBG_ID_NULL;
  return {{{start, none, remote_gate(), relay, none, {UTOFU_PATH_COORD_NULL, 0, 0}},
           {relay, start, none, none, remote_gate(), {UTOFU_PATH_COORD_NULL, 0, 0}}}};
}

void on_one_node(const std::function<void()>& program) {
  auto machine = make_machine(two, 1);
  run_utofu(*machine, [&](int rank, Meeting&) {
    if (rank == 0) program();
  });
}

enum class Kind { Barrier, Integer, Double };

int start(Kind kind, utofu_vbg_id_t id) {
  std::uint64_t word = 1;
  double x = 1;
  switch (kind) {
    case Kind::Barrier:
      return utofu_barrier(id, 0);
    case Kind::Integer:
      return utofu_reduce_uint64(id, UTOFU_REDUCE_OP_SUM, &word, 1, 0);
    case Kind::Double:
      break;
  }
  return utofu_reduce_double(id, UTOFU_REDUCE_OP_BFPSUM, &x, 1, 0);
}

int poll(Kind kind, utofu_vbg_id_t id) {
  std::uint64_t word = 0;
  double x = 0;
  switch (kind) {
    case Kind::Barrier:
      return utofu_poll_barrier(id, 0);
    case Kind::Integer:
      return utofu_poll_reduce_uint64(id, 0, &word);
    case Kind::Double:
      break;
  }
  return utofu_poll_reduce_double(id, 0, &x);
}

int to_the_end(Kind kind, utofu_vbg_id_t id) {
  int rc = start(kind, id);
  if (rc != UTOFU_SUCCESS) return rc;
  while ((rc = poll(kind, id)) == UTOFU_ERR_NOT_COMPLETED) {
  }
  return rc;
}

constexpr Kind kinds[] = {Kind::Barrier, Kind::Integer, Kind::Double};

}  // namespace

TEST_CASE("uTofu: constants have the published values") {
  const std::pair<int, int> codes[] = {{UTOFU_SUCCESS, 0},
                                       {UTOFU_ERR_NOT_FOUND, -1},
                                       {UTOFU_ERR_NOT_COMPLETED, -2},
                                       {UTOFU_ERR_NOT_PROCESSED, -3},
                                       {UTOFU_ERR_BUSY, -4},
                                       {UTOFU_ERR_USED, -5},
                                       {UTOFU_ERR_FULL, -6},
                                       {UTOFU_ERR_NOT_AVAILABLE, -7},
                                       {UTOFU_ERR_NOT_SUPPORTED, -8},
                                       {UTOFU_ERR_BARRIER_OTHER, -256},
                                       {UTOFU_ERR_BARRIER_MISMATCH, -257},
                                       {UTOFU_ERR_INVALID_ARG, -512},
                                       {UTOFU_ERR_INVALID_POINTER, -513},
                                       {UTOFU_ERR_INVALID_FLAGS, -514},
                                       {UTOFU_ERR_INVALID_PATH, -516},
                                       {UTOFU_ERR_INVALID_TNI_ID, -517},
                                       {UTOFU_ERR_INVALID_VBG_ID, -523},
                                       {UTOFU_ERR_INVALID_NUMBER, -530},
                                       {UTOFU_ERR_INVALID_OP, -531},
                                       {UTOFU_ERR_OUT_OF_MEMORY, -641},
                                       {UTOFU_ERR_FATAL, -768},
                                       {UTOFU_REDUCE_OP_BARRIER, 1},
                                       {UTOFU_REDUCE_OP_BAND, 2},
                                       {UTOFU_REDUCE_OP_BOR, 3},
                                       {UTOFU_REDUCE_OP_BXOR, 4},
                                       {UTOFU_REDUCE_OP_MAX, 5},
                                       {UTOFU_REDUCE_OP_MAXLOC, 6},
                                       {UTOFU_REDUCE_OP_SUM, 7},
                                       {UTOFU_REDUCE_OP_BFPSUM, 8}};
  for (const auto& [ours, published] : codes) CHECK(ours == published);
  CHECK(UTOFU_BARRIER_CAP_REDUCE_OP_BARRIER == 0x002);
  CHECK(UTOFU_BARRIER_CAP_REDUCE_OP_BAND == 0x004);
  CHECK(UTOFU_BARRIER_CAP_REDUCE_OP_BOR == 0x008);
  CHECK(UTOFU_BARRIER_CAP_REDUCE_OP_BXOR == 0x010);
  CHECK(UTOFU_BARRIER_CAP_REDUCE_OP_MAX == 0x020);
  CHECK(UTOFU_BARRIER_CAP_REDUCE_OP_MAXLOC == 0x040);
  CHECK(UTOFU_BARRIER_CAP_REDUCE_OP_SUM == 0x080);
  CHECK(UTOFU_BARRIER_CAP_REDUCE_OP_BFPSUM == 0x100);
  CHECK(UTOFU_VBG_FLAG_THREAD_SAFE == 1);
}

TEST_CASE("uTofu: outside of a node's program no function is available") {
  utofu_tni_id_t* tnis = nullptr;
  std::size_t count = 0;
  utofu_barrier_caps* caps = nullptr;
  utofu_vbg_id_t id = remote_gate();
  auto settings = chain(id, id);
  std::uint64_t word = 1;
  double x = 1;
  std::uint8_t coords[6];
  CHECK(utofu_get_barrier_tnis(&tnis, &count) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_query_barrier_caps(0, &caps) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_alloc_vbg(0, 1, 0, &id) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_free_vbg(&id, 1) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_set_vbg(settings.data(), 2) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_query_vbg_info(id, coords, nullptr, nullptr, nullptr) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_barrier(id, 0) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_reduce_uint64(id, UTOFU_REDUCE_OP_SUM, &word, 1, 0) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_reduce_double(id, UTOFU_REDUCE_OP_BFPSUM, &x, 1, 0) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_poll_barrier(id, 0) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_poll_reduce_uint64(id, 0, &word) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_poll_reduce_double(id, 0, &x) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_query_my_coords(coords) == UTOFU_ERR_NOT_AVAILABLE);
}

TEST_CASE("uTofu: pointers that must not be null") {
  on_one_node([] {
    utofu_tni_id_t* tnis = nullptr;
    std::size_t count = 0;
    CHECK(utofu_get_barrier_tnis(nullptr, &count) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_get_barrier_tnis(&tnis, nullptr) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_query_my_coords(nullptr) == UTOFU_ERR_INVALID_POINTER);
  });
}

TEST_CASE("uTofu: each kind of operation says why it does not start, or is not there") {
  for (const Kind kind : kinds) {
    INFO("kind " << static_cast<int>(kind));
    on_one_node([kind] {
      utofu_vbg_id_t a[2];
      REQUIRE(utofu_alloc_vbg(0, 2, 0, a) == UTOFU_SUCCESS);
      CHECK(start(kind, a[0]) == UTOFU_ERR_NOT_AVAILABLE);  // not wired
      CHECK(poll(kind, a[0]) == UTOFU_ERR_NOT_FOUND);       // nothing was started
      auto settings = chain(a[0], a[1]);
      REQUIRE(utofu_set_vbg(settings.data(), 1) == UTOFU_SUCCESS);
      CHECK(start(kind, a[0]) == UTOFU_ERR_NOT_AVAILABLE);  // only half
      REQUIRE(utofu_set_vbg(&settings[1], 1) == UTOFU_SUCCESS);
      // A relay, another node's gate, none, one that is not allocated.
      const utofu_vbg_id_t unused = Vbg{Coordinates{}, 50, 1, 0}.id();
      for (const utofu_vbg_id_t id : {a[1], remote_gate(), UTOFU_VBG_ID_NULL, unused}) {
        CHECK(start(kind, id) == UTOFU_ERR_INVALID_VBG_ID);
        CHECK(poll(kind, id) == UTOFU_ERR_INVALID_VBG_ID);
      }
      CHECK(poll(kind, a[0]) == UTOFU_ERR_NOT_FOUND);

      REQUIRE(start(kind, a[0]) == UTOFU_SUCCESS);
      for (const Kind other : kinds) {
        CHECK(start(other, a[0]) == UTOFU_ERR_BUSY);
        CHECK(poll(other, a[0]) ==
              (other == kind ? UTOFU_ERR_NOT_COMPLETED : UTOFU_ERR_INVALID_OP));
      }
    });
  }
}

TEST_CASE("uTofu: numbers of elements, operations and flags of each function") {
  on_one_node([] {
    utofu_vbg_id_t a[2];
    REQUIRE(utofu_alloc_vbg(0, 2, 0, a) == UTOFU_SUCCESS);
    auto settings = chain(a[0], a[1]);
    REQUIRE(utofu_set_vbg(settings.data(), 2) == UTOFU_SUCCESS);
    std::uint64_t words[2] = {1, 1};
    double xs[2] = {1, 1};
    for (const std::size_t count : {std::size_t{0}, std::size_t{2}}) {
      CHECK(utofu_reduce_uint64(a[0], UTOFU_REDUCE_OP_SUM, words, count, 0) ==
            UTOFU_ERR_INVALID_NUMBER);
      CHECK(utofu_reduce_double(a[0], UTOFU_REDUCE_OP_BFPSUM, xs, count, 0) ==
            UTOFU_ERR_INVALID_NUMBER);
    }
    for (int op = 0; op < 16; ++op) {
      const auto operation = static_cast<utofu_reduce_op>(op);
      const bool integer = op >= UTOFU_REDUCE_OP_BAND && op <= UTOFU_REDUCE_OP_SUM;
      if (!integer)
        CHECK(utofu_reduce_uint64(a[0], operation, words, 1, 0) == UTOFU_ERR_INVALID_OP);
      if (operation != UTOFU_REDUCE_OP_BFPSUM)
        CHECK(utofu_reduce_double(a[0], operation, xs, 1, 0) == UTOFU_ERR_INVALID_OP);
    }
    CHECK(utofu_reduce_uint64(a[0], UTOFU_REDUCE_OP_MAXLOC, words, 1, 0) ==
          UTOFU_ERR_NOT_SUPPORTED);
    for (Flags flag = 1; flag != 0; flag <<= 1) {
      CHECK(utofu_barrier(a[0], flag) == UTOFU_ERR_INVALID_FLAGS);
      CHECK(utofu_reduce_uint64(a[0], UTOFU_REDUCE_OP_SUM, words, 1, flag) ==
            UTOFU_ERR_INVALID_FLAGS);
      CHECK(utofu_reduce_double(a[0], UTOFU_REDUCE_OP_BFPSUM, xs, 1, flag) ==
            UTOFU_ERR_INVALID_FLAGS);
      CHECK(utofu_poll_barrier(a[0], flag) == UTOFU_ERR_INVALID_FLAGS);
      CHECK(utofu_poll_reduce_uint64(a[0], flag, words) == UTOFU_ERR_INVALID_FLAGS);
      CHECK(utofu_poll_reduce_double(a[0], flag, xs) == UTOFU_ERR_INVALID_FLAGS);
      utofu_vbg_id_t b = 0;
      if (flag != UTOFU_VBG_FLAG_THREAD_SAFE)
        CHECK(utofu_alloc_vbg(0, 1, flag, &b) == UTOFU_ERR_INVALID_FLAGS);
    }
    // After all that nothing was started.
    CHECK(utofu_poll_barrier(a[0], 0) == UTOFU_ERR_NOT_FOUND);
  });
}

TEST_CASE("uTofu: different kinds of operations end with a mismatch for all of them") {
  constexpr int n = 6;
  auto machine = make_machine({{n, 1, 1, 1, 1, 1}, {}}, 4);
  Ids ids(n);
  run_utofu(*machine, [&](int rank, Meeting& meeting) {
    lay(BarrierPattern(Algorithm::Tree, n), rank, ids, meeting);
    const utofu_vbg_id_t id = ids[static_cast<std::size_t>(rank)][0];
    CHECK(to_the_end(kinds[rank % 3], id) == UTOFU_ERR_BARRIER_MISMATCH);
    for (const Kind kind : kinds) CHECK(to_the_end(kind, id) == UTOFU_SUCCESS);
  });
}

TEST_CASE("uTofu: a packet out of sequence is an error of each kind of operation") {
  for (const Kind kind : kinds) {
    INFO("kind " << static_cast<int>(kind));
    constexpr int n = 4;
    auto machine = make_machine({{n, 1, 1, 1, 1, 1}, {}}, 4);
    bool damaged = false;
    machine->tamper = [&](ht::model::GatePacket& p) {
      if (!damaged && p.from.node == 3) p.sequence += 5;
      damaged = damaged || p.from.node == 3;
      return true;
    };
    Ids ids(n);
    run_utofu(*machine, [&](int rank, Meeting& meeting) {
      lay(BarrierPattern(Algorithm::Tree, n), rank, ids, meeting);
      CHECK(to_the_end(kind, ids[static_cast<std::size_t>(rank)][0]) == UTOFU_ERR_BARRIER_OTHER);
    });
    CHECK(damaged);
  }
}
