// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>
#include <random>
#include <stdexcept>

#include "sw/host/errors.hpp"
#include "sw/host/fibre.hpp"
#include "sw/tofu/registers.hpp"
#include "tests/tofu/gate_machine.hpp"

namespace ht::test {
namespace {

namespace tbi = tofu::registers::tbi;

/// The barrier interface's registers over the reference model.
class ModelPort final : public host::HardwarePort {
 public:
  explicit ModelPort(std::uint32_t node) : gates_(node), memory_(std::size_t{1} << 16) {}

  Picoseconds now() const override { return now_; }
  void advance(Picoseconds duration) override {
    now_ += duration;
    turn("time");
  }
  void wait(std::string_view what) override {
    blocked_ = !event_ && !interrupt();
    turn(what);
    event_ = blocked_ = false;
  }
  bool interrupt() const override { return error_ != 0; }
  host::NodeMemory& memory() override { return memory_; }

  std::uint32_t read_register(std::uint32_t address) override {
    enter();
    address -= tbi::base;
    if (address == tbi::error) return error_;
    if (address >= tbi::gate_control(0)) {
      const std::uint32_t gate = (address - tbi::gate_control(0)) / 4;
      if (address == tbi::gate_state(gate)) return gates_.state(gate);
    }
    for (std::uint32_t c = 0; c < tbi::channels; ++c) {
      if (address == tbi::status(c)) return status(c);
      for (std::uint32_t w = 0; w < tbi::operand_words; ++w) {
        if (address == tbi::result(c, w))
          return static_cast<std::uint32_t>(gates_.channel(c).result[w / 2] >> (w % 2 * 32));
      }
    }
    throw std::logic_error(fmt::format("the test has no register {:#x} to read", address));
  }

  void write_register(std::uint32_t address, std::uint32_t value) override {
    enter();
    address -= tbi::base;
    if (!write_gate(address, value) && !write_channel(address, value)) {
      if (address == tbi::error)
        error_ &= ~value;
      else
        throw std::logic_error(fmt::format("the test has no register {:#x} to write", address));
    }
    look();
  }

  void receive(const model::GatePacket& packet) {
    gates_.receive(packet);
    look();
  }

  bool can_go_on() const {
    return fibre && !fibre->finished() && (!blocked_ || event_ || interrupt());
  }

  std::unique_ptr<host::Fibre> fibre;
  std::vector<model::GatePacket> sent;
  std::string waiting_for;
  std::uint64_t accesses = 0;

 private:
  void turn(std::string_view what) {
    waiting_for = what;
    host::Fibre::suspend();
  }
  void enter() {
    ++accesses;
    now_ += 100'000;
    turn("register access");
  }

  std::uint32_t status(std::uint32_t c) const {
    const auto& channel = gates_.channel(c);
    return tbi::status_busy.put(channel.busy) | tbi::status_done.put(channel.done) |
           tbi::status_operation.put(static_cast<std::uint32_t>(channel.operation)) |
           static_cast<std::uint32_t>(channel.status) << 8;
  }

  bool write_gate(std::uint32_t address, std::uint32_t value) {
    if (address < tbi::gate_control(0)) return false;
    const std::uint32_t gate = (address - tbi::gate_control(0)) / 4;
    if (address == tbi::gate_source(gate)) {
      source_.at(gate) = {tbi::gate_source_node.get(value),
                          static_cast<std::uint8_t>(tbi::gate_source_gate.get(value))};
    } else if (address == tbi::gate_destination(gate)) {
      destination_.at(gate) = value;
    } else if (address == tbi::gate_control(gate)) {
      gates_.wire(gate, wiring(gate, value));
    } else {
      return false;
    }
    return true;
  }

  std::optional<model::GateWiring> wiring(std::uint32_t gate, std::uint32_t v) const {
    if ((v & tbi::gate_control_wired.mask) == 0) return std::nullopt;
    model::GateWiring w;
    const auto byte = [](std::uint32_t x) { return static_cast<std::uint8_t>(x); };
    w.channel = byte(tbi::gate_control_channel.get(v));
    w.group = byte(tbi::gate_control_group.get(v));
    if ((v & tbi::gate_control_local_in.mask) != 0)
      w.local_source = byte(tbi::gate_control_local_source.get(v));
    if ((v & tbi::gate_control_local_out.mask) != 0)
      w.local_destination = byte(tbi::gate_control_local_destination.get(v));
    if ((v & tbi::gate_control_remote_in.mask) != 0) w.source = source_.at(gate);
    if ((v & tbi::gate_control_remote_out.mask) != 0) {
      const std::uint32_t d = destination_.at(gate);
      w.destination = model::GateAddress{tbi::gate_destination_node.get(d),
                                         byte(tbi::gate_destination_gate.get(d))};
      w.path = byte(tbi::gate_destination_path.get(d));
    }
    return w;
  }

