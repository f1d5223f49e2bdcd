// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/ethernet_boot.hpp"

#include <fmt/format.h>

#include "sim/qpace/ethernet_server.hpp"
#include "sw/dirac/boot.hpp"
#include "sw/host/errors.hpp"
#include "sw/net/tftp_client.hpp"

namespace ht::machine {

NodeBoot::NodeBoot(host::HardwarePort& port, int rank)
    : port_(port), rank_(rank), gmac_(port, node_endpoint(rank, 0).mac) {}

net::Bytes NodeBoot::read(const std::string& file) {
  const Picoseconds begin = port_.now();
  net::TftpTransfer t;
  try {
    t = net::tftp_read(gmac_, node_endpoint(rank_, next_port_++), server_endpoint(), file);
  } catch (const TimeoutError& late) {
    // What did not come may have come damaged.
    throw TimeoutError(
        fmt::format("{}; {} frames came to the node damaged", late.what(), gmac_.damaged_frames()));
  }
  // Out of the receive buffers: as qmp::Transport::charge_copy().
  port_.advance(static_cast<Picoseconds>(t.data.size()) * 10'000 / 128);
  load_.bytes += t.data.size();
  ++load_.files;
  load_.repeats += t.repeats;
  load_.time += port_.now() - begin;
  return std::move(t.data);
}

dirac::JobSpec NodeBoot::read_job() {
  const net::Bytes block = read("boot");
  dirac::JobSpec spec =
      dirac::from_boot_block({reinterpret_cast<const char*>(block.data()), block.size()});
  spec.load = [this](const dirac::Coordinates& origin, const dirac::Coordinates& extents) {
    const dirac::Box box{origin, extents};
    return dirac::decode_box(read(dirac::box_name(box)), box);
  };
  return spec;
}

}  // namespace ht::machine
