// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "sw/qmp/qmp.h"

namespace ht::qmp::tests {

/// Fails the node's program where it stands. Usable at any depth, on any machine.
#define MUST(condition)                                                                 \
  do {                                                                                  \
    if (!(condition))                                                                   \
      throw std::runtime_error(std::string(__FILE__) + ":" + std::to_string(__LINE__) + \
                               ": " #condition);                                        \
  } while (false)

/// QMP, initialised; finalised at the end unless the program failed.
class Session {
 public:
  Session() {
    QMP_thread_level_t provided = QMP_THREAD_MULTIPLE;
    MUST(QMP_init_msg_passing(nullptr, nullptr, QMP_THREAD_SINGLE, &provided) == QMP_SUCCESS);
    MUST(provided == QMP_THREAD_SINGLE);
  }
  ~Session() {
    if (std::uncaught_exceptions() == 0) QMP_finalize_msg_passing();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

/// The machine's own shape as logical topology.
inline std::vector<int> declare_native_topology() {
  const int axes = QMP_get_allocated_number_of_dimensions();
  const int* lengths = QMP_get_allocated_dimensions();
  MUST(QMP_declare_logical_topology(lengths, axes) == QMP_SUCCESS);
  return {lengths, lengths + axes};
}

/// The number of the node `steps` away along a logical axis.
inline int neighbour(int axis, int steps) {
  const int axes = QMP_get_logical_number_of_dimensions();
  const int* here = QMP_get_logical_coordinates();
  std::vector<int> there(here, here + axes);
  const int length = QMP_get_logical_dimensions()[axis];
  int& c = there[static_cast<std::size_t>(axis)];
  c = ((c + steps) % length + length) % length;
  return QMP_get_node_number_from(there.data());
}

/// A value that no other (node, index) has.
inline double mark(int node, int index) {
  return node * 4096.0 + index + 0.5;
}

}  // namespace ht::qmp::tests
