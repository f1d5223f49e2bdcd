// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/gates/barrier_interface.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "sw/host/causes.hpp"
#include "sw/host/errors.hpp"
#include "sw/tofu/gates/gate_registers.hpp"
#include "verif/model/common/order_independent_sum.hpp"

namespace ht::tofu {
namespace {

namespace tbi = registers::tbi;

constexpr std::size_t status_bytes = 8;  // STATUS and sequence, after RESULT

constexpr std::uint32_t refusals = tbi::error_wiring_busy.mask | tbi::error_wiring_self.mask |
                                   tbi::error_wiring_incomplete.mask | tbi::error_start_busy.mask |
                                   tbi::error_start_unwired.mask | tbi::error_start_operation.mask |
                                   tbi::error_start_operand.mask;

constexpr std::uint32_t operations_tell =
    tbi::error_gate_sequence.mask | tbi::error_gate_mismatch.mask | tbi::error_gate_broadcast.mask;

constexpr std::uint32_t u(int i) {
  return static_cast<std::uint32_t>(i);
}
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

bool is_gate(int gate) {
  return gate >= 0 && gate < gates_per_node;
}

}  // namespace

std::uint64_t GateResult::word(std::size_t number) const {
  const std::size_t offset = sizeof(std::uint64_t) * number, first = data.size();
  std::uint64_t w = 0;
  std::memcpy(&w, offset < first ? &data[offset] : &more[0][offset - first], sizeof w);
  return w;
}

double GateResult::rounded(std::size_t number) const {
  const StateBytes& state = number == 0 ? data : more.at(number - 1);
  return model::OrderIndependentSum::from_bytes(state).round();
}

BarrierInterface::BarrierInterface(host::HardwarePort& port, std::string name,
                                   BarrierOptions options, int interface, const Profile& profile)
    : port_(port),
      name_(std::move(name)),
      options_(options),
      interface_(interface),
      profile_(profile),
      base_(barrier_base(interface)) {}

BarrierInterface::~BarrierInterface() {
  if (results_ != nullptr) port_.memory().release(results_);
}

void BarrierInterface::usage(const std::string& what) const {
  throw UsageError(fmt::format("{}: {}", name_, what));
}

std::uint32_t BarrierInterface::read(std::uint32_t address) {
  return port_.read_register(base_ + address);
}

void BarrierInterface::write(std::uint32_t address, std::uint32_t value) {
  port_.write_register(base_ + address, value);
}

void BarrierInterface::request(std::uint32_t address, std::uint32_t value,
                               const std::string& what) {
  try {
    write(address, value);
  } catch (const HardwareError&) {
    collect_errors();
    const std::uint32_t why = errors_ & refusals;
    errors_ &= ~refusals;
    throw HardwareError(
        fmt::format("{}: {}: {}", name_, what, host::causes(tbi::error_causes, why)));
  }
}

void BarrierInterface::collect_errors() {
  const std::uint32_t now = read(tbi::error);
  if (now == 0) return;
  if ((now & tbi::error_fault.mask) != 0)
    throw HardwareError(
        fmt::format("{}: barrier interface: {}", name_, host::causes(tbi::error_causes, now)));
  if ((errors_ & ~operations_tell) == 0) info_ = read(tbi::error_info);
  write(tbi::error, now);
  errors_ |= now;
}

// What a poll has seen, and the operation's own end tells, is not told again.
void BarrierInterface::check_errors() {
  errors_ &= ~operations_tell;
  collect_errors();
  if (errors_ == 0) return;
  throw HardwareError(
      fmt::format("{}: barrier interface: {} (registers ERROR {:#x}, ERROR_INFO {:#x})", name_,
                  host::causes(tbi::error_causes, errors_), errors_, info_));
}

std::uint32_t BarrierInterface::take_errors() {
  collect_errors();
  return std::exchange(errors_, 0U);
}

void BarrierInterface::wire(int gate, const GateSetting& s) {
  const auto check = [&](const std::optional<int>& other) {
    if (other && !is_gate(*other)) usage(fmt::format("there is no gate {}", *other));
  };
  if (!is_gate(gate)) usage(fmt::format("there is no gate {}", gate));
  if (s.channel < 0 || s.channel >= channels_per_node)
    usage(fmt::format("there is no barrier channel {}; 0 to 7", s.channel));
  check(s.local_source);
  check(s.local_destination);
  for (const auto* place : {&s.source, &s.destination}) {
    if (*place) check((*place)->gate);
  }
  free(gate);
  std::uint32_t control = tbi::gate_control_wired.mask |
                          tbi::gate_control_channel.put(u(s.channel)) |
                          tbi::gate_control_group.put(s.group);
  if (s.local_source)
    control |=
        tbi::gate_control_local_in.mask | tbi::gate_control_local_source.put(u(*s.local_source));
  if (s.local_destination)
    control |= tbi::gate_control_local_out.mask |
               tbi::gate_control_local_destination.put(u(*s.local_destination));
  if (s.source) {
    control |= tbi::gate_control_remote_in.mask;
    write(tbi::gate_source(u(gate)), tbi::gate_source_node.put(s.source->node.address()) |
                                         tbi::gate_source_gate.put(u(s.source->gate)) |
                                         gate_interface_bits(u(s.source->interface)));
  }
  if (s.destination) {
    control |= tbi::gate_control_remote_out.mask;
    Coordinates leg;
    const Coordinates& node = s.destination->node;
    const std::array<int, 3> path = s.path.value_or(std::array{node.at[3], node.at[4], node.at[5]});
    for (std::size_t i = 0; i < 3; ++i) leg.at[3 + i] = path[i];
    write(tbi::gate_destination(u(gate)),
          tbi::gate_destination_node.put(node.address()) |
              tbi::gate_destination_path.put(leg.address() >> 15) |
              tbi::gate_destination_gate.put(u(s.destination->gate)) |
              gate_interface_bits(u(s.destination->interface)));
  }
  request(tbi::gate_control(u(gate)), control, fmt::format("gate {}", gate));
  wired_[at(gate)] = true;
}

void BarrierInterface::free(int gate) {
  if (!is_gate(gate)) usage(fmt::format("there is no gate {}", gate));
  if (wired_[at(gate)]) write(tbi::gate_control(u(gate)), 0);
  wired_[at(gate)] = false;
}

void BarrierInterface::start(int channel, GateOperation operation) {
  go(channel, operation, tbi::start_form_none, {});
}

void BarrierInterface::start(int channel, GateOperation operation, std::uint64_t word) {
  start(channel, operation, std::span(&word, 1));
}

void BarrierInterface::start_sum(int channel, double x) {
  start_sum(channel, std::span(&x, 1));
}

void BarrierInterface::start(int channel, GateOperation operation,
                             std::span<const std::uint64_t> given) {
  std::array<std::uint32_t, 2 * most_words> words{};
  if (given.empty() || given.size() > static_cast<std::size_t>(profile_.words()))
    usage(fmt::format("{} words, where an operation has 1 to {}", given.size(), profile_.words()));
  std::memcpy(words.data(), given.data(), given.size_bytes());
  go(channel, operation, tbi::start_form_word,
     std::span(words).first(2 * static_cast<std::size_t>(profile_.words())));
}

void BarrierInterface::start_sum(int channel, std::span<const double> given) {
  std::array<std::uint32_t, 2 * most_states> words{};
  if (given.empty() || given.size() > static_cast<std::size_t>(profile_.doubles()))
    usage(fmt::format("{} doubles, where an operation has 1 to {}", given.size(),
                      profile_.doubles()));
  std::memcpy(words.data(), given.data(), given.size_bytes());
  go(channel, GateOperation::Fsum, tbi::start_form_double,
     std::span(words).first(2 * static_cast<std::size_t>(profile_.doubles())));
}

void BarrierInterface::start_state(int channel, GateOperation operation, const StateBytes& state) {
  std::array<std::uint32_t, most_states * tbi::operand_words> words{};
  std::memcpy(words.data(), state.data(), state.size());
  go(channel, operation, tbi::start_form_state,
     std::span(words).first(tbi::operand_words * static_cast<std::size_t>(profile_.states)));
}

std::size_t BarrierInterface::result_bytes() const {
  return sizeof(StateBytes) * static_cast<std::size_t>(profile_.states);
}

std::size_t BarrierInterface::slot_bytes() const {
  return result_bytes() + status_bytes;
}

std::byte* BarrierInterface::slot(int channel) {
  if (results_ == nullptr) {
    // Address 0 means "nowhere": the first 16 bytes of memory are no place for a result.
    const std::size_t bytes = slot_bytes() * channels_per_node;
    results_ = static_cast<std::byte*>(port_.memory().allocate(bytes));
    if (port_.memory().offset_of(results_) == 0) {
      std::byte* const next = static_cast<std::byte*>(port_.memory().allocate(bytes));
      port_.memory().release(results_);
      results_ = next;
    }
  }
  return results_ + slot_bytes() * at(channel);
}

void BarrierInterface::go(int channel, GateOperation operation, std::uint32_t form,
                          std::span<const std::uint32_t> words) {
  if (channel < 0 || channel >= channels_per_node)
    usage(fmt::format("there is no barrier channel {}; 0 to 7", channel));
  Channel& c = channels_[at(channel)];
  if (c.busy) usage(fmt::format("barrier channel {} is busy: poll it to its end first", channel));
  if (!wired_[at(channel)]) usage(fmt::format("gate {} is not wired", channel));
  port_.advance(options_.start_cost);
  if (options_.results_in_memory) {
    std::memset(slot(channel), 0, slot_bytes());
    if (!c.aimed) {
      const auto offset = *port_.memory().offset_of(slot(channel), slot_bytes());
      write(tbi::result_address(u(channel)), static_cast<std::uint32_t>(offset / 16));
      c.aimed = true;
    }
  }
  for (std::uint32_t i = 0; i < words.size(); ++i) write(operand_word(u(channel), i), words[i]);
  request(
      tbi::start(u(channel)),
      tbi::start_operation.put(static_cast<std::uint32_t>(operation)) | tbi::start_form.put(form),
      fmt::format("barrier channel {}", channel));
  c.busy = true;
  c.operation = operation;
}

bool BarrierInterface::busy(int channel) const {
  return channel >= 0 && channel < channels_per_node && channels_[at(channel)].busy;
}

GateResult BarrierInterface::result(const Channel&, std::uint32_t status) const {
  GateResult r;
  r.empty = (status & tbi::status_empty.mask) != 0;
  r.mismatch = (status & tbi::status_mismatch.mask) != 0;
  const std::uint32_t others =
      tbi::status_sequence.mask | tbi::status_address.mask | tbi::status_broadcast.mask;
  r.other = (status & others) != 0;
  if (r.mismatch) r.error += " participants started different operations;";
  if ((status & tbi::status_sequence.mask) != 0) r.error += " a packet was out of sequence;";
  if ((status & tbi::status_address.mask) != 0) r.error += " a packet came to a wrong gate;";
  if ((status & tbi::status_broadcast.mask) != 0)
    r.error += " two nodes gave a datum to broadcast;";
  if (!r.error.empty()) r.error = name_ + ":" + r.error.substr(0, r.error.size() - 1);
  return r;
}

std::optional<GateResult> BarrierInterface::poll(int channel) {
  if (!busy(channel)) usage(fmt::format("nothing was started on barrier channel {}", channel));
  Channel& c = channels_[at(channel)];
  port_.advance(options_.poll_cost);
  if (port_.interrupt()) collect_errors();  // a fault: nothing would ever end
  std::uint32_t status = 0;
  if (options_.results_in_memory)
    std::memcpy(&status, slot(channel) + result_bytes(), sizeof status);
  else
    status = read(tbi::status(u(channel)));
  if ((status & tbi::status_done.mask) == 0) return std::nullopt;
  c.busy = false;
  GateResult r = result(c, status);
  if (r.empty || !r.good()) return r;
  if (options_.results_in_memory) {
    std::memcpy(r.data.data(), slot(channel), r.data.size());
    std::memcpy(r.more.data(), slot(channel) + r.data.size(), result_bytes() - r.data.size());
  } else {
    const bool state =
        c.operation == GateOperation::Fsum || c.operation == GateOperation::Broadcast;
    for (std::uint32_t i = 0; i < (state ? tbi::operand_words : 2); ++i) {
      const std::uint32_t w = read(tbi::result(u(channel), i));
      std::memcpy(r.data.data() + std::size_t{4} * i, &w, sizeof w);
    }
  }
  return r;
}

GateResult BarrierInterface::wait(int channel) {
  for (;;) {
    if (auto r = poll(channel)) return *r;
    if (while_waiting_) while_waiting_();
    // Memory that is written wakes; registers have to be looked at.
    if (options_.results_in_memory) port_.wait("barrier gates");
  }
}

void BarrierInterface::reset(int channel) {
  if (channel < 0 || channel >= channels_per_node)
    usage(fmt::format("there is no barrier channel {}; 0 to 7", channel));
  write(tbi::channel_reset, 1U << channel);
  channels_[at(channel)].busy = false;
}

}  // namespace ht::tofu
