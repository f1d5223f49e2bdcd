// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <filesystem>
#include <string>

namespace ht::machine {

/// Makes this the only process that works in a folder. Whatever it starts meanwhile keeps the lock,
/// too: what goes on after this process was killed is waited for by the next one.
class FolderLock {
 public:
  /// Locks the folder's file "lock"; `busy` is shown while another process has it, unless `quiet`.
  /// Throws DataError if it cannot be written, InterruptedError once `stop` is set.
  FolderLock(const std::filesystem::path& folder, const std::string& busy, bool quiet,
             const std::atomic<bool>* stop);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_;
};

}  // namespace ht::machine
