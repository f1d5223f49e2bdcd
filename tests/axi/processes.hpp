// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace ht::test {

/// Processes that are started together and end before this does: killed, if they must be.
class Processes {
 public:
  explicit Processes(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  /// Standard error goes to a file. Throws std::runtime_error if it cannot be started.
  void start(const std::vector<std::string>& words);
  void kill(std::size_t number, int signal);

  struct End {
    int status;        ///< as of waitpid()
    std::string said;  ///< what it wrote
  };
  /// Waits for all of them.
  std::vector<End> wait();

 private:
  std::filesystem::path folder_;
  std::vector<int> ids_;
};

}  // namespace ht::test
