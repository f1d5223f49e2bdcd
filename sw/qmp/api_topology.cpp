// SPDX-License-Identifier: Apache-2.0
// QMP's C API: logical topology, and laying a lattice onto it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "sw/qmp/qmp.h"
#include "sw/qmp/state.hpp"

using ht::qmp::initialized_state;
using ht::qmp::State;
using ht::qmp::Topology;

namespace {

const Topology* topology_of(QMP_comm_t comm) {
  State* s = initialized_state();
  if (s == nullptr) return nullptr;
  if (!s->comms.contains(comm)) {
    s->fail(QMP_INVALID_ARG, "asking for a topology: no such communicator");
    return nullptr;
  }
  return comm->topology ? &*comm->topology : nullptr;
}

bool is_permutation_of_axes(std::span<const int> map) {
  std::vector<int> sorted(map.begin(), map.end());
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int>(i)) return false;
  }
  return true;
}

/// Gives every axis of the machine longer than 1 a lattice axis of its own that it divides: its own
/// axis if possible, else the first that will do. Empty if there is no way.
std::vector<int> divide(std::span<const int> lattice, std::span<const int> machine) {
  std::vector<int> grid(lattice.size(), 1);
  const std::function<bool(std::size_t)> place = [&](std::size_t m) {
    if (m == machine.size()) return true;
    if (machine[m] == 1) return place(m + 1);
    const auto try_axis = [&](std::size_t a) {
      if (grid[a] != 1 || lattice[a] % machine[m] != 0) return false;
      grid[a] = machine[m];
      if (place(m + 1)) return true;
      grid[a] = 1;
      return false;
    };
    if (m < grid.size() && try_axis(m)) return true;
    for (std::size_t a = 0; a < grid.size(); ++a) {
      if (a != m && try_axis(a)) return true;
    }
    return false;
  };
  if (!place(0)) return {};
  return grid;
}

}  // namespace

