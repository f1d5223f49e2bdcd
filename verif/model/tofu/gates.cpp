// SPDX-License-Identifier: Apache-2.0
#include "verif/model/tofu/gates.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <utility>

#include "verif/model/common/order_independent_sum.hpp"

namespace ht::model {
namespace {

using namespace gate_status;

constexpr std::uint8_t kSignal = 1, kPacket = 2;
constexpr std::uint32_t kSequences = 1U << 24;

OrderIndependentSum to_sum(const GateData& data, std::size_t number = 0) {
  OrderIndependentSum::Bytes bytes;
  std::memcpy(bytes.data(), &data[kStateWords * number], bytes.size());
  return OrderIndependentSum::from_bytes(bytes);
}

void put(const OrderIndependentSum& sum, GateData& data, std::size_t number = 0) {
  const auto bytes = sum.to_bytes();
  std::memcpy(&data[kStateWords * number], bytes.data(), bytes.size());
}

std::size_t words(std::size_t states) {
  return states > 1 ? kWideWords : 1;
}

GateData largest(const GateData& a, const GateData& b) {
  GateData data{};
  for (std::size_t i = 0; i < kWideWords; i += 2) {
    const bool first = a[i] > b[i] || (a[i] == b[i] && a[i + 1] <= b[i + 1]);
    data[i] = first ? a[i] : b[i];
    data[i + 1] = first ? a[i + 1] : b[i + 1];
  }
  return data;
}

bool fits(GateOperation operation, GateForm form) {
  switch (operation) {
    case GateOperation::Barrier:
      return form == GateForm::None;
    case GateOperation::Fsum:
      return form != GateForm::Word;
    case GateOperation::Broadcast:
      return form != GateForm::Double;
    default:
      return form == GateForm::None || form == GateForm::Word;
  }
}

std::uint8_t inputs_of(const GateWiring& w) {
  return static_cast<std::uint8_t>((w.local_source ? kSignal : 0) | (w.source ? kPacket : 0));
}

bool is_start(unsigned gate) {
  return gate < TofuGates::kChannels;
}

}  // namespace

GateData combine(GateOperation operation, const GateData& a, const GateData& b,
                 std::size_t states) {
  const auto word_by_word = [&](auto combined) {
    GateData data{};
    for (std::size_t i = 0; i < words(states); ++i) data[i] = combined(a[i], b[i]);
    return data;
  };
  switch (operation) {
    case GateOperation::And:
      return word_by_word(std::bit_and<>());
    case GateOperation::Or:
      return word_by_word(std::bit_or<>());
    case GateOperation::Xor:
      return word_by_word(std::bit_xor<>());
    case GateOperation::Max:
      return word_by_word([](auto x, auto y) { return std::max(x, y); });
    case GateOperation::Sum:
      return word_by_word(std::plus<>());
    case GateOperation::MaxLoc:
      return largest(a, b);
    case GateOperation::Fsum: {
      GateData data{};
      for (std::size_t i = 0; i < states; ++i) {
        auto sum = to_sum(a, i);
        sum.merge(to_sum(b, i));
        put(sum, data, i);
      }
      return data;
    }
    default:
      throw std::logic_error("barrier gates: this operation combines no data");
  }
}

GateData state_of(double x) {
  OrderIndependentSum sum;
  sum.add(x);
  GateData data{};
  put(sum, data);
  return data;
}

bool is_state(const GateData& data, std::size_t states) {
  try {
    GateData again{};
    for (std::size_t i = 0; i < states; ++i) put(to_sum(data, i), again, i);
    return again == data;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

double rounded(const GateData& state, std::size_t number) {
  return to_sum(state, number).round();
}

std::uint32_t TofuGates::wire(unsigned gate, const std::optional<GateWiring>& wiring) {
  Gate& g = gates_.at(gate);
  const auto refuse = [&](std::uint32_t cause) {
    errors_ |= cause;
    return cause;
  };
  const auto busy = [&](const GateWiring& w) { return channels_.at(w.channel).busy; };
  if ((g.wiring && busy(*g.wiring)) || (wiring && busy(*wiring)))
    return refuse(gate_error::kWiringBusy);
  if (wiring) {
    const GateAddress self{node_, static_cast<std::uint8_t>(gate), interface_};
    if (wiring->local_source == self.gate || wiring->local_destination == self.gate ||
        wiring->source == self || wiring->destination == self)
      return refuse(gate_error::kWiringSelf);
    const bool inputs = inputs_of(*wiring) != 0;
    const bool outputs = wiring->local_destination || wiring->destination;
    if (is_start(gate) ? wiring->channel != gate || (!inputs && !outputs) : !inputs || !outputs)
      return refuse(gate_error::kWiringIncomplete);
  }
  g = Gate{};
  g.wiring = wiring;
  return 0;
}

std::uint32_t TofuGates::start(unsigned channel, GateOperation operation, GateForm form,
                               const GateData& operand) {
  Channel& c = channels_.at(channel);
  Gate& g = gates_[channel];
  const auto op = static_cast<unsigned>(operation);
  std::uint32_t cause = 0;
  if (c.busy)
    cause = gate_error::kStartBusy;
  else if (op >= operations() || !fits(operation, form))
    cause = gate_error::kStartOperation;
  else if (operation == GateOperation::Fsum && form == GateForm::State &&
           !is_state(operand, states_))
    cause = gate_error::kStartOperand;
  else if (!g.wiring || g.started)
    cause = gate_error::kStartUnwired;
  if (cause != 0) {
    errors_ |= cause;
    return cause;
  }
  GateData data{};
  if (form == GateForm::Double) {
    for (std::size_t i = 0; i < states_; ++i) {
      OrderIndependentSum sum;
      sum.add(std::bit_cast<double>(operand[i]));
      put(sum, data, i);
    }
  }
  if (form == GateForm::Word) std::copy_n(operand.begin(), words(states_), data.begin());
  if (form == GateForm::State) data = operand;
  c.busy = true;
  c.done = false;
  c.operation = operation;
  c.status = 0;
  g.started = true;
  emit(channel, operation, form == GateForm::None ? kEmpty : 0, data);
  fire_if_complete(channel);
  settle();
  return 0;
}

void TofuGates::receive(const GatePacket& packet) {
  if (static_cast<unsigned>(packet.operation) >= operations() || packet.to.node != node_ ||
      packet.to.interface != interface_) {
    errors_ |= gate_error::kPacketBad;
    return;
  }
  arrive({kPacket, packet});
  settle();
}

void TofuGates::reset(unsigned channel) {
  channels_.at(channel).busy = false;
}

std::uint32_t TofuGates::take_errors() {
  return std::exchange(errors_, 0);
}

std::uint32_t TofuGates::state(unsigned gate) const {
  const Gate& g = gates_.at(gate);
  return g.sequence | static_cast<std::uint32_t>(g.banks[0].arrived) << 24 |
         static_cast<std::uint32_t>(g.banks[1].arrived) << 26 | (g.started ? 1U << 28 : 0);
}

void TofuGates::settle() {
  while (!signals_.empty()) {
    const Arrival next = signals_.front();
    signals_.pop_front();
    arrive(next);
  }
}

void TofuGates::report(const Gate& gate, std::uint32_t cause, std::uint8_t status) {
  errors_ |= cause;
  if (!gate.wiring) return;
  Channel& c = channels_[gate.wiring->channel];
  if (c.busy) c.status |= status;
}

void TofuGates::arrive(const Arrival& arrival) {
  const GatePacket& p = arrival.packet;
  const unsigned number = p.to.gate;
  Gate& g = gates_.at(number);
  if (!g.wiring) {
    report(g, gate_error::kAddress, 0);
    return;
  }
  if (g.wiring->group != p.group) {
    report(g, gate_error::kGroup, kGroup);
    return;
  }
  const auto& w = *g.wiring;
  const bool expected =
      arrival.input == kSignal ? w.local_source == p.from.gate : w.source == p.from;
  const bool early = p.sequence == (g.sequence + 1) % kSequences;
  Bank& current = g.banks[g.sequence & 1];
  Bank& bank = early ? g.banks[~g.sequence & 1] : current;
  if (!expected) {
    report(g, gate_error::kAddress, kAddress);
    add(g, current, arrival, kAddress);
  } else if ((!early && p.sequence != g.sequence) || (bank.arrived & arrival.input) != 0) {
    report(g, gate_error::kSequence, kSequence);
    add(g, current, arrival, kSequence);
  } else {
    add(g, bank, arrival, 0);
  }
  fire_if_complete(number);
}

/// Puts an arrival into a bank. With trouble it brings no data, but counts as come, so that the
/// operation ends.
void TofuGates::add(Gate& gate, Bank& bank, const Arrival& arrival, std::uint8_t trouble) {
  const GatePacket& p = arrival.packet;
  const auto enabled = inputs_of(*gate.wiring);
  auto errors = static_cast<std::uint8_t>((bank.status | p.status | trouble) & kErrors);
  const bool bank_empty = (bank.status & kEmpty) != 0;
  const bool empty = (p.status & kEmpty) != 0 || p.operation == GateOperation::Barrier;
  if (errors == 0 && bank.arrived != 0) {
    if (bank.operation != p.operation) {
      errors = kMismatch;
      report(gate, gate_error::kMismatch, kMismatch);
    } else if (p.operation == GateOperation::Broadcast && !bank_empty && !empty) {
      errors = kBroadcast;
      report(gate, gate_error::kBroadcast, kBroadcast);
    }
  }
  if (errors != 0) {
    bank.data = {};
    bank.status = static_cast<std::uint8_t>(errors | kEmpty);
  } else {
    if (bank_empty)
      bank.data = empty ? GateData{} : p.data;
    else if (!empty)
      bank.data = combine(p.operation, bank.data, p.data, states_);
    bank.status = bank_empty && empty ? kEmpty : 0;
  }
  // Which operation is named after a mismatch does not depend on who came first.
  if (bank.arrived == 0 || arrival.input == kSignal) bank.operation = p.operation;
  bank.arrived |= arrival.input & enabled;
}

void TofuGates::fire_if_complete(unsigned number) {
  Gate& g = gates_[number];
  const auto enabled = inputs_of(*g.wiring);
  for (;;) {
    Bank& bank = g.banks[g.sequence & 1];
    if (bank.arrived != enabled || (is_start(number) && !g.started)) return;
    Bank fired;
    std::swap(fired, bank);
    const std::uint32_t sequence = g.sequence;
    if (!is_start(number)) {
      emit(number, fired.operation, fired.status, fired.data);
      g.sequence = (sequence + 1) % kSequences;
      ++g.fired;
      continue;
    }
    Channel& c = channels_[number];
    if ((fired.status & kErrors) == 0 && enabled != 0 && fired.operation != c.operation) {
      report(g, gate_error::kMismatch, kMismatch);
      fired.status = kMismatch | kEmpty;
      fired.data = {};
    }
    g.sequence = (sequence + 1) % kSequences;
    g.started = false;
    ++g.fired;
    if (!c.busy) return;  // given up
    c.busy = false;
    c.done = true;
    c.status |= fired.status;
    c.sequence = sequence;
    c.result = fired.data;
    ++c.completed;
    return;
  }
}

void TofuGates::emit(unsigned number, GateOperation operation, std::uint8_t status,
                     const GateData& data) {
  const Gate& g = gates_[number];
  const GateWiring& w = *g.wiring;
  GatePacket p;
  p.from = {node_, static_cast<std::uint8_t>(number), interface_};
  p.group = w.group;
  p.sequence = g.sequence;
  p.operation = operation;
  p.status = status;
  p.data = data;
  if (w.destination) {
    p.to = *w.destination;
    p.path = w.path;
    sent.push_back(p);
  }
  if (w.local_destination) {
    p.to = {node_, *w.local_destination, interface_};
    p.path = 0;
    signals_.push_back({kSignal, p});
  }
}

}  // namespace ht::model
