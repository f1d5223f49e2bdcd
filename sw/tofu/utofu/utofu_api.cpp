// SPDX-License-Identifier: Apache-2.0
// utofu.h, barrier gates: checks pointers, numbers and flags, and leaves the rest to UtofuNode.
#include <cstdlib>
#include <span>

#include "sw/tofu/utofu/utofu_call.hpp"

using ht::tofu::answer;
using ht::tofu::on_node;
using ht::tofu::UtofuNode;
using ht::tofu::Vbg;

namespace {

// A TNI that no profile has is wrong outside of nodes, too.
bool is_no_tni(utofu_tni_id_t tni) {
  const UtofuNode* const node = UtofuNode::current();
  return tni >= (node == nullptr ? 1 : node->gate_interfaces());
}

template <typename Word>
int reduce(utofu_vbg_id_t vbg_id, utofu_reduce_op op, const Word* data, size_t num_data,
           unsigned long flags, size_t utofu_barrier_caps::*most) {
  if (flags != 0) return answer(UTOFU_ERR_INVALID_FLAGS);
  if (data == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  return on_node([&](UtofuNode& node) -> int {
    if (num_data == 0 || num_data > node.capabilities().*most) return UTOFU_ERR_INVALID_NUMBER;
    return node.start(vbg_id, op, std::span(data, num_data));
  });
}

}  // namespace

extern "C" {

int utofu_get_barrier_tnis(utofu_tni_id_t** tni_ids, size_t* num_tnis) {
  if (tni_ids == nullptr || num_tnis == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  // How a program finds out: no failure.
  if (UtofuNode::current() == nullptr) return UTOFU_ERR_NOT_AVAILABLE;
  return on_node([&](UtofuNode& node) -> int {
    const auto count = static_cast<size_t>(node.gate_interfaces());
    auto* const ids = static_cast<utofu_tni_id_t*>(std::malloc(count * sizeof(utofu_tni_id_t)));
    if (ids == nullptr) return UTOFU_ERR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) ids[i] = static_cast<utofu_tni_id_t>(i);
    *tni_ids = ids;
    *num_tnis = count;
    return UTOFU_SUCCESS;
  });
}

int utofu_query_barrier_caps(utofu_tni_id_t tni_id, utofu_barrier_caps** tni_caps) {
  if (tni_caps == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  if (is_no_tni(tni_id)) return answer(UTOFU_ERR_INVALID_TNI_ID);
  return on_node([&](UtofuNode& node) -> int {
    *tni_caps = &node.capabilities();
    return UTOFU_SUCCESS;
  });
}

int utofu_alloc_vbg(utofu_tni_id_t tni_id, size_t num_vbgs, unsigned long int flags,
                    utofu_vbg_id_t vbg_ids[]) {
  if (is_no_tni(tni_id)) return answer(UTOFU_ERR_INVALID_TNI_ID);
  if (num_vbgs == 0) return answer(UTOFU_ERR_INVALID_NUMBER);
  if ((flags & ~UTOFU_VBG_FLAG_THREAD_SAFE) != 0) return answer(UTOFU_ERR_INVALID_FLAGS);
  if (vbg_ids == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  return on_node([&](UtofuNode& node) { return node.allocate(tni_id, num_vbgs, vbg_ids); });
}

int utofu_free_vbg(utofu_vbg_id_t vbg_ids[], size_t num_vbgs) {
  if (vbg_ids == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  if (num_vbgs == 0) return answer(UTOFU_ERR_INVALID_NUMBER);
  return on_node([&](UtofuNode& node) { return node.free({vbg_ids, num_vbgs}); });
}

int utofu_set_vbg(utofu_vbg_setting vbg_settings[], size_t num_vbg_settings) {
  if (vbg_settings == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  if (num_vbg_settings == 0) return answer(UTOFU_ERR_INVALID_NUMBER);
  return on_node([&](UtofuNode& node) { return node.set({vbg_settings, num_vbg_settings}); });
}

int utofu_query_vbg_info(utofu_vbg_id_t vbg_id, uint8_t coords[], utofu_tni_id_t* tni_id,
                         utofu_bg_id_t* bg_id, uint16_t* extra_val) {
  return on_node([&](UtofuNode& node) {
    Vbg v;
    if (const int rc = node.query(vbg_id, v); rc != UTOFU_SUCCESS) return rc;
    for (std::size_t i = 0; i < 6 && coords != nullptr; ++i)
      coords[i] = static_cast<uint8_t>(v.node.at[i]);
    if (tni_id != nullptr) *tni_id = static_cast<utofu_tni_id_t>(v.tni);
    if (bg_id != nullptr) *bg_id = static_cast<utofu_bg_id_t>(v.gate);
    if (extra_val != nullptr) *extra_val = v.group;
    return int{UTOFU_SUCCESS};
  });
}

int utofu_barrier(utofu_vbg_id_t vbg_id, unsigned long int flags) {
  if (flags != 0) return answer(UTOFU_ERR_INVALID_FLAGS);
  return on_node([&](UtofuNode& node) { return node.start_barrier(vbg_id); });
}

int utofu_reduce_uint64(utofu_vbg_id_t vbg_id, utofu_reduce_op op, uint64_t data[], size_t num_data,
                        unsigned long int flags) {
  return reduce(vbg_id, op, data, num_data, flags, &utofu_barrier_caps::max_uint64_reduction);
}

int utofu_reduce_double(utofu_vbg_id_t vbg_id, utofu_reduce_op op, double data[], size_t num_data,
                        unsigned long int flags) {
  return reduce(vbg_id, op, data, num_data, flags, &utofu_barrier_caps::max_double_reduction);
}

int utofu_poll_barrier(utofu_vbg_id_t vbg_id, unsigned long int flags) {
  if (flags != 0) return answer(UTOFU_ERR_INVALID_FLAGS);
  return on_node([&](UtofuNode& node) { return node.poll_barrier(vbg_id); });
}

int utofu_poll_reduce_uint64(utofu_vbg_id_t vbg_id, unsigned long int flags, uint64_t data[]) {
  if (flags != 0) return answer(UTOFU_ERR_INVALID_FLAGS);
  if (data == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  return on_node([&](UtofuNode& node) { return node.poll(vbg_id, data); });
}

int utofu_poll_reduce_double(utofu_vbg_id_t vbg_id, unsigned long int flags, double data[]) {
  if (flags != 0) return answer(UTOFU_ERR_INVALID_FLAGS);
  if (data == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  return on_node([&](UtofuNode& node) { return node.poll(vbg_id, data); });
}

void utofu_query_tofu_version(int* major_ver, int* minor_ver) {
  // The K computer's is 1; Tofu2 and TofuD came later.
  const UtofuNode* const node = UtofuNode::current();
  if (major_ver != nullptr) *major_ver = node == nullptr ? 1 : node->profile().version;
  if (minor_ver != nullptr) *minor_ver = 0;
}

void utofu_query_utofu_version(int* major_ver, int* minor_ver) {
  if (major_ver != nullptr) *major_ver = UTOFU_VERSION_MAJOR;
  if (minor_ver != nullptr) *minor_ver = UTOFU_VERSION_MINOR;
}

int utofu_query_my_coords(uint8_t coords[]) {
  if (coords == nullptr) return answer(UTOFU_ERR_INVALID_POINTER);
  return on_node([&](UtofuNode& node) {
    for (std::size_t i = 0; i < 6; ++i) coords[i] = static_cast<uint8_t>(node.coordinates().at[i]);
    return int{UTOFU_SUCCESS};
  });
}

}  // extern "C"
