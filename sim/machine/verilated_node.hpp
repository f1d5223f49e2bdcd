// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/lane/lane_end.hpp"
#include "sim/machine/clocked_node.hpp"
#include "sim/machine/edge.hpp"
#include "sim/machine/torus.hpp"
#include "sim/machine/trace.hpp"
#include "sim/machine/verilated_top.hpp"

namespace ht::machine {

/// A node whose hardware is one Verilated top with one clock `clk`, a register bus (`reg_valid`,
/// `reg_write`, `reg_address`, `reg_wdata`, `reg_ack`, `reg_rdata`, `reg_error`), an observation
/// port (`obs_idle`, two bits of `obs_state` a link: 0 down, 1 training, 2 up) and, perhaps, an
/// interrupt `irq`. Its links' cables are plugged in here; what goes over them, and what is behind
/// its memory ports, is the derived class's.
///
/// The header of the root of Top (V<top>___024root.h) must be included where a constructor of the
/// derived class is defined, and its destructor there too.
template <class Top, class Cable>
class VerilatedNode : public ClockedNode {
 public:
  ~VerilatedNode() override {
    abandon();
    trace_.reset();
  }

  /// Plugs in link `link`: `out` carries what this node sends, `in` what it receives. Before the
  /// first run(); a link may be left without a cable.
  void connect(int link, Cable& out, Cable& in) {
    plugs_[static_cast<std::size_t>(link)] = {&out, &in, nullptr};
  }
  /// The same of a cable of lanes, with the lanes at this end. The Verilog's LANES is not 0 then.
  void connect_lanes(int link, sim::lanes::LaneCable& out, sim::lanes::LaneCable& in) {
    std::optional<std::uint32_t> state = state_;
    if (state) *state += 1 + static_cast<std::uint32_t>(link);
    plugs_[static_cast<std::size_t>(link)] = {
        nullptr, nullptr, std::make_unique<sim::lanes::LaneEnd>(out, in, state)};
    lanes_ = true;
  }

  void trace(const TraceOptions& options) override {
    std::vector<std::string> cables;
    for (const Plug& plug : plugs_) {
      cables.push_back(plug.lanes            ? plug.lanes->out().name()
                       : plug.out == nullptr ? ""
                                             : plug.out->name());
    }
    trace_ = std::make_unique<NodeTrace>(trace_top(), rank_, options, cables);
  }
  void close_trace() override {
    if (trace_) trace_->close();
    trace_.reset();
  }

  bool interrupt() const override {
    if constexpr (requires { (*top_).irq; }) return (*top_).irq;
    return false;
  }

 protected:
  struct Plug {
    Cable* out = nullptr;
    Cable* in = nullptr;
    std::unique_ptr<sim::lanes::LaneEnd> lanes;  ///< instead of both
    bool plugged() const { return in != nullptr || lanes; }
  };

  /// Lanes send at every edge.
  Picoseconds next_housekeeping() const override {
    return lanes_ ? clock_.edge(edge_) : sim::kNever;
  }

  /// As ClockedNode(); `address_bits` of the register bus, `state` as of VerilatedTop(). The top's
  /// reset, `rst`, is on.
  VerilatedNode(int rank, std::size_t memory_bytes, const Traits& traits, const sim::Clock& clock,
                int idle_period, bool skip_idle, unsigned address_bits,
                std::optional<std::uint32_t> state = {})
      : ClockedNode(rank, memory_bytes, traits, clock, idle_period, skip_idle),
        top_(fmt::format("node{}", rank), state),
        state_(state),
        plugs_(static_cast<std::size_t>(traits.links)),
        clk_(HT_CLOCK_PIN(*top_, clk)),
        address_mask_((1U << address_bits) - 1) {
    top_->rst = 1;
    top_->reg_valid = 0;
  }

  /// Before an edge: what is on the inputs.
  virtual void set_inputs() = 0;
  /// The same, with inputs set, but for outputs that come from registers and so stand since the
  /// last edge: memory requests, say.
  virtual void take_requests() = 0;
  /// Last before an edge: for parts with clocks of their own, which may need evaluations.
  virtual void before_rise() {}
  /// After an edge: what is on the outputs.
  virtual void take_outputs() = 0;
  virtual TraceTop trace_top() = 0;
  virtual std::string link_name(int link) const { return machine::link_name(link); }

  VerilatedTop<Top> top_;
  std::optional<std::uint32_t> state_;
  std::vector<Plug> plugs_;  ///< by link
  bool lanes_ = false;       ///< some link has lanes, which never rest
  ClockPin clk_;

 private:
  void step() final {
    set_inputs();
    if (clk_.needs_low()) {
      clk_.fall();
      top_->eval();
    }
    const bool answered = top_->reg_valid && top_->reg_ack;
    const std::uint32_t value = top_->reg_rdata;
    const bool refused = top_->reg_error;
    take_requests();
    before_rise();
    clk_.rise();
    top_->eval();
    if (trace_) trace_->dump(now_, true);
    ++cycles_.total;
    take_outputs();
    if (answered) {
      top_->reg_valid = 0;
      end_access(value, refused);
    }
    if (waits_for(Wait::Event) && interrupt()) notify();
  }

  void rested(Picoseconds until) final {
    if (trace_) trace_->rest(until);
  }

  void begin_access(std::uint32_t address, bool write, std::uint32_t value) final {
    using Pin = std::remove_reference_t<decltype((*top_).reg_address)>;
    top_->reg_valid = 1;
    top_->reg_write = write;
    top_->reg_address = static_cast<Pin>(address & address_mask_);
    top_->reg_wdata = value;
  }

  Picoseconds next_arrival() const final {
    Picoseconds first = sim::kNever;
    for (const Plug& plug : plugs_) {
      if (plug.in == nullptr) continue;
      if (const auto edge = plug.in->next_edge()) first = std::min(first, clock_.edge(*edge));
    }
    return first;
  }

  std::string hardware_status() const final {
    static constexpr const char* states[] = {"down", "training", "up", "?"};
    std::string text;
    for (int link = 0; link < link_count(); ++link) {
      const unsigned state = (*top_).obs_state >> (2 * link) & 3;
      if (state == 2 || !plugs_[static_cast<std::size_t>(link)].plugged()) continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", link_name(link), states[state]);
    }
    if (text.empty()) text = "all links up";
    return text + ((*top_).obs_idle ? ", nothing moves" : ", busy");
  }

  std::uint32_t address_mask_;
  std::unique_ptr<NodeTrace> trace_;
};

}  // namespace ht::machine
