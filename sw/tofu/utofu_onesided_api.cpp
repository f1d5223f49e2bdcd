// SPDX-License-Identifier: Apache-2.0
// utofu.h, one-sided communication: checks pointers, numbers and flags, and leaves the rest to
// UtofuQueues.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "sw/tofu/utofu_call.hpp"
#include "sw/tofu/utofu_split.h"

using ht::tofu::AtomicOperation;
using ht::tofu::on_node;
using ht::tofu::TniCommand;
using ht::tofu::UtofuNode;
using ht::tofu::UtofuQueues;
using ht::tofu::Vcq;

namespace {

using Request = UtofuQueues::Request;

Request request(TniCommand kind, utofu_vcq_id_t vcq, utofu_stadd_t local, utofu_stadd_t remote,
                std::size_t length, std::uint64_t edata, unsigned long flags, void* cbdata) {
  Request r;
  r.command.command = kind;
  r.command.length = length;
  r.vcq = vcq;
  r.local = local;
  r.remote = remote;
  r.edata = edata;
  r.flags = flags;
  r.cbdata = cbdata;
  return r;
}

int put_data(utofu_vcq_hdl_t handle, utofu_vcq_id_t vcq, const void* data, utofu_stadd_t remote,
             std::size_t length, std::uint64_t edata, unsigned long flags, void* cbdata) {
  return on_node([&](UtofuNode& node) {
    Request r = request(TniCommand::PutImmediate, vcq, 0, remote, length, edata, flags, cbdata);
    if (length <= r.command.data.size()) std::memcpy(r.command.data.data(), data, length);
    return node.queues().submit(handle, r);
  });
}

/// An atomic operation on 4 or 8 bytes; `compare` for compare and swap only.
template <typename Word>
int atomic(utofu_vcq_hdl_t handle, utofu_vcq_id_t vcq, AtomicOperation operation, Word operand,
           Word compare, utofu_stadd_t remote, std::uint64_t edata, unsigned long flags,
           void* cbdata) {
  return on_node([&](UtofuNode& node) {
    Request r = request(TniCommand::Atomic, vcq, 0, remote, 0, edata, flags, cbdata);
    r.command.operation = operation;
    r.command.wide = sizeof(Word) == 8;
    const std::uint64_t operands[] = {operand, compare};
    std::memcpy(r.command.data.data(), operands, sizeof operands);
    return node.queues().submit(handle, r);
  });
}

template <typename Word>
int atomic(utofu_vcq_hdl_t handle, utofu_vcq_id_t vcq, utofu_armw_op operation, Word operand,
           utofu_stadd_t remote, std::uint64_t edata, unsigned long flags, void* cbdata) {
  const auto with = [&](AtomicOperation op) {
    return atomic<Word>(handle, vcq, op, operand, 0, remote, edata, flags, cbdata);
  };
  switch (operation) {
    case UTOFU_ARMW_OP_SWAP:
      return with(AtomicOperation::Swap);
    case UTOFU_ARMW_OP_ADD:
      return with(AtomicOperation::Add);
    case UTOFU_ARMW_OP_XOR:
      return with(AtomicOperation::Xor);
    case UTOFU_ARMW_OP_AND:
      return with(AtomicOperation::And);
    case UTOFU_ARMW_OP_OR:
      return with(AtomicOperation::Or);
  }
  return UTOFU_ERR_INVALID_OP;
}

int enroll(utofu_vcq_hdl_t handle, void* memory, std::size_t bytes, std::optional<unsigned> stag,
           unsigned long flags, utofu_stadd_t* stadd) {
  if (stadd == nullptr) return UTOFU_ERR_INVALID_POINTER;
  if ((flags & ~UTOFU_REG_MEM_FLAG_READ_ONLY) != 0) return UTOFU_ERR_INVALID_FLAGS;
  return on_node(
      [&](UtofuNode& n) { return n.queues().enroll(handle, memory, bytes, stag, flags, *stadd); });
}

}  // namespace

