// SPDX-License-Identifier: Apache-2.0
#include "sw/host/held_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sw/host/errors.hpp"
#include "sw/host/output_file.hpp"

namespace ht::host {
namespace {

bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

void HeldFile::held_by_another() const {
  throw DataError(
      fmt::format("{}: another {} writes it, too; give each a file of its own", file_, writer_));
}

HeldFile::~HeldFile() {
  if (held_ >= 0) close(held_);
}

void HeldFile::hold() {
  struct stat there {
  }, held{};
  // A FIFO's other end would notice that it is opened.
  if (stat(file_.c_str(), &there) != 0 || !S_ISREG(there.st_mode)) return;
  const int file = open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return;
  // Written through, it is the one that is held.
  if (held_ >= 0 && fstat(file, &there) == 0 && fstat(held_, &held) == 0 && is_same(there, held)) {
    close(file);
    return;
  }
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    close(file);
    held_by_another();
  }
  if (held_ >= 0) close(held_);
  held_ = file;
}

void HeldFile::check() const {
  struct stat there {
  }, held{};
  if (held_ >= 0 && stat(file_.c_str(), &there) == 0 && fstat(held_, &held) == 0 &&
      !is_same(there, held))
    held_by_another();
}

void check_free(const std::string& file, const std::string& writer) {
  check_writable(file);
  HeldFile(file, writer).hold();
}

}  // namespace ht::host
