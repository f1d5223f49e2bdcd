// SPDX-License-Identifier: Apache-2.0
#include "tests/tofu/gates/tbi_node.hpp"

#include <verilated.h>

#include <algorithm>
#include <stdexcept>

#include "sw/tofu/gates/gate_registers.hpp"
#include "sw/tofu/registers.hpp"
#include "tests/support/power_on.hpp"
#include "tests/tofu/link/chip_beat_port.hpp"

namespace ht::test {
namespace registers = tofu::registers::tbi;
using model::tofu::ChipBeat;

TbiNode::TbiNode(VerilatedContext* context, std::uint32_t where, unsigned which)
    : coordinates(where),
      interface(which),
      dut_(std::make_unique<TbiTop>(context)),
      random_(where + 1) {
  dut_->coordinates = where;
  dut_->number = static_cast<std::uint8_t>(which);
  dut_->rst = 1;
}

TbiNode::~TbiNode() {
  dut_->final();
  Verilated::threadContextp(dut_->contextp());
}

void TbiNode::arrive(const model::GatePacket& packet) {
  for (const ChipBeat& b : model::to_frame(packet, tbi_states).in_chip()) in.push_back(b);
}

bool TbiNode::quiet() const {
  return accesses.empty() && in.empty() && out.empty() && dut_->obs_idle != 0;
}

void TbiNode::step() {
  auto& d = *dut_;
  const auto sometimes = [&](unsigned of_16) {
    return of_16 != 0 && (random_() >> 8) % 16 < of_16;
  };
  if (skip_idle && cycle > 2 && in.empty() && accesses.empty() && d.obs_idle != 0) {
    ++skips;
    ++cycle;
    return;
  }
  d.rst = cycle < 2;
  d.out_ready = !sometimes(stall_of_16);
  d.mem_ready = !sometimes(stall_of_16);
  d.in_valid = !in.empty() && !sometimes(gap_of_16) && cycle > 0;
  if (d.in_valid) put_beat(d.in_beat, in.front());
  d.reg_valid = !accesses.empty() && cycle > 0;
  if (!accesses.empty()) {
    d.reg_write = accesses.front().write;
    d.reg_address = static_cast<std::uint16_t>(accesses.front().address);
    d.reg_wdata = accesses.front().value;
  }
  if (!taken_.empty() && cycle >= there_) {
    const auto last = std::prev(taken_.end());
    memory[last->first] = last->second;
    taken_.erase(last);
  }
  if (taken_.empty()) whole_ = false;
  if (whole_) d.mem_ready = 0;
  d.clk = 0;
  d.eval();
  d.mem_pending = late != 0 && (d.mem_valid != 0 || !taken_.empty());
  d.eval();

  // Before the first edge of its reset the hardware holds anything.
  if (cycle == 0) {
    d.clk = 1;
    d.eval();
    ++cycle;
    return;
  }
  if (d.in_valid) {
    if (in.front().last) last_beat_in = cycle;
    in.pop_front();
  }
  if (d.out_valid && packet_.empty()) {
    if (first_beat_out <= last_beat_in) first_beat_out = cycle;
  }
  if (d.out_valid && d.out_ready) {
    packet_.push_back(get_beat(d.out_beat));
    const ChipBeat& b = packet_.back();
    if (b.last) {
      const bool sound =
          std::all_of(packet_.begin(), packet_.end(), [](const ChipBeat& x) { return x.sound(); });
      const auto frame = model::tofu::Packet::from_chip(packet_);
      const auto packet = frame ? model::from_frame(*frame, tbi_states) : std::nullopt;
      if (sound && packet && model::to_frame(*packet, tbi_states).in_chip() == packet_)
        out.push_back(*packet);
      else
        ++broken;
      packet_.clear();
    }
  }
  if (d.mem_valid && d.mem_ready) {
    const auto& w = d.mem_wdata;
    (late != 0 ? taken_ : memory)[d.mem_address] = {w[0] | static_cast<std::uint64_t>(w[1]) << 32,
                                                    w[2] | static_cast<std::uint64_t>(w[3]) << 32};
    there_ = cycle + late;
    whole_ = late != 0 && d.mem_last != 0;
  }
  if (d.obs_fired) ++fired[d.obs_gate];
  if (d.reg_ack && !accesses.empty()) {
    const TbiAccess done = std::move(accesses.front());
    accesses.pop_front();
    if (done.then) done.then(d.reg_rdata, d.reg_error != 0);
    if (!done.then && d.reg_error) ++refused;
  }
  d.clk = 1;
  d.eval();
  ++cycle;
}

TbiNet::TbiNet(const std::vector<std::uint32_t>& coordinates, std::uint64_t seed,
               const std::vector<unsigned>& interfaces)
    : context_(power_on()), random_(seed) {
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    nodes.push_back(std::make_unique<TbiNode>(context_.get(), coordinates[i],
                                              interfaces.empty() ? 0 : interfaces[i]));
  run(140);  // memories are cleared
}

TbiNet::~TbiNet() = default;

void TbiNet::step() {
  for (auto& node : nodes) {
    node->step();
    while (!node->out.empty()) {
      flying_.push_back({cycle + 1 + random_() % longest_way, node->out.front()});
      node->out.pop_front();
    }
  }
  ++cycle;
  for (std::size_t i = 0; i < flying_.size();) {
    const auto& f = flying_[i];
    const bool passes =
        std::any_of(flying_.begin(), flying_.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const Flying& other) {
                      return other.packet.from == f.packet.from && other.packet.to == f.packet.to;
                    });
    if (f.due > cycle || passes) {
      ++i;
      continue;
    }
    const auto to = std::find_if(nodes.begin(), nodes.end(), [&](const auto& n) {
      return n->coordinates == f.packet.to.node && n->interface == f.packet.to.interface;
    });
    if (to == nodes.end() || nodes.size() == 1)
      taken.push_back(f.packet);
    else
      (*to)->arrive(f.packet);
    flying_.erase(flying_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

bool TbiNet::run_until(const std::function<bool()>& done, std::uint64_t limit) {
  for (std::uint64_t i = 0; i < limit; ++i) {
    if (done()) return true;
    step();
  }
  return done();
}

void TbiNet::run(std::uint64_t cycles) {
  for (std::uint64_t i = 0; i < cycles; ++i) step();
}

std::uint32_t TbiNet::access(std::size_t node, bool write, unsigned address, std::uint32_t value,
                             bool& refused) {
  bool ended = false;
  std::uint32_t answer = 0;
  nodes[node]->accesses.push_back({write, address, value, [&](std::uint32_t v, bool r) {
                                     ended = true;
                                     answer = v;
                                     refused = r;
                                   }});
  if (!run_until([&] { return ended; }, 1000))
    throw std::runtime_error("the register bus did not answer");
  return answer;
}

std::uint32_t TbiNet::read(std::size_t node, unsigned address) {
  bool refused = false;
  const auto value = access(node, false, address, 0, refused);
  if (refused) throw std::runtime_error("register read refused");
  return value;
}

void TbiNet::write(std::size_t node, unsigned address, std::uint32_t value) {
  if (!try_write(node, address, value)) throw std::runtime_error("register write refused");
}

bool TbiNet::try_write(std::size_t node, unsigned address, std::uint32_t value) {
  bool refused = false;
  access(node, true, address, value, refused);
  return !refused;
}

void TbiNet::wire(std::size_t node, unsigned gate, const model::GateWiring& w) {
  auto& todo = nodes[node]->accesses;
  const auto address = [](const model::GateAddress& a) {
    return a.node | static_cast<std::uint32_t>(a.gate) << 24 |
           tofu::gate_interface_bits(a.interface);
  };
  std::uint32_t control =
      1U | static_cast<std::uint32_t>(w.channel) << 5 | static_cast<std::uint32_t>(w.group) << 24;
  if (w.local_source) control |= 2U | static_cast<std::uint32_t>(*w.local_source) << 8;
  if (w.source) control |= 4U;
  if (w.local_destination) control |= 8U | static_cast<std::uint32_t>(*w.local_destination) << 16;
  if (w.destination) control |= 16U;
  todo.push_back({true, registers::gate_control(gate), 0, {}});
  if (w.source) todo.push_back({true, registers::gate_source(gate), address(*w.source), {}});
  if (w.destination) {
    todo.push_back({true,
                    registers::gate_destination(gate),
                    address(*w.destination) | static_cast<std::uint32_t>(w.path) << 19,
                    {}});
  }
  todo.push_back({true, registers::gate_control(gate), control, {}});
}

void TbiNet::wire(const GatePattern& pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    for (const auto& [gate, wiring] : pattern[i]) wire(i, gate, wiring);
  }
  if (!run_until([&] { return quiet(); }, 20000)) throw std::runtime_error("not wired in time");
}

void TbiNet::start(std::size_t node, unsigned channel, model::GateOperation operation,
                   model::GateForm form, const model::GateData& operand) {
  auto& todo = nodes[node]->accesses;
  const unsigned words = form == model::GateForm::None     ? 0
                         : form == model::GateForm::State  ? 10 * tbi_states
                         : form == model::GateForm::Double ? 2 * tbi_states
                                                           : 2 * tbi_words;
  for (unsigned w = 0; w < words; ++w) {
    todo.push_back({true,
                    tofu::operand_word(channel, w),
                    static_cast<std::uint32_t>(operand[w / 2] >> (32 * (w % 2))),
                    {}});
  }
  todo.push_back({true,
                  registers::start(channel),
                  static_cast<std::uint32_t>(operation) | static_cast<std::uint32_t>(form) << 4,
                  {}});
}

model::GateData TbiNet::result(std::size_t node, unsigned channel) {
  model::GateData data{};
  for (unsigned w = 0; w < 10 * tbi_states; ++w)
    data[w / 2] |= static_cast<std::uint64_t>(read(node, tofu::result_word(channel, w)))
                   << (32 * (w % 2));
  return data;
}

std::uint32_t TbiNet::status(std::size_t node, unsigned channel) {
  return read(node, registers::status(channel));
}

std::uint32_t TbiNet::errors(std::size_t node) {
  const auto all = read(node, registers::error);
  write(node, registers::error, all);
  return all;
}

bool TbiNet::quiet() const {
  return flying_.empty() &&
         std::all_of(nodes.begin(), nodes.end(), [](const auto& n) { return n->quiet(); });
}

}  // namespace ht::test
