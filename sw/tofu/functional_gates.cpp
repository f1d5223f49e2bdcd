// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/functional_gates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>
#include <utility>

#include "sw/host/errors.hpp"
#include "sw/host/fibre.hpp"
#include "sw/tofu/registers.hpp"

namespace ht::tofu {
namespace {

namespace tbi = registers::tbi;

constexpr Picoseconds cycle = 3'200;
constexpr std::int64_t barrier_beats = 3;
constexpr int patience = 1'000'000;  // turns of programs with nothing under way between them

}  // namespace

/// The barrier interface's registers over the reference model, and the node's program.
class FunctionalGates::Port final : public host::HardwarePort {
 public:
  Port(FunctionalGates& machine, std::size_t node)
      : machine_(machine),
        node_(node),
        gates_(machine.shape_.place(static_cast<int>(node)).address()),
        memory_(machine.options_.memory_bytes) {}

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
    for (std::uint32_t c = 0; c < tbi::channels; ++c) {
      if (address == tbi::status(c)) return status(c);
      for (std::uint32_t w = 0; w < tbi::operand_words; ++w) {
        if (address == tbi::result(c, w))
          return static_cast<std::uint32_t>(ended_[c].result[w / 2] >> (w % 2 * 32));
      }
    }
    throw HardwareError(fmt::format("no register {:#x} to read", tbi::base + address));
  }

  void write_register(std::uint32_t address, std::uint32_t value) override {
    enter();
    address -= tbi::base;
    if (address == tbi::error)
      error_ &= ~value;
    else if (!write_gate(address, value) && !write_channel(address, value))
      throw HardwareError(fmt::format("no register {:#x} to write", tbi::base + address));
    error_ |= gates_.take_errors();
    if (std::exchange(refused_, false))
      throw HardwareError(fmt::format("register {:#x} refused", tbi::base + address));
  }

  void receive(const model::GatePacket& packet, Picoseconds due) {
    // One beat a cycle comes in: what comes at the same time as another waits.
    due = std::max(due, last_in_ + beats(packet) * cycle);
    last_in_ = due;
    arrived_[packet.to.gate][packet.sequence & 1] = due;
    gates_.receive(packet);
    settle(packet.to.gate);
    if (blocked_ && interrupt()) now_ = std::max(now_, due);
  }

  /// A result gets to where the host sees it.
  void show(std::uint32_t c, Picoseconds due) {
    ended_[c] = gates_.channel(c);
    if (result_address_[c] == 0) return;
    std::byte* const at = memory_.data() + std::size_t{16} * result_address_[c];
    const std::uint64_t end = status(c) | std::uint64_t{ended_[c].sequence} << 32;
    std::memcpy(at, ended_[c].result.data(), 40);
    std::memcpy(at + 40, &end, 8);
    if (blocked_) now_ = std::max(now_, due);
    event_ = true;
  }

  bool can_go_on() const {
    return fibre && !fibre->finished() && (!blocked_ || event_ || interrupt());
  }

  std::unique_ptr<host::Fibre> fibre;
  std::string waiting_for;
  std::uint64_t accesses = 0;

 private:
  void turn(std::string_view what) {
    waiting_for = what;
    host::Fibre::suspend();
  }
  void enter() {
    ++accesses;
    now_ += machine_.options_.register_cost;
    turn("register access");
  }

  std::uint32_t status(std::uint32_t c) const {
    const auto& channel = ended_[c];
    return tbi::status_busy.put(channel.busy) | tbi::status_done.put(channel.done) |
           tbi::status_operation.put(static_cast<std::uint32_t>(channel.operation)) |
           static_cast<std::uint32_t>(channel.status) << 8;
  }

