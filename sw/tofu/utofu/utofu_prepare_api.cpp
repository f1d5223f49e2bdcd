// SPDX-License-Identifier: Apache-2.0
// utofu.h, commands that are prepared first and posted later.
#include "sw/tofu/utofu/utofu_call.hpp"
#include "sw/tofu/utofu/utofu_prepared.hpp"
#include "sw/tofu/utofu/utofu_requests.hpp"

using namespace ht::tofu;

namespace {

int describe(utofu_vcq_hdl_t handle, const UtofuQueues::Request& r, void* desc, size_t* desc_size) {
  if (desc == nullptr || desc_size == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  return on_node([&](UtofuNode& node) {
    const int rc = node.queues().check(handle, r);
    if (rc != UTOFU_SUCCESS) return rc;
    prepare(handle, r, desc);
    *desc_size = prepared_bytes;
    return rc;
  });
}

}  // namespace

extern "C" {

int utofu_prepare_put(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, utofu_stadd_t lcl_stadd,
                      utofu_stadd_t rmt_stadd, size_t length, uint64_t edata,
                      unsigned long int flags, void* desc, size_t* desc_size) {
  return describe(vcq_hdl,
                  request(TniCommand::Put, rmt_vcq_id, lcl_stadd, rmt_stadd, length, edata, flags),
                  desc, desc_size);
}

int utofu_prepare_put_gap(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                          utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                          uint64_t edata, unsigned long int flags, size_t mtu, size_t gap,
                          void* desc, size_t* desc_size) {
  return describe(
      vcq_hdl,
      apart(request(TniCommand::Put, rmt_vcq_id, lcl_stadd, rmt_stadd, length, edata, flags), mtu,
            gap),
      desc, desc_size);
}

int utofu_prepare_put_stride(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                             utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                             size_t stride, size_t num_blocks, uint64_t edata,
                             unsigned long int flags, void* desc, size_t* desc_size) {
  return describe(
      vcq_hdl,
      strided(request(TniCommand::Put, rmt_vcq_id, lcl_stadd, rmt_stadd, length, edata, flags),
              stride, num_blocks),
      desc, desc_size);
}

int utofu_prepare_put_stride_gap(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                                 utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                                 size_t stride, size_t num_blocks, uint64_t edata,
                                 unsigned long int flags, size_t mtu, size_t gap, void* desc,
                                 size_t* desc_size) {
  return describe(vcq_hdl,
                  apart(strided(request(TniCommand::Put, rmt_vcq_id, lcl_stadd, rmt_stadd, length,
                                        edata, flags),
                                stride, num_blocks),
                        mtu, gap),
                  desc, desc_size);
}

int utofu_prepare_put_piggyback(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, void* lcl_data,
                                utofu_stadd_t rmt_stadd, size_t length, uint64_t edata,
                                unsigned long int flags, void* desc, size_t* desc_size) {
  if (lcl_data == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  return describe(vcq_hdl, put_of(lcl_data, rmt_vcq_id, rmt_stadd, length, edata, flags), desc,
                  desc_size);
}

int utofu_prepare_put_piggyback8(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                                 uint64_t lcl_data, utofu_stadd_t rmt_stadd, size_t length,
                                 uint64_t edata, unsigned long int flags, void* desc,
                                 size_t* desc_size) {
  if (length > sizeof lcl_data) return answer(UTOFU_ERR_INVALID_SIZE);
  return describe(vcq_hdl, put_of(&lcl_data, rmt_vcq_id, rmt_stadd, length, edata, flags), desc,
                  desc_size);
}

int utofu_prepare_get(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, utofu_stadd_t lcl_stadd,
                      utofu_stadd_t rmt_stadd, size_t length, uint64_t edata,
                      unsigned long int flags, void* desc, size_t* desc_size) {
  return describe(vcq_hdl,
                  request(TniCommand::Get, rmt_vcq_id, lcl_stadd, rmt_stadd, length, edata, flags),
                  desc, desc_size);
}

int utofu_prepare_get_gap(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                          utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                          uint64_t edata, unsigned long int flags, size_t mtu, size_t gap,
                          void* desc, size_t* desc_size) {
  return describe(
      vcq_hdl,
      apart(request(TniCommand::Get, rmt_vcq_id, lcl_stadd, rmt_stadd, length, edata, flags), mtu,
            gap),
      desc, desc_size);
}

int utofu_prepare_get_stride(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                             utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                             size_t stride, size_t num_blocks, uint64_t edata,
                             unsigned long int flags, void* desc, size_t* desc_size) {
  return describe(
      vcq_hdl,
      strided(request(TniCommand::Get, rmt_vcq_id, lcl_stadd, rmt_stadd, length, edata, flags),
              stride, num_blocks),
      desc, desc_size);
}

int utofu_prepare_get_stride_gap(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                                 utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                                 size_t stride, size_t num_blocks, uint64_t edata,
                                 unsigned long int flags, size_t mtu, size_t gap, void* desc,
                                 size_t* desc_size) {
  return describe(vcq_hdl,
                  apart(strided(request(TniCommand::Get, rmt_vcq_id, lcl_stadd, rmt_stadd, length,
                                        edata, flags),
                                stride, num_blocks),
                        mtu, gap),
                  desc, desc_size);
}

int utofu_prepare_armw4(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, utofu_armw_op armw_op,
                        uint32_t op_value, utofu_stadd_t rmt_stadd, uint64_t edata,
                        unsigned long int flags, void* desc, size_t* desc_size) {
  const auto operation = operation_of(armw_op);
  if (!operation) return answer(UTOFU_ERR_INVALID_OP);
  return describe(vcq_hdl,
                  atomic<uint32_t>(rmt_vcq_id, *operation, op_value, 0, rmt_stadd, edata, flags),
                  desc, desc_size);
}

int utofu_prepare_armw8(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, utofu_armw_op armw_op,
                        uint64_t op_value, utofu_stadd_t rmt_stadd, uint64_t edata,
                        unsigned long int flags, void* desc, size_t* desc_size) {
  const auto operation = operation_of(armw_op);
  if (!operation) return answer(UTOFU_ERR_INVALID_OP);
  return describe(vcq_hdl,
                  atomic<uint64_t>(rmt_vcq_id, *operation, op_value, 0, rmt_stadd, edata, flags),
                  desc, desc_size);
}

int utofu_prepare_cswap4(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, uint32_t old_value,
                         uint32_t new_value, utofu_stadd_t rmt_stadd, uint64_t edata,
                         unsigned long int flags, void* desc, size_t* desc_size) {
  return describe(vcq_hdl,
                  atomic(rmt_vcq_id, AtomicOperation::CompareSwap, new_value, old_value, rmt_stadd,
                         edata, flags),
                  desc, desc_size);
}

int utofu_prepare_cswap8(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, uint64_t old_value,
                         uint64_t new_value, utofu_stadd_t rmt_stadd, uint64_t edata,
                         unsigned long int flags, void* desc, size_t* desc_size) {
  return describe(vcq_hdl,
                  atomic(rmt_vcq_id, AtomicOperation::CompareSwap, new_value, old_value, rmt_stadd,
                         edata, flags),
                  desc, desc_size);
}

int utofu_prepare_nop(utofu_vcq_hdl_t vcq_hdl, unsigned long int flags, void* desc,
                      size_t* desc_size) {
  return describe(vcq_hdl, request(TniCommand::Nothing, 0, 0, 0, 0, 0, flags), desc, desc_size);
}

int utofu_post_toq(utofu_vcq_hdl_t vcq_hdl, void* desc, size_t desc_size, void* cbdata) {
  if (desc == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  if (desc_size == 0 || desc_size % prepared_bytes != 0) return answer(UTOFU_ERR_INVALID_SIZE);
  return on_node([&](UtofuNode& node) -> int {
    utofu_vcq_id_t own = 0;
    if (const int rc = node.queues().id(vcq_hdl, own); rc != UTOFU_SUCCESS) return rc;
    auto requests = prepared(vcq_hdl, desc, desc_size / prepared_bytes, cbdata);
    if (!requests) return UTOFU_ERR_INVALID_DESC;
    return node.queues().submit(vcq_hdl, *requests);
  });
}

}  // extern "C"
