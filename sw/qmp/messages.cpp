// SPDX-License-Identifier: Apache-2.0
// Messages: from a handle of the C API to the transport's, to another handle of the same node, or,
// with nothing to carry, to none.
#include <fmt/format.h>

#include "sw/host/errors.hpp"
#include "sw/qmp/capabilities.hpp"
#include "sw/qmp/forwarder.hpp"
#include "sw/qmp/message_lengths.hpp"
#include "sw/qmp/message_log.hpp"
#include "sw/qmp/state.hpp"

namespace ht::qmp {
namespace {

using Handle = QMP_msghandle_struct;

// Keys of messages to oneself: by the direction they leave in, and one for those by number.
constexpr int self_by_rank = -1;
/// Of asking in vain whether a message to oneself is complete: what copying 1 kB costs.
constexpr Picoseconds asking_oneself = 80'000;

std::string axis_name(int axis, int sign) {
  return fmt::format("{}{}", sign < 0 ? '-' : '+',
                     axis < 3 ? "xyz"[axis] : static_cast<char>('0' + axis));
}

/// The direction over which messages by number go to, or come from, a neighbour. Both ends must
/// choose the same cable where there are two: messages travel in + direction then.
std::optional<Direction> cable(const Transport& t, bool send, int rank) {
  int step = 1;
  for (std::size_t axis = 0; axis < t.shape().size(); ++axis) {
    const int length = t.shape()[axis], here = t.coordinates()[axis];
    for (const int sign : {+1, -1}) {
      if (length == 1) continue;
      const int there = (here + sign + length) % length;
      if (t.rank() + (there - here) * step != rank) continue;
      const bool two = length == 2;
      return direction_of(static_cast<int>(axis), two ? (send ? +1 : -1) : sign);
    }
    step *= length;
  }
  return std::nullopt;
}

/// Notes that a message goes to, or comes from, the neighbour in that direction.
void go_by(const Transport& t, Handle& h, Direction direction) {
  h.direction = direction;
  const Direction leaves = h.kind == Handle::Kind::Send ? direction : opposite(direction);
  h.stream = static_cast<std::uint8_t>(Forwarder::first_direction + leaves);
  int step = 1;
  for (int axis = 0; axis < direction / 2; ++axis)
    step *= t.shape()[static_cast<std::size_t>(axis)];
  const auto a = static_cast<std::size_t>(direction / 2);
  const int length = t.shape()[a], here = t.coordinates()[a];
  const int there = (here + (direction % 2 == 0 ? 1 : length - 1)) % length;
  h.rank = t.rank() + (there - here) * step;
}

/// Declares scattered memory as it is, where the machine can do that.
bool declare_scattered(Transport& t, Handle& h) {
  ScatterGather* const hardware = t.scatter_gather();
  if (hardware == nullptr || h.way != Handle::Way::Neighbour) return false;
  std::vector<ScatterGather::Blocks> blocks;
  for (const MessageLayout::Run& r : h.layout->runs())
    blocks.push_back({h.base + r.offset, r.bytes, r.count, r.stride});
  const auto message =
      hardware->declare_scattered(h.kind == Handle::Kind::Send, h.direction, Channel::User, blocks);
  if (!message) return false;
  h.service = &t;
  h.message = *message;
  return true;
}

void undeclare(Handle& h) {
  if (h.declared) h.service->undeclare(h.message);
  h.declared = false;
}

/// (Re)declares the message at the transport after the memory was set or changed.
void declare_at_transport(State& state, Handle& h) {
  Transport& t = state.transport;
  undeclare(h);
  std::byte* memory = h.base;
  const std::size_t bytes = h.layout->bytes();
  h.moved = false;
  if (!h.layout->contiguous()) {
    h.declared = h.bounce == nullptr && declare_scattered(t, h);
    if (h.declared) return;
    if (h.bounce == nullptr) {
      h.bounce = static_cast<std::byte*>(t.allocate(bytes, t.granularity()));
    }
    memory = h.bounce;
  }
  const bool send = h.kind == Handle::Kind::Send;
  h.service = &t;
  if (h.way == Handle::Way::Neighbour) {
    h.message = send ? t.declare_send(h.direction, Channel::User, memory, bytes)
                     : t.declare_receive(h.direction, Channel::User, memory, bytes);
  } else if (RoutedMessages* const routed = t.routed_messages()) {
    h.message = send ? routed->declare_send_to(h.rank, memory, bytes, h.channel)
                     : routed->declare_receive_from(h.rank, memory, bytes, h.channel);
  } else {
    Forwarder& forwarder = *t.forwarder();
    h.service = &forwarder;
    h.message = forwarder.declare(send, h.rank, h.stream, memory, bytes);
  }
  h.declared = true;
}

/// Hands the new handle to the program, or says why it cannot have it.
QMP_msghandle_t keep(State& state, std::unique_ptr<Handle> h) {
  try {
    if (h->way != Handle::Way::Self && state.carries(*h)) declare_at_transport(state, *h);
  } catch (const std::bad_alloc&) {
    state.fail(QMP_NOMEM_ERR, "declaring a message: the node's memory is full");
    return nullptr;
  } catch (const UsageError& e) {  // longer than the machine sends
    state.fail(QMP_INVALID_ARG, e.what());
    return nullptr;
  }
  Handle* handle = h.get();
  state.handles.emplace(handle, std::move(h));
  return handle;
}

/// The rank that a message goes to.
int destination(const State& state, const Handle& h) {
  const Transport& t = state.transport;
  if (h.way == Handle::Way::Routed) return h.rank;
  if (h.way == Handle::Way::Self) return t.rank();
  const auto axis = static_cast<std::size_t>(h.direction / 2);
  int step = 1;
  for (std::size_t a = 0; a < axis; ++a) step *= t.shape()[a];
  const int length = t.shape()[axis], here = t.coordinates()[axis];
  const int there = (here + (h.direction % 2 == 0 ? 1 : length - 1)) % length;
  return t.rank() + (there - here) * step;
}

void match_self(State& state, int key) {
  State::SelfQueue& queue = state.to_self[key];
  while (!queue.sends.empty() && !queue.receives.empty()) {
    Handle& s = *queue.sends.front();
    Handle& r = *queue.receives.front();
    const int here = state.transport.rank();
    if (s.layout->bytes() > r.layout->bytes())
      throw ProtocolError(too_short(here, s.layout->bytes(), here, r.layout->bytes()));
    // Behind what was sent, there stays what was there.
    std::vector<std::byte> bytes(r.layout->bytes());
    r.layout->gather(r.base, bytes.data());
    s.layout->gather(s.base, bytes.data());
    r.layout->scatter(bytes.data(), r.base);
    state.transport.charge_copy(s.layout->bytes());
    s.arrived = r.arrived = true;
    queue.sends.pop_front();
    queue.receives.pop_front();
  }
}

/// After the transport's part is done.
void finish(State& state, Handle& h) {
  h.active = false;
  if (h.kind == Handle::Kind::Receive && h.bounce != nullptr) {
    h.layout->scatter(h.bounce, h.base);
    state.transport.charge_copy(h.layout->bytes());
  }
}

}  // namespace

QMP_msghandle_t State::declare(QMP_comm_t comm, QMP_msgmem_t memory, bool send, int axis, int dir) {
  if (!comms.contains(comm) || !msgmems.contains(memory)) {
    fail(QMP_INVALID_ARG, "declaring a message: no such communicator or message memory");
    return nullptr;
  }
  if (!comm->topology) {
    fail(QMP_NONEIGHBOR_INFO, "declaring a message to a neighbour: declare a topology first");
    return nullptr;
  }
  if (axis < 0 || axis >= static_cast<int>(comm->topology->dimensions().size()) ||
      (dir != 1 && dir != -1)) {
    fail(QMP_INVALID_ARG,
         fmt::format("declaring a message: no axis {} with direction {}", axis, dir));
    return nullptr;
  }
  auto h = std::make_unique<Handle>();
  h->kind = send ? Handle::Kind::Send : Handle::Kind::Receive;
  h->base = memory->base;
  h->layout = memory->layout;
  if (comm->topology->is_by_number() && comm->topology->neighbour(axis, dir) != comm->rank) {
    h->way = Handle::Way::Routed;
    h->rank = comm->machine_rank(comm->topology->neighbour(axis, dir));
    h->channel = (send ? dir : -dir) > 0 ? Channel::Up : Channel::Down;
    h->stream = Forwarder::stream_of(h->channel);
  } else if (const auto direction = comm->topology->direction(axis, dir)) {
    h->way = any_lengths && transport.forwarder() != nullptr ? Handle::Way::Routed
                                                             : Handle::Way::Neighbour;
    go_by(transport, *h, *direction);
  } else {
    // What leaves at + comes back in at -.
    h->self_key = direction_of(axis, send ? dir : -dir);
    h->waiting_for = fmt::format("{} itself along an axis of length 1 ({})",
                                 send ? "sent to" : "received from", axis_name(axis, dir));
  }
  return keep(*this, std::move(h));
}

QMP_msghandle_t State::declare_by_rank(QMP_comm_t comm, QMP_msgmem_t memory, bool send, int rank) {
  if (!comms.contains(comm) || !msgmems.contains(memory)) {
    fail(QMP_INVALID_ARG, "declaring a message: no such communicator or message memory");
    return nullptr;
  }
  if (rank < 0 || rank >= comm->size) {
    fail(QMP_NODE_OUTRANGE, fmt::format("declaring a message: no node {} of {}", rank, comm->size));
    return nullptr;
  }
  auto h = std::make_unique<Handle>();
  h->kind = send ? Handle::Kind::Send : Handle::Kind::Receive;
  h->base = memory->base;
  h->layout = memory->layout;
  h->rank = rank = comm->machine_rank(rank);
  if (rank == transport.rank()) {
    h->self_key = self_by_rank;
    h->waiting_for = send ? "sent to itself by number" : "received from itself by number";
  } else if (transport.routed_messages() != nullptr) {
    h->way = Handle::Way::Routed;
  } else if (const auto direction = cable(transport, send, rank);
             direction && !(any_lengths && transport.forwarder() != nullptr)) {
    h->way = Handle::Way::Neighbour;
    go_by(transport, *h, *direction);
  } else if (transport.forwarder() != nullptr) {
    h->way = Handle::Way::Routed;
  } else {
    fail(QMP_NOTSUPPORTED, fmt::format("{} only knows neighbours; node {} is none of node {}'s",
                                       transport.description(), rank, transport.rank()));
    return nullptr;
  }
  return keep(*this, std::move(h));
}

bool State::carries(const Handle& h) const {
  return h.way != Handle::Way::Neighbour || h.layout->bytes() > 0 || transport.says_lengths();
}

QMP_status_t State::start(Handle& h, std::vector<MessageId>* together) {
  if (h.kind == Handle::Kind::Multiple) {
    for (const Handle* m : h.members) {
      if (m->active) return h.error = fail(QMP_INVALID_OP, "a message is under way already");
    }
    // From now on, not when all are started: a program that is unwound on the way there must leave
    // the ones that are.
    h.active = true;
    std::vector<MessageId> together;
    for (Handle* m : h.members) {
      // One without bytes has no service, but its turn among those of its neighbour.
      const bool at_once = m->service == static_cast<MessageService*>(&transport) || !carries(*m);
      if (at_once) start(*m, &together);
    }
    transport.start_all(together);
    // What other nodes pass on takes longer to start.
    for (Handle* m : h.members) {
      if (!m->active) start(*m);
    }
    return h.error = QMP_SUCCESS;
  }
  if (h.active) return h.error = fail(QMP_INVALID_OP, "the message is under way already");
  h.active = true;
  h.error = QMP_SUCCESS;
  if (profile != nullptr && h.kind == Handle::Kind::Send)
    profile->add_message(destination(*this, h), h.layout->bytes());
  if (h.way == Handle::Way::Self) {
    h.arrived = false;
    SelfQueue& queue = to_self[h.self_key];
    (h.kind == Handle::Kind::Send ? queue.sends : queue.receives).push_back(&h);
    match_self(*this, h.self_key);
    return QMP_SUCCESS;
  }
  if (h.way == Handle::Way::Neighbour && message_log != nullptr && !transport.says_lengths()) {
    const bool send = h.kind == Handle::Kind::Send;
    message_log->start(send, send ? transport.rank() : h.rank, send ? h.rank : transport.rank(),
                       h.stream, h.layout->bytes());
  }
  if (!carries(h)) return QMP_SUCCESS;
  if (h.moved && h.bounce == nullptr) declare_at_transport(*this, h);
  if (h.kind == Handle::Kind::Send && h.bounce != nullptr) {
    h.layout->gather(h.base, h.bounce);
    transport.charge_copy(h.layout->bytes());
  }
  // Behind what is sent there stays what was there.
  if (h.kind == Handle::Kind::Receive && h.bounce != nullptr) h.layout->gather(h.base, h.bounce);
  if (together != nullptr)
    together->push_back(h.message);
  else
    h.service->start(h.message);
  return QMP_SUCCESS;
}

void State::wait(Handle& h) {
  if (h.kind == Handle::Kind::Multiple) {
    for (Handle* m : h.members) wait(*m);
    h.active = false;
    return;
  }
  if (!h.active) return;
  if (carries(h)) {
    if (h.way == Handle::Way::Self) {
      while (!h.arrived) transport.runtime().wait(h.waiting_for);
    } else {
      h.service->wait(h.message);
    }
  }
  finish(*this, h);
}

bool State::is_complete(Handle& h) {
  if (h.kind == Handle::Kind::Multiple) {
    for (Handle* m : h.members) {
      if (!is_complete(*m)) return false;
    }
    h.active = false;
    return true;
  }
  if (!h.active) return true;
  if (carries(h)) {
    if (h.way == Handle::Way::Self) {
      // Nobody else can bring it: but a program that asks again and again must not stop time.
      // (Not a copy: those show that a program gets on.)
      if (!h.arrived) {
        transport.asked_in_vain();
        transport.runtime().advance(asking_oneself);
        return false;
      }
    } else if (!h.service->is_complete(h.message)) {
      return false;
    }
  }
  finish(*this, h);
  return true;
}

bool State::check_messages(const QMP_mem_struct* memory) {
  bool none = true;
  for (const auto& [pointer, owned] : handles) {
    Handle& h = *owned;
    if (h.kind == Handle::Kind::Multiple || !h.active) continue;
    if (memory != nullptr &&
        !h.layout->touches(h.base, static_cast<const std::byte*>(memory->pointer), memory->bytes))
      continue;
    if (is_complete(h)) continue;
    none = false;
    const bool send = h.kind == Handle::Kind::Send;
    const std::string other = h.way == Handle::Way::Self ? "itself"
                              : h.way == Handle::Way::Routed
                                  ? fmt::format("node {}", h.rank)
                                  : axis_name(h.direction / 2, h.direction % 2 == 0 ? 1 : -1);
    fail(QMP_INVALID_OP, fmt::format("a message is under way: {} {} bytes {} {}; wait for it first",
                                     send ? "sending" : "receiving", h.layout->bytes(),
                                     send ? "to" : "from", other));
  }
  return none;
}

void State::forget(Handle& h) {
  undeclare(h);
  if (h.bounce != nullptr) transport.release(h.bounce);
  h.bounce = nullptr;
}

}  // namespace ht::qmp
