// SPDX-License-Identifier: Apache-2.0
#include "tests/qcdoc/unit/node.hpp"

#include <Vqcdoc_scu.h>
#include <verilated.h>

#include <stdexcept>
#include <tuple>

#include "sw/qcdoc/registers.hpp"
#include "tests/support/power_on.hpp"

namespace ht::test {
namespace registers = qcdoc::registers;

QcdocNode::QcdocNode(VerilatedContext* context, std::size_t memory_words)
    : memory(memory_words), dut_(std::make_unique<Vqcdoc_scu>(context)) {
  dut_->mem_ready = 1;
}

QcdocNode::~QcdocNode() {
  dut_->final();
  Verilated::threadContextp(dut_->contextp());  // as ~ScuNode
}

std::uint16_t QcdocNode::wires() const {
  return dut_->serial_out;
}

bool QcdocNode::idle() const {
  return dut_->obs_idle != 0;
}

void QcdocNode::before_edge(std::uint16_t serial_in, std::uint16_t global_count) {
  Vqcdoc_scu& d = *dut_;
  d.serial_in = serial_in;
  d.global_count = global_count;
  d.mem_rvalid = !reads_.empty() && reads_.front().first <= cycle_;
  d.mem_rdata = d.mem_rvalid ? reads_.front().second : 0;
  d.mem_ready = busy_of_16 == 0 || (busy_() >> 8) % 16 >= busy_of_16;
  d.reg_valid = request_.has_value();
  if (request_) {
    d.reg_write = request_->write;
    d.reg_address = static_cast<std::uint16_t>(request_->address);
    d.reg_wdata = request_->value;
  }
  const auto outputs = [&] {
    return std::tuple(d.mem_valid, d.mem_write, d.mem_address, d.mem_wdata, d.reg_ack, d.reg_rdata,
                      d.reg_error, d.irq, d.serial_out);
  };
  const auto registered = outputs();
  d.clk = 0;
  d.eval();
  if (awake() && outputs() != registered)
    throw std::logic_error(
        "an output depends on an input of the same cycle: sim/qcdoc/scu_node.cpp counts on none");
}

void QcdocNode::edge(std::uint64_t cycle) {
  Vqcdoc_scu& d = *dut_;
  if (d.mem_rvalid) reads_.pop_front();
  if (awake() && d.mem_valid && d.mem_ready) {
    if (d.mem_write) {
      memory.at(d.mem_address) = d.mem_wdata;
      if (writes++ == 0) first_write = cycle;
      last_write = cycle;
    } else {
      reads_.emplace_back(cycle_ + read_latency, memory.at(d.mem_address));
    }
  }
  if (awake() && request_ && d.reg_ack) {
    answer_ = d.reg_rdata;
    refused_ = d.reg_error;
    request_.reset();
  }
  d.clk = 1;
  d.eval();
  ++cycle_;
}

QcdocTorus::QcdocTorus(std::vector<int> shape, unsigned delay, std::size_t memory_words)
    : context_(power_on()), shape_(std::move(shape)) {
  int count = 1;
  for (int n : shape_) count *= n;
  for (int i = 0; i < count; ++i) {
    nodes.push_back(std::make_unique<QcdocNode>(context_.get(), memory_words));
    nodes.back()->dut().rst = 1;
    nodes.back()->dut().link_rest = 0;
    cables_.emplace_back();
    for (auto& cable : cables_.back()) cable.assign(delay, false);
  }
  run(20);
  // Released one after the other, so that their bytes begin at different phases.
  for (std::size_t phase = 0; phase < 8; ++phase) {
    for (std::size_t i = phase; i < nodes.size(); i += 8) nodes[i]->dut().rst = 0;
    step();
  }
}

QcdocTorus::~QcdocTorus() = default;

int QcdocTorus::neighbour(int node, int link) const {
  const auto axis = static_cast<std::size_t>(link / 2);
  if (axis >= shape_.size()) return node;
  int stride = 1;
  for (std::size_t i = 0; i < axis; ++i) stride *= shape_[i];
  const int n = shape_[axis], x = node / stride % n;
  return node + ((x + (link % 2 ? n - 1 : 1)) % n - x) * stride;
}

bool QcdocNode::may_skip(const std::array<std::uint8_t, 12>& coming) const {
  if (!idle() || request_ || !reads_.empty()) return false;
  for (std::size_t link = 0; link < 12; ++link) {
    const std::uint32_t repeated = coming[link] * 0x10101U;
    if ((heard_[link] & 0xFFFFFFU) != repeated) return false;
  }
  return true;
}

void QcdocTorus::choose_skips() {
  for (std::size_t to = 0; to < nodes.size(); ++to) {
    std::array<std::uint8_t, 12> coming{};
    for (int link = 0; link < 12; ++link) {
      const auto from = static_cast<std::size_t>(neighbour(static_cast<int>(to), link));
      const auto& cable = cables_[from][static_cast<std::size_t>(link ^ 1)];
      if (cable.size() < 8) return;
      for (std::size_t i = 0; i < 8; ++i)
        coming[static_cast<std::size_t>(link)] = static_cast<std::uint8_t>(
            coming[static_cast<std::size_t>(link)] << 1 | (cable[i] ? 1 : 0));
    }
    if (nodes[to]->may_skip(coming)) {
      nodes[to]->skip_until_ = cycle + 8;
      skipped += 8;
    }
  }
}

void QcdocTorus::step() {
  if (skip_idle && cycle % 8 == 0) choose_skips();
  const auto count = nodes.size();
  std::vector<std::uint16_t> arriving(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    QcdocNode& n = *nodes[i];
    const std::uint16_t said = cycle < n.skip_until_ ? n.said_[cycle % 8] : n.wires();
    n.said_[cycle % 8] = said;
    for (int link = 0; link < 12; ++link) {
      auto& cable = cables_[i][static_cast<std::size_t>(link)];
      const auto to = static_cast<std::size_t>(neighbour(static_cast<int>(i), link));
      bool bit = (said >> link & 1) != 0;
      if (damage) bit = damage(static_cast<int>(to), link ^ 1, bit);
      cable.push_back(bit);
      if (cable.front()) arriving[to] |= static_cast<std::uint16_t>(1U << (link ^ 1));
      cable.pop_front();
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    QcdocNode& n = *nodes[i];
    for (std::size_t link = 0; link < 12; ++link)
      n.heard_[link] = n.heard_[link] << 1 | (arriving[i] >> link & 1U);
    if (cycle >= n.skip_until_)
      n.before_edge(arriving[i], static_cast<std::uint16_t>(cycle / tick_period));
  }
  for (auto& node : nodes) {
    if (cycle >= node->skip_until_)
      node->edge(cycle);
    else
      ++node->cycle_;
  }
  ++cycle;
}

std::uint16_t QcdocTorus::wires(std::size_t node) const {
  return nodes[node]->said_[(cycle + 7) % 8];
}

void QcdocTorus::run(std::uint64_t cycles) {
  for (std::uint64_t i = 0; i < cycles; ++i) step();
}

bool QcdocTorus::run_until(const std::function<bool()>& done, std::uint64_t limit) {
  for (std::uint64_t i = 0; i < limit; ++i) {
    if (done()) return true;
    step();
  }
  return done();
}

std::uint32_t QcdocTorus::access(int node, QcdocNode::Request request, bool& refused) {
  QcdocNode& n = *nodes[static_cast<std::size_t>(node)];
  n.request_ = request;
  n.answer_.reset();
  if (!run_until([&] { return n.answer_.has_value(); }, 1000))
    throw std::runtime_error("the register bus did not answer");
  refused = n.refused_;
  return *n.answer_;
}

std::optional<std::uint32_t> QcdocTorus::try_read(int node, unsigned address) {
  bool refused = false;
  const std::uint32_t value = access(node, {false, address, 0}, refused);
  if (refused) return std::nullopt;
  return value;
}

std::uint32_t QcdocTorus::read(int node, unsigned address) {
  const auto value = try_read(node, address);
  if (!value) throw std::runtime_error("register read refused");
  return *value;
}

bool QcdocTorus::try_write(int node, unsigned address, std::uint32_t value) {
  bool refused = false;
  access(node, {true, address, value}, refused);
  return !refused;
}

void QcdocTorus::write(int node, unsigned address, std::uint32_t value) {
  if (!try_write(node, address, value)) throw std::runtime_error("register write refused");
}

bool QcdocTorus::idle() const {
  for (const auto& node : nodes)
    if (node->dut().obs_state != 0xAAAAAA) return false;
  return true;
}

bool QcdocTorus::bring_up() {
  for (int i = 0; i < static_cast<int>(nodes.size()); ++i)
    for (unsigned link = 0; link < 12; ++link) write(i, registers::link::control(link), 1);
  if (!run_until([&] { return idle(); }, 20'000)) return false;
  run(2'000);
  return true;
}

void store(QcdocTorus& t, int node, unsigned engine, unsigned slot, const Instruction& i) {
  t.write(node, registers::scu::dma_address(engine, slot), i.address);
  t.write(node, registers::scu::dma_blocks(engine, slot), i.words | i.blocks << 16);
  t.write(node, registers::scu::dma_pitch(engine, slot), static_cast<std::uint32_t>(i.pitch));
  t.write(node, registers::scu::dma_chain(engine, slot),
          i.next < 0 ? 0 : 0x80000000U | static_cast<unsigned>(i.next));
}

}  // namespace ht::test
