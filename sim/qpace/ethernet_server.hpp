// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "sim/kernel/sim_node.hpp"
#include "sim/machine/devices.hpp"
#include "sim/qpace/ethernet_port.hpp"
#include "sw/net/tftp_server.hpp"

namespace ht::machine {

/// Addresses on the machine's Ethernet. Locally administered, no ARP, no DHCP.
net::Endpoint node_endpoint(int rank, std::uint16_t port);
net::Endpoint server_endpoint();

/// What is at the other end of all nodes' Ethernet cables: switch and front-end in one, a host with
/// a port for every node, that serves files by TFTP ([QPACE2009] section 8: "loaded via the Gigabit
/// Ethernet network"). Its ports do not share anything: the paper's warning that switches are
/// limited when many nodes load at once is not modelled.
class EthernetServer final : public sim::SimNode {
 public:
  struct Options {
    Picoseconds think_time = 5'000'000;  ///< from a request's arrival to its answer: our assumption
    net::TftpServer::Options tftp;
  };
  EthernetServer(net::FileSource files, Options options)
      : files_(std::move(files)), options_(options) {}

  /// Plugs in the cable of the next node, in order of ranks.
  void connect(sim::EthernetCable& out, sim::EthernetCable& in);

  std::string name() const override { return "Ethernet server"; }
  void run(Picoseconds from, Picoseconds to) override;
  bool finished() const override { return true; }
  Picoseconds asleep_until() const override;
  std::uint64_t progress() const override;
  std::string status() const override;
  bool light() const override { return true; }

  EthernetTotals totals() const;

 private:
  struct Port {
    EthernetPort port;
    net::TftpServer tftp;
  };
  net::FileSource files_;
  Options options_;
  std::vector<std::unique_ptr<Port>> ports_;
  Picoseconds now_ = 0;
};

}  // namespace ht::machine
