// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/node.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>
#include <vector>

#include "sw/host/fibre.hpp"
#include "sw/qmp/collective_log.hpp"
#include "sw/qmp/state.hpp"

namespace ht::qmp {

Node::Node(Transport& transport, CollectiveLog* collectives, MessageLog* messages, bool any_lengths)
    : state_(std::make_unique<State>(transport)) {
  state_->collective_log = collectives;
  state_->message_log = messages;
  state_->any_lengths = any_lengths;
  host::Fibre* fibre = host::Fibre::current();
  if (fibre == nullptr) throw std::logic_error("qmp::Node: a node's program runs in a Fibre");
  if (fibre->user() != nullptr) throw std::logic_error("qmp::Node: this fibre has a node already");
  fibre->set_user(state_.get());
}

Node::~Node() {
  if (host::Fibre* fibre = host::Fibre::current()) fibre->set_user(nullptr);
}

Transport* Node::current_transport() {
  State* state = State::current();
  return state == nullptr ? nullptr : &state->transport;
}

void Node::on_refusal(std::function<void(const std::string&)> refused) {
  if (State* state = State::current()) state->refused = std::move(refused);
}

void Node::refuse(const std::string& why) {
  if (const State* state = State::current(); state != nullptr && state->refused)
    state->refused(why);
}

void Node::check_messages() {
  State* const state = State::current();
  if (state == nullptr) return;
  state->check_messages();
  if (state->on_end) state->on_end();
}

void Node::on_end(std::function<void()> check) {
  if (State* state = State::current()) state->on_end = std::move(check);
}

void Node::profile_calls(CallProfile& profile, const char* const volatile* name) {
  if (State* state = State::current()) {
    state->profile = &profile;
    state->called_name = name;
  }
}

void Node::add_message(int to, std::size_t bytes) {
  if (const State* state = State::current(); state != nullptr && state->profile != nullptr)
    state->profile->add_message(to, bytes);
}

Node::Call::Call(const char* name) {
  if (State* state = State::current(); state != nullptr && state->profile != nullptr)
    timed_ = std::make_unique<TimedCall>(*state, name);
}

Node::Call::~Call() = default;

TimedCall::TimedCall(State& state, const char* name)
    : state_(state), name_(name), start_(state.transport.runtime().now()) {
  if (state.calls_open++ == 0 && state.called_name != nullptr && *state.called_name != nullptr)
    name_ = *state.called_name;
}

// Also the way out of a program that is unwound: the time until then counts.
TimedCall::~TimedCall() {
  if (--state_.calls_open > 0) return;
  const Picoseconds end = state_.transport.runtime().now();
  state_.time_in_qmp += end - start_;
  if (state_.profile != nullptr) state_.profile->add_call(name_, start_, end);
}

State* State::current() {
  host::Fibre::end_if_thrown_away();
  host::Fibre* fibre = host::Fibre::current();
  return fibre == nullptr ? nullptr : static_cast<State*>(fibre->user());
}

State* initialized_state() {
  State* state = State::current();
  if (state == nullptr) return nullptr;
  if (!state->initialized) {
    state->fail(QMP_NOT_INITED, "QMP_init_msg_passing() comes first");
    return nullptr;
  }
  return state;
}

void State::enter_together(const QMP_comm_struct& comm, std::string_view operation,
                           std::size_t bytes) const {
  if (collective_log != nullptr)
    collective_log->enter(transport.rank(), comm.members, operation, bytes);
}

QMP_status_t State::fail(QMP_status_t code, const std::string& why) {
  last_error = code;
  if (refused) {
    refused(fmt::format("{} ({})", why, QMP_error_string(code)));
  } else if (verbosity > 0) {
    std::fprintf(stderr, "QMP node %d error: %s (%s)\n", transport.rank(), why.c_str(),
                 QMP_error_string(code));
  }
  return code;
}

int call_main(int (*main)(int, char**), std::span<const std::string> arguments) {
  // The program may change both the strings and the list: they are its own.
  std::vector<std::string> strings(arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& s : strings) argv.push_back(s.data());
  argv.push_back(nullptr);
  return main(static_cast<int>(strings.size()), argv.data());
}

}  // namespace ht::qmp
