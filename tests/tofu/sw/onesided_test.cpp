// SPDX-License-Identifier: Apache-2.0
// uTofu's one-sided communication on nodes without hardware: programs, refusals, long transfers.
#include <sys/mman.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "sw/host/errors.hpp"
#include "sw/tofu/utofu/utofu_split.h"
#include "tests/tofu/sw/functional_ranks.hpp"
#include "tests/tofu/sw/utofu_onesided.h"

using namespace ht;
using namespace ht::test;
using namespace ht::tofu;

namespace {

constexpr Shape pair{{2, 1, 1, 1, 1, 1}}, cube{{2, 2, 2, 1, 1, 1}}, group{{1, 1, 1, 2, 3, 2}};
constexpr unsigned long tcq = UTOFU_ONESIDED_FLAG_TCQ_NOTICE,
                        local = UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE,
                        remote = UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE;

FunctionalTofuOptions shuffled(unsigned seed) {
  FunctionalTofuOptions o;
  if (seed != 0) o.shuffle = seed;
  return o;
}

}  // namespace

TEST_CASE("uTofu: a program in C puts, gets, draws tickets and locks") {
  for (const Shape& shape : {pair, cube, group}) {
    for (const unsigned seed : {0U, 1U, 2U, 3U}) {
      for (const std::size_t bytes : {std::size_t{8}, std::size_t{12'345}}) {
        INFO(shape.nodes() << " nodes, " << bytes << " bytes, shuffle " << seed);
        const auto size = static_cast<std::size_t>(shape.nodes());
        FunctionalTofu machine(shape, shuffled(seed));
        std::vector<utofu_onesided_ends> ends(size);
        std::vector<std::array<std::uint64_t, 2>> tickets(size);
        run_utofu_ranks(machine, RankLayout::straight(shape), [&](Transport& transport) {
          const auto all = [](void* t) { static_cast<Transport*>(t)->signal_barrier(); };
          const auto rank = static_cast<std::size_t>(transport.rank());
          CHECK(utofu_onesided(transport.rank(), shape.nodes(), bytes, ends.data(), all, &transport,
                               tickets[rank].data()) == 0);
        });
        std::set<std::uint64_t> drawn;
        for (const auto& pair_of_tickets : tickets)
          for (const std::uint64_t t : pair_of_tickets) drawn.insert(t);
        CHECK(drawn.size() == 2 * size);  // nobody's twice
        CHECK(*drawn.rbegin() == 2 * size - 1);
      }
    }
  }
}

namespace {

/// Two VCQs and memory at both ends, as the tests below want them: those of all four interfaces.
struct Four {
  std::array<utofu_vcq_hdl_t, 4> vcq{};
  std::array<utofu_vcq_id_t, 4> id{}, other{};
  std::array<utofu_stadd_t, 4> here{}, there{};
};

/// `other`: the node that is spoken to.
Four open_four(void* memory, std::size_t bytes, const tofu::Coordinates& other) {
  Four f;
  std::uint8_t c[6];
  for (std::size_t i = 0; i < 6; ++i) c[i] = static_cast<std::uint8_t>(other.at[i]);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto tni = static_cast<utofu_tni_id_t>(i);
    REQUIRE(utofu_create_vcq(tni, 0, &f.vcq[i]) == UTOFU_SUCCESS);
    REQUIRE(utofu_query_vcq_id(f.vcq[i], &f.id[i]) == UTOFU_SUCCESS);
    REQUIRE(utofu_reg_mem_with_stag(f.vcq[i], memory, bytes, 0, 0, &f.here[i]) == UTOFU_SUCCESS);
    REQUIRE(utofu_construct_vcq_id(c, tni, 0, 0, &f.other[i]) == UTOFU_SUCCESS);
    REQUIRE(utofu_query_stadd(f.other[i], 0, &f.there[i]) == UTOFU_SUCCESS);
  }
  return f;
}

std::byte pattern(std::size_t i) {
  return static_cast<std::byte>(i * 2'654'435'761U >> 13);
}

/// Directed links of a packet's way.
std::set<std::pair<std::uint32_t, std::uint32_t>> links_of(const Shape& shape,
                                                           const model::TniPacket& p) {
  const Path path{static_cast<int>(p.path & 1), static_cast<int>(p.path >> 1 & 3),
                  static_cast<int>(p.path >> 3 & 1)};
  const auto places = way(shape, tofu::Coordinates::from_address(p.from),
                          tofu::Coordinates::from_address(p.to), path);
  std::set<std::pair<std::uint32_t, std::uint32_t>> links;
  for (std::size_t i = 1; i < places.size(); ++i)
    links.emplace(places[i - 1].address(), places[i].address());
  return links;
}

}  // namespace

TEST_CASE("uTofu: a long put goes over two or four interfaces and ways that share no link") {
  constexpr std::size_t bytes = 1'000'003;
  const Shape shape{{2, 1, 1, 2, 3, 2}};
  for (const std::size_t ways : {std::size_t{2}, std::size_t{4}}) {
    // A neighbour by X, one by B, and the farthest node.
    for (const int to : {12, 2, 23}) {
      INFO(ways << " ways to " << text(shape.place(to)));
      FunctionalTofu machine(shape, shuffled(static_cast<unsigned>(to)));
      std::map<unsigned, std::size_t> carried;
      std::map<unsigned, std::set<std::pair<std::uint32_t, std::uint32_t>>> links;
      machine.tamper_interface = [&](model::TniPacket& p) {
        if (p.kind == model::TniKind::Put && p.edata == 77) {
          carried[p.source_interface] += p.payload.size();
          links[p.source_interface].merge(links_of(shape, p));
        }
        return true;
      };
      run_utofu_ranks(machine, RankLayout::straight(shape), [&](Transport& transport) {
        auto* const memory = static_cast<std::byte*>(transport.allocate(bytes, 128));
        const int number = transport.place().node;
        const Four f = open_four(memory, bytes, shape.place(number == to ? 0 : to));
        for (std::size_t i = 0; number == 0 && i < bytes; ++i) memory[i] = pattern(i);
        transport.signal_barrier();
        if (number == 0) {
          int me = 0;
          REQUIRE(utofu_put_split(ways, f.vcq.data(), f.other.data(), f.here.data(), f.there.data(),
                                  bytes, 77, tcq | UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE,
                                  &me) == UTOFU_SUCCESS);
          for (std::size_t w = 0; w < ways; ++w) {
            void* cbdata = nullptr;
            int rc = UTOFU_ERR_NOT_FOUND;
            while (rc == UTOFU_ERR_NOT_FOUND) rc = utofu_poll_tcq(f.vcq[w], 0, &cbdata);
            CHECK((rc == UTOFU_SUCCESS && cbdata == &me));
          }
        } else if (number == to) {
          for (std::size_t w = 0; w < ways; ++w) {
            utofu_mrq_notice n;
            int rc = UTOFU_ERR_NOT_FOUND;
            while (rc == UTOFU_ERR_NOT_FOUND) rc = utofu_poll_mrq(f.vcq[w], 0, &n);
            CHECK((rc == UTOFU_SUCCESS && n.edata == 77));
          }
          std::size_t wrong = 0;
          for (std::size_t i = 0; i < bytes; ++i) wrong += memory[i] != pattern(i) ? 1 : 0;
          CHECK(wrong == 0);
        }
        transport.signal_barrier();
      });
      REQUIRE(carried.size() == ways);
      std::size_t all_links = 0;
      std::set<std::pair<std::uint32_t, std::uint32_t>> different;
      for (auto& [interface, some] : links) {
        all_links += some.size();
        different.merge(some);
        CHECK(carried[interface] <= bytes / ways + 128);
        CHECK(carried[interface] >= bytes / ways - 128 * ways);
      }
      const std::size_t disjoint = disjoint_paths(shape, shape.place(0), shape.place(to), 4).size();
      if (disjoint >= ways) CHECK(different.size() == all_links);
      if (to == 12) CHECK(disjoint == 4);
    }
  }
}

TEST_CASE("uTofu: a put in several parts is refused as a whole") {
  FunctionalTofu machine(pair);
  run_utofu_ranks(machine, RankLayout::straight(pair), [&](Transport& transport) {
    constexpr std::size_t bytes = 1024;
    auto* const memory = static_cast<std::byte*>(transport.allocate(bytes, 128));
    Four f = open_four(memory, bytes, pair.place(1 - transport.rank()));
    transport.signal_barrier();
    if (transport.rank() == 0) {
      const std::uint64_t sent = machine.packets();
      const auto split = [&](std::size_t ways, std::size_t length) {
        return utofu_put_split(ways, f.vcq.data(), f.other.data(), f.here.data(), f.there.data(),
                               length, 0, 0, nullptr);
      };
      CHECK(split(0, 8) == UTOFU_ERR_INVALID_NUMBER);
      CHECK(split(4, bytes + 1) == UTOFU_ERR_INVALID_SIZE);
      CHECK(utofu_put_split(2, nullptr, f.other.data(), f.here.data(), f.there.data(), 8, 0, 0,
                            nullptr) == UTOFU_ERR_INVALID_POINTER);
      Four g = f;
      g.vcq[3] = g.vcq[2];
      CHECK(utofu_put_split(4, g.vcq.data(), f.other.data(), f.here.data(), f.there.data(), 8, 0, 0,
                            nullptr) == UTOFU_ERR_INVALID_VCQ_HDL);
      CHECK(utofu_put_split(4, f.vcq.data(), f.id.data(), f.here.data(), f.there.data(), bytes, 0,
                            1UL << 20, nullptr) == UTOFU_ERR_INVALID_FLAGS);
      g.other[1] = f.id[1];
      CHECK(utofu_put_split(4, f.vcq.data(), g.other.data(), f.here.data(), f.there.data(), bytes,
                            0, 0, nullptr) == UTOFU_ERR_INVALID_VCQ_ID);
      g.there[3] = 0;
      CHECK(utofu_put_split(4, f.vcq.data(), f.other.data(), f.here.data(), g.there.data(), bytes,
                            0, 0, nullptr) == UTOFU_ERR_INVALID_STADD);
      CHECK(machine.packets() == sent);
    }
    transport.signal_barrier();
  });
}

TEST_CASE("uTofu: more commands than a queue has room for, and notices that nobody polls") {
  FunctionalTofu machine(pair);
  run_utofu_ranks(machine, RankLayout::straight(pair), [&](Transport& transport) {
    constexpr std::size_t bytes = 1024;
    constexpr std::uintptr_t commands = 70'000;  // indices of 16 bits go round
    auto* const memory = static_cast<std::byte*>(transport.allocate(bytes, 128));
    const Four f = open_four(memory, bytes, pair.place(1 - transport.rank()));
    transport.signal_barrier();
    if (transport.rank() == 0) {
      std::uintptr_t begun = 0, ended = 0;
      bool was_busy = false;
      while (ended < commands) {
        while (begun < commands) {
          const int rc = utofu_put_piggyback8(f.vcq[0], f.other[0], begun, f.there[0], 8, 0, tcq,
                                              reinterpret_cast<void*>(begun));
          if (rc == UTOFU_ERR_BUSY) {
            was_busy = true;
            break;
          }
          REQUIRE(rc == UTOFU_SUCCESS);
          ++begun;
        }
        void* cbdata = nullptr;
        while (utofu_poll_tcq(f.vcq[0], 0, &cbdata) == UTOFU_SUCCESS) {
          REQUIRE(cbdata == reinterpret_cast<void*>(ended));  // one way: in order
          ++ended;
        }
      }
      CHECK(was_busy);
    }
    transport.signal_barrier();
    if (transport.rank() == 1) {
      std::uint64_t last = 0;
      std::memcpy(&last, memory, sizeof last);
      CHECK(last == commands - 1);
    }
  });
}

TEST_CASE("uTofu: a ring of notices that runs over is told to the sender, and to who polls late") {
  FunctionalTofu machine(pair);
  TransportOptions options;
  options.network.log2_notices = 2;
  const auto program = [&](Transport& transport) {
    constexpr std::size_t bytes = 1024;
    auto* const memory = static_cast<std::byte*>(transport.allocate(bytes, 128));
    const Four f = open_four(memory, bytes, pair.place(1 - transport.rank()));
    transport.signal_barrier();
    utofu_mrq_notice n;
    const auto notice = [&] {
      int rc = UTOFU_ERR_NOT_FOUND;
      while (rc == UTOFU_ERR_NOT_FOUND) rc = utofu_poll_mrq(f.vcq[0], 0, &n);
      return rc;
    };
    if (transport.rank() == 0) {
      for (std::uint64_t i = 0; i < 5; ++i) {
        REQUIRE(utofu_put_piggyback8(f.vcq[0], f.other[0], i, f.there[0], 8, i, local | remote,
                                     nullptr) == UTOFU_SUCCESS);
        CHECK(notice() == (i < 4 ? UTOFU_SUCCESS : UTOFU_ERR_MRQ_PEER));
      }
    }
    transport.signal_barrier();
    if (transport.rank() == 1) {
      for (std::uint64_t i = 0; i < 4; ++i) {
        CHECK(notice() == UTOFU_SUCCESS);
        CHECK(n.edata == i);
      }
      CHECK(notice() == UTOFU_ERR_FATAL);
      CHECK(memory[0] == std::byte{4});  // the data were written
    }
  };
  run_utofu_ranks(machine, RankLayout::straight(pair), program, options);
}

TEST_CASE("uTofu: a delayed command starts with the next") {
  FunctionalTofu machine(pair);
  run_utofu_ranks(machine, RankLayout::straight(pair), [&](Transport& transport) {
    auto* const memory = static_cast<std::byte*>(transport.allocate(1024, 128));
    const Four f = open_four(memory, 1024, pair.place(1 - transport.rank()));
    transport.signal_barrier();
    if (transport.rank() == 0) {
      const std::uint64_t sent = machine.packets();
      const auto put = [&](unsigned long flags) {
        return utofu_put(f.vcq[0], f.other[0], f.here[0], f.there[0], 8, 0, flags | tcq, nullptr);
      };
      void* cbdata = nullptr;
      CHECK(put(UTOFU_ONESIDED_FLAG_DELAY_START) == UTOFU_SUCCESS);
      transport.runtime().advance(10'000'000);
      CHECK(machine.packets() == sent);
      CHECK(utofu_poll_tcq(f.vcq[0], 0, &cbdata) == UTOFU_ERR_NOT_FOUND);
      CHECK(put(0) == UTOFU_SUCCESS);
      int ended = 0;
      while (ended < 2) ended += utofu_poll_tcq(f.vcq[0], 0, &cbdata) == UTOFU_SUCCESS ? 1 : 0;
      CHECK(machine.packets() == sent + 4);
    }
    transport.signal_barrier();
  });
}

// With memory that may be written when it is registered, and with memory that may only later.
TEST_CASE("uTofu: a program's own memory follows what the network does, and the other way round") {
  const bool read_only = GENERATE(false, true);  // while it is registered
  FunctionalTofu machine(pair);
  run_utofu_ranks(machine, RankLayout::straight(pair), [&](Transport& transport) {
    // Begins in the middle of the hardware's unit, like any variable may.
    constexpr std::size_t all = std::size_t{64} << 10;
    auto* const own = static_cast<std::byte*>(
        ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::byte* const begin = own + 8;
    constexpr std::size_t bytes = 10'000;
    utofu_vcq_hdl_t vcq = 0;
    utofu_stadd_t here = 0;
    REQUIRE(utofu_create_vcq(1, 0, &vcq) == UTOFU_SUCCESS);
    if (read_only) ::mprotect(own, all, PROT_READ);
    REQUIRE(utofu_reg_mem(vcq, begin, bytes, 0, &here) == UTOFU_SUCCESS);
    ::mprotect(own, all, PROT_READ | PROT_WRITE);
    utofu_vcq_id_t other = 0;
    std::uint8_t c[6] = {static_cast<std::uint8_t>(1 - transport.rank()), 0, 0, 0, 0, 0};
    REQUIRE(utofu_construct_vcq_id(c, 1, 0, 0, &other) == UTOFU_SUCCESS);
    transport.signal_barrier();
    if (transport.rank() == 0) {
      // No notice anywhere: the other side looks at its memory.
      for (std::size_t i = 0; i < bytes; ++i) begin[i] = pattern(i);
      REQUIRE(utofu_put(vcq, other, here, here, bytes, 0, local, nullptr) == UTOFU_SUCCESS);
      utofu_mrq_notice n;
      while (utofu_poll_mrq(vcq, 0, &n) == UTOFU_ERR_NOT_FOUND) {
      }
      begin[0] = std::byte{1};
      // What the other side changed there is what a get finds.
      transport.signal_barrier();
      REQUIRE(utofu_get(vcq, other, here, here, 8, 0, local, nullptr) == UTOFU_SUCCESS);
      while (utofu_poll_mrq(vcq, 0, &n) == UTOFU_ERR_NOT_FOUND) {
      }
      CHECK(begin[0] == pattern(0));
      CHECK(begin[7] == std::byte{0x5a});
    } else {
      size_t count = 0;
      const volatile std::byte* const last = begin + bytes - 1;
      while (*last != pattern(bytes - 1)) REQUIRE(utofu_query_num_unread_mrq(vcq, &count) == 0);
      CHECK(count == 0);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < bytes; ++i) wrong += begin[i] != pattern(i) ? 1 : 0;
      CHECK(wrong == 0);
      begin[7] = std::byte{0x5a};
      REQUIRE(utofu_query_num_unread_mrq(vcq, &count) == 0);
      transport.signal_barrier();
    }
    CHECK(own[7] == std::byte{});
    CHECK(own[8 + bytes] == std::byte{});
    transport.signal_barrier();
    REQUIRE(utofu_dereg_mem(vcq, here, 0) == UTOFU_SUCCESS);
    ::munmap(own, all);
  });
}

TEST_CASE("uTofu: the default path avoids a failed node, and there is none to it") {
  const Shape shape{{1, 1, 1, 2, 3, 2}};
  const tofu::Coordinates failed{{0, 0, 0, 0, 0, 1}};
  FunctionalTofuOptions machine_options;
  machine_options.failed = {failed};
  FunctionalTofu machine(shape, machine_options);
  auto layout = std::make_shared<RankLayout>();
  layout->failed = {failed};
  for (int n = 0; n < shape.nodes(); ++n) {
    if (shape.place(n) != failed) layout->places.push_back(shape.place(n));
  }
  layout->shape = {layout->ranks()};
  layout->path = [&](int from, int to) {
    return paths_between(shape, layout->places[static_cast<std::size_t>(from)],
                         layout->places[static_cast<std::size_t>(to)], layout->failed)
        .front();
  };
  int ended = 0;
  run_utofu_ranks(machine, layout, [&](Transport& transport) {
    auto* const memory = static_cast<std::byte*>(transport.allocate(1024, 128));
    const Four f = open_four(memory, 1024, transport.place().coordinates());
    transport.signal_barrier();
    // Everybody to everybody.
    for (const tofu::Coordinates& to : layout->places) {
      if (to == transport.place().coordinates()) continue;
      std::uint8_t c[6];
      for (std::size_t i = 0; i < 6; ++i) c[i] = static_cast<std::uint8_t>(to.at[i]);
      utofu_vcq_id_t vcq = 0;
      REQUIRE(utofu_construct_vcq_id(c, 0, 0, 0, &vcq) == UTOFU_SUCCESS);
      REQUIRE(utofu_put(f.vcq[0], vcq, f.here[0], f.there[0], 8, 0, tcq, nullptr) == 0);
      void* cbdata = nullptr;
      int rc = UTOFU_ERR_NOT_FOUND;
      while (rc == UTOFU_ERR_NOT_FOUND) rc = utofu_poll_tcq(f.vcq[0], 0, &cbdata);
      CHECK(rc == UTOFU_SUCCESS);
      ++ended;
    }
    std::uint8_t c[6] = {0, 0, 0, 0, 0, 1};
    utofu_vcq_id_t vcq = 0;
    REQUIRE(utofu_construct_vcq_id(c, 0, 0, 0, &vcq) == UTOFU_SUCCESS);
    CHECK(utofu_set_vcq_id_path(&vcq, nullptr) == UTOFU_ERR_INVALID_PATH);
    CHECK(utofu_put(f.vcq[0], vcq, f.here[0], f.there[0], 8, 0, tcq, nullptr) ==
          UTOFU_ERR_INVALID_PATH);
    transport.signal_barrier();
  });
  CHECK(ended == 110);
}
