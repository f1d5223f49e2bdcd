// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sw/tofu/gates/barrier_interface.hpp"
#include "sw/tofu/ranks/coordinates.hpp"
#include "sw/tofu/utofu/utofu.h"
#include "sw/tofu/utofu/utofu_gates.hpp"
#include "sw/tofu/utofu/utofu_queues.hpp"

namespace ht::tofu {

/// A node's uTofu: while it lives, the uTofu calls of the fibre it was made in act on the barrier
/// interfaces and the network interfaces. Gates of one group accept packets only of their own: a
/// job has its own.
class UtofuNode {
 public:
  /// `gates`: those below are the program's, 8 to 64.
  /// Throws std::logic_error outside of a fibre, or if the fibre has one already.
  UtofuNode(BarrierInterface& interface, UtofuNetwork network, int gates = gates_per_node,
            std::uint8_t group = 1);
  /// The same with a barrier interface of each network interface that has gates; `gates` of the
  /// first.
  UtofuNode(std::span<BarrierInterface* const> interfaces, UtofuNetwork network, int gates,
            std::uint8_t group);
  /// Gates only.
  UtofuNode(BarrierInterface& interface, const Coordinates& here, const Shape& machine,
            std::uint8_t group = 1);
  /// Leaves the hardware as it is: also the way out when a run is thrown away in the middle.
  ~UtofuNode();
  UtofuNode(const UtofuNode&) = delete;
  UtofuNode& operator=(const UtofuNode&) = delete;

  /// Of the fibre that calls, or null.
  static UtofuNode* current();

  const Coordinates& coordinates() const { return here_; }
  host::HardwarePort& port() { return port_; }
  const Profile& profile() const { return profile_; }
  /// Network interfaces with barrier gates: TNIs below.
  int gate_interfaces() const { return static_cast<int>(gates_.size()); }
  utofu_barrier_caps& capabilities() { return capabilities_; }
  utofu_onesided_caps& onesided_capabilities() { return onesided_capabilities_; }
  /// One-sided communication.
  UtofuQueues& queues() { return queues_; }

  // What utofu.h documents, behind its checks of pointers.
  int allocate(int tni, std::size_t count, utofu_vbg_id_t* ids);
  int free(std::span<const utofu_vbg_id_t> ids);
  int set(std::span<const utofu_vbg_setting> settings);
  int query(utofu_vbg_id_t id, Vbg& result) const;
  int start_barrier(utofu_vbg_id_t id) { return gates_of(id).start_barrier(id); }
  template <typename Word>
  int start(utofu_vbg_id_t id, utofu_reduce_op operation, std::span<const Word> data) {
    return gates_of(id).start(id, operation, data);
  }
  int poll_barrier(utofu_vbg_id_t id) { return gates_of(id).poll_barrier(id); }
  template <typename Word>
  int poll(utofu_vbg_id_t id, Word* data) {
    return gates_of(id).poll(id, data);
  }

 private:
  /// The gates that an id is of, if it is one of an interface with gates; else those of the first.
  UtofuGates& gates_of(utofu_vbg_id_t id);
  void describe_capabilities();
  /// At the end of the program: what it started, and did not see the end of, is refused.
  void check_end();

  host::HardwarePort& port_;
  Coordinates here_;
  Shape machine_;
  Profile profile_;
  utofu_barrier_caps capabilities_{};
  utofu_onesided_caps onesided_capabilities_{};
  UtofuQueues queues_;
  std::vector<UtofuGates> gates_;  ///< by interface
};

}  // namespace ht::tofu
