// SPDX-License-Identifier: Apache-2.0
// QMP's C API: start and end, communicators, the machine.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string>

#include "sw/host/fibre.hpp"
#include "sw/qmp/qmp.h"
#include "sw/qmp/state.hpp"

using ht::qmp::initialized_state;
using ht::qmp::State;

namespace {

QMP_comm_t add_comm(State& state, const QMP_comm_struct& comm) {
  auto owned = std::make_unique<QMP_comm_struct>(comm);
  QMP_comm_t handle = owned.get();
  state.comms.emplace(handle, std::move(owned));
  return handle;
}

/// Removes `tag` and the numbers (or the one word "native") behind it from the arguments.
std::vector<int> take_numbers(int& argc, char** argv, const char* tag) {
  std::vector<int> numbers;
  const auto is_number = [](const char* s) { return *s >= '0' && *s <= '9'; };
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], tag) != 0) continue;
    int end = i + 1;
    if (end < argc && std::strcmp(argv[end], "native") == 0) {
      ++end;
    } else {
      for (; end < argc && is_number(argv[end]); ++end) numbers.push_back(std::atoi(argv[end]));
    }
    // With the null pointer at the end.
    std::copy(argv + end, argv + argc + 1, argv + i);
    argc -= end - i;
    break;
  }
  return numbers;
}

/// Lays -qmp-geom over the machine: the machine's lengths in their order, and any number of axes of
/// length one among them; empty: the machine as it is. False if it does not fit.
bool allocate(State& state, const std::vector<int>& geometry) {
  state.allocated_shape = geometry.empty() ? state.machine_shape : geometry;
  state.allocated_coordinates.clear();
  std::size_t axis = 0;
  const auto skip_ones = [&] {
    while (axis < state.machine_shape.size() && state.machine_shape[axis] == 1) ++axis;
  };
  for (const int length : state.allocated_shape) {
    if (length == 1) {
      state.allocated_coordinates.push_back(0);
      continue;
    }
    skip_ones();
    if (axis == state.machine_shape.size() || state.machine_shape[axis] != length) return false;
    state.allocated_coordinates.push_back(state.machine_coordinates[axis++]);
  }
  skip_ones();
  return axis == state.machine_shape.size();
}

QMP_comm_t checked(State* state, QMP_comm_t comm, const char* what) {
  if (state == nullptr) return nullptr;
  if (state->comms.contains(comm)) return comm;
  state->fail(QMP_INVALID_ARG, fmt::format("{}: no such communicator", what));
  return nullptr;
}

QMP_status_t set_comm(QMP_comm_t State::*which, QMP_comm_t comm) {
  State* s = initialized_state();
  if (s == nullptr) return QMP_NOT_INITED;
  if (checked(s, comm, "QMP_comm_set") == nullptr) return QMP_INVALID_ARG;
  s->*which = comm;
  return QMP_SUCCESS;
}

}  // namespace

