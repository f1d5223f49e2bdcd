// SPDX-License-Identifier: Apache-2.0
// uTofu's commands that are prepared and posted later: types as published; every error code.
#include <cstring>
#include <type_traits>

#include "tests/tofu/sw/onesided_ends.hpp"

using namespace ht;
using namespace ht::test;
using namespace ht::tofu;

namespace {

// As Fujitsu's header declares them: utofu.h in the tools of yutaka-ishikawa/utf.
template <typename... Arguments>
using Prepares = int(Hdl, Arguments..., void* desc, Size* desc_size);
using Transfer = Prepares<Id, Stadd, Stadd, Size, U64, Flags>;
using WithGap = Prepares<Id, Stadd, Stadd, Size, U64, Flags, Size, Size>;
using WithStride = Prepares<Id, Stadd, Stadd, Size, Size, Size, U64, Flags>;
using WithBoth = Prepares<Id, Stadd, Stadd, Size, Size, Size, U64, Flags, Size, Size>;
static_assert(std::is_same_v<decltype(utofu_prepare_put), Transfer>);
static_assert(std::is_same_v<decltype(utofu_prepare_get), Transfer>);
static_assert(std::is_same_v<decltype(utofu_prepare_put_gap), WithGap>);
static_assert(std::is_same_v<decltype(utofu_prepare_get_gap), WithGap>);
static_assert(std::is_same_v<decltype(utofu_prepare_put_stride), WithStride>);
static_assert(std::is_same_v<decltype(utofu_prepare_get_stride), WithStride>);
static_assert(std::is_same_v<decltype(utofu_prepare_put_stride_gap), WithBoth>);
static_assert(std::is_same_v<decltype(utofu_prepare_get_stride_gap), WithBoth>);
static_assert(std::is_same_v<decltype(utofu_prepare_put_piggyback),
                             Prepares<Id, void*, Stadd, Size, U64, Flags>>);
static_assert(std::is_same_v<decltype(utofu_prepare_put_piggyback8),
                             Prepares<Id, U64, Stadd, Size, U64, Flags>>);
static_assert(std::is_same_v<decltype(utofu_prepare_armw4),
                             Prepares<Id, utofu_armw_op, std::uint32_t, Stadd, U64, Flags>>);
static_assert(std::is_same_v<decltype(utofu_prepare_armw8),
                             Prepares<Id, utofu_armw_op, U64, Stadd, U64, Flags>>);
static_assert(std::is_same_v<decltype(utofu_prepare_cswap4),
                             Prepares<Id, std::uint32_t, std::uint32_t, Stadd, U64, Flags>>);
static_assert(
    std::is_same_v<decltype(utofu_prepare_cswap8), Prepares<Id, U64, U64, Stadd, U64, Flags>>);
static_assert(std::is_same_v<decltype(utofu_prepare_nop), Prepares<Flags>>);
static_assert(std::is_same_v<decltype(utofu_post_toq), int(Hdl, void*, Size, void*)>);

constexpr Flags tcq = UTOFU_ONESIDED_FLAG_TCQ_NOTICE;

}  // namespace

