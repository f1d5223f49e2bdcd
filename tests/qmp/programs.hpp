// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace ht::qmp::tests {

/// A node program that checks a part of the QMP API against what the API promises. It knows nothing
/// of the machine below: any shape, any Transport. Run inside a qmp::Node on every node; throws
/// std::runtime_error with file, line and condition where a promise is broken.
struct Conformance {
  const char* name;
  void (*program)();
};

/// All of them. Each initialises and finalises QMP itself.
const std::vector<Conformance>& conformance_programs();

/// Those that want messages between any two nodes, and receives that are longer than what is sent.
const std::vector<Conformance>& anywhere_programs();

// By subject.
void add_machine_programs(std::vector<Conformance>& list);
void add_message_programs(std::vector<Conformance>& list);
void add_global_programs(std::vector<Conformance>& list);

}  // namespace ht::qmp::tests
