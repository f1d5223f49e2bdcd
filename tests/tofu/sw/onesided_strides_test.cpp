// SPDX-License-Identifier: Apache-2.0
// uTofu's puts and gets of many blocks, and of packets that are short or apart: what moves, what is
// told of it, what is refused.
#include <algorithm>
#include <type_traits>

#include "tests/tofu/sw/onesided_ends.hpp"

using namespace ht;
using namespace ht::test;
using namespace ht::tofu;

namespace {

// As Fujitsu's header declares them: utofu.h in the tools of yutaka-ishikawa/utf.
using WithGap = int(Hdl, Id, Stadd, Stadd, Size, U64, Flags, Size mtu, Size gap, void*);
using WithStride = int(Hdl, Id, Stadd, Stadd, Size, Size stride, Size blocks, U64, Flags, void*);
using WithBoth = int(Hdl, Id, Stadd, Stadd, Size, Size stride, Size blocks, U64, Flags, Size mtu,
                     Size gap, void*);
static_assert(std::is_same_v<decltype(utofu_put_gap), WithGap>);
static_assert(std::is_same_v<decltype(utofu_get_gap), WithGap>);
static_assert(std::is_same_v<decltype(utofu_put_stride), WithStride>);
static_assert(std::is_same_v<decltype(utofu_get_stride), WithStride>);
static_assert(std::is_same_v<decltype(utofu_put_stride_gap), WithBoth>);
static_assert(std::is_same_v<decltype(utofu_get_stride_gap), WithBoth>);

constexpr Flags tcq = UTOFU_ONESIDED_FLAG_TCQ_NOTICE, local = UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE,
                remote = UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE;

struct Blocks {
  Size length, stride, count;
};

void fill(std::byte* memory, std::byte (*with)(Size)) {
  for (Size i = 0; i < bytes; ++i) memory[i] = with(i);
}

/// Whether memory is what it was, but for blocks that came to `to` from `from`.
bool holds(const std::byte* memory, std::byte (*was)(Size), Size to, std::byte (*other)(Size),
           Size from, const Blocks& b) {
  std::vector<std::byte> expected(bytes);
  for (Size i = 0; i < bytes; ++i) expected[i] = was(i);
  for (Size n = 0; n < b.count; ++n) {
    for (Size i = 0; i < b.length; ++i)
      expected[to + n * b.stride + i] = other(from + n * b.stride + i);
  }
  return std::equal(expected.begin(), expected.end(), memory);
}

FunctionalTofuOptions order(unsigned seed) {
  FunctionalTofuOptions o;
  if (seed != 0) o.shuffle = seed;
  return o;
}

/// Packets on their way with payload: how many, and how much the fullest has.
struct Seen {
  Size count = 0, fullest = 0;
};
Seen& watch(Ends& e, Seen& seen) {
  e.machine.tamper_interface = [&seen](model::TniPacket& p) {
    if (p.payload.empty()) return true;
    ++seen.count;
    seen.fullest = std::max<Size>(seen.fullest, p.payload.size());
    return true;
  };
  return seen;
}

}  // namespace

TEST_CASE(
    "uTofu: a put with a stride brings every block to its place, and is told block by block") {
  const Blocks all[] = {{8, 24, 5},   {1, 1, 7},       {0, 16, 3},   {40, 16, 9},
                        {16, 0, 4},   {777, 9, 1},     {3, 20, 200}, {1, 1, 64},
                        {30, 63, 65}, {2000, 2047, 2}, {333, 333, 3}};
  for (const Blocks& b : all) {
    for (const unsigned seed : {0U, 1U, 2U}) {
      INFO(b.count << " blocks of " << b.length << " bytes every " << b.stride << ", " << seed);
      constexpr Size from = 5, to = 11;
      const auto other = [&](Ends& e) {
        CHECK(holds(e.memory, there_at, to, here_at, from, b));
        utofu_mrq_notice n;
        for (Size i = 0; i < b.count; ++i) {
          REQUIRE(next_notice(e.vcq, n) == UTOFU_SUCCESS);
          CHECK((n.notice_type == UTOFU_MRQ_TYPE_RMT_PUT && n.edata == 77));
          CHECK(n.rmt_stadd == e.here + to + i * b.stride + b.length);
        }
        CHECK(next_notice(e.vcq, n) == UTOFU_ERR_NOT_FOUND);
      };
      on_one_of_two(
          [&](Ends& e) {
            fill(e.memory, here_at);
            int me = 0;
            void* cbdata = nullptr;
            REQUIRE(utofu_put_stride(e.vcq, e.other, e.here + from, e.there + to, b.length,
                                     b.stride, b.count, 77, tcq | local | remote,
                                     &me) == UTOFU_SUCCESS);
            CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
            CHECK(cbdata == &me);
            utofu_mrq_notice n;
            for (Size i = 0; i < b.count; ++i) {
              REQUIRE(next_notice(e.vcq, n) == UTOFU_SUCCESS);
              CHECK((n.notice_type == UTOFU_MRQ_TYPE_LCL_PUT && n.edata == 77));
              CHECK(n.lcl_stadd == e.here + from + i * b.stride + b.length);
              CHECK(n.rmt_stadd == e.there + to + i * b.stride + b.length);
              CHECK(n.vcq_id == e.other);
            }
            CHECK(next_notice(e.vcq, n) == UTOFU_ERR_NOT_FOUND);
            CHECK(utofu_poll_tcq(e.vcq, 0, &cbdata) == UTOFU_ERR_NOT_FOUND);
          },
          other, order(seed), there_at);
    }
  }
}