extern "C" {

QMP_status_t QMP_init_msg_passing(int* argc, char*** argv, QMP_thread_level_t required,
                                  QMP_thread_level_t* provided) {
  State* s = State::current();
  if (s == nullptr) return QMP_NOT_INITED;
  if (s->initialized) return s->fail(QMP_INVALID_OP, "QMP_init_msg_passing() called twice");
  ht::qmp::Transport& t = s->transport;
  s->machine_shape.assign(t.shape().begin(), t.shape().end());
  s->machine_coordinates.assign(t.coordinates().begin(), t.coordinates().end());
  std::vector<int> geometry, jobs;
  if (argc != nullptr && argv != nullptr) {
    geometry = take_numbers(*argc, *argv, "-qmp-geom");
    take_numbers(*argc, *argv, "-qmp-alloc-map");
    s->logical_map = take_numbers(*argc, *argv, "-qmp-logic-map");
    jobs = take_numbers(*argc, *argv, "-qmp-job");
  }
  if (!allocate(*s, geometry)) {
    return s->fail(QMP_INVALID_TOPOLOGY,
                   fmt::format("-qmp-geom: the machine is {}", t.description()));
  }
  if (std::any_of(jobs.begin(), jobs.end(), [](int n) { return n != 1; })) {
    return s->fail(QMP_NOTSUPPORTED, "-qmp-job: the machine runs one job");
  }
  // One number is a number of jobs, and says nothing of their geometry.
  s->job_geometry.clear();
  if (jobs.size() == s->allocated_shape.size()) {
    s->job_geometry = s->allocated_shape;
  } else if (jobs.size() > 1) {
    return s->fail(QMP_INVALID_TOPOLOGY,
                   fmt::format("-qmp-job: {} numbers, and the machine's axes are {}", jobs.size(),
                               s->allocated_shape.size()));
  }
  // Only the thread that main() runs on may call.
  if (provided != nullptr) *provided = std::min(required, QMP_THREAD_FUNNELED);
  QMP_comm_struct all;
  all.rank = t.rank();
  all.size = 1;
  for (const int n : s->machine_shape) all.size *= n;
  s->standard = add_comm(*s, all);
  // The other two have the topology that the allocated dimensions and the job's geometry are of.
  QMP_comm_struct laid = all;
  laid.topology =
      ht::qmp::Topology::fit(s->machine_shape, s->machine_coordinates, s->allocated_shape, {});
  s->allocated = add_comm(*s, laid);
  s->job = add_comm(*s, s->job_geometry.empty() ? all : laid);
  s->initialized = true;
  s->last_error = QMP_SUCCESS;
  return QMP_SUCCESS;
}

QMP_bool_t QMP_is_initialized(void) {
  const State* s = State::current();
  return s != nullptr && s->initialized ? QMP_TRUE : QMP_FALSE;
}

void QMP_finalize_msg_passing(void) {
  State* s = initialized_state();
  if (s == nullptr) return;
  s->check_messages();
  s->collectives.release();
  for (auto& [pointer, handle] : s->handles) {
    // What is still under way stays where it is: the network may yet touch its memory.
    if (handle->kind != QMP_msghandle_struct::Kind::Multiple && !handle->active) s->forget(*handle);
  }
  s->handles.clear();
  s->to_self.clear();
  s->msgmems.clear();
  for (auto& [pointer, memory] : s->memories) s->transport.release(memory->pointer);
  s->memories.clear();
  s->comms.clear();
  s->initialized = false;
}

void QMP_abort(int error_code) {
  const State* s = State::current();
  throw ht::qmp::AbortError(error_code, fmt::format("node {} called QMP_abort({})",
                                                    s ? s->transport.rank() : -1, error_code));
}

void QMP_abort_string(int error_code, char* message) {
  const State* s = State::current();
  throw ht::qmp::AbortError(
      error_code, fmt::format("node {} called QMP_abort({}): {}", s ? s->transport.rank() : -1,
                              error_code, message));
}

QMP_comm_t QMP_comm_get_allocated(void) {
  State* s = initialized_state();
  return s ? s->allocated : nullptr;
}
QMP_status_t QMP_comm_set_allocated(QMP_comm_t comm) {
  return set_comm(&State::allocated, comm);
}
QMP_comm_t QMP_comm_get_job(void) {
  State* s = initialized_state();
  return s ? s->job : nullptr;
}
QMP_status_t QMP_comm_set_job(QMP_comm_t comm) {
  return set_comm(&State::job, comm);
}
QMP_comm_t QMP_comm_get_default(void) {
  State* s = initialized_state();
  return s ? s->standard : nullptr;
}
QMP_status_t QMP_comm_set_default(QMP_comm_t comm) {
  return set_comm(&State::standard, comm);
}

QMP_status_t QMP_comm_split(QMP_comm_t comm, int color, int key, QMP_comm_t* newcomm) {
  State* s = initialized_state();
  if (checked(s, comm, "QMP_comm_split") == nullptr || newcomm == nullptr) return QMP_INVALID_ARG;
  struct Wish {
    int color, key;
  };
  const Wish mine{color, key};
  std::vector<Wish> wishes(static_cast<std::size_t>(comm->size), mine);
  s->enter_together(*comm, "QMP_comm_split", 0);
  ht::qmp::CollectiveOperations& nodes =
      comm->whole ? static_cast<ht::qmp::CollectiveOperations&>(s->collectives) : *comm->group;
  nodes.gather(&mine, sizeof mine, wishes.data());
  std::set<int> colors;
  std::vector<int> members;  // numbers in `comm`, then on the machine
  for (int n = 0; n < comm->size; ++n) {
    const Wish& w = wishes[static_cast<std::size_t>(n)];
    colors.insert(w.color);
    if (w.color == color) members.push_back(n);
  }
  std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
    return wishes[static_cast<std::size_t>(a)].key < wishes[static_cast<std::size_t>(b)].key;
  });
  QMP_comm_struct made;
  made.size = static_cast<int>(members.size());
  made.rank = static_cast<int>(std::ranges::find(members, comm->rank) - members.begin());
  made.colors = static_cast<int>(colors.size());
  made.color = color;
  made.key = key;
  for (int& m : members) m = comm->machine_rank(m);
  int all = 1;
  for (const int n : s->machine_shape) all *= n;
  made.whole = made.size == all && std::ranges::is_sorted(members);
  if (!made.whole) {
    if (made.size > 1 && !ht::qmp::GroupCollectives::possible(s->transport))
      return s->fail(QMP_NOTSUPPORTED, fmt::format("QMP_comm_split: {} only knows neighbours",
                                                   s->transport.description()));
    made.group = std::make_shared<ht::qmp::GroupCollectives>(s->transport, members, made.rank);
    made.members = std::move(members);
  }
  *newcomm = add_comm(*s, made);
  return QMP_SUCCESS;
}

