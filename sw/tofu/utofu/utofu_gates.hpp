// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sw/tofu/gates/barrier_interface.hpp"
#include "sw/tofu/ranks/coordinates.hpp"
#include "sw/tofu/utofu/utofu.h"

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

/// The gates of one of a node's network interfaces, as a program's uTofu has them: what utofu.h
/// documents, behind its checks of pointers. Functions return its codes.
class UtofuGates {
 public:
  struct Place {
    Coordinates here;
    Shape machine;
    int tni = 0;
    int first_gates = gates_per_node;  ///< TNI 0 of any node: those below are programs', 8 to 64
    std::uint8_t group = 1;
    Profile profile;
    /// Programs have the gates below.
    int gates(int of_tni) const { return of_tni == 0 ? first_gates : gates_per_node; }
  };
  UtofuGates(BarrierInterface& interface, const Place& place);

  int allocate(std::size_t count, utofu_vbg_id_t* ids);
  /// Whether free() may free them; no id may be another interface's.
  int check_free(std::span<const utofu_vbg_id_t> ids) const;
  void free(std::span<const utofu_vbg_id_t> ids);
  /// What these settings of gates of this interface make of them, for wire().
  struct Plan;
  int plan(std::span<const utofu_vbg_setting> settings, Plan& plan) const;
  void wire(const Plan& plan);
  int start_barrier(utofu_vbg_id_t id);
  int start(utofu_vbg_id_t id, utofu_reduce_op operation, std::span<const std::uint64_t> data);
  int start(utofu_vbg_id_t id, utofu_reduce_op operation, std::span<const double> data);
  int poll_barrier(utofu_vbg_id_t id);
  /// As many as were started are written.
  int poll(utofu_vbg_id_t id, std::uint64_t* data);
  int poll(utofu_vbg_id_t id, double* data);
  /// Operations that were started, and not polled to their end.
  std::size_t unfinished() const;

 private:
  enum class Kind { None, Barrier, Integer, Double };
  struct Gate {
    std::optional<int> channel;  ///< allocated
    bool wired = false;
    std::optional<int> local_source, local_destination;
  };
  using Gates = std::array<Gate, gates_per_node>;
  struct UnderWay {
    Kind kind = Kind::None;
    std::size_t count = 0;
  };

  std::optional<int> own(utofu_vbg_id_t id) const;
  std::optional<int> start_gate(utofu_vbg_id_t id) const;
  int check_remote(utofu_vbg_id_t id, std::optional<GatePlace>& place) const;
  int check(const utofu_vbg_setting& setting, GateSetting& wiring) const;
  static bool consistent(const Gates& gates);
  bool complete(int channel) const;
  int may_start(utofu_vbg_id_t id, int& channel) const;
  int ended(utofu_vbg_id_t id, Kind kind, GateResult& result, std::size_t& count);

  BarrierInterface& interface_;
  Place place_;
  Gates gates_;
  std::array<UnderWay, channels_per_node> under_way_{};
};

struct UtofuGates::Plan {
  Gates gates;
  std::vector<std::pair<int, GateSetting>> wirings;
};

}  // namespace ht::tofu
