// SPDX-License-Identifier: Apache-2.0
#include "sw/host/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "sw/host/errors.hpp"

namespace ht::host {
namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // as many as Linux follows

[[noreturn]] void fail(const fs::path& file, const std::string& reason) {
  throw DataError("cannot write " + file.string() + ": " + reason);
}

std::string remedy_of(int error) {
  std::string text = std::strerror(error);
  if (error == ENOENT || error == ENOTDIR) text += "; make sure that its folder exists";
  if (error == EACCES || error == EPERM || error == EROFS)
    text += "; make sure that it and its folder are writable";
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    text += "; is the disk full, or a limit of file sizes reached?";
  return text;
}

/// An open descriptor. Writes all it is given, or throws.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : number_(::open(path.c_str(), flags, 0666)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

  /// 0, or the number of the error.
  int write(std::string_view content) const {
    while (!content.empty()) {
      const ssize_t written = ::write(number_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
  }
  /// Some file systems report only here that there was no room.
  int close() {
    const int number = number_;
    number_ = -1;
    return ::close(number) == 0 ? 0 : errno;
  }

 private:
  int number_;
};

// Whatever it leads to stays what it is.
void write_through(const fs::path& file, std::string_view content) {
  Descriptor out(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_CLOEXEC);
  if (!out.is_open()) fail(file, remedy_of(errno));
  int error = out.write(content);
  if (const int at_end = out.close(); error == 0) error = at_end;
  if (error != 0) fail(file, remedy_of(error));
}

/// Beside the target, so that it can take its name; no longer than any name may be.
fs::path part_name(const fs::path& file, int attempt) {
  return file.parent_path() /
         (".hypertorus-" + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".part");
}

void replace(const fs::path& file, bool exists, mode_t mode, std::string_view content) {
  for (int attempt = 0;; ++attempt) {
    const fs::path part = part_name(file, attempt);
    Descriptor out(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC);
    if (!out.is_open()) {
      if (errno == EEXIST) continue;
      // A file that may be written in a folder that may not.
      if (exists && (errno == EACCES || errno == EPERM)) return write_through(file, content);
      fail(file, remedy_of(errno));
    }
    int error = out.write(content);
    if (exists && error == 0 && ::fchmod(out.number(), mode & 07777) != 0) error = errno;
    if (const int at_end = out.close(); error == 0) error = at_end;
    if (error == 0 && ::rename(part.c_str(), file.c_str()) != 0) error = errno;
    if (error == 0) return;
    ::unlink(part.c_str());
    fail(file, remedy_of(error));
  }
}

void check(const fs::path& file, bool regular) {
  if (file.empty()) throw DataError("cannot write a file without a name");
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail(file, "it is a folder");
    if (S_ISSOCK(status.st_mode)) fail(file, "it is a socket");
    if (regular && !S_ISREG(status.st_mode)) fail(file, "it takes a regular file");
    if (::access(file.c_str(), W_OK) != 0) fail(file, remedy_of(errno));
    return;
  }
  if (errno != ENOENT) fail(file, remedy_of(errno));
  // To try is the only way to know: names may be too long, folders full or another user's.
  const fs::path target = link_target(file);
  const Descriptor out(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC);
  if (!out.is_open()) fail(file, remedy_of(errno));
  ::unlink(target.c_str());
}

}  // namespace

fs::path link_target(const fs::path& file) {
  fs::path target = file;
  std::error_code error;
  for (int i = 0; fs::is_symlink(fs::symlink_status(target, error)); ++i) {
    if (i == most_links) fail(file, "its symbolic links lead round in a circle");
    const fs::path next = fs::read_symlink(target, error);
    if (error) fail(file, error.message());
    target = target.parent_path() / next;  // an absolute one replaces all of it
  }
  return target;
}

void check_writable(const fs::path& file) {
  check(file, false);
}

void check_writable_regular(const fs::path& file) {
  check(file, true);
}

void write_file(const fs::path& file, std::string_view content) {
  struct stat status {};
  const bool exists = ::lstat(file.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    write_through(file, content);
  } else {
    replace(file, exists, exists ? status.st_mode : 0, content);
  }
}

}  // namespace ht::host