extern "C" {

int utofu_get_onesided_tnis(utofu_tni_id_t** tni_ids, size_t* num_tnis) {
  if (tni_ids == nullptr || num_tnis == nullptr) return UTOFU_ERR_INVALID_POINTER;
  return on_node([&](UtofuNode& node) -> int {
    const auto count = static_cast<size_t>(node.queues().interfaces());
    *num_tnis = count;
    *tni_ids = nullptr;
    if (count == 0) return UTOFU_SUCCESS;
    auto* const ids = static_cast<utofu_tni_id_t*>(std::malloc(count * sizeof(utofu_tni_id_t)));
    if (ids == nullptr) return UTOFU_ERR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) ids[i] = static_cast<utofu_tni_id_t>(i);
    *tni_ids = ids;
    return UTOFU_SUCCESS;
  });
}

int utofu_query_onesided_caps(utofu_tni_id_t tni_id, utofu_onesided_caps** tni_caps) {
  if (tni_caps == nullptr) return UTOFU_ERR_INVALID_POINTER;
  return on_node([&](UtofuNode& node) -> int {
    if (tni_id >= node.queues().interfaces()) return UTOFU_ERR_INVALID_TNI_ID;
    *tni_caps = &node.onesided_capabilities();
    return UTOFU_SUCCESS;
  });
}

int utofu_create_vcq(utofu_tni_id_t tni_id, unsigned long int flags, utofu_vcq_hdl_t* vcq_hdl) {
  return utofu_create_vcq_with_cmp_id(tni_id, 0, flags, vcq_hdl);
}

int utofu_create_vcq_with_cmp_id(utofu_tni_id_t tni_id, utofu_cmp_id_t cmp_id,
                                 unsigned long int flags, utofu_vcq_hdl_t* vcq_hdl) {
  constexpr unsigned long heeded = UTOFU_VCQ_FLAG_THREAD_SAFE | UTOFU_VCQ_FLAG_EXCLUSIVE;
  if (vcq_hdl == nullptr) return UTOFU_ERR_INVALID_POINTER;
  if (cmp_id >= UtofuQueues::components) return UTOFU_ERR_INVALID_CMP_ID;
  if ((flags & ~(heeded | UTOFU_VCQ_FLAG_SESSION_MODE)) != 0) return UTOFU_ERR_INVALID_FLAGS;
  if ((flags & UTOFU_VCQ_FLAG_SESSION_MODE) != 0) return UTOFU_ERR_NOT_SUPPORTED;
  return on_node([&](UtofuNode& node) -> int {
    if (tni_id >= node.queues().interfaces()) return UTOFU_ERR_INVALID_TNI_ID;
    return node.queues().create(tni_id, cmp_id, *vcq_hdl);
  });
}

int utofu_free_vcq(utofu_vcq_hdl_t vcq_hdl) {
  return on_node([&](UtofuNode& node) { return node.queues().free(vcq_hdl); });
}

int utofu_query_vcq_id(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t* vcq_id) {
  if (vcq_id == nullptr) return UTOFU_ERR_INVALID_POINTER;
  return on_node([&](UtofuNode& node) { return node.queues().id(vcq_hdl, *vcq_id); });
}

int utofu_construct_vcq_id(uint8_t coords[], utofu_tni_id_t tni_id, utofu_cq_id_t cq_id,
                           utofu_cmp_id_t cmp_id, utofu_vcq_id_t* vcq_id) {
  if (coords == nullptr || vcq_id == nullptr) return UTOFU_ERR_INVALID_POINTER;
  return on_node([&](UtofuNode& node) {
    Vcq vcq;
    for (std::size_t i = 0; i < 6; ++i) vcq.node.at[i] = coords[i];
    vcq.tni = tni_id;
    vcq.queue = cq_id;
    vcq.component = cmp_id;
    return node.queues().construct(vcq, *vcq_id);
  });
}

int utofu_set_vcq_id_path(utofu_vcq_id_t* vcq_id, uint8_t path_coords[]) {
  if (vcq_id == nullptr) return UTOFU_ERR_INVALID_POINTER;
  return on_node([&](UtofuNode& node) { return node.queues().set_path(*vcq_id, path_coords); });
}

