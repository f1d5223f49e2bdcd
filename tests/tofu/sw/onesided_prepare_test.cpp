// SPDX-License-Identifier: Apache-2.0
// uTofu's commands that are prepared and posted later: they do what those do that are carried out
// at once, one by one and many in one piece. What is refused: onesided_prepare_codes_test.cpp.
#include <algorithm>
#include <cstring>

#include "tests/tofu/sw/onesided_ends.hpp"

using namespace ht;
using namespace ht::test;
using namespace ht::tofu;

namespace {

constexpr Flags tcq = UTOFU_ONESIDED_FLAG_TCQ_NOTICE, local = UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE,
                remote = UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE,
                delay = UTOFU_ONESIDED_FLAG_DELAY_START;

/// One command, at once or prepared first, and all that is seen of it.
using Way = std::function<int(Ends&, Buffer*, void* cbdata)>;

#define BOTH(name, ...)                                                                   \
  [](Ends& e, Buffer* buffer, void* cbdata) {                                             \
    return buffer == nullptr                                                              \
               ? utofu_##name(e.vcq, __VA_ARGS__, cbdata)                                 \
               : utofu_prepare_##name(e.vcq, __VA_ARGS__, buffer->desc(), &buffer->size); \
  }

struct Seen {
  std::vector<std::byte> here, there;
  std::vector<std::array<std::uint64_t, 6>> told;
  Picoseconds took = 0;  ///< the call

  void note(Hdl vcq) {
    utofu_mrq_notice n;
    for (int code; (code = next_notice(vcq, n)) != UTOFU_ERR_NOT_FOUND;)
      told.push_back({static_cast<std::uint64_t>(code), n.notice_type, n.edata, n.rmt_value,
                      n.lcl_stadd, n.rmt_stadd});
  }
  bool operator==(const Seen&) const = default;
};

Seen outcome(const Way& way, bool prepared) {
  Seen seen;
  on_one_of_two(
      [&](Ends& e) {
        for (Size i = 0; i < bytes; ++i) e.memory[i] = here_at(i);
        const auto now = [&] { return e.transport.runtime().now(); };
        Picoseconds begun = now();
        if (prepared) {
          Buffer buffer;
          REQUIRE(way(e, &buffer, nullptr) == UTOFU_SUCCESS);
          CHECK((buffer.size == desc_bytes && buffer.kept()));
          const std::uint64_t sent = e.machine.packets();
          e.transport.runtime().advance(10'000'000);
          CHECK(e.machine.packets() == sent);
          begun = now();
          REQUIRE(utofu_post_toq(e.vcq, buffer.desc(), buffer.size, &seen) == UTOFU_SUCCESS);
        } else {
          REQUIRE(way(e, nullptr, &seen) == UTOFU_SUCCESS);
        }
        seen.took = now() - begun;
        void* cbdata = nullptr;
        CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
        CHECK(cbdata == &seen);
        CHECK(utofu_poll_tcq(e.vcq, 0, &cbdata) == UTOFU_ERR_NOT_FOUND);
        seen.note(e.vcq);
        seen.here.assign(e.memory, e.memory + bytes);
      },
      [&](Ends& e) {
        seen.note(e.vcq);
        seen.there.assign(e.memory, e.memory + bytes);
      },
      {}, there_at);
  return seen;
}

}  // namespace

