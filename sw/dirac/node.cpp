// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/node.hpp"

#include <fmt/format.h>

#include "sw/host/errors.hpp"
#include "sw/qmp/qmp.h"

namespace ht::dirac {
namespace {

void check(QMP_status_t status, const char* what) {
  if (status != QMP_SUCCESS) {
    throw ProtocolError(fmt::format("{} failed: {}", what, QMP_error_string(status)));
  }
}

}  // namespace

Geometry declare_geometry(const Coordinates& lattice, const std::vector<int>& node_grid) {
  if (!QMP_is_initialized()) {
    QMP_thread_level_t provided{};
    check(QMP_init_msg_passing(nullptr, nullptr, QMP_THREAD_SINGLE, &provided),
          "QMP_init_msg_passing");
  }
  if (!QMP_logical_topology_is_declared()) {
    const int axes = node_grid.empty() ? -1 : static_cast<int>(node_grid.size());
    check(QMP_declare_logical_topology(axes < 0 ? nullptr : node_grid.data(), axes),
          "QMP_declare_logical_topology");
  }
  const auto axes = static_cast<std::size_t>(QMP_get_logical_number_of_dimensions());
  return {lattice, std::span(QMP_get_logical_dimensions(), axes),
          std::span(QMP_get_logical_coordinates(), axes)};
}

}  // namespace ht::dirac