TEST_CASE("uTofu: bad commands are not prepared, what is no command is not posted") {
  on_one_of_two([](Ends& e) {
    Buffer p;
    const auto put = [&](Hdl vcq, Id to, Stadd here, Stadd there, Size length, U64 edata,
                         Flags flags) {
      return utofu_prepare_put(vcq, to, here, there, length, edata, flags, p.desc(), &p.size);
    };
    REFUSED(put(0, e.other, e.here, e.there, 8, 0, 0), UTOFU_ERR_INVALID_VCQ_HDL);
    REFUSED(put(e.vcq, 0, e.here, e.there, 8, 0, 0), UTOFU_ERR_INVALID_VCQ_ID);
    REFUSED(put(e.vcq, e.other, 0, e.there, 8, 0, 0), UTOFU_ERR_INVALID_STADD);
    REFUSED(put(e.vcq, e.other, e.here, 0, 8, 0, 0), UTOFU_ERR_INVALID_STADD);
    REFUSED(put(e.vcq, e.other, e.here, e.there, bytes + 1, 0, 0), UTOFU_ERR_INVALID_SIZE);
    REFUSED(put(e.vcq, e.other, e.here, e.there, 8, 0x10000, 0), UTOFU_ERR_INVALID_EDATA);
    REFUSED(put(e.vcq, e.other, e.here, e.there, 8, 0, 1UL << 16), UTOFU_ERR_INVALID_FLAGS);
    REFUSED(put(e.vcq, e.other, e.here, e.there, 8, 0, UTOFU_ONESIDED_FLAG_PATH(2)),
            UTOFU_ERR_INVALID_PATH_ID);
    Size size = 0;
    REFUSED(utofu_prepare_get(e.vcq, e.other, e.here, e.there, 8, 0, 0, nullptr, &size),
            UTOFU_ERR_INVALID_POINTER);
    REFUSED(utofu_prepare_get(e.vcq, e.other, e.here, e.there, 8, 0, 0, p.desc(), nullptr),
            UTOFU_ERR_INVALID_POINTER);
    REFUSED(utofu_prepare_put_piggyback(e.vcq, e.other, nullptr, e.there, 8, 0, 0, p.desc(), &size),
            UTOFU_ERR_INVALID_POINTER);
    REFUSED(
        utofu_prepare_put_piggyback(e.vcq, e.other, e.memory, e.there, 33, 0, 0, p.desc(), &size),
        UTOFU_ERR_INVALID_SIZE);
    REFUSED(utofu_prepare_put_piggyback8(e.vcq, e.other, 0, e.there, 9, 0, 0, p.desc(), &size),
            UTOFU_ERR_INVALID_SIZE);
    REFUSED(utofu_prepare_put_gap(e.vcq, e.other, e.here, e.there, 8, 0, 0, 0, 0, p.desc(), &size),
            UTOFU_ERR_INVALID_SIZE);
    REFUSED(
        utofu_prepare_get_stride(e.vcq, e.other, e.here, e.there, 8, 8, 0, 0, 0, p.desc(), &size),
        UTOFU_ERR_INVALID_NUMBER);
    REFUSED(utofu_prepare_armw8(e.vcq, e.other, static_cast<utofu_armw_op>(6), 1, e.there, 0, 0,
                                p.desc(), &size),
            UTOFU_ERR_INVALID_OP);
    REFUSED(utofu_prepare_cswap8(e.vcq, e.other, 1, 1, e.there + 4, 0, 0, p.desc(), &size),
            UTOFU_ERR_INVALID_STADD);
    REFUSED(utofu_prepare_nop(e.vcq, 1UL << 40, p.desc(), &size), UTOFU_ERR_INVALID_FLAGS);
    CHECK(size == 0);
    CHECK(p.size == 12'345);
    CHECK(std::all_of(p.around.begin(), p.around.end(),
                      [](std::byte b) { return b == std::byte{0xa5}; }));

    // Two good ones; then something is wrong with the second.
    std::array<std::byte, 2 * desc_bytes> desc, good;
    Stadd mine = 0;
    Hdl second = 0;
    REQUIRE(utofu_reg_mem(e.vcq, e.memory, 64, 0, &mine) == UTOFU_SUCCESS);
    REQUIRE(utofu_create_vcq(0, 0, &second) == UTOFU_SUCCESS);
    for (Size i = 0; i < 2; ++i)
      REQUIRE(utofu_prepare_put(e.vcq, e.other, i == 0 ? e.here : mine, e.there, 8, 0, tcq,
                                &good[i * desc_bytes], &size) == UTOFU_SUCCESS);
    desc = good;
    const auto post = [&](Hdl vcq, Size bytes_of_them) {
      return utofu_post_toq(vcq, desc.data(), bytes_of_them, nullptr);
    };
    REFUSED(utofu_post_toq(e.vcq, nullptr, desc_bytes, nullptr), UTOFU_ERR_INVALID_POINTER);
    REFUSED(post(e.vcq, 0), UTOFU_ERR_INVALID_SIZE);
    REFUSED(post(e.vcq, desc_bytes - 1), UTOFU_ERR_INVALID_SIZE);
    REFUSED(post(e.vcq, desc_bytes + 8), UTOFU_ERR_INVALID_SIZE);
    REFUSED(post(second, sizeof desc), UTOFU_ERR_INVALID_DESC);
    REFUSED(post(0, sizeof desc), UTOFU_ERR_INVALID_VCQ_HDL);
    REFUSED(post(12'345, sizeof desc), UTOFU_ERR_INVALID_VCQ_HDL);
    for (const int with : {0, 0xff, 0xa5}) {
      std::memset(&desc[desc_bytes], with, desc_bytes);
      REFUSED(post(e.vcq, sizeof desc), UTOFU_ERR_INVALID_DESC);
    }
    desc = good;
    void* cbdata = nullptr;
    REQUIRE(post(e.vcq, sizeof desc) == UTOFU_SUCCESS);
    CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
    CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
    REQUIRE(utofu_dereg_mem(e.vcq, mine, 0) == UTOFU_SUCCESS);
    REFUSED(post(e.vcq, sizeof desc), UTOFU_ERR_INVALID_STADD);
    CHECK(post(e.vcq, desc_bytes) == UTOFU_SUCCESS);
    CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
    CHECK(utofu_free_vcq(second) == UTOFU_SUCCESS);
    REFUSED(post(second, sizeof desc), UTOFU_ERR_INVALID_VCQ_HDL);
  });
  std::array<std::byte, desc_bytes> desc{};
  Size size = 0;
  CHECK(utofu_prepare_nop(1, 0, desc.data(), &size) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_prepare_put(1, 0, 0, 0, 8, 0, 0, desc.data(), &size) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_post_toq(1, desc.data(), desc_bytes, nullptr) == UTOFU_ERR_NOT_AVAILABLE);
}
