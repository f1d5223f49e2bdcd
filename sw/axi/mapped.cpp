// SPDX-License-Identifier: Apache-2.0
#include "sw/axi/mapped.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>

#include "sw/host/errors.hpp"

namespace ht::axi {
namespace {

// What the kernel says in a file of one number, 0x for hexadecimal.
std::uint64_t number_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string text;
  in >> text;
  std::size_t end = 0;
  std::uint64_t number = 0;
  try {
    number = std::stoull(text, &end, 0);
  } catch (const std::exception&) {
    end = 0;
  }
  if (text.empty() || text[0] == '-' || end != text.size())
    throw DataError(fmt::format(
        "{}: no number there: is the u-dma-buf module loaded, and the buffer of that name?",
        file.string()));
  return number;
}

}  // namespace

void MappedBoard::Mapping::open(const std::filesystem::path& path, std::uint64_t offset,
                                std::size_t size, int flags) {
  file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | flags);
  if (file < 0)
    throw DataError(fmt::format("{}: cannot be opened: {}", path.string(), std::strerror(errno)));
  void* const at =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
  if (at == MAP_FAILED)
    throw DataError(fmt::format("{}: {} bytes at offset {:#x} cannot be mapped: {}", path.string(),
                                size, offset, std::strerror(errno)));
  base = static_cast<std::byte*>(at);
  bytes = size;
}

MappedBoard::Mapping::~Mapping() {
  if (base != nullptr) ::munmap(base, bytes);
  if (file >= 0) ::close(file);
}

MappedBoard::MappedBoard(const MappedOptions& o) : name_(o.registers.string()) {
  registers_.open(o.registers, o.register_offset, o.register_bytes, O_SYNC);
  uio_ = o.registers.filename().string().starts_with("uio");
  if (uio_) interrupt();  // enables it
  std::size_t bytes = o.memory_bytes;
  address_ = o.memory_address;
  std::filesystem::path memory = o.memory;
  if (!o.buffer.empty()) {
    address_ = number_in(o.buffers / o.buffer / "phys_addr");
    if (bytes == 0) bytes = number_in(o.buffers / o.buffer / "size");
    if (memory.empty()) memory = std::filesystem::path("/dev") / o.buffer;
  }
  buffer_.open(memory, o.memory_offset, bytes, o.coherent ? 0 : O_SYNC);
  memory_ = {buffer_.base, bytes};
}

MappedBoard::~MappedBoard() = default;

volatile std::uint32_t* MappedBoard::reg(std::uint32_t address) {
  if (address % 4 != 0 || std::uint64_t{address} + 4 > registers_.bytes)
    throw UsageError(fmt::format("{}: no register at byte {:#x} of a window of {:#x}", name_,
                                 address, registers_.bytes));
  return reinterpret_cast<volatile std::uint32_t*>(registers_.base + address);
}

std::uint32_t MappedBoard::read(std::uint32_t address) {
  return *reg(address);
}

void MappedBoard::write(std::uint32_t address, std::uint32_t value) {
  *reg(address) = value;
}

Picoseconds MappedBoard::now() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return (static_cast<Picoseconds>(t.tv_sec) * 1'000'000'000 + t.tv_nsec) * 1000;
}

// Short pauses keep the processor: a system call takes longer.
void MappedBoard::pause(Picoseconds duration) {
  constexpr Picoseconds sleeps = 100'000'000;  // 100 us
  if (duration >= sleeps) {
    const Picoseconds ns = duration / 1000;
    const timespec t{static_cast<time_t>(ns / 1'000'000'000),
                     static_cast<long>(ns % 1'000'000'000)};
    ::nanosleep(&t, nullptr);
    return;
  }
  const Picoseconds end = now() + duration;
  while (now() < end) ::sched_yield();
}

// The kernel switches an interrupt off when it has come, and tells how many have; a 1 switches it
// on again. As long as the level stays, it comes again at once.
bool MappedBoard::interrupt() {
  if (!uio_) return false;
  pollfd waits{registers_.file, POLLIN, 0};
  const bool came = ::poll(&waits, 1, 0) > 0 && (waits.revents & POLLIN) != 0;
  std::uint32_t count = 0;
  if (came && ::read(registers_.file, &count, sizeof count) != sizeof count)
    throw DataError(fmt::format("{}: interrupts cannot be read: {}", name_, std::strerror(errno)));
  const std::uint32_t on = 1;
  if (::write(registers_.file, &on, sizeof on) != sizeof on)
    throw DataError(
        fmt::format("{}: interrupts cannot be switched on: {}", name_, std::strerror(errno)));
  return came;
}

}  // namespace ht::axi
