// SPDX-License-Identifier: Apache-2.0
#include "tests/qcdoc/sw/scu_torus.hpp"

#include <Vqcdoc_scu.h>
#include <fmt/format.h>
#include <verilated.h>

#include <cstring>
#include <stdexcept>

#include "sw/host/errors.hpp"
#include "sw/qcdoc/registers.hpp"
#include "tests/support/power_on.hpp"

namespace ht::test {
namespace {
constexpr int links = 12;
constexpr std::int64_t read_latency = 10;  // cycles: 20 ns
constexpr std::int64_t reset_cycles = 20;
}  // namespace

ScuPort::ScuPort(VerilatedContext* context, std::string name, std::size_t memory_bytes)
    : name_(std::move(name)), dut_(std::make_unique<Vqcdoc_scu>(context)), memory_(memory_bytes) {
  dut_->mem_ready = 1;
  dut_->rst = 1;
  dut_->link_rest = 0;
}

ScuPort::~ScuPort() {
  fibre_.reset();
  dut_->final();
  Verilated::threadContextp(dut_->contextp());  // as ~ScuNode
}

void ScuPort::advance(Picoseconds duration) {
  if (duration <= 0) return;
  wake_ = cycle_ + (duration + period - 1) / period;
  wait_ = Wait::Time;
  waiting_for_ = "time";
  host::Fibre::suspend();
}

void ScuPort::wait(std::string_view what) {
  waiting_for_ = what;
  if (!event_) {
    wait_ = Wait::Event;
    host::Fibre::suspend();
  }
  event_ = false;
}

std::uint32_t ScuPort::access(std::uint32_t address, bool write, std::uint32_t value) {
  dut_->reg_valid = 1;
  dut_->reg_write = write;
  dut_->reg_address = static_cast<std::uint16_t>(address);
  dut_->reg_wdata = value;
  wait_ = Wait::Register;
  waiting_for_ = "register access";
  register_writes_ += write;
  starts_ += write && address == qcdoc::registers::scu::start;
  host::Fibre::suspend();
  if (refused_) throw HardwareError(fmt::format("{}: register {:#x} refused", name_, address));
  return answer_;
}

std::uint32_t ScuPort::read_register(std::uint32_t address) {
  return access(address, false, 0);
}

void ScuPort::write_register(std::uint32_t address, std::uint32_t value) {
  access(address, true, value);
}

bool ScuPort::interrupt() const {
  return dut_->irq != 0;
}

bool ScuPort::can_go_on() const {
  if (!fibre_ || fibre_->finished()) return false;
  switch (wait_) {
    case Wait::Ready:
      return true;
    case Wait::Time:
      return cycle_ >= wake_;
    case Wait::Event:
      return event_ || dut_->irq != 0;
    case Wait::Register:
      return false;
  }
  return false;
}

void ScuPort::before_edge(std::uint16_t serial_in, std::uint16_t global_count) {
  Vqcdoc_scu& d = *dut_;
  d.serial_in = serial_in;
  d.global_count = global_count;
  d.mem_rvalid = !reads_.empty() && reads_.front().first <= cycle_;
  d.mem_rdata = d.mem_rvalid ? reads_.front().second : 0;
  d.clk = 0;
  d.eval();
}

void ScuPort::edge() {
  Vqcdoc_scu& d = *dut_;
  if (d.mem_rvalid) reads_.pop_front();
  // Before the first edge of its reset the hardware's outputs may be anything.
  const bool awake = cycle_ > 0;
  if (awake && d.mem_valid && d.mem_ready) {
    const std::size_t at = std::size_t{d.mem_address} * 8;
    if (at + 8 > memory_.size()) throw std::runtime_error(name_ + ": access outside memory");
    if (d.mem_write) {
      std::memcpy(memory_.data() + at, &d.mem_wdata, 8);
      event_ = true;
    } else {
      std::uint64_t word = 0;
      std::memcpy(&word, memory_.data() + at, 8);
      reads_.emplace_back(cycle_ + read_latency, word);
    }
  }
  const bool answered = awake && d.reg_valid && d.reg_ack;
  if (answered) {
    answer_ = d.reg_rdata;
    refused_ = d.reg_error != 0;
  }
  d.clk = 1;
  d.eval();
  if (answered) {
    d.reg_valid = 0;
    wait_ = Wait::Ready;
  }
  ++cycle_;
}

ScuTorus::ScuTorus(std::vector<int> shape, unsigned delay, std::size_t memory_bytes)
    : context_(power_on()), shape_(std::move(shape)), delay_(delay) {
  int count = 1;
  for (const int n : shape_) count *= n;
  for (int i = 0; i < count; ++i) {
    nodes_.push_back(
        std::make_unique<ScuPort>(context_.get(), fmt::format("node {}", i), memory_bytes));
    for (int link = 0; link < links; ++link) {
      cables_.emplace_back(delay, false);
      neighbours_.push_back(neighbour(i, link));
    }
  }
  // Released one after the other, so that their bytes begin at different phases.
  for (std::int64_t i = 0; i < reset_cycles + 8; ++i) {
    for (int n = 0; n < count; ++n) port(n).dut_->rst = i < reset_cycles + n % 8;
    step();
  }
}

ScuTorus::~ScuTorus() = default;

int ScuTorus::neighbour(int node, int link) const {
  const auto axis = static_cast<std::size_t>(link / 2);
  if (axis >= shape_.size()) return node;
  int stride = 1;
  for (std::size_t i = 0; i < axis; ++i) stride *= shape_[i];
  const int n = shape_[axis], x = node / stride % n;
  return node + ((x + (link % 2 != 0 ? n - 1 : 1)) % n - x) * stride;
}

void ScuTorus::step() {
  const std::size_t at = static_cast<std::size_t>(cycle_) % delay_;
  std::vector<std::uint16_t> arriving(nodes_.size(), 0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::uint16_t wires = nodes_[i]->dut_->serial_out;
    for (std::size_t link = 0; link < links; ++link) {
      std::vector<bool>& cable = cables_[i * links + link];
      bool bit = cable[at];
      cable[at] = (wires >> link & 1) != 0;
      const int to = neighbours_[i * links + link];
      const int there = static_cast<int>(link) ^ 1;
      if (damage) bit = damage(cycle_, to, there, bit);
      if (bit) arriving[static_cast<std::size_t>(to)] |= static_cast<std::uint16_t>(1U << there);
    }
  }
  const auto ticks = static_cast<std::uint16_t>(cycle_ * 2 / 25);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    nodes_[i]->before_edge(arriving[i], static_cast<int>(i) == stopped_clock ? 0 : ticks);
  for (auto& node : nodes_) node->edge();
  ++cycle_;
}

void ScuTorus::run(const std::function<void(int, ScuPort&)>& program, std::int64_t limit) {
  for (int i = 0; i < size(); ++i) {
    port(i).fibre_ =
        std::make_unique<host::Fibre>([&program, i, &p = port(i)] { program(i, p); }, 1 << 20);
    port(i).wait_ = ScuPort::Wait::Ready;
  }
  for (const std::int64_t end = cycle_ + limit;;) {
    bool unfinished = false;
    for (auto& node : nodes_) {
      while (node->can_go_on()) {
        node->wait_ = ScuPort::Wait::Ready;
        node->fibre_->resume();
      }
      unfinished = unfinished || !node->fibre_->finished();
    }
    if (!unfinished) return;
    if (cycle_ >= end) {
      std::string text = "nothing moves any more:";
      for (auto& node : nodes_) {
        if (!node->fibre_->finished())
          text += " " + node->name_ + " waits for " + node->waiting_for_ + ";";
      }
      throw std::runtime_error(text);
    }
    step();
  }
}

}  // namespace ht::test
