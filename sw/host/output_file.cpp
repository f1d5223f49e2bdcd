// SPDX-License-Identifier: Apache-2.0
#include "sw/host/output_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
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
  explicit Descriptor(int number) : number_(number) {}
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
      if (written < 0 && errno == EAGAIN) {  // somebody else's, who does not wait
        pollfd room{number_, POLLOUT, 0};
        if (::poll(&room, 1, -1) > 0 || errno == EINTR) continue;
      }
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

// Where the symbolic link `link` leads, the step number `step` on the way from `file`.
fs::path next_link(const fs::path& file, const fs::path& link, int step) {
  if (step == most_links) fail(file, "its symbolic links lead round in a circle");
  std::error_code error;
  const fs::path next = fs::read_symlink(link, error);
  if (error) fail(file, error.message());
  return link.parent_path() / next;  // an absolute one replaces all of it
}

// The descriptor of this process that a path in /proc is, as /dev/stdout leads to one.
std::optional<int> descriptor_of(const fs::path& target) {
  std::error_code error;
  const fs::path folder =
      fs::canonical(target.parent_path(), error);  // /dev/fd and /proc/self are links
  const std::string number = target.filename().string();
  if (error || folder != "/proc/" + std::to_string(::getpid()) + "/fd") return std::nullopt;
  if (number.empty() || number.size() > 6 ||
      number.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return std::stoi(number);
}

// Whatever it leads to stays what it is. What this process has open is written on from where it is:
// opened anew, a file would begin anew as well, and lose what it had.
void write_through(const fs::path& file, const fs::path& target, std::string_view content) {
  const std::optional<int> open = descriptor_of(target);
  if (open) std::fflush(nullptr);
  Descriptor out = open ? Descriptor(::fcntl(*open, F_DUPFD_CLOEXEC, 0))
                        : Descriptor(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_CLOEXEC);
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

// `target` is where `file`, which messages name, leads.
void replace(const fs::path& file, const fs::path& target, bool exists, mode_t mode,
             std::string_view content) {
  for (int attempt = 0;; ++attempt) {
    const fs::path part = part_name(target, attempt);
    Descriptor out(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC);
    if (!out.is_open()) {
      if (errno == EEXIST) continue;
      // A file that may be written in a folder that may not.
      if (exists && (errno == EACCES || errno == EPERM))
        return write_through(file, target, content);
      fail(file, remedy_of(errno));
    }
    int error = out.write(content);
    if (exists && error == 0 && ::fchmod(out.number(), mode & 07777) != 0) error = errno;
    if (const int at_end = out.close(); error == 0) error = at_end;
    if (error == 0 && ::rename(part.c_str(), target.c_str()) != 0) error = errno;
    if (error == 0) return;
    ::unlink(part.c_str());
    fail(file, remedy_of(error));
  }
}

// Links of /proc lead to what a process has open (/dev/stdout): that must stay the same file.
bool leads_to_open_file(const fs::path& file) {
  struct stat proc {
  }, link{};
  return ::stat("/proc", &proc) == 0 && ::lstat(file.c_str(), &link) == 0 &&
         link.st_dev == proc.st_dev;
}

struct Place {
  fs::path target;   ///< where links lead, if not to what a process has open
  bool replaceable;  ///< by another file; else it must be written through
};

Place place_of(const fs::path& file) {
  fs::path target = file;
  std::error_code error;
  for (int i = 0; fs::is_symlink(fs::symlink_status(target, error)); ++i) {
    if (leads_to_open_file(target)) return {target, false};
    target = next_link(file, target, i);
  }
  const auto kind = fs::symlink_status(target, error).type();
  return {target, kind == fs::file_type::regular || kind == fs::file_type::not_found};
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
  for (int i = 0; fs::is_symlink(fs::symlink_status(target, error)); ++i)
    target = next_link(file, target, i);
  return target;
}

void check_writable(const fs::path& file) {
  check(file, false);
}

void check_writable_regular(const fs::path& file) {
  check(file, true);
}

bool is_replaced(const fs::path& file) {
  return place_of(file).replaceable;
}

void write_file(const fs::path& file, std::string_view content) {
  const auto [target, replaceable] = place_of(file);
  if (!replaceable) return write_through(file, target, content);
  struct stat status {};
  const bool exists = ::lstat(target.c_str(), &status) == 0;
  replace(file, target, exists, exists ? status.st_mode : 0, content);
}

}  // namespace ht::host