int utofu_query_vcq_info(utofu_vcq_id_t vcq_id, uint8_t coords[], utofu_tni_id_t* tni_id,
                         utofu_cq_id_t* cq_id, uint16_t* extra_val) {
  return on_node([&](UtofuNode& node) {
    Vcq v;
    if (const int rc = node.queues().query(vcq_id, v); rc != UTOFU_SUCCESS) return rc;
    for (std::size_t i = 0; i < 6 && coords != nullptr; ++i)
      coords[i] = static_cast<uint8_t>(v.node.at[i]);
    if (tni_id != nullptr) *tni_id = static_cast<utofu_tni_id_t>(v.tni);
    if (cq_id != nullptr) *cq_id = static_cast<utofu_cq_id_t>(v.queue);
    if (extra_val != nullptr) *extra_val = static_cast<uint16_t>(v.component);
    return int{UTOFU_SUCCESS};
  });
}

int utofu_get_path_id(utofu_vcq_id_t vcq_id, uint8_t path_coords[], utofu_path_id_t* path_id) {
  if (path_id == nullptr) return UTOFU_ERR_INVALID_POINTER;
  return on_node(
      [&](UtofuNode& node) { return node.queues().path_id(vcq_id, path_coords, *path_id); });
}

int utofu_get_path_coords(utofu_vcq_id_t vcq_id, utofu_path_id_t path_id, uint8_t path_coords[]) {
  if (path_coords == nullptr) return UTOFU_ERR_INVALID_POINTER;
  return on_node([&](UtofuNode& node) {
    return node.queues().path_coordinates(vcq_id, path_id, path_coords);
  });
}

int utofu_reg_mem(utofu_vcq_hdl_t vcq_hdl, void* addr, size_t size, unsigned long int flags,
                  utofu_stadd_t* stadd) {
  return enroll(vcq_hdl, addr, size, std::nullopt, flags, stadd);
}

int utofu_reg_mem_with_stag(utofu_vcq_hdl_t vcq_hdl, void* addr, size_t size, unsigned int stag,
                            unsigned long int flags, utofu_stadd_t* stadd) {
  return enroll(vcq_hdl, addr, size, stag, flags, stadd);
}

int utofu_query_stadd(utofu_vcq_id_t vcq_id, unsigned int stag, utofu_stadd_t* stadd) {
  if (stadd == nullptr) return UTOFU_ERR_INVALID_POINTER;
  return on_node([&](UtofuNode& node) { return node.queues().address(vcq_id, stag, *stadd); });
}

int utofu_dereg_mem(utofu_vcq_hdl_t vcq_hdl, utofu_stadd_t stadd, unsigned long int flags) {
  if (flags != 0) return UTOFU_ERR_INVALID_FLAGS;
  return on_node([&](UtofuNode& node) { return node.queues().discharge(vcq_hdl, stadd); });
}

int utofu_put(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, utofu_stadd_t lcl_stadd,
              utofu_stadd_t rmt_stadd, size_t length, uint64_t edata, unsigned long int flags,
              void* cbdata) {
  return on_node([&](UtofuNode& node) {
    return node.queues().submit(vcq_hdl, request(TniCommand::Put, rmt_vcq_id, lcl_stadd, rmt_stadd,
                                                 length, edata, flags, cbdata));
  });
}

int utofu_put_piggyback(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, void* lcl_data,
                        utofu_stadd_t rmt_stadd, size_t length, uint64_t edata,
                        unsigned long int flags, void* cbdata) {
  if (lcl_data == nullptr) return UTOFU_ERR_INVALID_POINTER;
  return put_data(vcq_hdl, rmt_vcq_id, lcl_data, rmt_stadd, length, edata, flags, cbdata);
}

int utofu_put_piggyback8(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, uint64_t lcl_data,
                         utofu_stadd_t rmt_stadd, size_t length, uint64_t edata,
                         unsigned long int flags, void* cbdata) {
  if (length > sizeof lcl_data) return UTOFU_ERR_INVALID_SIZE;
  return put_data(vcq_hdl, rmt_vcq_id, &lcl_data, rmt_stadd, length, edata, flags, cbdata);
}