QMP_status_t QMP_comm_free(QMP_comm_t comm) {
  if (ht::host::Fibre::is_thrown_away()) return QMP_SUCCESS;
  State* s = initialized_state();
  if (checked(s, comm, "QMP_comm_free") == nullptr) return QMP_INVALID_ARG;
  if (comm == s->allocated || comm == s->job || comm == s->standard) {
    return s->fail(QMP_INVALID_OP, "QMP_comm_free: the communicator is in use as a default");
  }
  s->comms.erase(comm);
  return QMP_SUCCESS;
}

int QMP_comm_get_number_of_colors(QMP_comm_t comm) {
  return checked(initialized_state(), comm, "QMP_comm_get_number_of_colors") ? comm->colors : 0;
}
int QMP_comm_get_color(QMP_comm_t comm) {
  return checked(initialized_state(), comm, "QMP_comm_get_color") ? comm->color : 0;
}
int QMP_comm_get_key(QMP_comm_t comm) {
  return checked(initialized_state(), comm, "QMP_comm_get_key") ? comm->key : 0;
}
QMP_status_t QMP_get_hidden_comm(QMP_comm_t /*comm*/, void** /*hiddencomm*/) {
  State* s = initialized_state();
  if (s == nullptr) return QMP_NOT_INITED;
  return s->fail(QMP_NOTSUPPORTED, "QMP_get_hidden_comm: there is no other library underneath");
}

QMP_ictype_t QMP_get_msg_passing_type(void) {
  return QMP_MESH;
}

int QMP_comm_get_number_of_nodes(QMP_comm_t comm) {
  return checked(initialized_state(), comm, "QMP_comm_get_number_of_nodes") ? comm->size : 0;
}
int QMP_get_number_of_nodes(void) {
  return QMP_comm_get_number_of_nodes(QMP_comm_get_default());
}
int QMP_comm_get_node_number(QMP_comm_t comm) {
  return checked(initialized_state(), comm, "QMP_comm_get_node_number") ? comm->rank : -1;
}
int QMP_get_node_number(void) {
  return QMP_comm_get_node_number(QMP_comm_get_default());
}
QMP_bool_t QMP_comm_is_primary_node(QMP_comm_t comm) {
  return QMP_comm_get_node_number(comm) == 0 ? QMP_TRUE : QMP_FALSE;
}
QMP_bool_t QMP_is_primary_node(void) {
  return QMP_comm_is_primary_node(QMP_comm_get_default());
}

int QMP_get_number_of_jobs(void) {
  return 1;
}
int QMP_get_job_number(void) {
  return 0;
}
int QMP_get_number_of_job_geometry_dimensions(void) {
  const State* s = initialized_state();
  return s ? static_cast<int>(s->job_geometry.size()) : 0;
}
const int* QMP_get_job_geometry(void) {
  const State* s = initialized_state();
  return s && !s->job_geometry.empty() ? s->job_geometry.data() : nullptr;
}

int QMP_get_allocated_number_of_dimensions(void) {
  const State* s = initialized_state();
  return s ? static_cast<int>(s->allocated_shape.size()) : 0;
}
const int* QMP_get_allocated_dimensions(void) {
  const State* s = initialized_state();
  return s ? s->allocated_shape.data() : nullptr;
}
const int* QMP_get_allocated_coordinates(void) {
  const State* s = initialized_state();
  return s ? s->allocated_coordinates.data() : nullptr;
}

int QMP_io_node(int node) {
  return node;
}
int QMP_master_io_node(void) {
  return 0;
}

}  // extern "C"
