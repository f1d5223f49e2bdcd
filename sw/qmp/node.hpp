// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "sw/qmp/transport.hpp"

namespace ht::qmp {

class CallProfile;
class CollectiveLog;
class MessageLog;
struct State;
class TimedCall;

/// A node's QMP: while it lives, the QMP calls of the fibre it was made in act on `transport`.
///
///     Fibre fibre([&] { qmp::Node node(transport); result = program(); });
class Node {
 public:
  /// Throws std::logic_error outside of a fibre, or if the fibre has a node already.
  /// `collectives` and `messages`, of all nodes of the job, must outlive it; without, nothing
  /// checks whether they call the same global operations, and start messages that are as long.
  /// `any_lengths`: receives may be longer also where links do not say how long a message is.
  explicit Node(Transport& transport, CollectiveLog* collectives = nullptr,
                MessageLog* messages = nullptr, bool any_lengths = false);
  /// Forgets everything without calling the transport, which may be gone: also the way out when a
  /// run is thrown away in the middle. An orderly end is QMP_finalize_msg_passing().
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  /// The transport under the QMP of the fibre that calls, or null. For programs that charge compute
  /// time: Node::current_transport()->runtime().advance(...).
  static Transport* current_transport();

  /// From now on `refused` is called for every call of the fibre's node that fails, with why, on
  /// the fibre. Without, QMP_verbose() decides whether standard error does.
  static void on_refusal(std::function<void(const std::string& why)> refused);
  /// The same call's way there for those who add to QMP. Nothing outside of a node.
  static void refuse(const std::string& why);
  /// To be asked at the end of a program that came to its own end: messages of the fibre's node
  /// that are under way still are refused, each, and then what on_end() was given is called.
  static void check_messages();
  /// For those who add to QMP, and have something to refuse at the end of a program.
  static void on_end(std::function<void()> check);

  /// From now on calls of the fibre's node, and the messages that it starts, are added to
  /// `profile`, which must outlive the node. `name`, if given, holds the name of the call that is
  /// under way; without, a call is named as the function of QMP that does the work.
  static void profile_calls(CallProfile& profile, const char* const volatile* name = nullptr);
  /// For those who add to QMP: a call's time, while it lives, and a message that it sends. Nothing
  /// outside of a node.
  class Call {
   public:
    explicit Call(const char* name);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    std::unique_ptr<TimedCall> timed_;
  };
  static void add_message(int to, std::size_t bytes);

 private:
  std::unique_ptr<State> state_;
};

/// QMP_abort() was called: how it gets out of the program. Not to be caught by the program.
class AbortError : public std::runtime_error {
 public:
  AbortError(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  int error_code() const { return code_; }

 private:
  int code_;
};

/// Calls an ordinary QMP main(), on this fibre, with its own copy of the arguments (argv[0] first);
/// returns its exit status. A Node must be alive.
int call_main(int (*main)(int, char**), std::span<const std::string> arguments);

}  // namespace ht::qmp
