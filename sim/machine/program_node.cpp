// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/program_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sw/host/errors.hpp"

namespace ht::machine {
namespace {

using sim::kNever;

// Compute phases this long are called so. Work this long counts as progress for the watchdog, polls
// do not: a packet that is passed on for others is the shortest.
constexpr Picoseconds compute_step = 1'000'000, work_step = 100'000;

}  // namespace

ProgramNode::ProgramNode(int rank, std::size_t memory_bytes, const Traits& traits)
    : rank_(rank),
      memory_(memory_bytes, fmt::format("node {}", rank)),
      traits_(traits),
      first_retransmission_(static_cast<std::size_t>(traits.links), kNever),
      first_replay_(static_cast<std::size_t>(traits.links), kNever),
      first_error_(static_cast<std::size_t>(traits.links), kNever) {}

ProgramNode::~ProgramNode() {
  abandon();
}

void ProgramNode::start(std::function<void()> program) {
  if (wait_ != Wait::Finished)
    throw std::logic_error(fmt::format("node {} is still running a program", rank_));
  fibre_ = std::make_unique<host::Fibre>(std::move(program));
  wait_ = Wait::Time;
  wake_ = std::max(now_, traits_.reset_time);
  event_ = false;
  waiting_for_ = "reset";
  waiting_since_ = now_;
}

void ProgramNode::abandon() {
  abandoned_ = true;
  fibre_.reset();
  abandoned_ = false;
  lingers_ = false;
  wait_ = Wait::Finished;
}

// ---------------------------------------------------------------------------------------------
// What the derived class calls

bool ProgramNode::run_program() {
  if (program_due() > now_) return false;
  wait_ = Wait::Ready;
  waiting_for_ = {};
  fibre_->resume();
  if (fibre_->finished()) {
    wait_ = Wait::Finished;
    ++progress_;
  }
  return true;
}

Picoseconds ProgramNode::program_due() const {
  switch (wait_) {
    case Wait::Ready:
      return now_;
    case Wait::Time:
      return wake_;
    case Wait::Event:
      return event_ ? now_ : look_due_;
    case Wait::Register:
    case Wait::Finished:
      return kNever;
  }
  return kNever;
}

void ProgramNode::end_access(std::uint32_t value, bool failed) {
  if (wait_ != Wait::Register) return;  // whoever asked was abandoned
  register_value_ = value;
  register_failed_ = failed;
  wait_ = Wait::Ready;
}

void ProgramNode::note_retransmission(unsigned link) {
  first_retransmission_[link] = std::min(first_retransmission_[link], now_);
  if (keeps_resends_) resends_.push_back({now_, link, false});
}

void ProgramNode::note_replay(unsigned link) {
  first_replay_[link] = std::min(first_replay_[link], now_);
  if (keeps_resends_) resends_.push_back({now_, link, true});
}

void ProgramNode::note_error(unsigned link) {
  first_error_[link] = std::min(first_error_[link], now_);
}

// ---------------------------------------------------------------------------------------------
// What the program calls

void ProgramNode::suspend(Wait reason) {
  if (abandoned_ && reason != Wait::Event) return;
  wait_ = reason;
  waiting_since_ = now_;
  host::Fibre::suspend();  // abandoned: does not come back, for no event ever comes
}

void ProgramNode::advance(Picoseconds duration) {
  if (duration >= work_step) ++progress_;
  let_pass(duration, duration >= compute_step ? "computing" : "polling");
}

void ProgramNode::pause(Picoseconds duration) {
  ++pauses_;
  let_pass(duration, "polling");
}

void ProgramNode::let_pass(Picoseconds duration, std::string_view what) {
  if (duration <= 0) return;
  wake_ = now_ + duration;
  waiting_for_ = what;
  const Picoseconds end = wake_;
  while (look_due_ < end) {  // as an interrupt would: what the program computes goes on after it
    wake_ = std::max(now_, look_due_);
    suspend(Wait::Time);
    if (abandoned_) return;
    look();
  }
  if (now_ >= end) return;
  wake_ = end;
  suspend(Wait::Time);
}

void ProgramNode::wait(std::string_view what) {
  waiting_for_ = what;
  if (!event_) suspend(Wait::Event);
  event_ = false;
  if (now_ >= look_due_ && !abandoned_) look();
}

void ProgramNode::linger(const std::function<void()>& service) {
  lingers_ = true;
  ++progress_;
  for (;;) {
    service();
    wait("the programs of other nodes");
    if (abandoned_) return;
  }
}

void ProgramNode::watch(Picoseconds every, std::function<void()> look) {
  look_ = std::move(look);
  look_every_ = every;
  look_due_ = look_ ? now_ + every : kNever;
}

// Registers are read in it, and nothing else is waited for.
void ProgramNode::look() {
  look_due_ = kNever;
  look_();
  look_due_ = now_ + look_every_;
}

std::uint32_t ProgramNode::access_register(std::uint32_t address, bool write, std::uint32_t value) {
  begin_access(address, write, value);
  waiting_for_ = "register access";
  suspend(Wait::Register);
  if (register_failed_)
    throw HardwareError(fmt::format("node {}: {} register {:#05x} was refused by the {}", rank_,
                                    write ? "writing" : "reading", address, traits_.hardware));
  return register_value_;
}

std::uint32_t ProgramNode::read_register(std::uint32_t address) {
  return access_register(address, false, 0);
}

void ProgramNode::write_register(std::uint32_t address, std::uint32_t value) {
  access_register(address, true, value);
}

// ---------------------------------------------------------------------------------------------
// What the kernel asks

std::string ProgramNode::name() const {
  return fmt::format("node {}", rank_);
}

std::string ProgramNode::status() const {
  std::string text;
  if (wait_ != Wait::Finished)
    text = fmt::format("{} since {:.3f} us; ", waiting_for_.empty() ? "running" : waiting_for_,
                       static_cast<double>(waiting_since_) * 1e-6);
  return text + hardware_status();
}

}  // namespace ht::machine
