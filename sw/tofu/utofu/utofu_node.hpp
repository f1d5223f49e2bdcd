// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "sw/tofu/gates/barrier_interface.hpp"
#include "sw/tofu/ranks/coordinates.hpp"
#include "sw/tofu/utofu/utofu.h"
#include "sw/tofu/utofu/utofu_queues.hpp"

namespace ht::tofu {

/// What an id of uTofu says of a gate, of whatever node:
///
///     63:61 interface (TNI)  59 C  58:57 B  56 A  55:48 Z  47:40 Y  39:32 X  23:16 group  15:0
///     gate
///
/// In a remote id, group 0 is the job's own.
struct Vbg {
  Coordinates node;
  int gate = 0;
  std::uint8_t group = 0;
  int tni = 0;

  utofu_vbg_id_t id() const;
  /// Nothing if it is no id this library makes.
  static std::optional<Vbg> from(utofu_vbg_id_t id);
};

/// A node's uTofu: while it lives, the uTofu calls of the fibre it was made in act on `interface`
/// and the network interfaces. Gates of one group only understand one another: a job has its own.
class UtofuNode {
 public:
  /// `gates`: those below are the program's, 8 to 64.
  /// Throws std::logic_error outside of a fibre, or if the fibre has one already.
  UtofuNode(BarrierInterface& interface, UtofuNetwork network, int gates = gates_per_node,
            std::uint8_t group = 1);
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
  host::HardwarePort& port() { return interface_.port(); }
  utofu_barrier_caps& capabilities() { return capabilities_; }
  utofu_onesided_caps& onesided_capabilities() { return onesided_capabilities_; }
  /// One-sided communication.
  UtofuQueues& queues() { return queues_; }

  // What utofu.h documents, behind its checks of pointers.
  int allocate(std::size_t count, utofu_vbg_id_t* ids);
  int free(std::span<const utofu_vbg_id_t> ids);
  int set(std::span<const utofu_vbg_setting> settings);
  int query(utofu_vbg_id_t id, Vbg& result) const;
  int start_barrier(utofu_vbg_id_t id);
  int start(utofu_vbg_id_t id, utofu_reduce_op operation, std::uint64_t datum);
  int start(utofu_vbg_id_t id, utofu_reduce_op operation, double datum);
  int poll_barrier(utofu_vbg_id_t id);
  int poll(utofu_vbg_id_t id, std::uint64_t& datum);
  int poll(utofu_vbg_id_t id, double& datum);

 private:
  enum class Kind { None, Barrier, Integer, Double };
  struct Gate {
    std::optional<int> channel;  ///< allocated
    bool wired = false;
    std::optional<int> local_source, local_destination;
  };
  using Gates = std::array<Gate, gates_per_node>;

  std::optional<int> own(utofu_vbg_id_t id) const;
  std::optional<int> start_gate(utofu_vbg_id_t id) const;
  int check_remote(utofu_vbg_id_t id, std::optional<GatePlace>& place) const;
  int check(const utofu_vbg_setting& setting, GateSetting& wiring) const;
  static bool consistent(const Gates& gates);
  bool complete(int channel) const;
  int may_start(utofu_vbg_id_t id, int& channel) const;
  int ended(utofu_vbg_id_t id, Kind kind, GateResult& result);

  BarrierInterface& interface_;
  Coordinates here_;
  Shape machine_;
  int gate_limit_;
  std::uint8_t group_;
  utofu_barrier_caps capabilities_{};
  utofu_onesided_caps onesided_capabilities_{};
  UtofuQueues queues_;
  Gates gates_;
  std::array<Kind, channels_per_node> under_way_{};
};

}  // namespace ht::tofu
