// SPDX-License-Identifier: Apache-2.0
// The same for C++: global objects and templates, streams, exceptions while others wait.
#include <qmp.h>

#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

template <typename T>
struct Counter {
  static inline T value = 0;
};

inline int& inline_static() {
  static int value = 0;
  return value;
}

struct Global {
  Global() { std::cout << "constructed" << std::endl; }
  ~Global() { std::cout << "destroyed after " << counts.size() << std::endl; }
  std::map<std::string, int> counts;
} global;

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided);
  const int node = QMP_get_node_number();
  for (int i = 0; i <= node; ++i) {
    QMP_barrier();
    ++Counter<long>::value;
    ++inline_static();
    global.counts[std::to_string(i)] = i;
  }
  for (int i = node + 1; i < QMP_get_number_of_nodes(); ++i) QMP_barrier();
  int caught = 0;
  try {
    try {
      throw std::runtime_error("node " + std::to_string(node));
    } catch (const std::exception&) {
      QMP_barrier();
      throw;
    }
  } catch (const std::runtime_error& e) {
    caught = e.what() == "node " + std::to_string(node);
  }
  std::cout << "counted " << Counter<long>::value << ' ' << inline_static() << '\n';
  std::cerr << "caught " << caught << '\n';
  QMP_finalize_msg_passing();
  return Counter<long>::value == node + 1 && inline_static() == node + 1 && caught == 1 ? 0 : 1;
}
