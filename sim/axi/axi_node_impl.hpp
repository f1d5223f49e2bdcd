// SPDX-License-Identifier: Apache-2.0
// What axi_node.hpp declares: for the source that instantiates it for a machine.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/axi/axi_node.hpp"
#include "sw/host/errors.hpp"

namespace ht::machine {

namespace axi_detail {

inline std::span<std::uint8_t> as_octets(std::span<std::byte> bytes) {
  return {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()};
}

}  // namespace axi_detail

template <class Wires>
AxiNode<Wires>::AxiNode(int number, const std::filesystem::path& path,
                        const AxiNodeOptions& options)
    : number_(number),
      options_(options),
      window_(path, options.memory_address, options.memory_bytes, options.patience),
      memory_({options.memory_address, options.memory_bytes, Wires::beat_bytes, Wires::ids,
               Wires::max_beats, options.stall},
              options.seed, axi_detail::as_octets(window_.memory())),
      top_(fmt::format("node{}", number), options.initial_state),
      wires_(*top_),
      lite_(*top_) {
  constexpr std::uint64_t bus_bytes = std::uint64_t{1} << 40;  // ADDRESS_WIDTH of the tops
  if (options_.memory_address > bus_bytes ||
      options_.memory_bytes > bus_bytes - options_.memory_address)
    throw UsageError(fmt::format("memory of {} bytes at {:#x} is beyond the bus's {:#x}",
                                 options_.memory_bytes, options_.memory_address, bus_bytes));
  options_.clock.check();
  options_.link_clock.check();
  top_->aresetn = 0;
  put_axi_reply(*top_, memory_.reply());
}

template <class Wires>
AxiNode<Wires>::~AxiNode() = default;

template <class Wires>
std::string AxiNode<Wires>::name() const {
  return fmt::format("node {}", number_);
}

template <class Wires>
std::string AxiNode<Wires>::status() const {
  static constexpr const char* doing[] = {"runs", "accesses a register", "pauses", "has ended"};
  static constexpr const char* states[] = {"down", "training", "up", "?"};
  std::string text = fmt::format("its program {}", doing[static_cast<std::size_t>(state_)]);
  for (int link = 0; link < Wires::links; ++link) {
    if (plugs_[static_cast<std::size_t>(link)].in != nullptr && wires_.state(link) != 2)
      text += fmt::format(", link {} {}", link, states[wires_.state(link)]);
  }
  return text;
}

template <class Wires>
void AxiNode<Wires>::run(Picoseconds /*from*/, Picoseconds to) {
  for (;;) {
    if (state_ == State::Pause && now_ >= wake_) {
      if (opened_) answer(axi::Answer::Ok, 0);
      opened_ = true;  // what was waited for first was the reset
      state_ = State::Ready;
    }
    if (state_ == State::Ready) {
      serve();
      continue;
    }
    const Picoseconds core = options_.clock.edge(core_edge_);
    const Picoseconds link = Wires::one_clock ? core : options_.link_clock.edge(link_edge_);
    Picoseconds next = std::min(core, link);
    if (state_ == State::Pause) next = std::min(next, wake_);
    if (next >= to) {
      now_ = to;
      return;
    }
    now_ = next;
    if (state_ == State::Pause && wake_ == next) continue;  // the program goes first
    step(core == now_, link == now_);
    if (core == now_) ++core_edge_;
    if (link == now_) ++link_edge_;
  }
}

// Takes what the program asks next. Its process runs meanwhile, and time stands still here.
template <class Wires>
void AxiNode<Wires>::serve() {
  const axi::WindowServer::Request r = window_.next();
  const bool access = r.what == axi::Ask::Read || r.what == axi::Ask::Write;
  if (access && r.address >= Wires::register_bytes) {  // an interconnect leads there, or nowhere
    answer(axi::Answer::Refused, 0);
    return;
  }
  switch (r.what) {
    case axi::Ask::Read:
      lite_.read(r.address);
      state_ = State::Access;
      break;
    case axi::Ask::Write:
      lite_.write(r.address, r.value);
      state_ = State::Access;
      break;
    case axi::Ask::Pause:
      wake_ = now_ + std::min(r.duration, longest_pause);
      state_ = State::Pause;
      break;
    case axi::Ask::Linger:
      lingers_ = true;
      ++progress_;
      answer(axi::Answer::Ok, 0);
      break;
    case axi::Ask::End:
      state_ = State::Ended;
      ++progress_;
      answer(axi::Answer::Ok, 0);
      break;
  }
}

template <class Wires>
void AxiNode<Wires>::answer(axi::Answer how, std::uint32_t value) {
  window_.answer(how, value, now_, top_->irq);
}

template <class Wires>
void AxiNode<Wires>::step(bool core, bool link) {
  const bool reset = now_ < reset_time;
  wires_.before_edge(now_, link_edge_);
  if (link) wires_.receive(link_edge_, plugs_);
  if (wires_.needs_low(core, link)) {
    wires_.fall();
    top_->eval();
  }
  if (core) {
    lite_.sample();
    memory_.edge(axi_request(*top_), reset);
  }
  wires_.rise(core, link);
  top_->eval();
  if (core) {
    ++cycles_.total;
    top_->aresetn = !reset;
    put_axi_reply(*top_, memory_.reply());
    if (const auto answered = lite_.drive()) {
      answer(answered->refused ? axi::Answer::Refused : axi::Answer::Ok, answered->value);
      state_ = State::Ready;
    }
  }
  if (link && !reset) wires_.send(link_edge_, plugs_);
}

}  // namespace ht::machine
