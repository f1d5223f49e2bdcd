// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "tests/tofu/sw/functional_ranks.hpp"

// A program on one of two nodes, for tests of uTofu's one-sided communication.
namespace ht::test {

using Hdl = utofu_vcq_hdl_t;
using Id = utofu_vcq_id_t;
using Stadd = utofu_stadd_t;
using Flags = unsigned long int;
using Size = std::size_t;
using U64 = std::uint64_t;

constexpr tofu::Shape two{{2, 1, 1, 1, 1, 1}};

/// What the program on node 0 finds: a VCQ and memory of 4,096 bytes here, and on node 1.
struct Ends {
  tofu::Transport& transport;
  tofu::FunctionalTofu& machine;
  Hdl vcq = 0;
  Id own = 0, other = 0;
  std::byte* memory = nullptr;
  Stadd here = 0, there = 0;
};
constexpr Size bytes = 4096;
constexpr unsigned own_stag = 3;

inline void on_one_of_two(const std::function<void(Ends&)>& program,
                          const std::function<void(Ends&)>& after = {},
                          const tofu::FunctionalTofuOptions& options = {},
                          std::byte (*initially)(Size) = nullptr) {
  tofu::FunctionalTofu machine(two, options);
  run_utofu_ranks(machine, tofu::RankLayout::straight(two), [&](tofu::Transport& transport) {
    Ends e{transport, machine};
    e.memory = static_cast<std::byte*>(transport.allocate(bytes, 128));
    for (Size i = 0; initially != nullptr && i < bytes; ++i) e.memory[i] = initially(i);
    REQUIRE(utofu_create_vcq(0, 0, &e.vcq) == UTOFU_SUCCESS);
    REQUIRE(utofu_query_vcq_id(e.vcq, &e.own) == UTOFU_SUCCESS);
    REQUIRE(utofu_reg_mem_with_stag(e.vcq, e.memory, bytes, own_stag, 0, &e.here) == UTOFU_SUCCESS);
    std::uint8_t coordinates[6] = {1, 0, 0, 0, 0, 0};
    REQUIRE(utofu_construct_vcq_id(coordinates, 0, 0, 0, &e.other) == UTOFU_SUCCESS);
    REQUIRE(utofu_query_stadd(e.other, own_stag, &e.there) == UTOFU_SUCCESS);
    transport.signal_barrier();
    if (transport.rank() == 0) program(e);
    transport.signal_barrier();
    if (transport.rank() == 1 && after) after(e);
  });
}

// What memory holds before: the two nodes' differ.
inline std::byte here_at(Size i) {
  return static_cast<std::byte>(i * 2'654'435'761U >> 13);
}
inline std::byte there_at(Size i) {
  return static_cast<std::byte>(i * 40'503U >> 7);
}

constexpr Size desc_bytes = 64;

/// Where a prepared command is written: at no multiple of anything, and nothing beside it.
struct Buffer {
  std::array<std::byte, 3 + desc_bytes + 5> around;
  Size size = 12'345;

  Buffer() { around.fill(std::byte{0xa5}); }
  void* desc() { return &around[3]; }
  bool kept() const {
    const auto is = [](std::byte b) { return b == std::byte{0xa5}; };
    return std::all_of(around.begin(), around.begin() + 3, is) &&
           std::all_of(around.end() - 5, around.end(), is);
  }
};

/// A call that must send nothing.
#define REFUSED(call, code)                          \
  do {                                               \
    const std::uint64_t sent_ = e.machine.packets(); \
    CHECK((call) == (code));                         \
    CHECK(e.machine.packets() == sent_);             \
  } while (0)

inline int put(const Ends& e, Stadd here, Stadd there, Size length, U64 edata = 0,
               Flags flags = 0) {
  return utofu_put(e.vcq, e.other, here, there, length, edata, flags, nullptr);
}

inline int next_notice(Hdl vcq, utofu_mrq_notice& notice) {
  int rc = UTOFU_ERR_NOT_FOUND;
  for (int i = 0; i < 10'000 && rc == UTOFU_ERR_NOT_FOUND; ++i)
    rc = utofu_poll_mrq(vcq, 0, &notice);
  return rc;
}

inline int next_end(Hdl vcq, void*& cbdata) {
  int rc = UTOFU_ERR_NOT_FOUND;
  for (int i = 0; i < 10'000 && rc == UTOFU_ERR_NOT_FOUND; ++i)
    rc = utofu_poll_tcq(vcq, 0, &cbdata);
  return rc;
}

}  // namespace ht::test
