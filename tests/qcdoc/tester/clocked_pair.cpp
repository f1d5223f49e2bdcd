// SPDX-License-Identifier: Apache-2.0
#include "tests/qcdoc/tester/clocked_pair.hpp"

#include <Vqcdoc_tester.h>
#include <verilated.h>

#include <stdexcept>

#include "tests/support/power_on.hpp"

namespace ht::test {

ClockedPair::ClockedPair(const ClockedOptions& options)
    : options_(options), context_(power_on()), random_(options.seed) {
  for (std::size_t i = 0; i < 2; ++i) {
    End& end = ends_[i];
    end.dut = std::make_unique<Vqcdoc_tester>(context_.get());
    end.dut->clk = end.dut->reg_valid = end.dut->reg_write = 0;
    end.dut->port = static_cast<unsigned char>(i);
    end.dut->rst = 1;
    end.period = static_cast<double>(options.period) * (1 - 1e-6 * options.ppm[i]);
    end.exact = static_cast<double>(i == 0 ? 0 : options.phase);
  }
  run(32);
  for (End& end : ends_) end.dut->rst = 0;
}

ClockedPair::~ClockedPair() {
  for (End& end : ends_) end.dut->final();
}

bool ClockedPair::level_at(End& end, Picoseconds time) {
  while (!end.edges.empty() && end.edges.front().first <= time) {
    end.level = end.edges.front().second;
    end.edges.pop_front();
  }
  return end.level && plugged_;
}

// The edge that is next, of either clock. Samples are those of the cycle that it ends.
void ClockedPair::step() {
  const std::size_t i = ends_[0].next <= ends_[1].next ? 0 : 1;
  End& end = ends_[i];
  unsigned taken = 0;
  for (int s = 0; s < samples; ++s) {
    const double at = end.exact - end.period * (samples - s) / samples;
    taken = taken << 1 | static_cast<unsigned>(level_at(end, static_cast<Picoseconds>(at)));
  }
  end.dut->samples = static_cast<unsigned char>(taken);
  end.dut->eval();
  if (watcher_) watcher_(static_cast<int>(i));
  end.dut->clk = 1;
  end.dut->eval();
  end.dut->clk = 0;
  end.dut->eval();
  if (const bool level = end.dut->serial_out != 0; level != end.line) {
    end.line = level;
    const Picoseconds late = options_.jitter == 0 ? 0
                                                  : std::uniform_int_distribution<Picoseconds>(
                                                        0, options_.jitter)(random_);
    ends_[1 - i].edges.emplace_back(end.next + options_.delay + late, level);
  }
  end.exact += end.period;
  end.next = static_cast<Picoseconds>(end.exact);
}

void ClockedPair::run(std::uint64_t bits) {
  const double until = ends_[0].exact + static_cast<double>(bits) * ends_[0].period;
  while (ends_[0].exact < until) step();
}

void ClockedPair::reset(int end) {
  Vqcdoc_tester& dut = *ends_[static_cast<std::size_t>(end)].dut;
  dut.rst = 1;
  run(32);
  dut.rst = 0;
}

bool ClockedPair::up(int end) const {
  return ends_[static_cast<std::size_t>(end)].dut->state == 2;
}

std::uint32_t ClockedPair::probe(int end, unsigned bit, unsigned bits) const {
  const auto& words = ends_[static_cast<std::size_t>(end)].dut->probe;
  std::uint32_t value = 0;
  for (unsigned i = 0; i < bits; ++i)
    value |= (words.at((bit + i) / 32) >> (bit + i) % 32 & 1) << i;
  return value;
}

bool ClockedPair::bring_up(std::uint64_t limit) {
  for (const int end : {0, 1}) write(end, 0x00, 1);
  for (std::uint64_t i = 0; i < limit && !(up(0) && up(1)); ++i) run(1);
  run(1000);
  return up(0) && up(1);
}

std::uint32_t ClockedPair::access(int which, bool write, unsigned address, std::uint32_t value) {
  End& end = ends_[static_cast<std::size_t>(which)];
  end.dut->reg_valid = 1;
  end.dut->reg_write = write;
  end.dut->reg_address = static_cast<unsigned char>(address);
  end.dut->reg_wdata = value;
  end.dut->eval();
  if (end.dut->reg_error != 0) throw std::runtime_error("a register refuses an access");
  const std::uint32_t result = end.dut->reg_rdata;
  // Its own next edge takes the request.
  const Picoseconds edge = end.next;
  while (end.next == edge) step();
  end.dut->reg_valid = 0;
  return result;
}

std::uint32_t ClockedPair::read(int end, unsigned address) {
  return access(end, false, address, 0);
}

void ClockedPair::write(int end, unsigned address, std::uint32_t value) {
  access(end, true, address, value);
}

}  // namespace ht::test
