// SPDX-License-Identifier: Apache-2.0
// utofu.h, one-sided communication but for commands: checks pointers, numbers and flags, and leaves
// the rest to UtofuQueues.
#include <cstdlib>
#include <optional>

#include "sw/tofu/utofu/utofu_call.hpp"

using ht::tofu::answer;
using ht::tofu::on_node;
using ht::tofu::UtofuNode;
using ht::tofu::UtofuQueues;
using ht::tofu::Vcq;

namespace {

int enroll(utofu_vcq_hdl_t handle, void* memory, std::size_t bytes, std::optional<unsigned> stag,
           unsigned long flags, utofu_stadd_t* stadd) {
  if (stadd == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  if ((flags & ~UTOFU_REG_MEM_FLAG_READ_ONLY) != 0) return answer(UTOFU_ERR_INVALID_FLAGS);
  return on_node(
      [&](UtofuNode& n) { return n.queues().enroll(handle, memory, bytes, stag, flags, *stadd); });
}

}  // namespace

extern "C" {

int utofu_get_onesided_tnis(utofu_tni_id_t** tni_ids, size_t* num_tnis) {
  if (tni_ids == nullptr || num_tnis == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  // How a program finds out: no failure.
  if (UtofuNode::current() == nullptr) return UTOFU_ERR_NOT_AVAILABLE;
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
  if (tni_caps == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
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
  constexpr unsigned long accepted = UTOFU_VCQ_FLAG_THREAD_SAFE | UTOFU_VCQ_FLAG_EXCLUSIVE;
  if (vcq_hdl == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  if (cmp_id >= UtofuQueues::components) return answer(UTOFU_ERR_INVALID_CMP_ID);
  if ((flags & ~(accepted | UTOFU_VCQ_FLAG_SESSION_MODE)) != 0)
    return answer(UTOFU_ERR_INVALID_FLAGS);
  if ((flags & UTOFU_VCQ_FLAG_SESSION_MODE) != 0) return answer(UTOFU_ERR_NOT_SUPPORTED);
  return on_node([&](UtofuNode& node) -> int {
    if (tni_id >= node.queues().interfaces()) return UTOFU_ERR_INVALID_TNI_ID;
    return node.queues().create(tni_id, cmp_id, *vcq_hdl);
  });
}

int utofu_free_vcq(utofu_vcq_hdl_t vcq_hdl) {
  return on_node([&](UtofuNode& node) { return node.queues().free(vcq_hdl); });
}

int utofu_query_vcq_id(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t* vcq_id) {
  if (vcq_id == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  return on_node([&](UtofuNode& node) { return node.queues().id(vcq_hdl, *vcq_id); });
}

int utofu_construct_vcq_id(uint8_t coords[], utofu_tni_id_t tni_id, utofu_cq_id_t cq_id,
                           utofu_cmp_id_t cmp_id, utofu_vcq_id_t* vcq_id) {
  if (coords == nullptr || vcq_id == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
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
  if (vcq_id == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
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
  if (path_id == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  return on_node(
      [&](UtofuNode& node) { return node.queues().path_id(vcq_id, path_coords, *path_id); });
}

int utofu_get_path_coords(utofu_vcq_id_t vcq_id, utofu_path_id_t path_id, uint8_t path_coords[]) {
  if (path_coords == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
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
  if (stadd == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  return on_node([&](UtofuNode& node) { return node.queues().address(vcq_id, stag, *stadd); });
}

int utofu_dereg_mem(utofu_vcq_hdl_t vcq_hdl, utofu_stadd_t stadd, unsigned long int flags) {
  if (flags != 0) return answer(UTOFU_ERR_INVALID_FLAGS);
  return on_node([&](UtofuNode& node) { return node.queues().discharge(vcq_hdl, stadd); });
}

int utofu_poll_tcq(utofu_vcq_hdl_t vcq_hdl, unsigned long int flags, void** cbdata) {
  if (flags != 0) return answer(UTOFU_ERR_INVALID_FLAGS);
  if (cbdata == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  return on_node([&](UtofuNode& node) { return node.queues().poll(vcq_hdl, *cbdata); });
}

int utofu_poll_mrq(utofu_vcq_hdl_t vcq_hdl, unsigned long int flags, utofu_mrq_notice* notice) {
  if (flags != 0) return answer(UTOFU_ERR_INVALID_FLAGS);
  if (notice == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  return on_node([&](UtofuNode& node) { return node.queues().poll(vcq_hdl, *notice); });
}

int utofu_query_num_unread_tcq(utofu_vcq_hdl_t vcq_hdl, size_t* count) {
  if (count == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  return on_node([&](UtofuNode& node) { return node.queues().unread_tcq(vcq_hdl, *count); });
}

int utofu_query_num_unread_mrq(utofu_vcq_hdl_t vcq_hdl, size_t* count) {
  if (count == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  return on_node([&](UtofuNode& node) { return node.queues().unread_mrq(vcq_hdl, *count); });
}

}  // extern "C"
