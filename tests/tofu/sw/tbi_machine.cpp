// SPDX-License-Identifier: Apache-2.0
// Verilated barrier interfaces, wired directly: the driver's programs on fibres, a memory, packets
// that travel for random times.
#include <Vtofu_tbi_top.h>
#include <fmt/format.h>
#include <verilated.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "sw/host/errors.hpp"
#include "sw/host/fibre.hpp"
#include "sw/tofu/registers.hpp"
#include "tests/tofu/gates/tbi_node.hpp"
#include "tests/tofu/sw/gate_machine.hpp"

namespace ht::test {
namespace {

constexpr Picoseconds period = 3'200;
constexpr std::uint64_t reset_cycles = 140;  // memories are cleared
constexpr std::uint64_t patience = 150'000;  // cycles
constexpr std::uint64_t longest_way = 60;    // cycles

class TbiPort final : public host::HardwarePort {
 public:
  TbiPort(VerilatedContext* context, std::uint32_t coordinates)
      : tbi(context, coordinates), memory_(std::size_t{1} << 16) {}

  Picoseconds now() const override { return static_cast<Picoseconds>(tbi.cycle) * period; }
  void advance(Picoseconds duration) override {
    if (duration <= 0) return;
    wake_ = tbi.cycle + static_cast<std::uint64_t>((duration + period - 1) / period);
    leave(Wait::Time, "time");
  }
  void wait(std::string_view what) override {
    if (!event_) leave(Wait::Event, what);
    event_ = false;
  }
  std::uint32_t read_register(std::uint32_t address) override { return access(false, address, 0); }
  void write_register(std::uint32_t address, std::uint32_t value) override {
    access(true, address, value);
  }
  bool interrupt() const override { return const_cast<TbiNode&>(tbi).dut().irq != 0; }
  host::NodeMemory& memory() override { return memory_; }

  bool can_go_on() const {
    if (!fibre || fibre->finished()) return false;
    switch (wait_) {
      case Wait::Ready:
        return true;
      case Wait::Time:
        return tbi.cycle >= wake_;
      case Wait::Event:
        return event_ || interrupt();
      case Wait::Register:
        return false;
    }
    return false;
  }

  void go_on() {
    while (can_go_on()) {
      wait_ = Wait::Ready;
      fibre->resume();
    }
  }

  void step() {
    tbi.step();
    for (const auto& [address, words] : tbi.memory) {
      std::memcpy(memory_.data() + 16 * address, words.data(), 16);
      event_ = true;
    }
    tbi.memory.clear();
  }

  TbiNode tbi;
  std::unique_ptr<host::Fibre> fibre;
  std::string waiting_for;
  std::uint64_t accesses = 0;

 private:
  enum class Wait { Ready, Time, Event, Register };

  void leave(Wait why, std::string_view what) {
    wait_ = why;
    waiting_for = what;
    host::Fibre::suspend();
  }

  std::uint32_t access(bool write, std::uint32_t address, std::uint32_t value) {
    ++accesses;
    std::uint32_t answer = 0;
    bool refused = false;
    tbi.accesses.push_back(
        {write, address - tofu::registers::tbi::base, value, [&](std::uint32_t v, bool r) {
           answer = v;
           refused = r;
           wait_ = Wait::Ready;
         }});
    leave(Wait::Register, "register access");
    if (refused) throw HardwareError(fmt::format("register {:#x} refused", address));
    return answer;
  }

  host::NodeMemory memory_;
  Wait wait_ = Wait::Ready;
  std::uint64_t wake_ = 0;
  bool event_ = false;
};

class TbiMachine final : public GateMachine {
  std::unique_ptr<VerilatedContext> context_;  // outlives the nodes

 public:
  TbiMachine(const tofu::Shape& shape, unsigned seed,
             std::optional<tofu::BarrierTiming> timing = {})
      : context_(std::make_unique<VerilatedContext>()),
        shape_(shape),
        random_(seed),
        timing_(timing) {
    for (int n = 0; n < shape_.nodes(); ++n) {
      nodes_.push_back(std::make_unique<TbiPort>(context_.get(), shape_.place(n).address()));
      nodes_.back()->tbi.gap_of_16 = seed % 4;
      nodes_.back()->tbi.stall_of_16 = seed % 3;
      nodes_.back()->tbi.skip_idle = true;
      for (std::uint64_t i = 0; i < reset_cycles; ++i) nodes_.back()->step();
    }
  }

