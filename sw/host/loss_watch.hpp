// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sw/host/errors.hpp"
#include "sw/host/hardware_port.hpp"

namespace ht::host {

/// A link over which a node receives nothing any more: the node at its other end, or the cable, is
/// lost.
struct SilentLink {
  int node = 0, link = 0;
  auto operator<=>(const SilentLink&) const = default;
};

/// How a node's software finds out what is lost, and informs the others, with what its machine has
/// for that. Called from the node's fibre; nothing here waits for another node.
class LossProbe {
 public:
  virtual ~LossProbe() = default;
  /// Links that are enabled, and those of them that are up; one bit each.
  virtual std::uint32_t enabled_links() = 0;
  virtual std::uint32_t links_up() = 0;
  /// Informs the nodes that can be reached at once; called repeatedly, with each link in turn.
  virtual void tell(const SilentLink& silent) = 0;
  /// What others have reported since the last call.
  virtual std::vector<SilentLink> heard() = 0;
  /// For a node whose own hardware has failed: the node at that link's other end finds it not up.
  virtual void leave(int link) = 0;
};

/// When a node concludes that something is lost.
struct LossTimes {
  Picoseconds look = 20'000'000;     ///< between two looks, while a program waits or computes
  Picoseconds silent = 200'000'000;  ///< a link that is not up for so long is silent
  Picoseconds patience =
      600'000'000;  ///< a program that waits longer than this waits for a lost node
  Picoseconds farewell = 300'000'000;     ///< exchanging reports with the others
  Picoseconds between_tells = 7'000'000;  ///< longer than a look into memory takes
};

/// What a node reports at its end of the losses.
struct LossStatement {
  Picoseconds time = 0;            ///< when it had said it
  std::vector<SilentLink> silent;  ///< in order of nodes and links
  std::string why;                 ///< what ended its program
};

/// Thrown out of whatever a program waits in.
class LossNotice : public ProtocolError {
 public:
  using ProtocolError::ProtocolError;
};

/// A node's watch: look() while its program runs, farewell() after that has failed.
class LossWatch {
 public:
  /// `progress` grows with what the node's program gets done.
  LossWatch(HardwarePort& port, int node, LossProbe& probe, std::function<std::uint64_t()> progress,
            LossTimes times = {});

  /// Throws LossNotice if something is gone, or nothing has come for too long.
  void look();
  /// Exchanges with the others what is lost, for LossTimes::farewell.
  LossStatement farewell(std::string why);
  /// Of this node, over all its links: the others find it lost.
  void leave();

 private:
  void add(const SilentLink& link);
  void look_at_links();

  HardwarePort& port_;
  int node_;
  LossProbe& probe_;
  std::function<std::uint64_t()> progress_;
  LossTimes times_;
  std::vector<Picoseconds> missing_since_;  ///< by link; negative: it is up, or not enabled
  std::vector<SilentLink> silent_;          ///< sorted
  std::uint64_t last_progress_ = 0;
  Picoseconds progress_time_ = 0;
};

}  // namespace ht::host
