// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/utofu/utofu_node.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sw/host/fibre.hpp"
#include "sw/qmp/node.hpp"
#include "sw/tofu/utofu/utofu_call.hpp"
#include "sw/tofu/utofu/utofu_prepared.hpp"

namespace ht::tofu {

UtofuNode::UtofuNode(BarrierInterface& interface, const Coordinates& here, const Shape& machine,
                     std::uint8_t group)
    : UtofuNode(interface, UtofuNetwork{{}, {}, here, machine, {}}, gates_per_node, group) {}

UtofuNode::UtofuNode(BarrierInterface& interface, UtofuNetwork network, int gates,
                     std::uint8_t group)
    : UtofuNode(std::array{&interface}, std::move(network), gates, group) {}

UtofuNode::UtofuNode(std::span<BarrierInterface* const> interfaces, UtofuNetwork network, int gates,
                     std::uint8_t group)
    : port_(interfaces.front()->port()),
      here_(network.here),
      machine_(network.machine),
      profile_(network.profile),
      queues_(std::move(network)) {
  host::Fibre* const fibre = host::Fibre::current();
  if (fibre == nullptr) throw std::logic_error("UtofuNode: made outside of a fibre");
  if (fibre->user(host::Fibre::Slot::Machine) != nullptr)
    throw std::logic_error("UtofuNode: this fibre has one already");
  for (std::size_t i = 0; i < interfaces.size(); ++i) {
    gates_.emplace_back(*interfaces[i], UtofuGates::Place{here_, machine_, static_cast<int>(i),
                                                          gates, group, profile_});
  }
  describe_capabilities();
  fibre->set_user(this, host::Fibre::Slot::Machine);
  qmp::Node::on_end([this] { check_end(); });
}

void UtofuNode::describe_capabilities() {
  capabilities_.reduce_ops = UTOFU_BARRIER_CAP_REDUCE_OP_BARRIER |
                             UTOFU_BARRIER_CAP_REDUCE_OP_BAND | UTOFU_BARRIER_CAP_REDUCE_OP_BOR |
                             UTOFU_BARRIER_CAP_REDUCE_OP_BXOR | UTOFU_BARRIER_CAP_REDUCE_OP_MAX |
                             UTOFU_BARRIER_CAP_REDUCE_OP_SUM | UTOFU_BARRIER_CAP_REDUCE_OP_BFPSUM;
  if (profile_.wide()) capabilities_.reduce_ops |= UTOFU_BARRIER_CAP_REDUCE_OP_MAXLOC;
  // The K computer's: "one element (scalar data)": [Tofu2012] section 5.3.
  capabilities_.max_uint64_reduction = static_cast<std::size_t>(profile_.words());
  capabilities_.max_double_reduction = static_cast<std::size_t>(profile_.doubles());
  auto& one = onesided_capabilities_;
  one.flags = UTOFU_ONESIDED_CAP_FLAG_ARMW;
  one.armw_ops = UTOFU_ONESIDED_CAP_ARMW_OP_CSWAP | UTOFU_ONESIDED_CAP_ARMW_OP_SWAP |
                 UTOFU_ONESIDED_CAP_ARMW_OP_ADD | UTOFU_ONESIDED_CAP_ARMW_OP_XOR |
                 UTOFU_ONESIDED_CAP_ARMW_OP_AND | UTOFU_ONESIDED_CAP_ARMW_OP_OR;
  one.num_cmp_ids = UtofuQueues::components;
  one.num_reserved_stags = UtofuQueues::reserved_tags;
  one.cache_line_size = 128;        // the SPARC64 VIIIfx's
  one.stag_address_alignment = 16;  // unit of the table of steering tags
  one.max_toq_desc_size = prepared_bytes;
  one.max_putget_size = transfer_limit;
  one.max_piggyback_size = immediate_limit;
  one.max_edata_size = UtofuQueues::edata_bytes;
  one.max_mtu = UtofuQueues::packet_bytes;
  one.max_gap = UtofuQueues::gap_limit;
}

UtofuNode::~UtofuNode() {
  if (host::Fibre* const fibre = host::Fibre::current())
    fibre->set_user(nullptr, host::Fibre::Slot::Machine);
}

void UtofuNode::check_end() {
  constexpr Picoseconds patience = 1'000'000'000;  // links try for less than that
  std::vector<std::string> what;
  const UtofuQueues::Left left = queues_.left(patience);
  if (left.failed > 0)
    what.push_back(
        fmt::format("{} notice(s) of uTofu commands that failed were not polled, the "
                    "first one is {}",
                    left.failed, error_name(left.code)));
  if (left.under_way > 0)
    what.push_back(fmt::format("{} uTofu command(s) are under way still", left.under_way));
  std::size_t gates = 0;
  for (const UtofuGates& g : gates_) gates += g.unfinished();
  if (gates > 0)
    what.push_back(fmt::format(
        "{} barrier(s) or reduction(s) of uTofu were started and not polled to their end", gates));
  if (!what.empty()) qmp::Node::refuse(fmt::format("{}", fmt::join(what, "; ")));
}

UtofuNode* UtofuNode::current() {
  host::Fibre::end_if_thrown_away();
  const host::Fibre* const fibre = host::Fibre::current();
  return fibre == nullptr ? nullptr
                          : static_cast<UtofuNode*>(fibre->user(host::Fibre::Slot::Machine));
}

UtofuGates& UtofuNode::gates_of(utofu_vbg_id_t id) {
  const auto v = Vbg::from(id);
  const auto tni = v ? static_cast<std::size_t>(v->tni) : 0;
  return gates_[tni < gates_.size() ? tni : 0];
}

int UtofuNode::allocate(int tni, std::size_t count, utofu_vbg_id_t* ids) {
  return gates_[static_cast<std::size_t>(tni)].allocate(count, ids);
}

// Of several interfaces: all of it, or nothing.
int UtofuNode::free(std::span<const utofu_vbg_id_t> ids) {
  std::vector<std::vector<utofu_vbg_id_t>> parts(gates_.size());
  for (const utofu_vbg_id_t id : ids)
    parts[static_cast<std::size_t>(&gates_of(id) - gates_.data())].push_back(id);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (const int rc = gates_[i].check_free(parts[i]); rc != UTOFU_SUCCESS) return rc;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) gates_[i].free(parts[i]);
  return UTOFU_SUCCESS;
}

int UtofuNode::set(std::span<const utofu_vbg_setting> settings) {
  std::vector<std::vector<utofu_vbg_setting>> parts(gates_.size());
  for (const utofu_vbg_setting& s : settings)
    parts[static_cast<std::size_t>(&gates_of(s.vbg_id) - gates_.data())].push_back(s);
  std::vector<UtofuGates::Plan> plans(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (const int rc = gates_[i].plan(parts[i], plans[i]); rc != UTOFU_SUCCESS) return rc;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) gates_[i].wire(plans[i]);
  return UTOFU_SUCCESS;
}

int UtofuNode::query(utofu_vbg_id_t id, Vbg& result) const {
  const auto v = Vbg::from(id);
  if (!v || v->tni >= gate_interfaces() || v->gate < 1 || !machine_.contains(v->node))
    return UTOFU_ERR_INVALID_VBG_ID;  // gate 0 is the system's
  result = *v;
  return UTOFU_SUCCESS;
}

}  // namespace ht::tofu