int utofu_put_split(size_t ways, const utofu_vcq_hdl_t vcq_hdls[],
                    const utofu_vcq_id_t rmt_vcq_ids[], const utofu_stadd_t lcl_stadds[],
                    const utofu_stadd_t rmt_stadds[], size_t length, uint64_t edata,
                    unsigned long int flags, void* cbdata) {
  constexpr size_t line = 128;
  if (ways == 0) return UTOFU_ERR_INVALID_NUMBER;
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
                              rmt_stadds[i] + begin, bytes, edata, flags, cbdata));
    }
    return node.queues().submit({vcq_hdls, ways}, parts);
  });
}

int utofu_get(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, utofu_stadd_t lcl_stadd,
              utofu_stadd_t rmt_stadd, size_t length, uint64_t edata, unsigned long int flags,
              void* cbdata) {
  return on_node([&](UtofuNode& node) {
    return node.queues().submit(vcq_hdl, request(TniCommand::Get, rmt_vcq_id, lcl_stadd, rmt_stadd,
                                                 length, edata, flags, cbdata));
  });
}

int utofu_armw4(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, utofu_armw_op armw_op,
                uint32_t op_value, utofu_stadd_t rmt_stadd, uint64_t edata, unsigned long int flags,
                void* cbdata) {
  return atomic(vcq_hdl, rmt_vcq_id, armw_op, op_value, rmt_stadd, edata, flags, cbdata);
}

int utofu_armw8(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, utofu_armw_op armw_op,
                uint64_t op_value, utofu_stadd_t rmt_stadd, uint64_t edata, unsigned long int flags,
                void* cbdata) {
  return atomic(vcq_hdl, rmt_vcq_id, armw_op, op_value, rmt_stadd, edata, flags, cbdata);
}

int utofu_cswap4(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, uint32_t old_value,
                 uint32_t new_value, utofu_stadd_t rmt_stadd, uint64_t edata,
                 unsigned long int flags, void* cbdata) {
  return atomic<uint32_t>(vcq_hdl, rmt_vcq_id, AtomicOperation::CompareSwap, new_value, old_value,
                          rmt_stadd, edata, flags, cbdata);
}

int utofu_cswap8(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, uint64_t old_value,
                 uint64_t new_value, utofu_stadd_t rmt_stadd, uint64_t edata,
                 unsigned long int flags, void* cbdata) {
  return atomic<uint64_t>(vcq_hdl, rmt_vcq_id, AtomicOperation::CompareSwap, new_value, old_value,
                          rmt_stadd, edata, flags, cbdata);
}

int utofu_nop(utofu_vcq_hdl_t vcq_hdl, unsigned long int flags, void* cbdata) {
  return on_node([&](UtofuNode& node) {
    return node.queues().submit(vcq_hdl,
                                request(TniCommand::Nothing, 0, 0, 0, 0, 0, flags, cbdata));
  });
}

int utofu_poll_tcq(utofu_vcq_hdl_t vcq_hdl, unsigned long int flags, void** cbdata) {
  if (flags != 0) return UTOFU_ERR_INVALID_FLAGS;
  if (cbdata == nullptr) return UTOFU_ERR_INVALID_POINTER;
  return on_node([&](UtofuNode& node) { return node.queues().poll(vcq_hdl, *cbdata); });
}

int utofu_poll_mrq(utofu_vcq_hdl_t vcq_hdl, unsigned long int flags, utofu_mrq_notice* notice) {
  if (flags != 0) return UTOFU_ERR_INVALID_FLAGS;
  if (notice == nullptr) return UTOFU_ERR_INVALID_POINTER;
  return on_node([&](UtofuNode& node) { return node.queues().poll(vcq_hdl, *notice); });
}

int utofu_query_num_unread_tcq(utofu_vcq_hdl_t vcq_hdl, size_t* count) {
  if (count == nullptr) return UTOFU_ERR_INVALID_POINTER;
  return on_node([&](UtofuNode& node) { return node.queues().unread_tcq(vcq_hdl, *count); });
}

int utofu_query_num_unread_mrq(utofu_vcq_hdl_t vcq_hdl, size_t* count) {
  if (count == nullptr) return UTOFU_ERR_INVALID_POINTER;
  return on_node([&](UtofuNode& node) { return node.queues().unread_mrq(vcq_hdl, *count); });
}

}  // extern "C"