TEST_CASE("uTofu: every command does the same prepared and posted later as at once") {
  constexpr Flags all = tcq | local | remote | UTOFU_ONESIDED_FLAG_STRONG_ORDER |
                        UTOFU_ONESIDED_FLAG_SPS(9) | UTOFU_ONESIDED_FLAG_PATH(1);
  const std::pair<const char*, Way> ways[] = {
      {"put", BOTH(put, e.other, e.here + 3, e.there + 4, 3000, 0xfedc, all)},
      {"put_gap", BOTH(put_gap, e.other, e.here + 3, e.there + 4, 3000, 2, all, 300, 255)},
      {"put_stride", BOTH(put_stride, e.other, e.here + 3, e.there + 4, 13, 57, 70, 3, all)},
      {"put_stride_gap",
       BOTH(put_stride_gap, e.other, e.here, e.there + 4, 130, 157, 7, 4, all, 64, 1)},
      {"put_piggyback", BOTH(put_piggyback, e.other, e.memory + 9, e.there + 4, 32, 5, all)},
      {"put_piggyback8",
       BOTH(put_piggyback8, e.other, 0x0123'4567'89ab'cdef, e.there + 4, 7, 6, all)},
      {"get", BOTH(get, e.other, e.here + 3, e.there + 4, 3000, 7, all)},
      {"get_gap", BOTH(get_gap, e.other, e.here + 3, e.there + 4, 3000, 8, all, 1920, 9)},
      {"get_stride", BOTH(get_stride, e.other, e.here + 3, e.there + 4, 13, 57, 70, 9, all)},
      {"get_stride_gap",
       BOTH(get_stride_gap, e.other, e.here, e.there + 4, 130, 157, 7, 10, all, 64, 1)},
      {"armw4", BOTH(armw4, e.other, UTOFU_ARMW_OP_XOR, 0xdead'beef, e.there + 4, 11, all)},
      {"armw8", BOTH(armw8, e.other, UTOFU_ARMW_OP_ADD, ~U64{0}, e.there + 8, 12, all)},
      {"armw8 and", BOTH(armw8, e.other, UTOFU_ARMW_OP_AND, 0xff00, e.there + 8, 12, all)},
      {"armw4 or", BOTH(armw4, e.other, UTOFU_ARMW_OP_OR, 0xff00, e.there + 8, 12, all)},
      {"armw8 swap", BOTH(armw8, e.other, UTOFU_ARMW_OP_SWAP, 0xff00, e.there + 8, 12, all)},
      {"cswap4", BOTH(cswap4, e.other, 0, 0x1357'9bdf, e.there + 4092, 13, all)},
      {"cswap8", BOTH(cswap8, e.other, 1, 2, e.there + 8, 14, all)},
      {"nop", BOTH(nop, tcq)},
  };
  for (const auto& [name, way] : ways) {
    INFO(name);
    const Seen at_once = outcome(way, false);
    CHECK(outcome(way, true) == at_once);
    CHECK(at_once.told.empty() == (std::string(name) == "nop"));
  }
}

TEST_CASE("uTofu: commands in one piece of memory, posted together, again and again") {
  // As in programs: a value swapped with each neighbour, sizes told by the library.
  constexpr Size words = 5;
  for (const bool shuffle : {false, true}) {
    FunctionalTofuOptions options;
    if (shuffle) options.shuffle = 3;
    on_one_of_two(
        [&](Ends& e) {
          utofu_onesided_caps* caps = nullptr;
          REQUIRE(utofu_query_onesided_caps(0, &caps) == UTOFU_SUCCESS);
          CHECK(caps->max_toq_desc_size == desc_bytes);
          std::vector<char> desc(words * caps->max_toq_desc_size);
          Size total = 0;
          for (Size i = 0; i < words; ++i) {
            Size one = ~Size{0};
            REQUIRE(utofu_prepare_armw4(e.vcq, e.other, UTOFU_ARMW_OP_ADD,
                                        static_cast<std::uint32_t>(i + 1), e.there + 4 * i, i,
                                        local | (i % 2 == 0 ? tcq : 0), desc.data() + total,
                                        &one) == UTOFU_SUCCESS);
            total += one;
          }
          for (std::uint32_t round = 0; round < 30; ++round) {
            int me = 0;
            REQUIRE(utofu_post_toq(e.vcq, desc.data(), total, &me) == UTOFU_SUCCESS);
            utofu_mrq_notice n;
            for (Size i = 0; i < words; ++i) {
              REQUIRE(next_notice(e.vcq, n) == UTOFU_SUCCESS);
              CHECK((n.edata == i && n.rmt_value == round * (i + 1)));
            }
            void* cbdata = nullptr;
            for (Size i = 0; i < words; i += 2) {
              CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
              CHECK(cbdata == &me);
            }
            CHECK(utofu_poll_tcq(e.vcq, 0, &cbdata) == UTOFU_ERR_NOT_FOUND);
          }
        },
        [&](Ends& e) {
          for (Size i = 0; i < words; ++i) {
            std::uint32_t word = 0;
            std::memcpy(&word, e.memory + 4 * i, sizeof word);
            CHECK(word == 30 * (i + 1));
          }
        },
        options, [](Size) { return std::byte{}; });
  }
}

TEST_CASE("uTofu: data of a prepared command: its own are read when it is prepared, memory later") {
  on_one_of_two(
      [](Ends& e) {
        Buffer own, memory;
        std::memset(e.memory, 1, 16);
        REQUIRE(utofu_prepare_put_piggyback(e.vcq, e.other, e.memory, e.there, 8, 0, 0, own.desc(),
                                            &own.size) == UTOFU_SUCCESS);
        REQUIRE(utofu_prepare_put(e.vcq, e.other, e.here, e.there + 8, 8, 0, tcq, memory.desc(),
                                  &memory.size) == UTOFU_SUCCESS);
        std::memset(e.memory, 2, 16);
        void* cbdata = nullptr;
        REQUIRE(utofu_post_toq(e.vcq, own.desc(), own.size, nullptr) == UTOFU_SUCCESS);
        REQUIRE(utofu_post_toq(e.vcq, memory.desc(), memory.size, nullptr) == UTOFU_SUCCESS);
        CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
      },
      [](Ends& e) {
        CHECK((e.memory[0] == std::byte{1} && e.memory[7] == std::byte{1}));
        CHECK((e.memory[8] == std::byte{2} && e.memory[15] == std::byte{2}));
      });
}

TEST_CASE("uTofu: a prepared command keeps all of a long length") {
  on_one_of_two([](Ends& e) {
    // To the node itself.
    constexpr Size length = (Size{1} << 24) - 2, all = 2 * length;
    auto* const memory = static_cast<std::byte*>(e.transport.allocate(all, 128));
    memory[length - 1] = std::byte{0x5a};
    memory[all - 1] = std::byte{};
    Stadd big = 0;
    REQUIRE(utofu_reg_mem(e.vcq, memory, all, 0, &big) == UTOFU_SUCCESS);
    Buffer b;
    void* cbdata = nullptr;
    utofu_mrq_notice n;
    REQUIRE(utofu_prepare_put(e.vcq, e.own, big, big + length, length, 0, local | tcq, b.desc(),
                              &b.size) == UTOFU_SUCCESS);
    REQUIRE(utofu_post_toq(e.vcq, b.desc(), b.size, nullptr) == UTOFU_SUCCESS);
    int rc = UTOFU_ERR_NOT_FOUND;
    while (rc == UTOFU_ERR_NOT_FOUND) rc = utofu_poll_tcq(e.vcq, 0, &cbdata);
    CHECK(rc == UTOFU_SUCCESS);
    REQUIRE(next_notice(e.vcq, n) == UTOFU_SUCCESS);
    CHECK((n.lcl_stadd == big + length && n.rmt_stadd == big + all));
    CHECK(memory[all - 1] == std::byte{0x5a});
  });
}

TEST_CASE("uTofu: a prepared command takes the path of its flags, or of the id it was made for") {
  const Shape shape{{1, 1, 1, 2, 3, 2}};
  FunctionalTofu machine(shape);
  run_utofu_ranks(machine, RankLayout::straight(shape), [&](Transport& transport) {
    Hdl vcq = 0;
    Stadd memory = 0;
    REQUIRE(utofu_create_vcq(0, 0, &vcq) == UTOFU_SUCCESS);
    REQUIRE(utofu_reg_mem_with_stag(vcq, transport.allocate(64, 128), 64, 0, 0, &memory) ==
            UTOFU_SUCCESS);
    transport.signal_barrier();
    for (const bool by_flags : {true, false}) {
      for (std::uint8_t b = 0; b < 3 && transport.place().node == 0; ++b) {
        std::uint8_t to[6] = {0, 0, 0, 1, 2, 1}, path[3] = {0, b, 1};
        utofu_path_id_t path_id = 0;
        Id id = 0;
        Stadd there = 0;
        REQUIRE(utofu_construct_vcq_id(to, 0, 0, 0, &id) == UTOFU_SUCCESS);
        REQUIRE(utofu_query_stadd(id, 0, &there) == UTOFU_SUCCESS);
        REQUIRE(utofu_get_path_id(id, path, &path_id) == UTOFU_SUCCESS);
        if (!by_flags) REQUIRE(utofu_set_vcq_id_path(&id, path) == UTOFU_SUCCESS);
        std::vector<std::uint32_t> seen;
        machine.tamper_interface = [&](model::TniPacket& p) {
          if (p.kind == model::TniKind::Put) seen.push_back(p.path);
          return true;
        };
        Buffer buffer;
        void* cbdata = nullptr;
        REQUIRE(utofu_prepare_put(vcq, id, memory, there, 8, 0,
                                  tcq | (by_flags ? UTOFU_ONESIDED_FLAG_PATH(path_id) : 0),
                                  buffer.desc(), &buffer.size) == UTOFU_SUCCESS);
        REQUIRE(utofu_post_toq(vcq, buffer.desc(), buffer.size, nullptr) == UTOFU_SUCCESS);
        CHECK(next_end(vcq, cbdata) == UTOFU_SUCCESS);
        CHECK(seen == std::vector<std::uint32_t>{8U | 2U * b});
        machine.tamper_interface = {};
      }
    }
    transport.signal_barrier();
  });
}

TEST_CASE("uTofu: of commands that are posted together, the last may be delayed") {
  on_one_of_two([](Ends& e) {
    std::array<std::byte, 3 * desc_bytes> desc;
    const auto prepare = [&](Size at, Flags flags) {
      Size size = 0;
      REQUIRE(utofu_prepare_put(e.vcq, e.other, e.here, e.there, 8, 0, flags,
                                &desc[at * desc_bytes], &size) == UTOFU_SUCCESS);
    };
    const std::uint64_t sent = e.machine.packets();
    void* cbdata = nullptr;
    prepare(0, delay);
    prepare(1, tcq);
    prepare(2, tcq | delay);
    REQUIRE(utofu_post_toq(e.vcq, desc.data(), sizeof desc, &e) == UTOFU_SUCCESS);
    CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
    CHECK(next_end(e.vcq, cbdata) == UTOFU_ERR_NOT_FOUND);
    CHECK(e.machine.packets() == sent + 4);
    REQUIRE(utofu_nop(e.vcq, 0, nullptr) == UTOFU_SUCCESS);
    CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
    CHECK(e.machine.packets() == sent + 6);
  });
}

TEST_CASE("uTofu: commands that are posted together are taken as a whole, however many") {
  on_one_of_two(
      [](Ends& e) {
        std::vector<std::byte> desc(200 * desc_bytes);
        Size size = 0;
        for (Size i = 0; i < 200; ++i)
          REQUIRE(utofu_prepare_put_piggyback8(e.vcq, e.other, i + 1, e.there + 8 * i, 8, 0, tcq,
                                               &desc[i * desc_bytes], &size) == UTOFU_SUCCESS);
        const auto post = [&](Size count) {
          return utofu_post_toq(e.vcq, desc.data(), count * desc_bytes, nullptr);
        };
        for (int i = 0; i < 60; ++i)
          REQUIRE(utofu_put_piggyback8(e.vcq, e.other, 0, e.there + 4000, 8, 0, delay, nullptr) ==
                  UTOFU_SUCCESS);
        CHECK(post(5) == UTOFU_ERR_BUSY);
        int rc = UTOFU_ERR_BUSY;
        while (rc == UTOFU_ERR_BUSY) rc = post(200);
        CHECK(rc == UTOFU_SUCCESS);
        void* cbdata = nullptr;
        for (int i = 0; i < 200; ++i) CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
        CHECK(next_end(e.vcq, cbdata) == UTOFU_ERR_NOT_FOUND);
      },
      [](Ends& e) {
        for (U64 i = 0; i < 200; ++i) {
          U64 word = 0;
          std::memcpy(&word, e.memory + 8 * i, sizeof word);
          CHECK(word == i + 1);
        }
      });
}
