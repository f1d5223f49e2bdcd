// SPDX-License-Identifier: Apache-2.0
// What net.hpp declares: for the source that instantiates it for a top.
#pragma once
#include "sim/tofu/bench/net.hpp"

#include <verilated.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "sw/tofu/registers.hpp"
#include "verif/model/tofu/tni_packet.hpp"
#include "verif/model/tofu/wire.hpp"

namespace ht::bench {
namespace net {

using namespace model::tofu;

/// Where the group is in the upper half of a header's first beat.
inline unsigned group_bit(unsigned kind) {
  namespace wire = model::tofu::wire;
  return (kind == wire::kind::kGate ? wire::gate::kJob : wire::remote::kGroup).low - 64;
}

inline constexpr unsigned kBits = 148;

// Lane `lane` of a vector of beats, 32-bit words, lowest first.
inline TofuBeat get(const std::uint32_t* words, unsigned lane) {
  const unsigned offset = lane * kBits, shift = offset % 32;
  std::array<std::uint32_t, 5> w{};
  for (unsigned i = 0; i < 5; ++i) {
    const std::uint32_t* p = words + offset / 32 + i;
    w[i] = shift == 0 ? *p : *p >> shift;
    if (shift > 32 - (i == 4 ? 20U : 32U)) w[i] |= p[1] << (32 - shift);
  }
  return {w[0] | std::uint64_t{w[1]} << 32, w[2] | std::uint64_t{w[3]} << 32, w[4] & 0xFFFFFU};
}

inline void put(std::uint32_t* words, unsigned lane, const TofuBeat& beat) {
  const unsigned offset = lane * kBits, shift = offset % 32;
  const std::array<std::uint32_t, 5> w{static_cast<std::uint32_t>(beat.low),
                                       static_cast<std::uint32_t>(beat.low >> 32),
                                       static_cast<std::uint32_t>(beat.high),
                                       static_cast<std::uint32_t>(beat.high >> 32), beat.rest};
  for (unsigned i = 0; i < 5; ++i) {
    const std::uint64_t mask = (i == 4 ? 0xFFFFFULL : 0xFFFFFFFFULL) << shift;
    const std::uint64_t value = std::uint64_t{w[i]} << shift;
    std::uint32_t* p = words + offset / 32 + i;
    p[0] = (p[0] & ~static_cast<std::uint32_t>(mask)) | static_cast<std::uint32_t>(value);
    if (mask >> 32 != 0)
      p[1] = (p[1] & ~static_cast<std::uint32_t>(mask >> 32)) |
             static_cast<std::uint32_t>(value >> 32);
  }
}

// A field of up to 36 bits.
inline std::uint32_t get_bits(const std::uint32_t* words, unsigned offset, unsigned width) {
  std::uint64_t value = words[offset / 32];
  if (offset % 32 + width > 32) value |= std::uint64_t{words[offset / 32 + 1]} << 32;
  return static_cast<std::uint32_t>(value >> offset % 32 & ((1ULL << width) - 1));
}

inline void put_bits(std::uint32_t* words, unsigned offset, unsigned width, std::uint32_t value) {
  for (unsigned i = 0; i < width;) {
    const unsigned at = (offset + i) % 32, n = std::min(width - i, 32 - at);
    const auto mask = static_cast<std::uint32_t>(((1ULL << n) - 1) << at);
    std::uint32_t& word = words[(offset + i) / 32];
    word = (word & ~mask) | (value >> i << at & mask);
    i += n;
  }
}

inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

inline unsigned channel_of(const TofuBeat& header) {
  return static_cast<unsigned>(header.low >> 16 & 3U);
}
inline unsigned beats_of(const TofuBeat& header) {
  return static_cast<unsigned>(header.low >> 24 & 127U) + 3;
}
inline unsigned units_of(const TofuBeat& header) {
  return (beats_of(header) + 7) / 8;
}

/// The code of a header's INTERFACE, and back.
inline unsigned code_of(unsigned interface, unsigned networks) {
  if (interface < networks) return model::interface_code(interface);
  return interface == networks ? wire::interface::kBarrier
                               : wire::interface::kMoreBarriers + interface - networks;
}
inline unsigned interface_at(unsigned code, unsigned networks) {
  for (unsigned i = 0; i < networks + 8; ++i)
    if (code_of(i, networks) == code) return i;
  return model::kNoInterface;
}

}  // namespace net

using namespace model::tofu;

template <class Top>
RouterNet<Top>::RouterNet(const Shape& torus, unsigned delay)
    : context_(std::make_unique<VerilatedContext>()), shape(torus), delay_(delay) {
  check(shape);
  for (unsigned i = 0; i < shape.nodes(); ++i) {
    auto node = std::make_unique<Node>();
    node->dut = std::make_unique<Top>(context_.get());
    Top& d = *node->dut;
    const Coordinates place = shape.place(i);
    for (unsigned port = 0; port < links; ++port)
      if (const auto there = neighbour(shape, place, port)) {
        node->link[port].exists = true;
        node->link[port].peer = shape.index(*there);
        node->link[port].peer_port = opposite(port);
      }
    d.rst = 1;
    for (unsigned n = 0; n < 4; ++n) {
      d.clk = n % 2 == 0;
      d.eval();
    }
    d.rst = 0;
    nodes_.push_back(std::move(node));
  }
  for (unsigned i = 0; i < shape.nodes(); ++i) {
    write(i, tofu::registers::icc::shape, shape.bits());
    write(i, tofu::registers::icc::coordinates, pack(shape.place(i)));
  }
}

template <class Top>
RouterNet<Top>::~RouterNet() {
  for (auto& node : nodes_) node->dut->final();
}

template <class Top>
bool RouterNet<Top>::chance(double p) {
  return p > 0 && std::uniform_real_distribution<>(0, 1)(random_) < p;
}

template <class Top>
void RouterNet<Top>::new_session(unsigned node, unsigned port) {
  const Link& back = nodes_[node]->link[port];
  Link& link = nodes_[back.peer]->link[back.peer_port];
  if (!link.wire.empty() || link.repeating) throw std::logic_error("something is under way");
  nodes_[node]->dut->rx_reset = static_cast<std::uint16_t>(1U << port);
  step();
  nodes_[node]->dut->rx_reset = 0;
  link.counts.clear();
  link.begun = {};
  link.credit = link.told = 0;
  link.credits.clear();
  link.careful = true;
}

template <class Top>
std::deque<TofuPacket>& RouterNet<Top>::to_send(unsigned node, unsigned interface, bool response) {
  return nodes_[node]->interface[interface].stream[response ? 1 : 0].queue;
}

template <class Top>
void RouterNet<Top>::send(const TofuPacket& packet, unsigned interface) {
  to_send(packet.from, interface, packet.response).push_back(packet);
  to_send(packet.from, interface, packet.response).back().source = interface;
}

template <class Top>
void RouterNet<Top>::stall_link(unsigned node, unsigned port, bool stalled) {
  nodes_[node]->link[port].stalled = stalled;
}

template <class Top>
TofuBeat RouterNet<Top>::beat_of(const TofuPacket& p, unsigned index) const {
  if (index == 0) {
    const std::uint64_t to = pack(shape.place(p.to)), from = pack(shape.place(p.from));
    return tofu_beat((p.response ? 1ULL << 17 : 0) | std::uint64_t{p.kind} << 20 |
                         std::uint64_t{p.beats} << 24 | to << 32 | std::uint64_t{p.path} << 51 |
                         from << 56,
                     from >> 8 | std::uint64_t{net::code_of(p.interface, networks)} << 11 |
                         std::uint64_t{p.group} << net::group_bit(p.kind),
                     true, false);
  }
  if (index == 1)
    return tofu_beat(p.id, (p.began & 0xFFFFFFFFU) | std::uint64_t{p.source} << 32, false, false);
  return tofu_beat(net::mix(p.id + index), net::mix(p.id - index), false, index + 1 == p.length());
}

template <class Top>
TofuPacket RouterNet<Top>::read(const std::vector<TofuBeat>& beats) const {
  const auto place = [&](std::uint64_t bits) {
    return shape.index(
        {static_cast<unsigned>(bits & 31), static_cast<unsigned>(bits >> 5 & 31),
         static_cast<unsigned>(bits >> 10 & 31), static_cast<unsigned>(bits >> 15 & 1),
         static_cast<unsigned>(bits >> 16 & 3), static_cast<unsigned>(bits >> 18 & 1)});
  };
  TofuPacket p;
  const TofuBeat& h = beats.at(0);
  p.from = place(h.low >> 56 | (h.high & 0x7FFU) << 8);
  p.to = place(h.low >> 32);
  p.path = static_cast<unsigned>(h.low >> 51 & 15U);
  p.interface = net::interface_at(static_cast<unsigned>(h.high >> 11 & 15U), networks);
  p.response = (h.low >> 17 & 1U) != 0;
  p.kind = static_cast<unsigned>(h.low >> 20 & 15U);
  p.group = static_cast<unsigned>(h.high >> net::group_bit(p.kind) & 63U);
  p.beats = static_cast<unsigned>(h.low >> 24 & 127U);
  p.id = beats.at(1).low;
  p.began = beats.at(1).high & 0xFFFFFFFFU;
  p.source = static_cast<unsigned>(beats.at(1).high >> 32);
  if (beats.size() != p.length())
    throw std::runtime_error("packet " + std::to_string(p.id) + ": " +
                             std::to_string(beats.size()) + " beats of " +
                             std::to_string(p.length()));
  for (unsigned i = 0; i < beats.size(); ++i) {
    TofuBeat sent = beat_of(p, i);
    if (i == 0)  // LEG is set at the latest here
      sent = tofu_beat(sent.low | 1ULL << 18, sent.high, true, false);
    if (sent != beats[i])
      throw std::runtime_error("packet " + std::to_string(p.id) + ": beat " + std::to_string(i) +
                               " is not what was sent");
  }
  return p;
}

// What left the routers by their last edge goes into the wires and to the interfaces.
template <class Top>
void RouterNet<Top>::outputs(unsigned index) {
  Node& n = *nodes_[index];
  Top& d = *n.dut;
  for (unsigned port = 0; port < links; ++port)
    if ((d.tx_valid & d.tx_ready) >> port & 1U) take_from_link(index, port);
  for (unsigned i = 0; i < 2 * interfaces; ++i)
    if ((d.inj_valid & d.inj_ready) >> i & 1U) {
      auto& stream = n.interface[(i / 2 + networks) % interfaces].stream[i % 2];
      if (stream.at == 0) ++counters.injected;
      if (++stream.at < stream.queue.front().length()) continue;
      stream.queue.pop_front();
      stream.at = 0;
    }
  for (unsigned i = 0; i < interfaces; ++i) {
    if ((d.ej_valid >> i & 1U) == 0) continue;
    const unsigned number = (i + networks) % interfaces;  // ports: barrier interfaces first
    Interface& face = n.interface[number];
    face.arriving.push_back(net::get(&d.ej_beat[0], i));
    counters.last_progress = cycle;
    if (face.arriving.back().last()) take_arrived(index, number);
  }
}

// Port, routing channel and LEG as the model has them.
template <class Top>
void RouterNet<Top>::check_route(unsigned node, unsigned port, const TofuBeat& header) const {
  const auto place = [](std::uint64_t bits) {
    return Coordinates{
        static_cast<unsigned>(bits & 31),       static_cast<unsigned>(bits >> 5 & 31),
        static_cast<unsigned>(bits >> 10 & 31), static_cast<unsigned>(bits >> 15 & 1),
        static_cast<unsigned>(bits >> 16 & 3),  static_cast<unsigned>(bits >> 18 & 1)};
  };
  Journey journey{place(header.low >> 56 | header.high << 8), place(header.low >> 32),
                  place(header.low >> 51 << 15 & 0x78000U), (header.low >> 18 & 1U) != 0};
  const auto hop = next_hop(shape, shape.place(node), journey);
  if (!hop || hop->port != port || hop->leg != journey.leg ||
      hop->channel != (net::channel_of(header) & 1U))
    throw std::runtime_error("node " + std::to_string(node) + ", port " + std::to_string(port) +
                             ": not the model's route");
}

template <class Top>
void RouterNet<Top>::take_from_link(unsigned index, unsigned port) {
  Node& node = *nodes_[index];
  Link& link = node.link[port];
  if (!link.exists) throw std::runtime_error("a packet left where there is no cable");
  TofuBeat beat = net::get(&node.dut->tx_beat[0], port);
  ++counters.link_beats;
  counters.last_progress = cycle;
  if (beat.first()) {
    if (!alter) check_route(index, port, beat);
    link.copy.clear();
    link.spoil = chance(damage);
    link.counts.push_back({cycle + 1, net::channel_of(beat), net::units_of(beat)});
  }
  link.copy.push_back(beat);
  if (beat.last()) {
    const TofuBeat header = link.copy.front();
    if (beat.bad()) {  // void: no credit is taken
      link.counts.push_back({cycle + 1, net::channel_of(header), 0U - net::units_of(header)});
      ++counters.nullified;
    } else if (link.spoil) {
      beat = tofu_beat(beat.low, beat.high, beat.first(), true, true);
      ++counters.damaged;
      link.repeating = true;
      link.again = 0;
    }
  }
  link.wire.emplace_back(cycle + delay_ - 1, beat);
}

template <class Top>
void RouterNet<Top>::take_arrived(unsigned node, unsigned interface) {
  Interface& face = nodes_[node]->interface[interface];
  if (face.arriving.back().bad()) {
    ++counters.nullified;
    ++counters.void_arrived;
  } else {
    const TofuPacket packet = read(face.arriving);
    if (packet.to != node || packet.interface != interface)
      throw std::runtime_error("packet " + std::to_string(packet.id) + " arrived somewhere else");
    ++counters.delivered;
    counters.delivered_beats += packet.length();
    if (arrived) arrived(node, interface, packet);
  }
  face.arriving.clear();
}

// A link would be refused and try again: what the old session left may still fill the peer's
// buffer.
template <class Top>
bool RouterNet<Top>::has_room(const Node& node, unsigned port) const {
  const Top& d = *node.dut;
  const TofuBeat beat = net::get(&d.tx_beat[0], port);
  if ((d.tx_valid >> port & 1U) == 0 || !beat.first()) return true;
  const Link& link = node.link[port];
  return link.wire.empty() &&
         net::get_bits(&nodes_[link.peer]->dut->rx_free[0],
                       36 * link.peer_port + 9 * net::channel_of(beat), 9) >= net::beats_of(beat);
}

template <class Top>
void RouterNet<Top>::inputs(unsigned index) {
  Node& n = *nodes_[index];
  Top& d = *n.dut;
  unsigned rx_valid = 0, tx_ready = 0;
  for (unsigned port = 0; port < links; ++port) {
    Link& out = n.link[port];
    if (!out.exists) continue;
    // the other direction of the same cable
    Link& in = nodes_[out.peer]->link[out.peer_port];
    if (!in.wire.empty() && in.wire.front().first <= cycle && !in.stalled) {
      net::put(&d.rx_beat[0], port, in.wire.front().second);
      in.wire.pop_front();
      rx_valid |= 1U << port;
    }
    if (const auto freed = net::get_bits(&d.rx_credit[0], 28 * port, 28); freed != in.told) {
      in.told = freed;
      in.credits.emplace_back(cycle + delay_, freed);
    }
    while (!out.credits.empty() && out.credits.front().first <= cycle) {
      out.credit = out.credits.front().second;
      out.credits.pop_front();
    }
    while (!out.counts.empty() && out.counts.front().due <= cycle) {
      out.begun[out.counts.front().channel] += out.counts.front().units;
      out.counts.pop_front();
    }
    std::uint32_t room = 0;
    for (unsigned vc = 0; vc < 4; ++vc) {
      const std::uint32_t used = (out.begun[vc] - (out.credit >> 7 * vc)) & 127U;
      if (used > 64) throw std::runtime_error("more units are under way than the buffer has");
      room |= (64 - used) << 7 * vc;
    }
    net::put_bits(&d.tx_room[0], 28 * port, 28, room);
    if (out.repeating && !out.stalled) {
      // The bad copy is behind; as the peer has room, the packet goes once more.
      const TofuBeat header = out.copy.front();
      const Top& peer = *nodes_[out.peer]->dut;
      if (out.again > 0 ||
          (out.wire.empty() &&
           net::get_bits(&peer.rx_free[0], 36 * out.peer_port + 9 * net::channel_of(header), 9) >=
               net::beats_of(header))) {
        out.wire.emplace_back(cycle + delay_, out.copy[out.again++]);
        if (out.again == out.copy.size()) out.repeating = false;
      }
    } else if (!out.repeating && !out.stalled && !chance(stutter)) {
      if (!out.careful || has_room(n, port)) tx_ready |= 1U << port;
    }
  }
  d.rx_valid = static_cast<std::uint16_t>(rx_valid);
  d.tx_ready = static_cast<std::uint16_t>(tx_ready);

  unsigned inj_valid = 0, ej_room = 0;
  for (unsigned i = 0; i < interfaces; ++i) {
    const unsigned number = (i + networks) % interfaces;
    Interface& face = n.interface[number];
    for (unsigned k = 0; k < 2; ++k)
      if (const auto& stream = face.stream[k]; !stream.queue.empty()) {
        TofuBeat beat = beat_of(stream.queue.front(), stream.at);
        if (alter && stream.at == 0) {
          alter(stream.queue.front(), beat.low, beat.high);
          beat = tofu_beat(beat.low, beat.high, true, false);
        }
        if (wrong_parity) beat.rest ^= 8U << 16;
        net::put(&d.inj_beat[0], 2 * i + k, beat);
        inj_valid |= 1U << (2 * i + k);
      }
    for (const bool response : {false, true}) {
      if (!takes || takes(index, number, response)) ej_room |= 1U << (2 * i + (response ? 1U : 0U));
    }
  }
  using Streams = std::remove_reference_t<decltype(d.inj_valid)>;
  d.inj_valid = static_cast<Streams>(inj_valid);
  d.ej_room = static_cast<Streams>(ej_room);
}

template <class Top>
void RouterNet<Top>::step() {
  for (unsigned i = 0; i < nodes_.size(); ++i) inputs(i);
  for (auto& node : nodes_) {
    Top& d = *node->dut;
    d.clk = 0;
    d.eval();
  }
  ++cycle;
  for (unsigned i = 0; i < nodes_.size(); ++i) {
    outputs(i);
    nodes_[i]->dut->clk = 1;
    nodes_[i]->dut->eval();
  }
}

template <class Top>
bool RouterNet<Top>::access(unsigned node, bool write, unsigned address, std::uint32_t& value) {
  Top& d = *nodes_[node]->dut;
  d.reg_valid = 1;
  d.reg_write = write;
  d.reg_address = static_cast<std::uint16_t>(address);
  d.reg_wdata = value;
  step();
  if (!d.reg_ack) throw std::runtime_error("the register bus did not answer");
  value = d.reg_rdata;
  const bool refused = d.reg_error;
  d.reg_valid = 0;
  step();
  return !refused;
}

template <class Top>
std::uint32_t RouterNet<Top>::read(unsigned node, unsigned address) {
  std::uint32_t value = 0;
  if (!access(node, false, address, value)) throw std::runtime_error("register read refused");
  return value;
}

template <class Top>
bool RouterNet<Top>::try_write(unsigned node, unsigned address, std::uint32_t value) {
  return access(node, true, address, value);
}

template <class Top>
void RouterNet<Top>::write(unsigned node, unsigned address, std::uint32_t value) {
  if (!try_write(node, address, value)) throw std::runtime_error("register write refused");
}

template <class Top>
void RouterNet<Top>::run(std::uint64_t cycles) {
  for (std::uint64_t i = 0; i < cycles; ++i) step();
}

template <class Top>
bool RouterNet<Top>::idle() const {
  for (const auto& node : nodes_) {
    for (const auto& face : node->interface)
      if (!face.stream[0].queue.empty() || !face.stream[1].queue.empty()) return false;
    for (const auto& link : node->link)
      if (!link.wire.empty() || link.repeating) return false;
    if (!node->dut->obs_idle) return false;
  }
  return true;
}

template <class Top>
bool RouterNet<Top>::drain(std::uint64_t patience) {
  counters.last_progress = cycle;
  while (!idle()) {
    if (cycle - counters.last_progress > patience) return false;
    step();
  }
  return true;
}

}  // namespace ht::bench