TEST_CASE("uTofu: a get with a stride, with packets that are short and apart, too") {
  for (const Blocks& b : {Blocks{8, 24, 5}, Blocks{500, 600, 6}, Blocks{30, 40, 100}}) {
    for (const bool apart : {false, true}) {
      INFO(b.count << " blocks of " << b.length << " bytes every " << b.stride << ", " << apart);
      constexpr Size to = 3, from = 70;
      on_one_of_two(
          [&](Ends& e) {
            fill(e.memory, here_at);
            Seen seen;
            watch(e, seen);
            const auto get = [&] {
              if (apart)
                return utofu_get_stride_gap(e.vcq, e.other, e.here + to, e.there + from, b.length,
                                            b.stride, b.count, 9, tcq | local | remote, 100, 3, &e);
              return utofu_get_stride(e.vcq, e.other, e.here + to, e.there + from, b.length,
                                      b.stride, b.count, 9, tcq | local | remote, &e);
            };
            REQUIRE(get() == UTOFU_SUCCESS);
            void* cbdata = nullptr;
            CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
            CHECK(cbdata == &e);
            utofu_mrq_notice n;
            for (Size i = 0; i < b.count; ++i) {
              REQUIRE(next_notice(e.vcq, n) == UTOFU_SUCCESS);
              CHECK((n.notice_type == UTOFU_MRQ_TYPE_LCL_GET && n.edata == 9));
              CHECK(n.lcl_stadd == e.here + to + i * b.stride + b.length);
            }
            CHECK(next_notice(e.vcq, n) == UTOFU_ERR_NOT_FOUND);
            CHECK(holds(e.memory, here_at, to, there_at, from, b));
            CHECK(seen.count == b.count * (apart ? (b.length + 99) / 100 : 1));
            CHECK(seen.fullest == (apart ? std::min<Size>(b.length, 100) : b.length));
            e.machine.tamper_interface = {};
          },
          [&](Ends& e) {
            utofu_mrq_notice n;
            for (Size i = 0; i < b.count; ++i) {
              REQUIRE(next_notice(e.vcq, n) == UTOFU_SUCCESS);
              CHECK((n.notice_type == UTOFU_MRQ_TYPE_RMT_GET && n.edata == 9));
            }
            CHECK(next_notice(e.vcq, n) == UTOFU_ERR_NOT_FOUND);
          },
          {}, there_at);
    }
  }
}