  bool write_channel(std::uint32_t address, std::uint32_t value) {
    for (std::uint32_t c = 0; c < tbi::channels; ++c) {
      for (std::uint32_t w = 0; w < tbi::operand_words; ++w) {
        if (address != tbi::operand(c, w)) continue;
        std::uint64_t& half = operand_[c][w / 2];
        const unsigned shift = w % 2 * 32;
        half = (half & ~(std::uint64_t{0xffff'ffff} << shift)) | std::uint64_t{value} << shift;
        return true;
      }
      if (address == tbi::start(c)) {
        gates_.start(c, static_cast<model::GateOperation>(tbi::start_operation.get(value)),
                     static_cast<model::GateForm>(tbi::start_form.get(value)), operand_[c]);
        return true;
      }
      if (address == tbi::result_address(c)) {
        result_address_[c] = value;
        return true;
      }
    }
    if (address == tbi::channel_reset) {
      for (unsigned c = 0; c < tbi::channels; ++c) {
        if ((value >> c & 1) != 0) gates_.reset(c);
      }
      return true;
    }
    return false;
  }

  /// What follows from something that happened: packets, errors, results in memory.
  void look() {
    for (; !gates_.sent.empty(); gates_.sent.pop_front()) sent.push_back(gates_.sent.front());
    error_ |= gates_.take_errors();
    for (std::uint32_t c = 0; c < tbi::channels; ++c) {
      const auto& channel = gates_.channel(c);
      if (channel.completed == seen_[c]) continue;
      seen_[c] = channel.completed;
      if (result_address_[c] == 0) continue;
      std::byte* const at = memory_.data() + std::size_t{16} * result_address_[c];
      const std::uint64_t end = status(c) | std::uint64_t{channel.sequence} << 32;
      std::memcpy(at, channel.result.data(), 40);
      std::memcpy(at + 40, &end, 8);
      event_ = true;
    }
  }

  model::TofuGates gates_;
  host::NodeMemory memory_;
  Picoseconds now_ = 0;
  bool event_ = false, blocked_ = false;
  std::uint32_t error_ = 0;
  std::array<model::GateAddress, 64> source_{};
  std::array<std::uint32_t, 64> destination_{};
  std::array<model::GateData, 8> operand_{};
  std::array<std::uint32_t, 8> result_address_{};
  std::array<std::uint64_t, 8> seen_{};
};

class ModelMachine final : public GateMachine {
 public:
  ModelMachine(const tofu::Shape& shape, unsigned seed) : shape_(shape), random_(seed) {
    for (int n = 0; n < shape_.nodes(); ++n)
      nodes_.push_back(std::make_unique<ModelPort>(shape_.place(n).address()));
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
    int idle_turns = 0;  // programs that only look do not count as getting on
    for (;;) {
      std::vector<ModelPort*> ready;
      bool finished = true;
      for (auto& node : nodes_) {
        if (node->can_go_on()) ready.push_back(node.get());
        finished = finished && node->fibre->finished();
      }
      if (finished) break;
      if ((ready.empty() && flying_.empty()) || idle_turns > 200'000) give_up();
      const std::size_t pick = random_() % (ready.size() + flying_.size());
      if (pick < ready.size()) {
        ready[pick]->fibre->resume();
        ++idle_turns;
        collect(*ready[pick]);
      } else {
        idle_turns = 0;
        const auto at = flying_.begin() + static_cast<std::ptrdiff_t>(pick - ready.size());
        const model::GatePacket packet = *at;
        flying_.erase(at);
        auto& to = *nodes_.at(static_cast<std::size_t>(
            shape_.number(tofu::Coordinates::from_address(packet.to.node))));
        to.receive(packet);
        collect(to);
      }
    }
    for (auto& node : nodes_) node->fibre.reset();
  }

 private:
  void collect(ModelPort& node) {
    for (model::GatePacket packet : node.sent) {
      if (!tamper || tamper(packet)) flying_.push_back(packet);
    }
    node.sent.clear();
  }

  [[noreturn]] void give_up() {
    std::string who;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (!nodes_[n]->fibre->finished())
        who += fmt::format(" node {} waits for {};", n, nodes_[n]->waiting_for);
    }
    for (auto& node : nodes_) node->fibre.reset();
    flying_.clear();
    throw TimeoutError("nothing moves any more:" + who);
  }

  tofu::Shape shape_;
  std::mt19937 random_;
  std::vector<std::unique_ptr<ModelPort>> nodes_;
  std::vector<model::GatePacket> flying_;
};

}  // namespace

std::unique_ptr<GateMachine> model_machine(const tofu::Shape& shape, unsigned seed) {
  return std::make_unique<ModelMachine>(shape, seed);
}

}  // namespace ht::test
