// SPDX-License-Identifier: Apache-2.0
#include "sim/plugin/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sim/output/progress_line.hpp"
#include "sw/host/errors.hpp"

namespace ht::machine {

FolderLock::FolderLock(const std::filesystem::path& folder, const std::string& busy, bool quiet,
                       const std::atomic<bool>* stop)
    // Not close-on-exec: see above.
    : file_(open((folder / "lock").c_str(), O_RDWR | O_CREAT, 0666)) {
  if (file_ < 0)
    throw DataError(
        fmt::format("cannot write {}: {}", (folder / "lock").string(), std::strerror(errno)));
  cli::ProgressLine progress(quiet, stop);
  while (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    try {
      progress.stage(busy);
    } catch (...) {
      close(file_);
      throw;
    }
    usleep(200'000);
  }
}

FolderLock::~FolderLock() {
  close(file_);
}

}  // namespace ht::machine
