// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/plugin/child_process.hpp"

namespace ht::test {

/// Processes that are started together and end before this does: ended, if they must be.
class Processes {
 public:
  explicit Processes(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Standard error goes to a file.
  void start(const std::vector<std::string>& words);

  struct End {
    int code;          ///< as of machine::ChildProcess
    std::string said;  ///< what it wrote to standard error
  };
  /// Waits for all of them. Throws std::runtime_error if one does not end.
  std::vector<End> wait();

 private:
  std::string file(std::size_t number) const;

  std::filesystem::path folder_;
  std::vector<std::unique_ptr<machine::ChildProcess>> children_;
};

}  // namespace ht::test
