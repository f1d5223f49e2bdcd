// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/functional/mirrored_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sw/host/fibre.hpp"
#include "sw/tofu/functional/page_exchange.hpp"

namespace ht::tofu {
namespace {

constexpr std::size_t compared = 4096;
constexpr std::size_t own_stack = std::size_t{64} << 10;

std::uintptr_t page_bytes() {
  static const auto bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}
std::uintptr_t address_of(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}
void* at(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);
}

/// Bytes that this process has mapped in one way.
struct Mapping {
  std::uintptr_t begin, end;
  bool shared;
};

/// What lies in [begin, end), in order. Nothing if there are bytes of it that are not mapped, or
/// that must not be written.
std::vector<Mapping> mappings(std::uintptr_t begin, std::uintptr_t end) {
  std::vector<Mapping> found;
  std::ifstream maps("/proc/self/maps");
  // 7f12c000-7f12d000 rw-p ...
  for (std::string line; begin < end && std::getline(maps, line);) {
    std::istringstream words(line);
    std::uintptr_t first = 0, last = 0;
    char dash = 0;
    std::string rights;
    if (!(words >> std::hex >> first >> dash >> last >> rights) || rights.size() < 4) return {};
    if (last <= begin) continue;
    if (first > begin || !rights.starts_with("rw")) return {};
    found.push_back({begin, std::min(last, end), rights[3] == 's'});
    begin = found.back().end;
  }
  return begin < end ? std::vector<Mapping>{} : found;
}

// Whole pages: whatever lies in them beside the program's memory, and is in nobody's use perhaps.
[[gnu::no_sanitize("address", "thread")]] void copy_pages(std::uintptr_t to, std::uintptr_t from,
                                                          std::size_t bytes) {
  const auto* source = reinterpret_cast<const volatile std::uint64_t*>(from);
  auto* destination = reinterpret_cast<volatile std::uint64_t*>(to);
  for (std::size_t i = 0; i < bytes / sizeof *source; ++i) destination[i] = source[i];
}

/// Makes the pages at `image` those at `program`, which shall be shared mappings from now on.
bool share(const std::vector<Mapping>& program, std::uintptr_t image) {
  for (const Mapping& m : program) {
    const std::size_t bytes = m.end - m.begin;
    // Of a shared mapping, so called, there is one more; the old one stays.
    const auto alias = [&](std::uintptr_t from, std::uintptr_t to) {
      return ::mremap(at(from), 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at(to)) != MAP_FAILED;
    };
    if (m.shared) {
      if (!alias(m.begin, image)) return false;
    } else {
      if (::mmap(at(image), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED,
                 -1, 0) == MAP_FAILED ||
          !PageExchange::hold(m.begin, bytes))
        return false;
      copy_pages(image, m.begin, bytes);
      if (!alias(image, m.begin)) {
        PageExchange::release(m.begin, bytes);
        return false;
      }
    }
    image += bytes;
  }
  return !program.empty();
}

/// Gives pages back to the arena as it had them: its own, and zero.
void restore(std::uintptr_t image, std::size_t bytes) {
  (void)::mmap(at(image), bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/// From the begin of the first page to the end of the last one.
struct Pages {
  Pages(const void* memory, std::size_t bytes)
      : begin(address_of(memory) / page_bytes() * page_bytes()),
        size((address_of(memory) + bytes - begin + page_bytes() - 1) / page_bytes() *
             page_bytes()) {}
  std::uintptr_t begin;
  std::size_t size;
};

}  // namespace

MirroredMemory::MirroredMemory(host::NodeMemory& memory, void* program, std::size_t bytes)
    : memory_(memory), program_(static_cast<std::byte*>(program)) {
  const Pages pages(program, bytes);
  block_ = static_cast<std::byte*>(memory.allocate(pages.size, page_bytes()));
  block_bytes_ = pages.size;
  image_ = block_ + (address_of(program) - pages.begin);
  bool shared = false;
  // What is registered may lie on the stack of who calls: its pages are exchanged from another one.
  host::Fibre elsewhere(
      [&] {
        const PageExchange exchange;
        shared = share(mappings(pages.begin, pages.begin + pages.size), address_of(block_));
      },
      own_stack);
  elsewhere.resume();
  if (shared) return;
  restore(address_of(block_), pages.size);
  known_.assign(program_, program_ + bytes);
  std::memcpy(image_, program_, bytes);
}

MirroredMemory::~MirroredMemory() {
  restore(address_of(block_), block_bytes_);
  memory_.release(block_);
}

// There is nothing to do for pages that both have.
std::size_t MirroredMemory::synchronise() {
  std::size_t copied = 0;
  for (std::size_t from = 0; from < known_.size(); from += compared) {
    const std::size_t n = std::min(compared, known_.size() - from);
    if (std::memcmp(program_ + from, known_.data() + from, n) == 0 &&
        std::memcmp(image_ + from, known_.data() + from, n) == 0)
      continue;
    for (std::size_t i = from; i < from + n; ++i) {
      if (image_[i] != known_[i]) {
        known_[i] = program_[i] = image_[i];
        ++copied;
      } else if (program_[i] != known_[i]) {
        known_[i] = image_[i] = program_[i];
        ++copied;
      }
    }
  }
  return copied;
}

}  // namespace ht::tofu