TEST_CASE("uTofu: a put in short packets is one put, and gaps slow it as they should") {
  // Of a packet on a link: two beats of header, payload, one for its end; 16 bytes in 3.2 ns.
  const auto packet_ps = [](Size payload) {
    return static_cast<Picoseconds>(3 + (payload + 15) / 16) * 3'200;
  };
  for (const Size mtu : {Size{1920}, Size{512}, Size{257}, Size{16}}) {
    for (const Size gap : {Size{0}, Size{8}, Size{255}}) {
      INFO("packets of " << mtu << ", gap " << gap);
      constexpr Size length = 4000;
      const Size packets = (length + mtu - 1) / mtu;
      on_one_of_two(
          [&](Ends& e) {
            fill(e.memory, here_at);
            Seen seen;
            watch(e, seen);
            const Picoseconds begun = e.transport.runtime().now();
            REQUIRE(utofu_put_gap(e.vcq, e.other, e.here, e.there, length, 5, tcq | remote, mtu,
                                  gap, nullptr) == UTOFU_SUCCESS);
            const Picoseconds took = e.transport.runtime().now() - begun;
            void* cbdata = nullptr;
            CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
            CHECK(utofu_poll_tcq(e.vcq, 0, &cbdata) == UTOFU_ERR_NOT_FOUND);
            CHECK(seen.count == packets);
            CHECK(seen.fullest == mtu);
            if (gap != 0) {
              const auto between = static_cast<Picoseconds>(packets - 1) * packet_ps(mtu) *
                                   static_cast<Picoseconds>(8 + gap) / 8;
              CHECK(took >= between);
              if (mtu > 256) CHECK(took < between + 1'000'000);
            }
            e.machine.tamper_interface = {};
          },
          [&](Ends& e) {
            CHECK(holds(e.memory, there_at, 0, here_at, 0, {length, 0, 1}));
            utofu_mrq_notice n;
            REQUIRE(next_notice(e.vcq, n) == UTOFU_SUCCESS);
            CHECK((n.edata == 5 && n.rmt_stadd == e.here + length));
            CHECK(next_notice(e.vcq, n) == UTOFU_ERR_NOT_FOUND);
          },
          {}, there_at);
    }
  }
}

TEST_CASE("uTofu: a block that is refused is the last of its put, and told once") {
  // Three blocks fit into what is registered there.
  constexpr Size to = bytes - 50;
  const Blocks good{8, 20, 3};
  for (const Flags flags : {Flags{0}, tcq, local, tcq | local | remote}) {
    for (const bool apart : {false, true}) {
      INFO("flags " << flags << ", apart " << apart);
      on_one_of_two(
          [&](Ends& e) {
            fill(e.memory, here_at);
            const int rc = apart ? utofu_put_stride_gap(e.vcq, e.other, e.here, e.there + to, 8, 20,
                                                        6, 1, flags, 4, 1, &e)
                                 : utofu_put_stride(e.vcq, e.other, e.here, e.there + to, 8, 20, 6,
                                                    1, flags, &e);
            REQUIRE(rc == UTOFU_SUCCESS);
            void* cbdata = nullptr;
            utofu_mrq_notice n;
            if ((flags & tcq) != 0) {
              CHECK(next_end(e.vcq, cbdata) == UTOFU_ERR_TCQ_OTHER);
              CHECK(cbdata == &e);
            }
            for (Size i = 0; i < good.count && (flags & local) != 0; ++i)
              CHECK(next_notice(e.vcq, n) == UTOFU_SUCCESS);
            if (flags != tcq) {
              CHECK(next_notice(e.vcq, n) == UTOFU_ERR_MRQ_RMT_LENGTH);
              CHECK(n.rmt_stadd == e.there + to + 3 * 20 + 8);
              CHECK((n.notice_type == UTOFU_MRQ_TYPE_LCL_PUT && n.edata == 1));
            }
            CHECK(next_notice(e.vcq, n) == UTOFU_ERR_NOT_FOUND);
            CHECK(utofu_poll_tcq(e.vcq, 0, &cbdata) == UTOFU_ERR_NOT_FOUND);
            // And the queue goes on.
            REQUIRE(put(e, e.here, e.there, 8, 2, tcq) == UTOFU_SUCCESS);
            CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
          },
          [&](Ends& e) {
            for (Size i = 0; i < 8; ++i) e.memory[i] = there_at(i);  // the last put's
            CHECK(holds(e.memory, there_at, to, here_at, 0, good));
            utofu_mrq_notice n;
            for (Size i = 0; i < good.count && (flags & remote) != 0; ++i)
              CHECK(next_notice(e.vcq, n) == UTOFU_SUCCESS);
            CHECK(next_notice(e.vcq, n) == UTOFU_ERR_MRQ_LCL_LENGTH);
          },
          {}, there_at);
    }
  }
}