  const tofu::Shape& shape() const override { return shape_; }
  host::HardwarePort& port(int node) override { return *nodes_[static_cast<std::size_t>(node)]; }
  std::uint64_t register_accesses(int node) const override {
    return nodes_[static_cast<std::size_t>(node)]->accesses;
  }

  void run(const std::function<void(int, host::HardwarePort&)>& program) override {
    for (int n = 0; n < size(); ++n) {
      auto& node = *nodes_[static_cast<std::size_t>(n)];
      node.fibre =
          std::make_unique<host::Fibre>([&program, n, &node] { program(n, node); }, 1 << 18);
    }
    // However this ends, nobody is left in the middle of a program that is gone.
    const std::unique_ptr<void, std::function<void(void*)>> end(this, [this](void*) {
      for (auto& node : nodes_) node->fibre.reset();
    });
    const std::uint64_t limit = nodes_[0]->tbi.cycle + patience;
    for (bool finished = false; !finished;) {
      finished = true;
      for (auto& node : nodes_) {
        node->go_on();
        finished = finished && node->fibre->finished();
      }
      if (nodes_[0]->tbi.cycle > limit) give_up();
      for (auto& node : nodes_) {
        node->step();
        collect(*node);
      }
      deliver();
    }
  }

 private:
  struct Flying {
    std::uint64_t due;
    model::GatePacket packet;
  };

  void collect(TbiPort& node) {
    if (node.tbi.broken != 0) throw std::runtime_error("a malformed packet");
    for (; !node.tbi.out.empty(); node.tbi.out.pop_front()) {
      model::GatePacket packet = node.tbi.out.front();
      if (tamper && !tamper(packet)) continue;
      flying_.push_back({node.tbi.cycle + way(packet), packet});
    }
  }

  /// From the cycle after a packet's last beat out to that before its first beat in: first beat to
  /// first beat less the packet's own length.
  std::uint64_t way(const model::GatePacket& packet) {
    if (!timing_) return random_() % longest_way;
    const int hops = shape_.hops(tofu::Coordinates::from_address(packet.from.node),
                                 tofu::Coordinates::from_address(packet.to.node));
    const std::int64_t beats = packet.operation == model::GateOperation::Barrier ? 3 : 6;
    return static_cast<std::uint64_t>(timing_->injection + hops * (timing_->hop + timing_->cable) -
                                      beats);
  }

  void deliver() {
    for (std::size_t i = 0; i < flying_.size();) {
      const auto to = static_cast<std::size_t>(
          shape_.node(tofu::Coordinates::from_address(flying_[i].packet.to.node)));
      TbiPort& node = *nodes_.at(to);
      if (flying_[i].due > node.tbi.cycle) {
        ++i;
        continue;
      }
      node.tbi.arrive(flying_[i].packet);
      flying_.erase(flying_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  [[noreturn]] void give_up() {
    std::string who;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (!nodes_[n]->fibre->finished())
        who += fmt::format(" node {} waits for {};", n, nodes_[n]->waiting_for);
    }
    throw TimeoutError("nothing moves any more:" + who);
  }

  tofu::Shape shape_;
  std::mt19937 random_;
  std::optional<tofu::BarrierTiming> timing_;
  std::vector<std::unique_ptr<TbiPort>> nodes_;
  std::vector<Flying> flying_;
};

}  // namespace

std::unique_ptr<GateMachine> make_machine(const tofu::Shape& shape, unsigned seed) {
  return std::make_unique<TbiMachine>(shape, seed);
}

std::unique_ptr<GateMachine> make_timed_machine(const tofu::Shape& shape,
                                                const tofu::BarrierTiming& timing) {
  return std::make_unique<TbiMachine>(shape, 0, timing);
}

std::vector<int> sizes() {
  return {2, 3, 5, 8, 12, 17, 24};
}

}  // namespace ht::test