  bool write_gate(std::uint32_t address, std::uint32_t value) {
    if (address < tbi::gate_control(0)) return false;
    const std::uint32_t gate = (address - tbi::gate_control(0)) / 4;
    if (gate >= tbi::gates) return false;
    if (address == tbi::gate_source(gate)) {
      source_[gate] = {tbi::gate_source_node.get(value),
                       static_cast<std::uint8_t>(tbi::gate_source_gate.get(value))};
    } else if (address == tbi::gate_destination(gate)) {
      destination_[gate] = value;
    } else if (address == tbi::gate_control(gate)) {
      const auto w = wiring(gate, value);
      refused_ = gates_.wire(gate, w) != 0;
      if (refused_) return true;
      wirings_[gate] = w;
      fired_[gate] = gates_.fired(gate);
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
    if ((v & tbi::gate_control_remote_in.mask) != 0) w.source = source_[gate];
    if ((v & tbi::gate_control_remote_out.mask) != 0) {
      const std::uint32_t d = destination_[gate];
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
        start(c, value);
        return true;
      }
      if (address == tbi::result_address(c)) {
        result_address_[c] = value;
        return true;
      }
    }
    if (address != tbi::channel_reset) return false;
    for (unsigned c = 0; c < tbi::channels; ++c) {
      if ((value >> c & 1) == 0) continue;
      gates_.reset(c);
      ended_[c] = gates_.channel(c);
    }
    return true;
  }

  void start(std::uint32_t c, std::uint32_t value) {
    started_[c] = fires_[c] = now_ + machine_.options_.timing.start * cycle;
    const auto operation = static_cast<model::GateOperation>(tbi::start_operation.get(value));
    const auto form = static_cast<model::GateForm>(tbi::start_form.get(value));
    refused_ = gates_.start(c, operation, form, operand_[c]) != 0;
    if (refused_) return;
    ended_[c].done = false;
    ended_[c].busy = true;
    const auto& w = wirings_[c];
    settle(w && w->local_destination ? *w->local_destination : c);
    look_at_channel(c);
  }

  /// When the gates fired that have just done so: along the chain of signals, from `gate` on.
  void settle(std::uint32_t gate) {
    const BarrierTiming& t = machine_.options_.timing;
    for (bool more = true; more && gates_.fired(gate) != fired_[gate];) {
      fired_[gate] = gates_.fired(gate);
      const model::GateWiring& w = *wirings_[gate];
      const std::size_t bank = (gates_.state(gate) - 1) & 1;  // of the operation before the next
      Picoseconds at = 0;
      if (w.source) at = arrived_[gate][bank] + t.gate * cycle;
      if (w.local_source) at = std::max(at, fires_[*w.local_source] + t.local * cycle);
      if (gate < tbi::channels) at = std::max(at + (t.result - t.gate) * cycle, started_[gate]);
      fires_[gate] = at;
      more = gate >= tbi::channels && w.local_destination;
      if (gate < tbi::channels) look_at_channel(gate);
      if (more) gate = *w.local_destination;
    }
    for (; !gates_.sent.empty(); gates_.sent.pop_front()) send(gates_.sent.front());
    error_ |= gates_.take_errors();
  }

  void send(model::GatePacket packet) {
    const BarrierTiming& t = machine_.options_.timing;
    Picoseconds leaves =
        packet.from.gate < tbi::channels ? started_[packet.from.gate] : fires_[packet.from.gate];
    if (machine_.tamper && !machine_.tamper(packet)) return;
    const Shape& shape = machine_.shape_;
    const Coordinates to = Coordinates::from_address(packet.to.node);
    const Coordinates from = shape.place(static_cast<int>(node_));
    const std::int64_t length = beats(packet);
    leaves = std::max(leaves, out_free_);
    out_free_ = leaves + length * cycle;
    const Picoseconds on_the_way =
        (t.injection + shape.hops(from, to) * (t.hop + t.cable) + length - 1) * cycle;
    machine_.post(static_cast<std::size_t>(shape.number(to)), leaves + on_the_way, packet, 0);
  }

  std::int64_t beats(const model::GatePacket& packet) const {
    return packet.operation == model::GateOperation::Barrier ? barrier_beats
                                                             : machine_.options_.timing.beats;
  }

  void look_at_channel(std::uint32_t c) {
    if (gates_.channel(c).completed == seen_[c]) return;
    seen_[c] = gates_.channel(c).completed;
    machine_.post(node_, fires_[c], std::nullopt, c);
  }