TEST_CASE("uTofu: of a long put that is refused, what was not under way is not sent") {
  on_one_of_two(
      [&](Ends& e) {
        fill(e.memory, here_at);
        Seen seen;
        watch(e, seen);
        void* cbdata = nullptr;
        // Ten of a thousand blocks fit; 64 commands are under way at a time.
        REQUIRE(utofu_put_stride(e.vcq, e.other, e.here, e.there + bytes - 10, 1, 1, 1000, 0, tcq,
                                 nullptr) == UTOFU_SUCCESS);
        CHECK(next_end(e.vcq, cbdata) == UTOFU_ERR_TCQ_OTHER);
        CHECK(seen.count >= 64);
        CHECK(seen.count <= 128);
        // Apart, one is known to be refused before the next goes.
        seen = {};
        REQUIRE(utofu_put_stride_gap(e.vcq, e.other, e.here, e.there + bytes - 10, 1, 1, 1000, 0,
                                     tcq, 1920, 255, nullptr) == UTOFU_SUCCESS);
        CHECK(next_end(e.vcq, cbdata) == UTOFU_ERR_TCQ_OTHER);
        CHECK(seen.count >= 11);
        CHECK(seen.count <= 14);
        e.machine.tamper_interface = {};
      },
      [&](Ends& e) {
        CHECK(holds(e.memory, there_at, bytes - 10, here_at, 0, {10, 0, 1}));
      },
      {}, there_at);
}

TEST_CASE("uTofu: a command of many blocks waits for room for all, or for an empty queue") {
  on_one_of_two(
      [&](Ends& e) {
        fill(e.memory, here_at);
        void* cbdata = nullptr;
        const auto stride = [&](Size blocks, Size to) {
          return utofu_put_stride(e.vcq, e.other, e.here, e.there + to, 4, 6, blocks, 0, tcq,
                                  nullptr);
        };
        constexpr Size untouched = 4000;
        // 60 of 64 places.
        for (int i = 0; i < 60; ++i)
          REQUIRE(put(e, e.here, e.there, 8, 0, UTOFU_ONESIDED_FLAG_DELAY_START) == UTOFU_SUCCESS);
        CHECK(stride(5, untouched) == UTOFU_ERR_BUSY);  // and the delayed ones go
        int rc = UTOFU_ERR_BUSY;
        while (rc == UTOFU_ERR_BUSY) rc = stride(600, 8);
        CHECK(rc == UTOFU_SUCCESS);
        CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
        // Delayed, as long as there is room; then it goes.
        const std::uint64_t sent = e.machine.packets();
        REQUIRE(utofu_put_stride(e.vcq, e.other, e.here, e.there + 8, 4, 6, 64, 0,
                                 UTOFU_ONESIDED_FLAG_DELAY_START, nullptr) == UTOFU_SUCCESS);
        e.transport.runtime().advance(10'000'000);
        CHECK(e.machine.packets() == sent);
        CHECK(put(e, e.here, e.there + untouched, 8) == UTOFU_ERR_BUSY);
        while (utofu_nop(e.vcq, tcq, nullptr) == UTOFU_ERR_BUSY) {
        }
        CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
        e.transport.runtime().advance(10'000'000);  // puts are answered after the nop has ended
        CHECK(e.machine.packets() == sent + 128);
        // Notices that nobody polled.
        for (int i = 0; i < 64; ++i) REQUIRE(utofu_nop(e.vcq, tcq, nullptr) == UTOFU_SUCCESS);
        e.transport.runtime().advance(10'000'000);
        REFUSED(stride(1, untouched), UTOFU_ERR_BUSY);
        for (int i = 0; i < 64; ++i) CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
        CHECK(stride(1, 8) == UTOFU_SUCCESS);
        CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
      },
      [&](Ends& e) {
        for (Size i = 0; i < 8; ++i) e.memory[i] = there_at(i);
        CHECK(holds(e.memory, there_at, 8, here_at, 0, {4, 6, 600}));
      },
      {}, there_at);
}

