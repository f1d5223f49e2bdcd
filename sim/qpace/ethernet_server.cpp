// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/ethernet_server.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ht::machine {
namespace {

// Locally administered: 02, then "QPA", then the number; 10.0.0.0/8.
net::Endpoint endpoint(unsigned number, std::uint16_t port) {
  net::Endpoint e;
  e.mac = {0x02,
           'Q',
           'P',
           'A',
           static_cast<std::uint8_t>(number >> 8),
           static_cast<std::uint8_t>(number)};
  e.ip = 0x0A000000 | number;
  e.port = port;
  return e;
}

}  // namespace

// Node 0 is 10.0.0.1.
net::Endpoint node_endpoint(int rank, std::uint16_t port) {
  return endpoint(static_cast<unsigned>(rank) + 1, port);
}
net::Endpoint server_endpoint() {
  return endpoint(0xFFFE, net::tftp_port);
}

void EthernetServer::connect(sim::EthernetCable& out, sim::EthernetCable& in) {
  ports_.push_back(
      std::make_unique<Port>(Port{EthernetPort(out, in), net::TftpServer(files_, options_.tftp)}));
}

void EthernetServer::run(Picoseconds /*from*/, Picoseconds to) {
  const net::Endpoint me = server_endpoint();
  for (const auto& p : ports_) {
    std::vector<net::Datagram> answers;
    const auto answer = [&](Picoseconds time) {
      for (const net::Datagram& d : answers) p->port.send(net::build(d), time);
      answers.clear();
    };
    p->port.run(
        to,
        [&](const net::Bytes& frame, Picoseconds time) {
          const auto datagram = net::parse(frame);
          if (!datagram || datagram->to.mac != me.mac || datagram->to.ip != me.ip) return;
          p->tftp.receive(*datagram, time, answers);
          answer(time + options_.think_time);
        },
        [&] { return p->tftp.next_timer().value_or(sim::kNever); },
        [&](Picoseconds time) {
          p->tftp.timer(time, answers);
          answer(time);
        });
  }
  now_ = to;
}

Picoseconds EthernetServer::asleep_until() const {
  Picoseconds first = sim::kNever;
  for (const auto& p : ports_)
    first = std::min(first, p->port.next(now_, p->tftp.next_timer().value_or(sim::kNever)));
  return first;
}

std::uint64_t EthernetServer::progress() const {
  std::uint64_t sum = 0;
  for (const auto& p : ports_) sum += p->port.frames_in;
  return sum;
}

EthernetTotals EthernetServer::totals() const {
  EthernetTotals t;
  for (const auto& p : ports_) {
    t.frames_in += p->port.frames_in;
    t.frames_out += p->port.frames_out;
    t.bad_frames += p->port.bad_frames;
    t.repeats += p->tftp.repeats();
  }
  return t;
}

std::string EthernetServer::status() const {
  const EthernetTotals t = totals();
  return fmt::format("{} frames received, {} bad ones, {} sent", t.frames_in, t.bad_frames,
                     t.frames_out);
}

}  // namespace ht::machine
