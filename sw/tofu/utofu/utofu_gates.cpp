// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/utofu/utofu_gates.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "sw/tofu/ranks/paths.hpp"

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

UtofuGates::UtofuGates(BarrierInterface& interface, const Place& place)
    : interface_(interface), place_(place) {}

// -------------------------------------------------------------------------------------------------
// Gates

std::optional<int> UtofuGates::own(utofu_vbg_id_t id) const {
  const auto v = Vbg::from(id);
  if (!v || v->tni != place_.tni || v->node != place_.here || v->group != place_.group ||
      !gates_[at(v->gate)].channel)
    return std::nullopt;
  return v->gate;
}

std::optional<int> UtofuGates::start_gate(utofu_vbg_id_t id) const {
  const auto gate = own(id);
  return gate && *gate < channels_per_node ? gate : std::nullopt;
}

int UtofuGates::allocate(std::size_t count, utofu_vbg_id_t* ids) {
  std::vector<int> found;
  for (int c = first_channel; c < channels_per_node && found.empty(); ++c) {
    const bool used =
        std::any_of(gates_.begin(), gates_.end(), [&](const Gate& g) { return g.channel == c; });
    if (!used) found.push_back(c);
  }
  if (found.empty()) return UTOFU_ERR_FULL;
  for (int g = channels_per_node; g < place_.gates(place_.tni) && found.size() < count; ++g) {
    if (!gates_[at(g)].channel) found.push_back(g);
  }
  if (found.size() < count) return UTOFU_ERR_FULL;
  for (std::size_t i = 0; i < count; ++i) {
    gates_[at(found[i])] = Gate{found[0], false, {}, {}};
    ids[i] = Vbg{place_.here, found[i], place_.group, place_.tni}.id();
  }
  return UTOFU_SUCCESS;
}

int UtofuGates::check_free(std::span<const utofu_vbg_id_t> ids) const {
  std::vector<int> gates;
  for (const utofu_vbg_id_t id : ids) {
    const auto gate = own(id);
    if (!gate || std::find(gates.begin(), gates.end(), *gate) != gates.end())
      return UTOFU_ERR_INVALID_VBG_ID;
    if (under_way_[at(*gates_[at(*gate)].channel)].kind != Kind::None) return UTOFU_ERR_BUSY;
    gates.push_back(*gate);
  }
  return UTOFU_SUCCESS;
}

void UtofuGates::free(std::span<const utofu_vbg_id_t> ids) {
  for (const utofu_vbg_id_t id : ids) {
    const int gate = *own(id);
    interface_.free(gate);
    gates_[at(gate)] = Gate{};
  }
}

int UtofuGates::check_remote(utofu_vbg_id_t id, std::optional<GatePlace>& place) const {
  if (id == UTOFU_VBG_ID_NULL) return UTOFU_SUCCESS;
  const auto v = Vbg::from(id);
  // A gate of this interface is reached by a signal, not by a packet. Libraries that put ids
  // together by themselves, from an interface, a place and a gate, know of no group (UTF's
  // utf_bg_init()).
  if (!v || v->tni >= place_.profile.gate_interfaces ||
      (v->group != place_.group && v->group != 0) || v->gate < first_channel ||
      v->gate >= place_.gates(v->tni) || !place_.machine.contains(v->node) ||
      (v->node == place_.here && v->tni == place_.tni))
    return UTOFU_ERR_INVALID_VBG_ID;
  place = GatePlace{v->node, v->gate, v->tni};
  return UTOFU_SUCCESS;
}

int UtofuGates::check(const utofu_vbg_setting& s, GateSetting& wiring) const {
  const auto gate = own(s.vbg_id);
  if (!gate) return UTOFU_ERR_INVALID_VBG_ID;
  for (const utofu_vbg_id_t other :
       {s.src_lcl_vbg_id, s.src_rmt_vbg_id, s.dst_lcl_vbg_id, s.dst_rmt_vbg_id}) {
    if (other == s.vbg_id) return UTOFU_ERR_INVALID_ARG;  // wired to itself
  }
  wiring.channel = *gates_[at(*gate)].channel;
  wiring.group = place_.group;
  if (under_way_[at(wiring.channel)].kind != Kind::None) return UTOFU_ERR_BUSY;
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
    const Path path{s.dst_path_coords[0], s.dst_path_coords[1], s.dst_path_coords[2]};
    if (!is_path(place_.machine, path)) return UTOFU_ERR_INVALID_PATH;
    wiring.path = path;
  }
  return UTOFU_SUCCESS;
}

