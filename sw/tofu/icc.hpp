// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <string>

#include "sw/host/hardware_port.hpp"
#include "sw/tofu/gates/barrier_interface.hpp"
#include "sw/tofu/links.hpp"
#include "sw/tofu/profile.hpp"
#include "sw/tofu/ranks/coordinates.hpp"

namespace ht::tofu {

/// A node of a machine.
struct Place {
  Shape machine;
  int node = 0;  ///< Shape::place() says where

  Coordinates coordinates() const { return machine.place(node); }
};

struct IccOptions {
  LinkOptions links;
  BarrierOptions barrier;
};

/// The interconnect controller of a node ([Tofu2012] section 2): its links and its barrier
/// interface. One per node, called only from its fibre.
class Icc {
 public:
  Icc(host::HardwarePort& port, const Place& place, const IccOptions& options = {},
      const Profile& profile = {})
      : place_(place),
        name_("node " + std::to_string(place.node)),
        port_(port),
        links_(port, name_, place.machine, place.coordinates(), options.links),
        barrier_(port, name_, options.barrier, 0, profile) {
    for (int i = 1; i < profile.gate_interfaces; ++i)
      more_barriers_.emplace_back(port, name_, options.barrier, i, profile);
  }

  const Place& place() const { return place_; }
  host::HardwarePort& port() { return port_; }
  Links& links() { return links_; }
  BarrierInterface& barrier() { return barrier_; }
  /// That of a network interface, where several have one; the first is barrier().
  BarrierInterface& barrier(int interface) {
    return interface == 0 ? barrier_ : more_barriers_.at(static_cast<std::size_t>(interface - 1));
  }

  /// Trains the links; before anything else.
  void bring_up() { links_.bring_up(); }
  /// Packets that come by a link must be of this group, or of the system's; 0: of any.
  void set_group(int group);
  /// Packets of other groups that were dropped at links.
  std::uint32_t strayed();
  LinkCounters read_counters(int link) { return links_.read_counters(link); }

  /// Throws HardwareError if the router has dropped a packet or is broken; it names the register.
  void check_router();
  /// The same of everything in the controller that has a register of sticky errors, whether it
  /// raises an interrupt or not, but for the network interfaces.
  void check_errors();

 private:
  Place place_;
  std::string name_;
  host::HardwarePort& port_;
  Links links_;
  BarrierInterface barrier_;
  std::deque<BarrierInterface> more_barriers_;
};

}  // namespace ht::tofu