  FunctionalGates& machine_;
  std::size_t node_;
  model::TofuGates gates_;
  host::NodeMemory memory_;
  Picoseconds now_ = 0;
  bool event_ = false, blocked_ = false, refused_ = false;
  std::uint32_t error_ = 0;
  std::array<model::GateAddress, 64> source_{};
  std::array<std::uint32_t, 64> destination_{};
  std::array<std::optional<model::GateWiring>, 64> wirings_;
  std::array<model::GateData, 8> operand_{};
  std::array<std::uint32_t, 8> result_address_{};
  std::array<model::TofuGates::Channel, 8> ended_{};  ///< as the host sees them
  std::array<std::uint64_t, 8> seen_{};
  // When things happened: a channel's start, a gate's firing, a packet's last beat by bank.
  std::array<Picoseconds, 8> started_{};
  std::array<Picoseconds, 64> fires_{};
  std::array<std::array<Picoseconds, 2>, 64> arrived_{};
  std::array<std::uint64_t, 64> fired_{};
  Picoseconds last_in_ = 0, out_free_ = 0;  ///< between the gates and the router
};

FunctionalGates::FunctionalGates(const Shape& shape, FunctionalGatesOptions options)
    : shape_(shape), options_(options) {
  shape_.check();
  for (int n = 0; n < shape_.nodes(); ++n)
    nodes_.push_back(std::make_unique<Port>(*this, static_cast<std::size_t>(n)));
}

FunctionalGates::~FunctionalGates() = default;

host::HardwarePort& FunctionalGates::port(int node) {
  return *nodes_.at(static_cast<std::size_t>(node));
}

std::uint64_t FunctionalGates::register_accesses(int node) const {
  return nodes_.at(static_cast<std::size_t>(node))->accesses;
}

namespace {
constexpr auto later = [](const auto& a, const auto& b) {
  return std::pair(a.due, a.number) > std::pair(b.due, b.number);
};
}  // namespace

void FunctionalGates::post(std::size_t node, Picoseconds due,
                           std::optional<model::GatePacket> packet, std::uint32_t channel) {
  events_.push_back({due, posted_++, node, std::move(packet), channel});
  if (!options_.shuffle) std::push_heap(events_.begin(), events_.end(), later);
}

void FunctionalGates::carry(Event event) {
  Port& node = *nodes_.at(event.node);
  if (event.packet)
    node.receive(*event.packet, event.due);
  else
    node.show(event.channel, event.due);
}

void FunctionalGates::run(const Program& program) {
  std::mt19937 random(options_.shuffle.value_or(0));
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    Port& node = *nodes_[n];
    node.fibre = std::make_unique<host::Fibre>(
        [&program, n, &node] { program(static_cast<int>(n), node); }, options_.stack_bytes);
  }
  // However this ends, nobody is left in the middle of a program that is gone.
  const std::unique_ptr<void, std::function<void(void*)>> end(this, [this](void*) {
    for (auto& node : nodes_) node->fibre.reset();
    events_.clear();
  });
  for (int turns = 0;;) {
    std::vector<Port*> ready;
    bool finished = true;
    for (auto& node : nodes_) {
      if (node->can_go_on()) ready.push_back(node.get());
      finished = finished && node->fibre->finished();
    }
    if (finished) break;
    if ((ready.empty() && events_.empty()) || turns > patience) give_up();

    Port* next = nullptr;
    std::size_t event = 0;
    if (options_.shuffle) {
      const std::size_t pick = random() % (ready.size() + events_.size());
      if (pick < ready.size())
        next = ready[pick];
      else
        event = pick - ready.size();
    } else if (!ready.empty()) {
      next = *std::min_element(ready.begin(), ready.end(),
                               [](const Port* a, const Port* b) { return a->now() < b->now(); });
      if (!events_.empty() && events_.front().due <= next->now()) next = nullptr;
    }
    if (next != nullptr) {
      ++turns;
      next->fibre->resume();
      continue;
    }
    turns = 0;
    if (!options_.shuffle) {
      std::pop_heap(events_.begin(), events_.end(), later);
      event = events_.size() - 1;
    }
    const Event happening = events_[event];
    events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(event));
    carry(happening);
  }
}

void FunctionalGates::give_up() {
  std::string who;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (!nodes_[n]->fibre->finished())
      who += fmt::format(" node {} waits for {};", n, nodes_[n]->waiting_for);
  }
  throw TimeoutError("nothing moves any more:" + who);
}

}  // namespace ht::tofu
