// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string_view>

#include "sw/host/time.hpp"

namespace ht::host {

/// What a node's program may ask of its host. One per node, called only from that node's
/// fibre; every call that blocks returns to the kernel and costs simulated time.
class Runtime {
 public:
  virtual ~Runtime() = default;

  /// Simulated time on this node.
  virtual Picoseconds now() const = 0;

  /// Lets `duration` ps (>= 0) pass on this node: how compute time is charged.
  virtual void advance(Picoseconds duration) = 0;

  /// The same between two looks at something that has a time limit of its own: nothing is done
  /// meanwhile.
  virtual void pause(Picoseconds duration) { advance(duration); }

  /// As advance(), for computing that keeps the node's memory busy for that share of it (0 to 1):
  /// what the network moves meanwhile may delay it, and be delayed.
  virtual void compute(Picoseconds duration, double /*memory_share*/) { advance(duration); }

  /// Blocks until something happened at this node (its memory was written by the network, a
  /// transfer finished) since the last return of wait(); returns at once if something already has.
  /// A hint: callers check their condition again. `what` names what is waited for and must stay
  /// valid while waiting; the watchdog prints it.
  virtual void wait(std::string_view what) = 0;

  /// For a node whose program has ended: calls `service`, and again whenever something happened at
  /// this node, until the programs of all nodes have ended; it does not return then, but unwinds.
  /// Returns at once where nothing else can happen.
  virtual void linger(const std::function<void()>& service) { service(); }
};

}  // namespace ht::host