TEST_CASE("uTofu: bad strides and gaps are refused, and nothing is sent") {
  on_one_of_two([](Ends& e) {
    constexpr Size longest = (Size{1} << 24) - 1, blocks_limit = 0xffff'ffff;
    const auto stride = [&](Size length, Size stride, Size blocks, Stadd here, Stadd there) {
      const int put =
          utofu_put_stride(e.vcq, e.other, here, there, length, stride, blocks, 0, 0, nullptr);
      CHECK(utofu_get_stride(e.vcq, e.other, here, there, length, stride, blocks, 0, 0, nullptr) ==
            put);
      CHECK(utofu_put_stride_gap(e.vcq, e.other, here, there, length, stride, blocks, 0, 0, 1920, 0,
                                 nullptr) == put);
      CHECK(utofu_get_stride_gap(e.vcq, e.other, here, there, length, stride, blocks, 0, 0, 8, 1,
                                 nullptr) == put);
      return put;
    };
    REFUSED(stride(8, 8, 0, e.here, e.there), UTOFU_ERR_INVALID_NUMBER);
    REFUSED(stride(0, 0, blocks_limit + 1, e.here, e.there), UTOFU_ERR_INVALID_NUMBER);
    REFUSED(stride(8, 8, ~Size{0}, e.here, e.there), UTOFU_ERR_INVALID_NUMBER);
    REFUSED(stride(longest + 1, 8, 1, e.here, e.there), UTOFU_ERR_INVALID_SIZE);
    REFUSED(stride(8, 1000, 5, e.here + 89, e.there), UTOFU_ERR_INVALID_SIZE);
    REFUSED(stride(8, ~Size{0}, 2, e.here, e.there), UTOFU_ERR_INVALID_SIZE);
    REFUSED(stride(8, Size{1} << 39, 3, e.here, e.there), UTOFU_ERR_INVALID_SIZE);
    REFUSED(stride(8, (Size{1} << 32) + 1, blocks_limit, e.here, e.there), UTOFU_ERR_INVALID_SIZE);
    REFUSED(stride(8, 1000, 5, e.here, e.there + offset_limit - 4000), UTOFU_ERR_INVALID_SIZE);
    REFUSED(stride(8, 8, 1, 0, e.there), UTOFU_ERR_INVALID_STADD);
    REFUSED(stride(8, 8, 1, e.here, 0), UTOFU_ERR_INVALID_STADD);
    const auto gap = [&](Size mtu, Size gap) {
      const int put = utofu_put_gap(e.vcq, e.other, e.here, e.there, 64, 0, 0, mtu, gap, nullptr);
      CHECK(utofu_get_gap(e.vcq, e.other, e.here, e.there, 64, 0, 0, mtu, gap, nullptr) == put);
      CHECK(utofu_put_stride_gap(e.vcq, e.other, e.here, e.there, 8, 8, 2, 0, 0, mtu, gap,
                                 nullptr) == put);
      CHECK(utofu_get_stride_gap(e.vcq, e.other, e.here, e.there, 8, 8, 2, 0, 0, mtu, gap,
                                 nullptr) == put);
      return put;
    };
    utofu_onesided_caps* caps = nullptr;
    REQUIRE(utofu_query_onesided_caps(0, &caps) == UTOFU_SUCCESS);
    REFUSED(gap(0, 0), UTOFU_ERR_INVALID_SIZE);
    REFUSED(gap(caps->max_mtu + 1, 0), UTOFU_ERR_INVALID_SIZE);
    REFUSED(gap(caps->max_mtu, caps->max_gap + 1), UTOFU_ERR_INVALID_SIZE);
    REFUSED(gap(~Size{0}, ~Size{0}), UTOFU_ERR_INVALID_SIZE);
    CHECK((caps->max_mtu == 1920 && caps->max_gap == 255));
    REFUSED(utofu_put_gap(0, e.other, e.here, e.there, 64, 0, 0, 64, 1, nullptr),
            UTOFU_ERR_INVALID_VCQ_HDL);
    REFUSED(utofu_get_stride(e.vcq, 0, e.here, e.there, 8, 8, 2, 0, 0, nullptr),
            UTOFU_ERR_INVALID_VCQ_ID);
    REFUSED(utofu_put_stride(e.vcq, e.other, e.here, e.there, 8, 8, 2, 0x10000, 0, nullptr),
            UTOFU_ERR_INVALID_EDATA);
    REFUSED(utofu_put_stride(e.vcq, e.other, e.here, e.there, 8, 8, 2, 0, 1UL << 16, nullptr),
            UTOFU_ERR_INVALID_FLAGS);
    // The last block that fits.
    void* cbdata = nullptr;
    REQUIRE(utofu_put_stride(e.vcq, e.other, e.here + 88, e.there + 88, 8, 1000, 5, 0, tcq,
                             nullptr) == UTOFU_SUCCESS);
    CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
  });
  CHECK(utofu_put_stride(1, 0, 0, 0, 8, 8, 2, 0, 0, nullptr) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_get_gap(1, 0, 0, 0, 8, 0, 0, 1920, 0, nullptr) == UTOFU_ERR_NOT_AVAILABLE);
}