extern "C" {

QMP_status_t QMP_comm_declare_logical_topology_map(QMP_comm_t comm, const int dims[], int ndim,
                                                   const int map[], int mapdim) {
  State* s = initialized_state();
  if (s == nullptr) return QMP_NOT_INITED;
  constexpr const char* name = "QMP_declare_logical_topology";
  if (!s->comms.contains(comm)) {
    return s->fail(QMP_INVALID_ARG, fmt::format("{}: no such communicator", name));
  }
  if (comm->topology) {
    return s->fail(QMP_TOPOLOGY_EXISTS, fmt::format("{}: there is one already", name));
  }
  if (ndim == 0) return QMP_SUCCESS;  // nothing is asked for
  if (ndim < -1 || (ndim > 0 && dims == nullptr)) {
    return s->fail(QMP_INVALID_ARG, fmt::format("{}: {} dimensions", name, ndim));
  }
  // The machine's own shape; of a part of its nodes, a ring.
  const std::span<const int> own =
      comm->whole ? std::span<const int>(s->machine_shape) : std::span<const int>(&comm->size, 1);
  const std::span<const int> wanted =
      ndim == -1 ? own : std::span<const int>(dims, static_cast<std::size_t>(ndim));
  long long nodes = 1;
  for (const int n : wanted) {
    if (n < 1) return s->fail(QMP_INVALID_ARG, fmt::format("{}: an axis of {} nodes", name, n));
    nodes = std::min(nodes * n, 1LL << 40);
  }
  if (nodes != comm->size) {
    return s->fail(QMP_INVALID_ARG,
                   fmt::format("{}: {} nodes asked for, there are {}", name, nodes, comm->size));
  }
  const std::span<const int> order(map, map == nullptr ? 0 : static_cast<std::size_t>(mapdim));
  if (!order.empty() && (order.size() != wanted.size() || !is_permutation_of_axes(order))) {
    return s->fail(QMP_INVALID_ARG, fmt::format("{}: the map is not one of its axes", name));
  }
  if (comm->whole)
    comm->topology = Topology::fit(s->machine_shape, s->machine_coordinates, wanted, order);
  if (!comm->topology) {
    if (comm->whole && !ht::qmp::GroupCollectives::possible(s->transport))
      return s->fail(QMP_INVALID_TOPOLOGY,
                     fmt::format("{}: every axis must be one of {}; permuted and with axes of "
                                 "length 1 added or left out, not folded: nodes know only their "
                                 "neighbours",
                                 name, s->transport.description()));
    comm->topology = Topology::by_number(wanted, order, comm->rank);
  }
  return QMP_SUCCESS;
}

QMP_status_t QMP_declare_logical_topology_map(const int dims[], int ndim, const int map[],
                                              int mapdim) {
  return QMP_comm_declare_logical_topology_map(QMP_comm_get_default(), dims, ndim, map, mapdim);
}
QMP_status_t QMP_comm_declare_logical_topology(QMP_comm_t comm, const int dims[], int ndim) {
  return QMP_comm_declare_logical_topology_map(comm, dims, ndim, nullptr, 0);
}
QMP_status_t QMP_declare_logical_topology(const int dims[], int ndim) {
  const State* s = initialized_state();
  if (s == nullptr) return QMP_NOT_INITED;
  const std::vector<int>& map = s->logical_map;
  return QMP_declare_logical_topology_map(dims, ndim, map.empty() ? nullptr : map.data(),
                                          static_cast<int>(map.size()));
}

QMP_bool_t QMP_comm_logical_topology_is_declared(QMP_comm_t comm) {
  return topology_of(comm) != nullptr ? QMP_TRUE : QMP_FALSE;
}
QMP_bool_t QMP_logical_topology_is_declared(void) {
  return QMP_comm_logical_topology_is_declared(QMP_comm_get_default());
}
int QMP_comm_get_logical_number_of_dimensions(QMP_comm_t comm) {
  const Topology* t = topology_of(comm);
  return t ? static_cast<int>(t->dimensions().size()) : 0;
}
int QMP_get_logical_number_of_dimensions(void) {
  return QMP_comm_get_logical_number_of_dimensions(QMP_comm_get_default());
}
const int* QMP_comm_get_logical_dimensions(QMP_comm_t comm) {
  const Topology* t = topology_of(comm);
  return t ? t->dimensions().data() : nullptr;
}
const int* QMP_get_logical_dimensions(void) {
  return QMP_comm_get_logical_dimensions(QMP_comm_get_default());
}
const int* QMP_comm_get_logical_coordinates(QMP_comm_t comm) {
  const Topology* t = topology_of(comm);
  return t ? t->coordinates().data() : nullptr;
}
const int* QMP_get_logical_coordinates(void) {
  return QMP_comm_get_logical_coordinates(QMP_comm_get_default());
}

void QMP_comm_get_logical_coordinates_from2(QMP_comm_t comm, int coords[], int node) {
  const Topology* t = topology_of(comm);
  if (t == nullptr) return;
  if (node < 0 || node >= comm->size) {
    initialized_state()->fail(QMP_NODE_OUTRANGE, fmt::format("coordinates of node {}", node));
    return;
  }
  t->coordinates_of(node, coords);
}
void QMP_get_logical_coordinates_from2(int coords[], int node) {
  QMP_comm_get_logical_coordinates_from2(QMP_comm_get_default(), coords, node);
}
int* QMP_comm_get_logical_coordinates_from(QMP_comm_t comm, int node) {
  const Topology* t = topology_of(comm);
  if (t == nullptr) return nullptr;
  if (node < 0 || node >= comm->size) {
    initialized_state()->fail(QMP_NODE_OUTRANGE, fmt::format("coordinates of node {}", node));
    return nullptr;
  }
  // The caller is a C program and will free() it.
  auto* coords = static_cast<int*>(std::calloc(t->dimensions().size() + 1, sizeof(int)));
  if (coords != nullptr) t->coordinates_of(node, coords);
  return coords;
}
int* QMP_get_logical_coordinates_from(int node) {
  return QMP_comm_get_logical_coordinates_from(QMP_comm_get_default(), node);
}
int QMP_comm_get_node_number_from(QMP_comm_t comm, const int coordinates[]) {
  const Topology* t = topology_of(comm);
  return t ? t->node_at(coordinates) : -1;
}
int QMP_get_node_number_from(const int coordinates[]) {
  return QMP_comm_get_node_number_from(QMP_comm_get_default(), coordinates);
}

QMP_status_t QMP_layout_grid(const int dimensions[], int ndims) {
  State* s = initialized_state();
  if (s == nullptr) return QMP_NOT_INITED;
  if (dimensions == nullptr || ndims < 1) {
    return s->fail(QMP_INVALID_ARG, fmt::format("QMP_layout_grid: {} dimensions", ndims));
  }
  const std::span<const int> lattice(dimensions, static_cast<std::size_t>(ndims));
  if (!QMP_logical_topology_is_declared()) {
    const std::vector<int> one{1};
    const std::vector<int> grid = divide(lattice, s->standard->whole ? s->machine_shape : one);
    if (grid.empty()) {
      return s->fail(QMP_ERROR, fmt::format("QMP_layout_grid: {} does not divide the lattice",
                                            s->transport.description()));
    }
    const QMP_status_t status = QMP_declare_logical_topology(grid.data(), ndims);
    if (status != QMP_SUCCESS) return status;
  }
  const std::vector<int>& nodes = s->standard->topology->dimensions();
  if (nodes.size() > lattice.size()) {
    return s->fail(QMP_ERROR, fmt::format("QMP_layout_grid: a lattice of {} dimensions on a "
                                          "topology of {}",
                                          lattice.size(), nodes.size()));
  }
  std::vector<int> subgrid(lattice.begin(), lattice.end());
  long long sites = 1;
  for (std::size_t i = 0; i < subgrid.size(); ++i) {
    const int n = i < nodes.size() ? nodes[i] : 1;
    if (subgrid[i] < 1 || subgrid[i] % n != 0) {
      return s->fail(QMP_ERROR, fmt::format("QMP_layout_grid: {} nodes do not divide length {} of "
                                            "axis {}",
                                            n, subgrid[i], i));
    }
    subgrid[i] /= n;
    sites *= subgrid[i];
  }
  s->subgrid = std::move(subgrid);
  s->subgrid_sites = static_cast<int>(sites);
  return QMP_SUCCESS;
}

const int* QMP_get_subgrid_dimensions(void) {
  const State* s = initialized_state();
  return s == nullptr || s->subgrid.empty() ? nullptr : s->subgrid.data();
}
int QMP_get_number_of_subgrid_sites(void) {
  const State* s = initialized_state();
  return s ? s->subgrid_sites : 0;
}

}  // extern "C"
