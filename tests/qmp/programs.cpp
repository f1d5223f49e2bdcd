// SPDX-License-Identifier: Apache-2.0
#include "tests/qmp/programs.hpp"

namespace ht::qmp::tests {

const std::vector<Conformance>& conformance_programs() {
  static const std::vector<Conformance> list = [] {
    std::vector<Conformance> all;
    add_machine_programs(all);
    add_message_programs(all);
    add_global_programs(all);
    return all;
  }();
  return list;
}

}  // namespace ht::qmp::tests
