// SPDX-License-Identifier: Apache-2.0
// utofu.h, commands that are carried out at once: checks pointers and numbers, and leaves the rest
// to UtofuQueues.
#include <algorithm>
#include <vector>

#include "sw/tofu/utofu/utofu_call.hpp"
#include "sw/tofu/utofu/utofu_requests.hpp"
#include "sw/tofu/utofu/utofu_split.h"

using namespace ht::tofu;

namespace {

using Request = UtofuQueues::Request;

int execute(utofu_vcq_hdl_t handle, Request r, void* cbdata) {
  r.cbdata = cbdata;
  return on_node([&](UtofuNode& node) { return node.queues().submit(handle, r); });
}

}  // namespace

extern "C" {

int utofu_put(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, utofu_stadd_t lcl_stadd,
              utofu_stadd_t rmt_stadd, size_t length, uint64_t edata, unsigned long int flags,
              void* cbdata) {
  return execute(vcq_hdl,
                 request(TniCommand::Put, rmt_vcq_id, lcl_stadd, rmt_stadd, length, edata, flags),
                 cbdata);
}

int utofu_put_gap(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, utofu_stadd_t lcl_stadd,
                  utofu_stadd_t rmt_stadd, size_t length, uint64_t edata, unsigned long int flags,
                  size_t mtu, size_t gap, void* cbdata) {
  return execute(
      vcq_hdl,
      apart(request(TniCommand::Put, rmt_vcq_id, lcl_stadd, rmt_stadd, length, edata, flags), mtu,
            gap),
      cbdata);
}

int utofu_put_stride(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, utofu_stadd_t lcl_stadd,
                     utofu_stadd_t rmt_stadd, size_t length, size_t stride, size_t num_blocks,
                     uint64_t edata, unsigned long int flags, void* cbdata) {
  return execute(
      vcq_hdl,
      strided(request(TniCommand::Put, rmt_vcq_id, lcl_stadd, rmt_stadd, length, edata, flags),
              stride, num_blocks),
      cbdata);
}

int utofu_put_stride_gap(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                         utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                         size_t stride, size_t num_blocks, uint64_t edata, unsigned long int flags,
                         size_t mtu, size_t gap, void* cbdata) {
  return execute(vcq_hdl,
                 apart(strided(request(TniCommand::Put, rmt_vcq_id, lcl_stadd, rmt_stadd, length,
                                       edata, flags),
                               stride, num_blocks),
                       mtu, gap),
                 cbdata);
}

int utofu_put_piggyback(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, void* lcl_data,
                        utofu_stadd_t rmt_stadd, size_t length, uint64_t edata,
                        unsigned long int flags, void* cbdata) {
  if (lcl_data == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  return execute(vcq_hdl, put_of(lcl_data, rmt_vcq_id, rmt_stadd, length, edata, flags), cbdata);
}

int utofu_put_piggyback8(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, uint64_t lcl_data,
                         utofu_stadd_t rmt_stadd, size_t length, uint64_t edata,
                         unsigned long int flags, void* cbdata) {
  if (length > sizeof lcl_data) return answer(UTOFU_ERR_INVALID_SIZE);
  return execute(vcq_hdl, put_of(&lcl_data, rmt_vcq_id, rmt_stadd, length, edata, flags), cbdata);
}

int utofu_get(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, utofu_stadd_t lcl_stadd,
              utofu_stadd_t rmt_stadd, size_t length, uint64_t edata, unsigned long int flags,
              void* cbdata) {
  return execute(vcq_hdl,
                 request(TniCommand::Get, rmt_vcq_id, lcl_stadd, rmt_stadd, length, edata, flags),
                 cbdata);
}

int utofu_get_gap(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, utofu_stadd_t lcl_stadd,
                  utofu_stadd_t rmt_stadd, size_t length, uint64_t edata, unsigned long int flags,
                  size_t mtu, size_t gap, void* cbdata) {
  return execute(
      vcq_hdl,
      apart(request(TniCommand::Get, rmt_vcq_id, lcl_stadd, rmt_stadd, length, edata, flags), mtu,
            gap),
      cbdata);
}

int utofu_get_stride(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, utofu_stadd_t lcl_stadd,
                     utofu_stadd_t rmt_stadd, size_t length, size_t stride, size_t num_blocks,
                     uint64_t edata, unsigned long int flags, void* cbdata) {
  return execute(
      vcq_hdl,
      strided(request(TniCommand::Get, rmt_vcq_id, lcl_stadd, rmt_stadd, length, edata, flags),
              stride, num_blocks),
      cbdata);
}

int utofu_get_stride_gap(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                         utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                         size_t stride, size_t num_blocks, uint64_t edata, unsigned long int flags,
                         size_t mtu, size_t gap, void* cbdata) {
  return execute(vcq_hdl,
                 apart(strided(request(TniCommand::Get, rmt_vcq_id, lcl_stadd, rmt_stadd, length,
                                       edata, flags),
                               stride, num_blocks),
                       mtu, gap),
                 cbdata);
}

int utofu_armw4(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, utofu_armw_op armw_op,
                uint32_t op_value, utofu_stadd_t rmt_stadd, uint64_t edata, unsigned long int flags,
                void* cbdata) {
  const auto operation = operation_of(armw_op);
  if (!operation) return answer(UTOFU_ERR_INVALID_OP);
  return execute(vcq_hdl,
                 atomic<uint32_t>(rmt_vcq_id, *operation, op_value, 0, rmt_stadd, edata, flags),
                 cbdata);
}

int utofu_armw8(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, utofu_armw_op armw_op,
                uint64_t op_value, utofu_stadd_t rmt_stadd, uint64_t edata, unsigned long int flags,
                void* cbdata) {
  const auto operation = operation_of(armw_op);
  if (!operation) return answer(UTOFU_ERR_INVALID_OP);
  return execute(vcq_hdl,
                 atomic<uint64_t>(rmt_vcq_id, *operation, op_value, 0, rmt_stadd, edata, flags),
                 cbdata);
}

int utofu_cswap4(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, uint32_t old_value,
                 uint32_t new_value, utofu_stadd_t rmt_stadd, uint64_t edata,
                 unsigned long int flags, void* cbdata) {
  return execute(vcq_hdl,
                 atomic(rmt_vcq_id, AtomicOperation::CompareSwap, new_value, old_value, rmt_stadd,
                        edata, flags),
                 cbdata);
}

int utofu_cswap8(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, uint64_t old_value,
                 uint64_t new_value, utofu_stadd_t rmt_stadd, uint64_t edata,
                 unsigned long int flags, void* cbdata) {
  return execute(vcq_hdl,
                 atomic(rmt_vcq_id, AtomicOperation::CompareSwap, new_value, old_value, rmt_stadd,
                        edata, flags),
                 cbdata);
}

int utofu_nop(utofu_vcq_hdl_t vcq_hdl, unsigned long int flags, void* cbdata) {
  return execute(vcq_hdl, request(TniCommand::Nothing, 0, 0, 0, 0, 0, flags), cbdata);
}

int utofu_put_split(size_t ways, const utofu_vcq_hdl_t vcq_hdls[],
                    const utofu_vcq_id_t rmt_vcq_ids[], const utofu_stadd_t lcl_stadds[],
                    const utofu_stadd_t rmt_stadds[], size_t length, uint64_t edata,
                    unsigned long int flags, void* cbdata) {
  constexpr size_t line = 128;
  if (ways == 0) return answer(UTOFU_ERR_INVALID_NUMBER);
  for (const void* array :
       {static_cast<const void*>(vcq_hdls), static_cast<const void*>(rmt_vcq_ids),
        static_cast<const void*>(lcl_stadds), static_cast<const void*>(rmt_stadds)}) {
    if (array == nullptr) return UTOFU_ERR_INVALID_POINTER;
  }
  return on_node([&](UtofuNode& node) -> int {
    std::vector<utofu_vcq_id_t> vcqs(rmt_vcq_ids, rmt_vcq_ids + ways);
    if (const int rc = node.queues().spread(vcqs); rc != UTOFU_SUCCESS) return rc;
    const size_t share = (length / ways + line) / line * line;
    std::vector<Request> parts;
    for (size_t i = 0; i < ways; ++i) {
      const size_t begin = std::min(i * share, length);
      const size_t bytes = i + 1 < ways ? std::min(share, length - begin) : length - begin;
      parts.push_back(request(TniCommand::Put, vcqs[i], lcl_stadds[i] + begin,
                              rmt_stadds[i] + begin, bytes, edata, flags));
      parts.back().cbdata = cbdata;
    }
    return node.queues().submit({vcq_hdls, ways}, parts);
  });
}

}  // extern "C"
