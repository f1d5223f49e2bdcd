// SPDX-License-Identifier: Apache-2.0
#include "sim/plugin/build.hpp"

#include "hypertorus_build.hpp"

namespace ht::machine {

const char* build_hash() {
  return HYPERTORUS_BUILD_HASH;
}

std::string_view build_mark_prefix() {
  // In two pieces, so that this library holds no mark of its own.
  static const std::string prefix = std::string("hypertorus build ") + "mark: ";
  return prefix;
}

const std::vector<std::string>& machines_of_the_tree() {
  static const std::vector<std::string> names{HYPERTORUS_MACHINE_NAMES};
  return names;
}

std::string plugin_folder_beside(const std::string& folder) {
  return folder + "/" HYPERTORUS_PLUGIN_FOLDER;
}

}  // namespace ht::machine
