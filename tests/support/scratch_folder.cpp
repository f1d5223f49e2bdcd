// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scratch_folder.hpp"

#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace ht::test {

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "hypertorus-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a scratch folder");
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace ht::test
