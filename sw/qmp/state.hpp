// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sw/qmp/call_profile.hpp"
#include "sw/qmp/collectives.hpp"
#include "sw/qmp/group_collectives.hpp"
#include "sw/qmp/message_layout.hpp"
#include "sw/qmp/node.hpp"
#include "sw/qmp/qmp.h"
#include "sw/qmp/topology.hpp"
#include "sw/qmp/transport.hpp"

// What is behind the C API's types, for this folder's own use.

struct QMP_comm_struct {
  int size = 1;
  int rank = 0;
  bool whole = true;         ///< all nodes of the machine, in its order
  std::vector<int> members;  ///< else: their ranks on the machine, in the communicator's order
  std::shared_ptr<ht::qmp::GroupCollectives> group;  ///< ... and what they do together
  int colors = 1, color = 0, key = 0;
  std::optional<ht::qmp::Topology> topology;

  int machine_rank(int member) const {
    return whole ? member : members[static_cast<std::size_t>(member)];
  }
};

struct QMP_mem_struct {
  void* pointer = nullptr;
  std::size_t bytes = 0;
};

struct QMP_msgmem_struct {
  std::byte* base = nullptr;
  std::shared_ptr<const ht::qmp::MessageLayout> layout;  ///< handles outlive their msgmem
};

struct QMP_msghandle_struct {
  enum class Kind { Send, Receive, Multiple };
  /// How the bytes travel: over a cable, from node to node by number, or not at all.
  enum class Way { Neighbour, Routed, Self };

  Kind kind = Kind::Send;
  Way way = Way::Self;
  ht::qmp::Direction direction = 0;                   ///< Neighbour
  int rank = 0;                                       ///< Routed, Neighbour: the other node
  ht::qmp::Channel channel = ht::qmp::Channel::User;  ///< Routed
  std::uint8_t stream = 0;  ///< of a Forwarder; Neighbour: by the sender's direction
  int self_key = 0;         ///< Self: what sends and receives are matched by
  std::string waiting_for;  ///< for the watchdog

  std::byte* base = nullptr;
  std::shared_ptr<const ht::qmp::MessageLayout> layout;
  std::byte* bounce = nullptr;  ///< where scattered memory is gathered, in the transport's memory
  ht::qmp::MessageService* service = nullptr;  ///< whose `message` is
  ht::qmp::MessageId message = -1;
  bool declared = false;  ///< `message` is valid
  bool moved = false;     ///< ... but points at memory the program has moved on from

  bool active = false;
  bool arrived = false;  ///< Self: done
  QMP_status_t error = QMP_SUCCESS;
  bool member = false;  ///< belongs to a multiple
  std::vector<QMP_msghandle_struct*> members;
};

namespace ht::qmp {

/// Everything QMP knows on one node.
struct State {
  explicit State(Transport& t) : transport(t), collectives(t) {}

  /// The state of the node whose program calls, or null.
  static State* current();

  Transport& transport;
  Collectives collectives;
  CollectiveLog* collective_log = nullptr;  ///< or null
  MessageLog* message_log = nullptr;        ///< or null
  bool any_lengths = false;                 ///< all messages go by the forwarder, if there is one

  bool initialized = false;
  QMP_status_t last_error = QMP_SUCCESS;
  int verbosity = 0;
  std::function<void(const std::string&)> refused;  ///< Node::on_refusal()
  std::function<void()> on_end;                     ///< of the program: Node::on_end()
  int profiling = 0;
  Picoseconds time_in_qmp = 0;
  CallProfile* profile = nullptr;                     ///< Node::profile_calls(), or null
  const char* const volatile* called_name = nullptr;  ///< of the program's call, where it is known
  int calls_open = 0;                                 ///< calls that calls of QMP make

  std::vector<int> machine_shape, machine_coordinates;
  // The API hands out pointers to these three.
  std::vector<int> allocated_shape, allocated_coordinates;  ///< the same, as -qmp-geom writes it
  std::vector<int> job_geometry;  ///< empty unless -qmp-job says how jobs divide the axes
  std::vector<int> logical_map;   ///< -qmp-logic-map
  std::vector<int> subgrid;
  int subgrid_sites = 0;

  QMP_comm_t allocated = nullptr, job = nullptr, standard = nullptr;

  // Owners, by the pointer that the program holds: a pointer that is not in here is refused.
  std::unordered_map<const void*, std::unique_ptr<QMP_comm_struct>> comms;
  std::unordered_map<const void*, std::unique_ptr<QMP_mem_struct>> memories;
  std::unordered_map<const void*, std::unique_ptr<QMP_msgmem_struct>> msgmems;
  std::unordered_map<const void*, std::unique_ptr<QMP_msghandle_struct>> handles;

  /// Messages from the node to itself that wait for their other half, by self_key.
  struct SelfQueue {
    std::deque<QMP_msghandle_struct*> sends, receives;
  };
  std::map<int, SelfQueue> to_self;

  /// Notes, for the other nodes of the communicator, that this one calls what all of them must.
  void enter_together(const QMP_comm_struct& comm, std::string_view operation,
                      std::size_t bytes) const;

  /// Records the error, reports it, and returns it.
  QMP_status_t fail(QMP_status_t code, const std::string& why);

  // messages.cpp
  QMP_msghandle_t declare(QMP_comm_t comm, QMP_msgmem_t memory, bool send, int axis, int dir);
  QMP_msghandle_t declare_by_rank(QMP_comm_t comm, QMP_msgmem_t memory, bool send, int rank);
  /// Instead of starting the transport's message, adds it to `together` if that is given.
  QMP_status_t start(QMP_msghandle_struct& handle, std::vector<MessageId>* together = nullptr);
  /// Not where links do not say lengths and there is nothing to send: its other end must know.
  bool carries(const QMP_msghandle_struct& handle) const;
  void wait(QMP_msghandle_struct& handle);
  bool is_complete(QMP_msghandle_struct& handle);
  void forget(QMP_msghandle_struct& handle);
  /// Fails for every message that is under way; with `memory`, for those of which a part lies
  /// there. Returns whether there is none.
  bool check_messages(const QMP_mem_struct* memory = nullptr);
};

/// A call of the network from its making to its end: its simulated time is added to
/// State::time_in_qmp, and to the profile. Of calls within calls only the outermost counts.
class TimedCall {
 public:
  /// `name` is the function's whose body it stands in.
  explicit TimedCall(State& state, const char* name = __builtin_FUNCTION());
  ~TimedCall();
  TimedCall(const TimedCall&) = delete;
  TimedCall& operator=(const TimedCall&) = delete;

 private:
  State& state_;
  const char* name_;
  Picoseconds start_;
};

/// The state, if the node was initialised; else notes QMP_NOT_INITED and returns null.
State* initialized_state();

}  // namespace ht::qmp
