// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/campaign/draw.hpp"
#include "sw/tofu/icc.hpp"
#include "sw/tofu/network_interface.hpp"
#include "sw/tofu/ranks/coordinates.hpp"

namespace ht::campaign {

/// A command of a network interface, drawn: between offsets in the regions that all nodes have.
struct TofuAccess {
  int node = 0, peer = 0;                ///< who gives it; where it goes
  std::size_t queue = 0, far_queue = 0;  ///< of TofuRemoteTraffic::queues
  tofu::TniCommand command = tofu::TniCommand::Put;
  tofu::AtomicOperation operation = tofu::AtomicOperation::Add;
  bool wide = false, notice = false;
  std::uint64_t length = 0, local = 0, far = 0;
  std::uint32_t path = 0;                  ///< the first leg over A, B and C
  std::uint64_t operand = 0, compare = 0;  ///< of an atomic; of a put the first is its 32 bytes'
  Picoseconds start = 0;                   ///< not before

  /// "put of 17 bytes from node 0 to node 2, interface 1 queue 3".
  std::string describe() const;
};

/// A node takes the steering tag of a queue's region away, whoever uses it then, and gives it back
/// for the same region.
struct TofuTagChange {
  int node = 0;
  std::size_t queue = 0;  ///< of TofuRemoteTraffic::queues
  Picoseconds at = 0, pause = 0;

  std::string describe() const;
};

/// What nodes do to each other's memory in a run. No two commands touch the same bytes, so that
/// what is where at the end is known without an order.
struct TofuRemoteTraffic {
  std::uint64_t salt = 0;                              ///< of what is in the regions at first
  std::vector<std::pair<int, int>> queues;             ///< interface and queue, in use on all nodes
  std::array<int, tofu::interfaces_per_node> group{};  ///< of nodes' interfaces: two jobs, or one
  std::vector<TofuAccess> accesses;
  std::vector<TofuTagChange> changes;
  /// Until then a cable may be dead for so long that its links go down; 0: none is.
  Picoseconds dead_until = 0;

  /// Whether the access goes from one job to another: it must be refused, and change nothing.
  bool strays(const TofuAccess& access) const;

  /// Whether the access names a tag that is taken away at some time: it may fail.
  bool may_fail(const TofuAccess& access) const;

  /// Whether the access may end with this cause, which is not good, since a cable is dead.
  bool may_lose(const TofuAccess& access, tofu::TniCause cause) const;

  std::uint64_t region_bytes = std::uint64_t{1} << 16;
  bool soak = false;
  /// A region before anything was done to it.
  std::byte initial(int node, std::uint64_t offset) const;
  /// What an access leaves behind, where it writes, by what the command says.
  std::vector<std::byte> result(const TofuAccess& access) const;
  /// What an atomic finds.
  std::uint64_t found(const TofuAccess& access) const;
  /// A region when everything is done; nothing for the bytes of accesses that did not end well,
  /// which may be there or not. `ends`: by access.
  std::vector<std::optional<std::byte>> image(int node,
                                              const std::vector<tofu::TniCause>& ends) const;
};

/// When remote accesses begin, and whether there are very many of them.
struct TofuRemoteTimes {
  Picoseconds from = 0, span = 0;
  bool soak = false;
};

/// Puts of one and several packets, data in commands, gets, atomics, on one to four queues.
TofuRemoteTraffic draw_remote_traffic(Draw draw, const tofu::Shape& shape,
                                      const TofuRemoteTimes& times);

/// Two jobs on the machine, with strays between them, in half of the runs; steering tags that are
/// taken away while they are used, in a third.
void draw_disorder(Draw draw, int nodes, Picoseconds from, Picoseconds span,
                   TofuRemoteTraffic& traffic);

/// A cable is dead until `until` for so long that its links go down: one access in four begins
/// within `span` from then on, when all links are up again, and is to end well.
void draw_late(Draw draw, Picoseconds until, Picoseconds span, TofuRemoteTraffic& traffic);

/// A node's part of it, by the driver of its network interfaces.
class TofuRemoteProgram {
 public:
  /// `regions`: of all nodes, filled in by set_up(). `ends`: of all accesses, filled in by step().
  TofuRemoteProgram(const TofuRemoteTraffic& traffic, int node, std::vector<std::byte*>& regions,
                    std::vector<tofu::TniCause>& ends);

  void set_up(tofu::Icc& icc);
  /// Gives commands that are due, and looks for ends: what is complete and good is compared with
  /// the memory at its target there and then. Whether there is more to do.
  bool step(Picoseconds now);
  /// After everything: all memory, and the notices.
  void account();

  std::uint64_t completed() const { return completed_; }
  std::uint64_t failed() const { return failed_; }
  std::uint64_t lost() const { return lost_; }
  std::uint64_t strays() const { return strays_; }
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  tofu::NetworkInterface& interface(std::size_t queue);
  void set_tag(std::size_t queue);
  void change_tags(Picoseconds now);
  void give(const TofuAccess& access);
  void ended(const TofuAccess& access, const tofu::Completion& completion);
  void take_notices();

  const TofuRemoteTraffic& traffic_;
  int node_;
  std::vector<std::byte*>& regions_;
  std::vector<tofu::TniCause>& ends_;
  std::vector<const TofuTagChange*> changes_;   ///< the earliest last
  std::map<std::size_t, Picoseconds> tagless_;  ///< queues, until when
  tofu::Icc* icc_ = nullptr;
  std::map<int, std::unique_ptr<tofu::NetworkInterface>> interfaces_;
  std::vector<const TofuAccess*> due_;  ///< the earliest last
  std::map<std::pair<std::size_t, std::uint16_t>, const TofuAccess*> under_way_;
  std::uint64_t completed_ = 0, failed_ = 0, strays_ = 0, lost_ = 0;
  std::vector<std::string> complaints_;
};

}  // namespace ht::campaign
