// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/ethernet_boot.hpp"

#include "sim/qpace/ethernet_server.hpp"
#include "sw/dirac/boot.hpp"
#include "sw/net/tftp_client.hpp"

namespace ht::cli {

net::FileSource job_files(const dirac::JobSpec& spec) {
  const std::string text = dirac::to_boot_block(spec);
  const auto boot = std::make_shared<const net::Bytes>(text.begin(), text.end());
  // Nodes generate their part of a generated field themselves; a server has it whole.
  const auto gauge = spec.gauge ? spec.gauge
                                : std::make_shared<const dirac::GlobalGauge>(
                                      dirac::generate_gauge(spec.field, spec.seed, spec.lattice));
  return [=](const std::string& name) -> std::shared_ptr<const net::Bytes> {
    if (name == "boot") return boot;
    const auto box = dirac::parse_box_name(name);
    if (!box) return nullptr;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const int begin = box->origin[mu], extent = box->extents[mu];
      if (begin < 0 || extent < 1 || extent > gauge->lattice[mu] - begin) return nullptr;
    }
    return std::make_shared<const net::Bytes>(dirac::encode_box(*gauge, *box));
  };
}

NodeBoot::NodeBoot(host::HardwarePort& port, int rank)
    : port_(port), rank_(rank), gmac_(port, machine::node_endpoint(rank, 0).mac) {}

net::Bytes NodeBoot::read(const std::string& file) {
  const Picoseconds begin = port_.now();
  net::TftpTransfer t = net::tftp_read(gmac_, machine::node_endpoint(rank_, next_port_++),
                                       machine::server_endpoint(), file);
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

}  // namespace ht::cli
