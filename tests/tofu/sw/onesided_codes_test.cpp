// SPDX-License-Identifier: Apache-2.0
// uTofu's one-sided communication as published: values and types; and every error code of every
// function (sw/tofu/README.md has the table), with nothing sent.
#include <sys/mman.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "tests/tofu/sw/onesided_ends.hpp"

using namespace ht;
using namespace ht::test;
using namespace ht::tofu;

namespace {

// As Fujitsu's header declares them: utofu.h in the tools of yutaka-ishikawa/utf.
static_assert(std::is_same_v<utofu_cq_id_t, std::uint16_t>);
static_assert(std::is_same_v<utofu_cmp_id_t, std::uint16_t>);
static_assert(std::is_same_v<utofu_vcq_hdl_t, std::uintptr_t>);
static_assert(std::is_same_v<utofu_vcq_id_t, std::uint64_t>);
static_assert(std::is_same_v<utofu_path_id_t, std::uint8_t>);
static_assert(std::is_same_v<utofu_stadd_t, std::uint64_t>);
static_assert(offsetof(utofu_mrq_notice, vcq_id) == 8);
static_assert(offsetof(utofu_mrq_notice, edata) == 16);
static_assert(offsetof(utofu_mrq_notice, rmt_value) == 24);
static_assert(offsetof(utofu_mrq_notice, lcl_stadd) == 32);
static_assert(offsetof(utofu_mrq_notice, rmt_stadd) == 40);
static_assert(sizeof(utofu_mrq_notice) == 64);
static_assert(offsetof(utofu_onesided_caps, num_cmp_ids) == 16);
static_assert(offsetof(utofu_onesided_caps, max_gap) == 24 + 7 * sizeof(std::size_t));
static_assert(UTOFU_ONESIDED_FLAG_STRONG_ORDER == 0x1 &&
              UTOFU_ONESIDED_FLAG_PACKET_RESPONSE == 0x2);
static_assert(UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE == 0x4 && UTOFU_ONESIDED_FLAG_PADDING == 0x8);
static_assert(UTOFU_ONESIDED_FLAG_CACHE_INJECTION == 0x20);
static_assert(UTOFU_ONESIDED_FLAG_DELAY_START == 0x100);
static_assert(UTOFU_ONESIDED_FLAG_TCQ_NOTICE == 0x4000);
static_assert(UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE == 0x8000);
static_assert(UTOFU_ONESIDED_FLAG_SPS(3) == 0x300'0000);
static_assert(UTOFU_ONESIDED_FLAG_PATH(5) == 0x5000'0000);
static_assert(UTOFU_VCQ_FLAG_THREAD_SAFE == 1 && UTOFU_VCQ_FLAG_EXCLUSIVE == 2 &&
              UTOFU_VCQ_FLAG_SESSION_MODE == 4 && UTOFU_REG_MEM_FLAG_READ_ONLY == 1);
static_assert(UTOFU_ARMW_OP_SWAP == 1 && UTOFU_ARMW_OP_ADD == 2 && UTOFU_ARMW_OP_XOR == 3 &&
              UTOFU_ARMW_OP_AND == 4 && UTOFU_ARMW_OP_OR == 5);
static_assert(UTOFU_MRQ_TYPE_LCL_PUT == 0 && UTOFU_MRQ_TYPE_RMT_PUT == 1 &&
              UTOFU_MRQ_TYPE_LCL_GET == 2 && UTOFU_MRQ_TYPE_RMT_GET == 3 &&
              UTOFU_MRQ_TYPE_LCL_ARMW == 4 && UTOFU_MRQ_TYPE_RMT_ARMW == 5);
static_assert(UTOFU_ERR_INVALID_VCQ_HDL == -521 && UTOFU_ERR_INVALID_VCQ_ID == -522 &&
              UTOFU_ERR_INVALID_STADD == -525 && UTOFU_ERR_INVALID_SIZE == -527 &&
              UTOFU_ERR_INVALID_EDATA == -529 && UTOFU_ERR_MRQ_RMT_LENGTH == -199);
static_assert(std::is_same_v<decltype(utofu_create_vcq), int(utofu_tni_id_t, Flags, Hdl*)>);
static_assert(std::is_same_v<decltype(utofu_create_vcq_with_cmp_id),
                             int(utofu_tni_id_t, utofu_cmp_id_t, Flags, Hdl*)>);
static_assert(
    std::is_same_v<decltype(utofu_construct_vcq_id),
                   int(std::uint8_t*, utofu_tni_id_t, utofu_cq_id_t, utofu_cmp_id_t, Id*)>);
static_assert(std::is_same_v<decltype(utofu_reg_mem), int(Hdl, void*, Size, Flags, Stadd*)>);
static_assert(std::is_same_v<decltype(utofu_reg_mem_with_stag),
                             int(Hdl, void*, Size, unsigned, Flags, Stadd*)>);
static_assert(
    std::is_same_v<decltype(utofu_put), int(Hdl, Id, Stadd, Stadd, Size, U64, Flags, void*)>);
static_assert(
    std::is_same_v<decltype(utofu_get), int(Hdl, Id, Stadd, Stadd, Size, U64, Flags, void*)>);
static_assert(std::is_same_v<decltype(utofu_put_piggyback),
                             int(Hdl, Id, void*, Stadd, Size, U64, Flags, void*)>);
static_assert(std::is_same_v<decltype(utofu_put_piggyback8),
                             int(Hdl, Id, U64, Stadd, Size, U64, Flags, void*)>);
static_assert(std::is_same_v<decltype(utofu_armw4),
                             int(Hdl, Id, utofu_armw_op, std::uint32_t, Stadd, U64, Flags, void*)>);
static_assert(
    std::is_same_v<decltype(utofu_cswap8), int(Hdl, Id, U64, U64, Stadd, U64, Flags, void*)>);
static_assert(std::is_same_v<decltype(utofu_poll_tcq), int(Hdl, Flags, void**)>);
static_assert(std::is_same_v<decltype(utofu_poll_mrq), int(Hdl, Flags, utofu_mrq_notice*)>);

}  // namespace

TEST_CASE("uTofu: one-sided calls outside of a node's program") {
  utofu_tni_id_t* tnis;
  utofu_onesided_caps* caps;
  utofu_mrq_notice notice;
  size_t n;
  Hdl vcq;
  Id id = 0;
  Stadd stadd;
  void* cbdata;
  std::uint8_t coordinates[6] = {};
  utofu_path_id_t path;
  CHECK(utofu_get_onesided_tnis(&tnis, &n) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_query_onesided_caps(0, &caps) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_create_vcq(0, 0, &vcq) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_free_vcq(1) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_query_vcq_id(1, &id) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_construct_vcq_id(coordinates, 0, 0, 0, &id) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_set_vcq_id_path(&id, nullptr) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_query_vcq_info(0, nullptr, nullptr, nullptr, nullptr) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_get_path_id(0, nullptr, &path) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_get_path_coords(0, 1, coordinates) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_reg_mem(1, &id, 8, 0, &stadd) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_dereg_mem(1, 0, 0) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_query_stadd(0, 0, &stadd) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_put(1, 0, 0, 0, 8, 0, 0, nullptr) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_poll_tcq(1, 0, &cbdata) == UTOFU_ERR_NOT_AVAILABLE);
  CHECK(utofu_poll_mrq(1, 0, &notice) == UTOFU_ERR_NOT_AVAILABLE);
}

TEST_CASE("uTofu: VCQs, their ids and paths, and what is refused of them") {
  on_one_of_two([](Ends& e) {
    utofu_tni_id_t* tnis = nullptr;
    size_t n = 0;
    CHECK(utofu_get_onesided_tnis(nullptr, &n) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_get_onesided_tnis(&tnis, nullptr) == UTOFU_ERR_INVALID_POINTER);
    utofu_onesided_caps* caps = nullptr;
    CHECK(utofu_query_onesided_caps(0, nullptr) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_query_onesided_caps(4, &caps) == UTOFU_ERR_INVALID_TNI_ID);
    REQUIRE(utofu_query_onesided_caps(3, &caps) == UTOFU_SUCCESS);
    CHECK(caps->flags == UTOFU_ONESIDED_CAP_FLAG_ARMW);
    CHECK(caps->armw_ops == 0x3f);
    CHECK((caps->num_cmp_ids == 8 && caps->num_reserved_stags == 256));
    CHECK((caps->cache_line_size == 128 && caps->stag_address_alignment == 16));
    CHECK((caps->max_toq_desc_size == 64 && caps->max_edata_size == 2));
    CHECK((caps->max_mtu == 1920 && caps->max_gap == 255));
    CHECK(caps->max_putget_size == (1U << 24) - 1);
    CHECK(caps->max_piggyback_size == 32);

    Hdl vcq = 0;
    CHECK(utofu_create_vcq(0, 0, nullptr) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_create_vcq(4, 0, &vcq) == UTOFU_ERR_INVALID_TNI_ID);
    CHECK(utofu_create_vcq(0, 8, &vcq) == UTOFU_ERR_INVALID_FLAGS);
    CHECK(utofu_create_vcq(0, UTOFU_VCQ_FLAG_SESSION_MODE, &vcq) == UTOFU_ERR_NOT_SUPPORTED);
    CHECK(utofu_create_vcq_with_cmp_id(0, 8, 0, &vcq) == UTOFU_ERR_INVALID_CMP_ID);
    std::vector<Hdl> more(6);  // queue 7 is the transport's
    for (Hdl& h : more) CHECK(utofu_create_vcq(0, 0, &h) == UTOFU_SUCCESS);
    CHECK(utofu_create_vcq(0, 0, &vcq) == UTOFU_ERR_FULL);
    CHECK(utofu_free_vcq(more[3]) == UTOFU_SUCCESS);
    CHECK(utofu_free_vcq(more[3]) == UTOFU_ERR_INVALID_VCQ_HDL);
    CHECK(utofu_free_vcq(0) == UTOFU_ERR_INVALID_VCQ_HDL);
    CHECK(utofu_free_vcq(12345) == UTOFU_ERR_INVALID_VCQ_HDL);
    CHECK(utofu_create_vcq_with_cmp_id(0, 5, 0, &vcq) == UTOFU_SUCCESS);

    Id id = 0;
    CHECK(utofu_query_vcq_id(vcq, nullptr) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_query_vcq_id(0, &id) == UTOFU_ERR_INVALID_VCQ_HDL);
    REQUIRE(utofu_query_vcq_id(vcq, &id) == UTOFU_SUCCESS);
    std::uint8_t c[6] = {9, 9, 9, 9, 9, 9};
    utofu_tni_id_t tni = 9;
    utofu_cq_id_t cq = 9;
    std::uint16_t extra = 9;
    REQUIRE(utofu_query_vcq_info(id, c, &tni, &cq, &extra) == UTOFU_SUCCESS);
    CHECK((c[0] == 0 && c[1] == 0 && c[5] == 0));
    CHECK((tni == 0 && cq == 4 && extra == 5));
    CHECK(utofu_query_vcq_info(id, nullptr, nullptr, nullptr, nullptr) == UTOFU_SUCCESS);
    CHECK(utofu_query_vcq_info(7, c, &tni, &cq, &extra) == UTOFU_ERR_INVALID_VCQ_ID);
    CHECK(utofu_query_vcq_info(id | 7, c, &tni, &cq, &extra) == UTOFU_ERR_INVALID_VCQ_ID);
    Id same = 0;
    REQUIRE(utofu_construct_vcq_id(c, tni, cq, extra, &same) == UTOFU_SUCCESS);
    CHECK(same == id);

    CHECK(utofu_construct_vcq_id(nullptr, 0, 0, 0, &id) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_construct_vcq_id(c, 0, 0, 0, nullptr) == UTOFU_ERR_INVALID_POINTER);
    std::uint8_t outside[6] = {2, 0, 0, 0, 0, 0};
    CHECK(utofu_construct_vcq_id(outside, 0, 0, 0, &id) == UTOFU_ERR_INVALID_COORDS);
    CHECK(utofu_construct_vcq_id(c, 4, 0, 0, &id) == UTOFU_ERR_INVALID_TNI_ID);
    CHECK(utofu_construct_vcq_id(c, 0, 7, 0, &id) == UTOFU_ERR_INVALID_CQ_ID);
    CHECK(utofu_construct_vcq_id(c, 0, 0, 8, &id) == UTOFU_ERR_INVALID_CMP_ID);

    std::uint8_t path[3] = {0, 0, 0}, wrong[3] = {1, 0, 0}, got[3] = {9, 9, 9};
    utofu_path_id_t path_id = 0;
    CHECK(utofu_set_vcq_id_path(nullptr, path) == UTOFU_ERR_INVALID_POINTER);
    Id none = 7;
    CHECK(utofu_set_vcq_id_path(&none, path) == UTOFU_ERR_INVALID_VCQ_ID);
    CHECK(utofu_set_vcq_id_path(&id, wrong) == UTOFU_ERR_INVALID_PATH);
    CHECK(utofu_set_vcq_id_path(&id, path) == UTOFU_SUCCESS);
    // With a place that this machine does not have in its path: no call gave that id.
    Id beyond = id | Id{1} << 20;
    CHECK(utofu_set_vcq_id_path(&beyond, path) == UTOFU_ERR_INVALID_VCQ_ID);
    CHECK(utofu_put_piggyback8(e.vcq, beyond, 1, e.there, 8, 0, UTOFU_ONESIDED_FLAG_TCQ_NOTICE,
                               nullptr) == UTOFU_ERR_INVALID_VCQ_ID);
    CHECK(utofu_get_path_id(id, path, nullptr) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_get_path_id(7, path, &path_id) == UTOFU_ERR_INVALID_VCQ_ID);
    CHECK(utofu_get_path_id(id, wrong, &path_id) == UTOFU_ERR_INVALID_PATH);
    REQUIRE(utofu_get_path_id(id, path, &path_id) == UTOFU_SUCCESS);
    CHECK(utofu_get_path_coords(id, path_id, nullptr) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_get_path_coords(7, path_id, got) == UTOFU_ERR_INVALID_VCQ_ID);
    CHECK(utofu_get_path_coords(id, 0, got) == UTOFU_ERR_INVALID_PATH_ID);
    CHECK(utofu_get_path_coords(id, 2, got) == UTOFU_ERR_INVALID_PATH_ID);
    CHECK(utofu_get_path_coords(id, path_id, got) == UTOFU_SUCCESS);
    CHECK((got[0] == 0 && got[1] == 0 && got[2] == 0));

    // Commands under way.
    void* cbdata = nullptr;
    REQUIRE(put(e, e.here, e.there, 8, 0, UTOFU_ONESIDED_FLAG_TCQ_NOTICE) == UTOFU_SUCCESS);
    CHECK(utofu_free_vcq(e.vcq) == UTOFU_ERR_BUSY);
    CHECK(utofu_dereg_mem(e.vcq, e.here, 0) == UTOFU_ERR_BUSY);
    CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
  });
}

TEST_CASE("uTofu: memory is registered and given back, or refused") {
  on_one_of_two([](Ends& e) {
    Stadd s = 0;
    CHECK(utofu_reg_mem(e.vcq, e.memory, 64, 0, nullptr) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_reg_mem(e.vcq, e.memory, 64, 2, &s) == UTOFU_ERR_INVALID_FLAGS);
    CHECK(utofu_reg_mem(0, e.memory, 64, 0, &s) == UTOFU_ERR_INVALID_VCQ_HDL);
    CHECK(utofu_reg_mem(e.vcq, nullptr, 64, 0, &s) == UTOFU_ERR_INVALID_ADDRESS);
    auto* const nowhere = reinterpret_cast<void*>(0x1000);
    CHECK(utofu_reg_mem(e.vcq, nowhere, 64, 0, &s) == UTOFU_ERR_INVALID_ADDRESS);
    CHECK(utofu_reg_mem(e.vcq, e.memory, 0, 0, &s) == UTOFU_ERR_INVALID_SIZE);
    for (const int negative : {-1, -8})
      CHECK(utofu_reg_mem(e.vcq, e.memory, static_cast<Size>(negative), 0, &s) ==
            UTOFU_ERR_INVALID_SIZE);
    CHECK(utofu_reg_mem_with_stag(e.vcq, e.memory, 64, 256, 0, &s) == UTOFU_ERR_INVALID_STAG);
    CHECK(utofu_reg_mem_with_stag(e.vcq, e.memory + 8, 64, 4, 0, &s) == UTOFU_ERR_INVALID_ADDRESS);
    CHECK(utofu_reg_mem_with_stag(e.vcq, e.memory, 64, own_stag, 0, &s) == UTOFU_ERR_USED);
    constexpr Size more = Size{1} << 36;  // than a node has, none of it ever used
    void* const large = mmap(nullptr, more, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(large != MAP_FAILED);
    CHECK(utofu_reg_mem(e.vcq, large, more, 0, &s) == UTOFU_ERR_OUT_OF_MEMORY);
    munmap(large, more);
    CHECK(utofu_reg_mem(e.vcq, large, more, 0, &s) == UTOFU_ERR_INVALID_ADDRESS);
    std::vector<Stadd> all;
    int rc = UTOFU_SUCCESS;
    while ((rc = utofu_reg_mem(e.vcq, e.memory + all.size(), 64, 0, &s)) == UTOFU_SUCCESS)
      all.push_back(s);
    CHECK(rc == UTOFU_ERR_FULL);
    CHECK(all.size() == 256);
    CHECK(utofu_dereg_mem(e.vcq, all[7], 1) == UTOFU_ERR_INVALID_FLAGS);
    CHECK(utofu_dereg_mem(0, all[7], 0) == UTOFU_ERR_INVALID_VCQ_HDL);
    CHECK(utofu_dereg_mem(e.vcq, all[7] + 1, 0) == UTOFU_ERR_INVALID_STADD);
    CHECK(utofu_dereg_mem(e.vcq, 0, 0) == UTOFU_ERR_INVALID_STADD);
    CHECK(utofu_dereg_mem(e.vcq, all[7], 0) == UTOFU_SUCCESS);
    CHECK(utofu_dereg_mem(e.vcq, all[7], 0) == UTOFU_ERR_INVALID_STADD);
    CHECK(utofu_reg_mem(e.vcq, e.memory, 64, 0, &s) == UTOFU_SUCCESS);

    CHECK(utofu_query_stadd(e.own, 3, nullptr) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_query_stadd(7, 3, &s) == UTOFU_ERR_INVALID_VCQ_ID);
    CHECK(utofu_query_stadd(e.own, 256, &s) == UTOFU_ERR_INVALID_STAG);
    CHECK(utofu_query_stadd(e.own, own_stag, &s) == UTOFU_SUCCESS);
    CHECK(s == e.here);
  });
}

TEST_CASE("uTofu: bad commands are refused, and nothing is sent") {
  on_one_of_two([](Ends& e) {
    constexpr Size longest = (Size{1} << 24) - 1;
    std::uint8_t outside[6] = {1, 0, 0, 0, 0, 0};
    Id id = 0;
    REQUIRE(utofu_construct_vcq_id(outside, 0, 0, 0, &id) == UTOFU_SUCCESS);
    id += Id{1} << 32;  // X = 2, of a machine of 2

    // Unregistered memory; that of another queue, here and there.
    Hdl second = 0;
    Id second_id = 0;
    Stadd its = 0;
    REQUIRE(utofu_create_vcq(0, 0, &second) == UTOFU_SUCCESS);
    REQUIRE(utofu_query_vcq_id(second, &second_id) == UTOFU_SUCCESS);
    REQUIRE(utofu_reg_mem(second, e.memory, 64, 0, &its) == UTOFU_SUCCESS);
    REFUSED(put(e, 0, e.there, 8), UTOFU_ERR_INVALID_STADD);
    REFUSED(put(e, reinterpret_cast<Stadd>(e.memory), e.there, 8), UTOFU_ERR_INVALID_STADD);
    REFUSED(put(e, its, e.there, 8), UTOFU_ERR_INVALID_STADD);
    REFUSED(put(e, e.here, its, 8), UTOFU_ERR_INVALID_STADD);
    REFUSED(put(e, e.here, 0, 8), UTOFU_ERR_INVALID_STADD);
    REFUSED(put(e, e.here + bytes + 1, e.there, 8), UTOFU_ERR_INVALID_STADD);
    REFUSED(put(e, e.here - 1, e.there, 8), UTOFU_ERR_INVALID_STADD);
    // Lengths.
    REFUSED(put(e, e.here + 1, e.there, bytes), UTOFU_ERR_INVALID_SIZE);
    REFUSED(put(e, e.here, e.there, longest + 1), UTOFU_ERR_INVALID_SIZE);
    REFUSED(put(e, e.here, e.there, ~Size{0}), UTOFU_ERR_INVALID_SIZE);
    REFUSED(put(e, e.here, e.there + (offset_limit - 8), 64), UTOFU_ERR_INVALID_SIZE);
    REFUSED(utofu_put_piggyback(e.vcq, e.other, e.memory, e.there, 33, 0, 0, nullptr),
            UTOFU_ERR_INVALID_SIZE);
    REFUSED(utofu_put_piggyback8(e.vcq, e.other, 1, e.there, 9, 0, 0, nullptr),
            UTOFU_ERR_INVALID_SIZE);
    REFUSED(utofu_get(e.vcq, e.other, e.here, e.there, longest + 1, 0, 0, nullptr),
            UTOFU_ERR_INVALID_SIZE);
    // Where there is memory enough for them, too: the longest is taken, and refused over there.
    Stadd big = 0;
    utofu_mrq_notice told;
    void* const long_memory = e.transport.allocate(longest + 1, 128);
    REQUIRE(utofu_reg_mem(e.vcq, long_memory, longest + 1, 0, &big) == UTOFU_SUCCESS);
    REFUSED(put(e, big, e.there, longest + 1), UTOFU_ERR_INVALID_SIZE);
    REFUSED(utofu_get(e.vcq, e.other, big, e.there, longest + 1, 0, 0, nullptr),
            UTOFU_ERR_INVALID_SIZE);
    CHECK(utofu_get(e.vcq, e.other, big, e.there, longest, 0, 0, nullptr) == UTOFU_SUCCESS);
    CHECK(next_notice(e.vcq, told) == UTOFU_ERR_MRQ_RMT_LENGTH);
    // Ends.
    REFUSED(utofu_put(0, e.other, e.here, e.there, 8, 0, 0, nullptr), UTOFU_ERR_INVALID_VCQ_HDL);
    REFUSED(utofu_put(e.vcq, id, e.here, e.there, 8, 0, 0, nullptr), UTOFU_ERR_INVALID_VCQ_ID);
    REFUSED(utofu_put(e.vcq, 0, e.here, e.there, 8, 0, 0, nullptr), UTOFU_ERR_INVALID_VCQ_ID);
    REFUSED(utofu_put(e.vcq, e.other | 7, e.here, e.there, 8, 0, 0, nullptr),
            UTOFU_ERR_INVALID_VCQ_ID);  // the transport's queue
    REFUSED(utofu_get(e.vcq, id, e.here, e.there, 8, 0, 0, nullptr), UTOFU_ERR_INVALID_VCQ_ID);
    REFUSED(utofu_armw8(e.vcq, id, UTOFU_ARMW_OP_ADD, 1, e.there, 0, 0, nullptr),
            UTOFU_ERR_INVALID_VCQ_ID);
    // The rest.
    REFUSED(put(e, e.here, e.there, 8, 0x10000), UTOFU_ERR_INVALID_EDATA);
    REFUSED(put(e, e.here, e.there, 8, 0, 1UL << 16), UTOFU_ERR_INVALID_FLAGS);
    REFUSED(put(e, e.here, e.there, 8, 0, UTOFU_ONESIDED_FLAG_PATH(2)), UTOFU_ERR_INVALID_PATH_ID);
    REFUSED(utofu_put_piggyback(e.vcq, e.other, nullptr, e.there, 8, 0, 0, nullptr),
            UTOFU_ERR_INVALID_POINTER);
    REFUSED(utofu_armw8(e.vcq, e.other, static_cast<utofu_armw_op>(6), 1, e.there, 0, 0, nullptr),
            UTOFU_ERR_INVALID_OP);
    REFUSED(utofu_armw4(e.vcq, e.other, static_cast<utofu_armw_op>(0), 1, e.there, 0, 0, nullptr),
            UTOFU_ERR_INVALID_OP);
    REFUSED(utofu_armw8(e.vcq, e.other, UTOFU_ARMW_OP_ADD, 1, e.there + 4, 0, 0, nullptr),
            UTOFU_ERR_INVALID_STADD);
    REFUSED(utofu_cswap4(e.vcq, e.other, 0, 1, e.there + 2, 0, 0, nullptr),
            UTOFU_ERR_INVALID_STADD);
    REFUSED(utofu_nop(e.vcq, 1UL << 40, nullptr), UTOFU_ERR_INVALID_FLAGS);
    REFUSED(utofu_nop(0, 0, nullptr), UTOFU_ERR_INVALID_VCQ_HDL);
    Stadd constant = 0;
    REQUIRE(utofu_reg_mem(e.vcq, e.memory, 64, UTOFU_REG_MEM_FLAG_READ_ONLY, &constant) ==
            UTOFU_SUCCESS);
    REFUSED(utofu_get(e.vcq, e.other, constant, e.there, 8, 0, 0, nullptr),
            UTOFU_ERR_INVALID_STADD);
    // Polls.
    void* cbdata = nullptr;
    utofu_mrq_notice notice;
    size_t count = 0;
    CHECK(utofu_poll_tcq(e.vcq, 1, &cbdata) == UTOFU_ERR_INVALID_FLAGS);
    CHECK(utofu_poll_tcq(e.vcq, 0, nullptr) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_poll_tcq(0, 0, &cbdata) == UTOFU_ERR_INVALID_VCQ_HDL);
    CHECK(utofu_poll_tcq(e.vcq, 0, &cbdata) == UTOFU_ERR_NOT_FOUND);
    CHECK(utofu_poll_mrq(e.vcq, 1, &notice) == UTOFU_ERR_INVALID_FLAGS);
    CHECK(utofu_poll_mrq(e.vcq, 0, nullptr) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_poll_mrq(0, 0, &notice) == UTOFU_ERR_INVALID_VCQ_HDL);
    CHECK(utofu_poll_mrq(e.vcq, 0, &notice) == UTOFU_ERR_NOT_FOUND);
    CHECK(utofu_query_num_unread_tcq(e.vcq, nullptr) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_query_num_unread_tcq(0, &count) == UTOFU_ERR_INVALID_VCQ_HDL);
    CHECK(utofu_query_num_unread_mrq(e.vcq, nullptr) == UTOFU_ERR_INVALID_POINTER);
    CHECK(utofu_query_num_unread_mrq(0, &count) == UTOFU_ERR_INVALID_VCQ_HDL);
  });
}

TEST_CASE("uTofu: what the other side refuses is told at both ends, and stops nothing else") {
  constexpr Flags tcq = UTOFU_ONESIDED_FLAG_TCQ_NOTICE;
  constexpr Flags local = UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE;
  std::vector<int> codes;
  const auto other = [](Ends& e) {
    // One notice for every fault, in the order of the commands; wanted or not.
    utofu_mrq_notice n;
    CHECK(next_notice(e.vcq, n) == UTOFU_ERR_MRQ_LCL_STADD);
    CHECK((n.notice_type == UTOFU_MRQ_TYPE_RMT_PUT && n.edata == 1));
    CHECK(next_notice(e.vcq, n) == UTOFU_ERR_MRQ_LCL_LENGTH);
    CHECK((n.notice_type == UTOFU_MRQ_TYPE_RMT_PUT && n.edata == 2));
    CHECK(next_notice(e.vcq, n) == UTOFU_ERR_MRQ_LCL_LENGTH);
    CHECK((n.notice_type == UTOFU_MRQ_TYPE_RMT_GET && n.edata == 3));
    CHECK(next_notice(e.vcq, n) == UTOFU_ERR_MRQ_LCL_STADD);
    CHECK((n.notice_type == UTOFU_MRQ_TYPE_RMT_ARMW && n.edata == 4));
    Vcq from = *Vcq::from(n.vcq_id);
    CHECK((from.node == Coordinates{} && from.tni == 0 && from.queue == 0));
    CHECK(next_notice(e.vcq, n) == UTOFU_ERR_NOT_FOUND);
    CHECK(e.memory[7] == std::byte{0x77});
    CHECK(e.memory[bytes - 1] == std::byte{});
  };
  on_one_of_two(
      [&](Ends& e) {
        utofu_mrq_notice n;
        void* cbdata = nullptr;
        Stadd nothing = 0;
        REQUIRE(utofu_query_stadd(e.other, 9, &nothing) == UTOFU_SUCCESS);
        const auto of = [&](utofu_mrq_notice_type type, U64 edata) {
          return n.notice_type == type && n.edata == edata && n.vcq_id == e.other;
        };
        // Not registered there; told by MRQ even where nobody asked.
        REQUIRE(put(e, e.here, nothing, 8, 1) == UTOFU_SUCCESS);
        CHECK(next_notice(e.vcq, n) == UTOFU_ERR_MRQ_RMT_STADD);
        CHECK(of(UTOFU_MRQ_TYPE_LCL_PUT, 1));
        // Too long: by TCQ, and why by MRQ.
        REQUIRE(utofu_put(e.vcq, e.other, e.here, e.there + 8, bytes, 2, tcq | local, &n) ==
                UTOFU_SUCCESS);
        CHECK(next_end(e.vcq, cbdata) == UTOFU_ERR_TCQ_OTHER);
        CHECK(cbdata == &n);
        CHECK(next_notice(e.vcq, n) == UTOFU_ERR_MRQ_RMT_LENGTH);
        CHECK(of(UTOFU_MRQ_TYPE_LCL_PUT, 2));
        REQUIRE(utofu_get(e.vcq, e.other, e.here, e.there + bytes - 7, 8, 3, local, nullptr) ==
                UTOFU_SUCCESS);
        CHECK(next_notice(e.vcq, n) == UTOFU_ERR_MRQ_RMT_LENGTH);
        CHECK(of(UTOFU_MRQ_TYPE_LCL_GET, 3));
        REQUIRE(utofu_armw8(e.vcq, e.other, UTOFU_ARMW_OP_ADD, 1, nothing, 4, local, nullptr) ==
                UTOFU_SUCCESS);
        CHECK(next_notice(e.vcq, n) == UTOFU_ERR_MRQ_RMT_STADD);
        CHECK(of(UTOFU_MRQ_TYPE_LCL_ARMW, 4));
        // A queue that is not there has nobody to tell.
        Stadd its = 0;
        REQUIRE(utofu_query_stadd(e.other | 1, 9, &its) == UTOFU_SUCCESS);
        REQUIRE(utofu_put(e.vcq, e.other | 1, e.here, its, 8, 5, local, nullptr) == UTOFU_SUCCESS);
        CHECK(next_notice(e.vcq, n) == UTOFU_ERR_MRQ_PEER);
        // And it goes on.
        e.memory[7] = std::byte{0x77};
        REQUIRE(put(e, e.here, e.there, 8, 6, tcq) == UTOFU_SUCCESS);
        CHECK(next_end(e.vcq, cbdata) == UTOFU_SUCCESS);
      },
      other);
}

TEST_CASE("uTofu: memory that may only be read") {
  constexpr Flags local = UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE;
  on_one_of_two([&](Ends& e) {
    // The node's own: requests go round by the network as others' do.
    Stadd constant = 0;
    utofu_mrq_notice n;
    REQUIRE(utofu_reg_mem(e.vcq, e.memory + 64, 64, UTOFU_REG_MEM_FLAG_READ_ONLY, &constant) ==
            UTOFU_SUCCESS);
    const auto fault = [&](int rc, utofu_mrq_notice_type here, utofu_mrq_notice_type there) {
      REQUIRE(rc == UTOFU_SUCCESS);
      std::vector<int> codes;
      for (int i = 0; i < 2; ++i) {
        const int code = next_notice(e.vcq, n);
        CHECK((n.notice_type == here || n.notice_type == there));
        CHECK(code ==
              (n.notice_type == here ? UTOFU_ERR_MRQ_RMT_MEMORY : UTOFU_ERR_MRQ_LCL_MEMORY));
      }
    };
    fault(utofu_put(e.vcq, e.own, e.here, constant, 8, 0, local, nullptr), UTOFU_MRQ_TYPE_LCL_PUT,
          UTOFU_MRQ_TYPE_RMT_PUT);
    fault(utofu_put_piggyback8(e.vcq, e.own, 1, constant, 8, 0, local, nullptr),
          UTOFU_MRQ_TYPE_LCL_PUT, UTOFU_MRQ_TYPE_RMT_PUT);
    fault(utofu_armw4(e.vcq, e.own, UTOFU_ARMW_OP_OR, 1, constant, 0, local, nullptr),
          UTOFU_MRQ_TYPE_LCL_ARMW, UTOFU_MRQ_TYPE_RMT_ARMW);
    REQUIRE(utofu_get(e.vcq, e.own, e.here, constant, 8, 0, local, nullptr) == UTOFU_SUCCESS);
    CHECK(next_notice(e.vcq, n) == UTOFU_SUCCESS);
  });
}
