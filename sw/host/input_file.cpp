// SPDX-License-Identifier: Apache-2.0
#include "sw/host/input_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "sw/host/errors.hpp"
#include "sw/host/nearest.hpp"

namespace ht::host {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what,
                       const std::string& remedy) {
  throw DataError(file.string() + ": " + what + "; " + remedy);
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& file, const std::string& remedy) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    if (errno == ENOENT) fail(file, "no such file", remedy + did_you_mean_file(file));
    fail(file, std::strerror(errno), remedy);
  }
  if (!S_ISREG(status.st_mode)) fail(file, "is not a regular file", remedy);
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(file, "cannot be opened", "check its permissions");
  bytes_ = static_cast<std::size_t>(status.st_size);
  // A mapping of nothing is an error.
  void* const memory =
      bytes_ == 0 ? nullptr : ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, descriptor, 0);
  ::close(descriptor);
  if (memory == MAP_FAILED) fail(file, std::strerror(errno), "check the disk it is on");
  data_ = static_cast<const std::byte*>(memory);
}

InputFile::~InputFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), bytes_);
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string printable(std::string_view text, std::size_t most) {
  constexpr char digits[] = "0123456789abcdef";
  std::string shown;
  for (const char c : text.substr(0, most)) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= 0x20 && code < 0x7F) {
      shown += c;
    } else {
      shown += {'\\', 'x', digits[code >> 4], digits[code & 15]};
    }
  }
  if (text.size() > most) shown += "... (" + std::to_string(text.size()) + " bytes)";
  return shown;
}

}  // namespace ht::host