bool UtofuGates::consistent(const Gates& gates) {
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

int UtofuGates::plan(std::span<const utofu_vbg_setting> settings, Plan& plan) const {
  plan.gates = gates_;
  for (const utofu_vbg_setting& s : settings) {
    GateSetting wiring;
    if (const int rc = check(s, wiring); rc != UTOFU_SUCCESS) return rc;
    const int gate = *own(s.vbg_id);
    if (std::any_of(plan.wirings.begin(), plan.wirings.end(),
                    [&](const auto& w) { return w.first == gate; }))
      return UTOFU_ERR_INVALID_ARG;
    plan.wirings.emplace_back(gate, wiring);
    plan.gates[at(gate)] =
        Gate{wiring.channel, true, wiring.local_source, wiring.local_destination};
  }
  return consistent(plan.gates) ? UTOFU_SUCCESS : UTOFU_ERR_INVALID_ARG;
}

void UtofuGates::wire(const Plan& plan) {
  for (const auto& [gate, wiring] : plan.wirings) interface_.wire(gate, wiring);
  gates_ = plan.gates;
}

bool UtofuGates::complete(int channel) const {
  if (!gates_[at(channel)].wired) return false;
  const auto wired = [&](const std::optional<int>& gate) {
    return !gate || (gates_[at(*gate)].channel == channel && gates_[at(*gate)].wired);
  };
  return std::all_of(gates_.begin(), gates_.end(), [&](const Gate& g) {
    return g.channel != channel || !g.wired ||
           (wired(g.local_source) && wired(g.local_destination));
  });
}

// -------------------------------------------------------------------------------------------------
// Operations

int UtofuGates::may_start(utofu_vbg_id_t id, int& channel) const {
  const auto gate = start_gate(id);
  if (!gate) return UTOFU_ERR_INVALID_VBG_ID;
  channel = *gate;
  if (under_way_[at(channel)].kind != Kind::None) return UTOFU_ERR_BUSY;
  return complete(channel) ? UTOFU_SUCCESS : UTOFU_ERR_NOT_AVAILABLE;
}

int UtofuGates::start_barrier(utofu_vbg_id_t id) {
  int channel = 0;
  if (const int rc = may_start(id, channel); rc != UTOFU_SUCCESS) return rc;
  interface_.start(channel, GateOperation::Barrier);
  under_way_[at(channel)] = {Kind::Barrier, 0};
  return UTOFU_SUCCESS;
}

int UtofuGates::start(utofu_vbg_id_t id, utofu_reduce_op operation,
                      std::span<const std::uint64_t> data) {
  const bool pairs = operation == UTOFU_REDUCE_OP_MAXLOC;
  if (pairs && !place_.profile.wide()) return UTOFU_ERR_NOT_SUPPORTED;
  if (pairs && data.size() % 2 != 0) return UTOFU_ERR_INVALID_NUMBER;
  const auto op = pairs ? GateOperation::MaxLoc : integer_operation(operation);
  if (!op) return UTOFU_ERR_INVALID_OP;
  int channel = 0;
  if (const int rc = may_start(id, channel); rc != UTOFU_SUCCESS) return rc;
  interface_.start(channel, *op, data);
  under_way_[at(channel)] = {Kind::Integer, data.size()};
  return UTOFU_SUCCESS;
}

int UtofuGates::start(utofu_vbg_id_t id, utofu_reduce_op operation, std::span<const double> data) {
  if (operation != UTOFU_REDUCE_OP_BFPSUM) return UTOFU_ERR_INVALID_OP;
  int channel = 0;
  if (const int rc = may_start(id, channel); rc != UTOFU_SUCCESS) return rc;
  interface_.start_sum(channel, data);
  under_way_[at(channel)] = {Kind::Double, data.size()};
  return UTOFU_SUCCESS;
}

int UtofuGates::ended(utofu_vbg_id_t id, Kind kind, GateResult& result, std::size_t& count) {
  const auto gate = start_gate(id);
  if (!gate) return UTOFU_ERR_INVALID_VBG_ID;
  UnderWay& under_way = under_way_[at(*gate)];
  if (under_way.kind == Kind::None) return UTOFU_ERR_NOT_FOUND;
  if (under_way.kind != kind) return UTOFU_ERR_INVALID_OP;
  const auto r = interface_.poll(*gate);
  if (!r) return UTOFU_ERR_NOT_COMPLETED;
  count = std::exchange(under_way, UnderWay{}).count;
  result = *r;
  if (r->empty) count = 0;
  if (r->mismatch) return UTOFU_ERR_BARRIER_MISMATCH;
  return r->other ? UTOFU_ERR_BARRIER_OTHER : UTOFU_SUCCESS;
}

std::size_t UtofuGates::unfinished() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(under_way_, [](const UnderWay& u) { return u.kind != Kind::None; }));
}

int UtofuGates::poll_barrier(utofu_vbg_id_t id) {
  GateResult r;
  std::size_t count = 0;
  return ended(id, Kind::Barrier, r, count);
}

int UtofuGates::poll(utofu_vbg_id_t id, std::uint64_t* data) {
  GateResult r;
  std::size_t count = 0;
  const int rc = ended(id, Kind::Integer, r, count);
  for (std::size_t i = 0; rc == UTOFU_SUCCESS && i < count; ++i) data[i] = r.word(i);
  return rc;
}

int UtofuGates::poll(utofu_vbg_id_t id, double* data) {
  GateResult r;
  std::size_t count = 0;
  const int rc = ended(id, Kind::Double, r, count);
  for (std::size_t i = 0; rc == UTOFU_SUCCESS && i < count; ++i) data[i] = r.rounded(i);
  return rc;
}

}  // namespace ht::tofu
