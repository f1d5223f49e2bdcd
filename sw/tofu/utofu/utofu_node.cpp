// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/utofu/utofu_node.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sw/host/fibre.hpp"
#include "sw/tofu/utofu/utofu_prepared.hpp"

namespace ht::tofu {
namespace {

constexpr int first_channel = 1;  // 0 is the system's
constexpr std::array<unsigned, 6> shift{32, 40, 48, 56, 57, 59};
constexpr std::array<unsigned, 6> bits{8, 8, 8, 1, 2, 1};
constexpr std::uint64_t bits_in_use = 0xefff'ffff'00ff'ffff;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

std::optional<GateOperation> integer_operation(utofu_reduce_op operation) {
  switch (operation) {
    case UTOFU_REDUCE_OP_BAND:
      return GateOperation::And;
    case UTOFU_REDUCE_OP_BOR:
      return GateOperation::Or;
    case UTOFU_REDUCE_OP_BXOR:
      return GateOperation::Xor;
    case UTOFU_REDUCE_OP_MAX:
      return GateOperation::Max;
    case UTOFU_REDUCE_OP_SUM:
      return GateOperation::Sum;
    default:
      return std::nullopt;
  }
}

}  // namespace

utofu_vbg_id_t Vbg::id() const {
  std::uint64_t id = static_cast<std::uint64_t>(gate) | std::uint64_t{group} << 16 |
                     static_cast<std::uint64_t>(tni) << 61;
  for (std::size_t i = 0; i < 6; ++i) id |= static_cast<std::uint64_t>(node.at[i]) << shift[i];
  return id;
}

std::optional<Vbg> Vbg::from(utofu_vbg_id_t id) {
  if ((id & ~bits_in_use) != 0 || (id & 0xffff) >= gates_per_node) return std::nullopt;
  Vbg v;
  v.gate = static_cast<int>(id & 0xffff);
  v.group = static_cast<std::uint8_t>(id >> 16);
  v.tni = static_cast<int>(id >> 61);
  for (std::size_t i = 0; i < 6; ++i)
    v.node.at[i] = static_cast<int>(id >> shift[i] & ((1U << bits[i]) - 1));
  return v;
}

UtofuNode::UtofuNode(BarrierInterface& interface, const Coordinates& here, const Shape& machine,
                     std::uint8_t group)
    : UtofuNode(interface, UtofuNetwork{{}, here, machine, {}}, gates_per_node, group) {}

UtofuNode::UtofuNode(BarrierInterface& interface, UtofuNetwork network, int gates,
                     std::uint8_t group)
    : interface_(interface),
      here_(network.here),
      machine_(network.machine),
      gate_limit_(gates),
      group_(group),
      queues_(std::move(network)) {
  host::Fibre* const fibre = host::Fibre::current();
  if (fibre == nullptr) throw std::logic_error("UtofuNode: made outside of a fibre");
  if (fibre->user(host::Fibre::Slot::Machine) != nullptr)
    throw std::logic_error("UtofuNode: this fibre has one already");
  capabilities_.reduce_ops = UTOFU_BARRIER_CAP_REDUCE_OP_BARRIER |
                             UTOFU_BARRIER_CAP_REDUCE_OP_BAND | UTOFU_BARRIER_CAP_REDUCE_OP_BOR |
                             UTOFU_BARRIER_CAP_REDUCE_OP_BXOR | UTOFU_BARRIER_CAP_REDUCE_OP_MAX |
                             UTOFU_BARRIER_CAP_REDUCE_OP_SUM | UTOFU_BARRIER_CAP_REDUCE_OP_BFPSUM;
  capabilities_.max_uint64_reduction = 1;  // "one element (scalar data)": seed 002, section 5.3
  capabilities_.max_double_reduction = 1;
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
  fibre->set_user(this, host::Fibre::Slot::Machine);
}

UtofuNode::~UtofuNode() {
  if (host::Fibre* const fibre = host::Fibre::current())
    fibre->set_user(nullptr, host::Fibre::Slot::Machine);
}

UtofuNode* UtofuNode::current() {
  const host::Fibre* const fibre = host::Fibre::current();
  return fibre == nullptr ? nullptr
                          : static_cast<UtofuNode*>(fibre->user(host::Fibre::Slot::Machine));
}

// -------------------------------------------------------------------------------------------------
// Gates

std::optional<int> UtofuNode::own(utofu_vbg_id_t id) const {
  const auto v = Vbg::from(id);
  if (!v || v->tni != 0 || v->node != here_ || v->group != group_ || !gates_[at(v->gate)].channel)
    return std::nullopt;
  return v->gate;
}

std::optional<int> UtofuNode::start_gate(utofu_vbg_id_t id) const {
  const auto gate = own(id);
  return gate && *gate < channels_per_node ? gate : std::nullopt;
}

int UtofuNode::allocate(std::size_t count, utofu_vbg_id_t* ids) {
  std::vector<int> found;
  for (int c = first_channel; c < channels_per_node && found.empty(); ++c) {
    const bool used =
        std::any_of(gates_.begin(), gates_.end(), [&](const Gate& g) { return g.channel == c; });
    if (!used) found.push_back(c);
  }
  if (found.empty()) return UTOFU_ERR_FULL;
  for (int g = channels_per_node; g < gate_limit_ && found.size() < count; ++g) {
    if (!gates_[at(g)].channel) found.push_back(g);
  }
  if (found.size() < count) return UTOFU_ERR_FULL;
  for (std::size_t i = 0; i < count; ++i) {
    gates_[at(found[i])] = Gate{found[0], false, {}, {}};
    ids[i] = Vbg{here_, found[i], group_, 0}.id();
  }
  return UTOFU_SUCCESS;
}

int UtofuNode::free(std::span<const utofu_vbg_id_t> ids) {
  std::vector<int> gates;
  for (const utofu_vbg_id_t id : ids) {
    const auto gate = own(id);
    if (!gate || std::find(gates.begin(), gates.end(), *gate) != gates.end())
      return UTOFU_ERR_INVALID_VBG_ID;
    if (under_way_[at(*gates_[at(*gate)].channel)] != Kind::None) return UTOFU_ERR_BUSY;
    gates.push_back(*gate);
  }
  for (const int gate : gates) {
    interface_.free(gate);
    gates_[at(gate)] = Gate{};
  }
  return UTOFU_SUCCESS;
}

int UtofuNode::check_remote(utofu_vbg_id_t id, std::optional<GatePlace>& place) const {
  if (id == UTOFU_VBG_ID_NULL) return UTOFU_SUCCESS;
  const auto v = Vbg::from(id);
  // A gate of this node is reached by a signal, not by a packet. Libraries that put ids together by
  // themselves, from an interface, a place and a gate, know of no group (UTF's utf_bg_init()).
  if (!v || v->tni != 0 || (v->group != group_ && v->group != 0) || v->gate < first_channel ||
      !machine_.contains(v->node) || v->node == here_)
    return UTOFU_ERR_INVALID_VBG_ID;
  place = GatePlace{v->node, v->gate};
  return UTOFU_SUCCESS;
}

int UtofuNode::check(const utofu_vbg_setting& s, GateSetting& wiring) const {
  const auto gate = own(s.vbg_id);
  if (!gate) return UTOFU_ERR_INVALID_VBG_ID;
  for (const utofu_vbg_id_t other :
       {s.src_lcl_vbg_id, s.src_rmt_vbg_id, s.dst_lcl_vbg_id, s.dst_rmt_vbg_id}) {
    if (other == s.vbg_id) return UTOFU_ERR_INVALID_ARG;  // wired to itself
  }
  wiring.channel = *gates_[at(*gate)].channel;
  wiring.group = group_;
  if (under_way_[at(wiring.channel)] != Kind::None) return UTOFU_ERR_BUSY;
  const auto local = [&](utofu_vbg_id_t id, std::optional<int>& end) {
    if (id == UTOFU_VBG_ID_NULL) return true;
    end = own(id);
    return end && gates_[at(*end)].channel == wiring.channel;
  };
  if (!local(s.src_lcl_vbg_id, wiring.local_source) ||
      !local(s.dst_lcl_vbg_id, wiring.local_destination))
    return UTOFU_ERR_INVALID_VBG_ID;
  for (const auto& [id, end] : {std::pair{s.src_rmt_vbg_id, &wiring.source},
                                std::pair{s.dst_rmt_vbg_id, &wiring.destination}}) {
    if (const int rc = check_remote(id, *end); rc != UTOFU_SUCCESS) return rc;
  }
  const bool in = wiring.local_source || wiring.source;
  const bool out = wiring.local_destination || wiring.destination;
  // The first gate may only give (to a reduction that ends elsewhere) or only take.
  if (*gate < channels_per_node ? !in && !out : !in || !out) return UTOFU_ERR_INVALID_ARG;
  if (wiring.destination && s.dst_path_coords[0] != UTOFU_PATH_COORD_NULL) {
    std::array<int, 3> path{};
    for (std::size_t i = 0; i < 3; ++i) {
      path[i] = s.dst_path_coords[i];
      if (path[i] >= machine_.length[3 + i]) return UTOFU_ERR_INVALID_PATH;
    }
    wiring.path = path;
  }
  return UTOFU_SUCCESS;
}

bool UtofuNode::consistent(const Gates& gates) {
  for (int i = 0; i < gates_per_node; ++i) {
    const Gate& g = gates[at(i)];
    if (!g.wired) continue;
    if (g.local_destination) {
      const Gate& to = gates[at(*g.local_destination)];
      if (to.wired && to.local_source != i) return false;
    }
    if (g.local_source) {
      const Gate& from = gates[at(*g.local_source)];
      if (from.wired && from.local_destination != i) return false;
    }
  }
  return true;
}

int UtofuNode::set(std::span<const utofu_vbg_setting> settings) {
  Gates next = gates_;
  std::vector<std::pair<int, GateSetting>> wirings;
  for (const utofu_vbg_setting& s : settings) {
    GateSetting wiring;
    if (const int rc = check(s, wiring); rc != UTOFU_SUCCESS) return rc;
    const int gate = *own(s.vbg_id);
    if (std::any_of(wirings.begin(), wirings.end(), [&](const auto& w) { return w.first == gate; }))
      return UTOFU_ERR_INVALID_ARG;
    wirings.emplace_back(gate, wiring);
    next[at(gate)] = Gate{wiring.channel, true, wiring.local_source, wiring.local_destination};
  }
  if (!consistent(next)) return UTOFU_ERR_INVALID_ARG;
  for (const auto& [gate, wiring] : wirings) interface_.wire(gate, wiring);
  gates_ = next;
  return UTOFU_SUCCESS;
}

bool UtofuNode::complete(int channel) const {
  if (!gates_[at(channel)].wired) return false;
  const auto wired = [&](const std::optional<int>& gate) {
    return !gate || (gates_[at(*gate)].channel == channel && gates_[at(*gate)].wired);
  };
  return std::all_of(gates_.begin(), gates_.end(), [&](const Gate& g) {
    return g.channel != channel || !g.wired ||
           (wired(g.local_source) && wired(g.local_destination));
  });
}

int UtofuNode::query(utofu_vbg_id_t id, Vbg& result) const {
  const auto v = Vbg::from(id);
  if (!v || v->tni != 0 || v->gate < first_channel || !machine_.contains(v->node))
    return UTOFU_ERR_INVALID_VBG_ID;
  result = *v;
  return UTOFU_SUCCESS;
}

// -------------------------------------------------------------------------------------------------
// Operations

int UtofuNode::may_start(utofu_vbg_id_t id, int& channel) const {
  const auto gate = start_gate(id);
  if (!gate) return UTOFU_ERR_INVALID_VBG_ID;
  channel = *gate;
  if (under_way_[at(channel)] != Kind::None) return UTOFU_ERR_BUSY;
  return complete(channel) ? UTOFU_SUCCESS : UTOFU_ERR_NOT_AVAILABLE;
}

int UtofuNode::start_barrier(utofu_vbg_id_t id) {
  int channel = 0;
  if (const int rc = may_start(id, channel); rc != UTOFU_SUCCESS) return rc;
  interface_.start(channel, GateOperation::Barrier);
  under_way_[at(channel)] = Kind::Barrier;
  return UTOFU_SUCCESS;
}

int UtofuNode::start(utofu_vbg_id_t id, utofu_reduce_op operation, std::uint64_t datum) {
  if (operation == UTOFU_REDUCE_OP_MAXLOC) return UTOFU_ERR_NOT_SUPPORTED;
  const auto op = integer_operation(operation);
  if (!op) return UTOFU_ERR_INVALID_OP;
  int channel = 0;
  if (const int rc = may_start(id, channel); rc != UTOFU_SUCCESS) return rc;
  interface_.start(channel, *op, datum);
  under_way_[at(channel)] = Kind::Integer;
  return UTOFU_SUCCESS;
}

int UtofuNode::start(utofu_vbg_id_t id, utofu_reduce_op operation, double datum) {
  if (operation != UTOFU_REDUCE_OP_BFPSUM) return UTOFU_ERR_INVALID_OP;
  int channel = 0;
  if (const int rc = may_start(id, channel); rc != UTOFU_SUCCESS) return rc;
  interface_.start_sum(channel, datum);
  under_way_[at(channel)] = Kind::Double;
  return UTOFU_SUCCESS;
}

int UtofuNode::ended(utofu_vbg_id_t id, Kind kind, GateResult& result) {
  const auto gate = start_gate(id);
  if (!gate) return UTOFU_ERR_INVALID_VBG_ID;
  Kind& under_way = under_way_[at(*gate)];
  if (under_way == Kind::None) return UTOFU_ERR_NOT_FOUND;
  if (under_way != kind) return UTOFU_ERR_INVALID_OP;
  const auto r = interface_.poll(*gate);
  if (!r) return UTOFU_ERR_NOT_COMPLETED;
  under_way = Kind::None;
  result = *r;
  if (r->mismatch) return UTOFU_ERR_BARRIER_MISMATCH;
  return r->other ? UTOFU_ERR_BARRIER_OTHER : UTOFU_SUCCESS;
}

int UtofuNode::poll_barrier(utofu_vbg_id_t id) {
  GateResult r;
  return ended(id, Kind::Barrier, r);
}

int UtofuNode::poll(utofu_vbg_id_t id, std::uint64_t& datum) {
  GateResult r;
  const int rc = ended(id, Kind::Integer, r);
  if (rc == UTOFU_SUCCESS && !r.empty) datum = r.word();
  return rc;
}

int UtofuNode::poll(utofu_vbg_id_t id, double& datum) {
  GateResult r;
  const int rc = ended(id, Kind::Double, r);
  if (rc == UTOFU_SUCCESS && !r.empty) datum = r.rounded();
  return rc;
}

}  // namespace ht::tofu
