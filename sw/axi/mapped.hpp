// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "sw/axi/board.hpp"

namespace ht::axi {

/// A node in a board's FPGA, by what Linux offers programs without a driver of their own.
struct MappedOptions {
  /// Registers: a UIO device ("/dev/uio0"), or "/dev/mem" with `register_offset`.
  std::filesystem::path registers;
  std::uint64_t register_offset = 0;
  std::size_t register_bytes = 0x8000;  ///< of s_axi: README.md
  /// Memory: the name of a u-dma-buf ("udmabuf0"), whose address the kernel tells, or a file (then
  /// with `memory_address`): "/dev/mem" with `memory_offset`, say.
  std::string buffer;
  std::filesystem::path memory;
  std::uint64_t memory_offset = 0, memory_address = 0;
  std::size_t memory_bytes = 0;
  /// The buses pass through the processor's caches (a coherent port): memory is mapped cached. Else
  /// it is mapped without a cache (O_SYNC), and nothing needs to be flushed.
  bool coherent = false;
  /// Where the kernel tells of u-dma-bufs.
  std::filesystem::path buffers = "/sys/class/u-dma-buf";
};

/// Such a node. An access that its bus refuses ends the process by SIGBUS on most processors.
class MappedBoard final : public Board {
 public:
  /// Throws DataError, naming the device and why, for what cannot be opened or mapped.
  explicit MappedBoard(const MappedOptions& options);
  ~MappedBoard() override;
  MappedBoard(const MappedBoard&) = delete;
  MappedBoard& operator=(const MappedBoard&) = delete;

  std::uint32_t read(std::uint32_t address) override;
  void write(std::uint32_t address, std::uint32_t value) override;
  std::span<std::byte> memory() override { return memory_; }
  std::uint64_t memory_address() const override { return address_; }
  /// The processor's clock.
  Picoseconds now() override;
  void pause(Picoseconds duration) override;
  /// By UIO; false where registers are not a UIO device's.
  bool interrupt() override;

 private:
  struct Mapping {
    std::byte* base = nullptr;
    std::size_t bytes = 0;
    int file = -1;
    void open(const std::filesystem::path& path, std::uint64_t offset, std::size_t size, int flags);
    ~Mapping();
  };
  volatile std::uint32_t* reg(std::uint32_t address);

  Mapping registers_, buffer_;
  std::string name_;
  std::span<std::byte> memory_;
  std::uint64_t address_ = 0;
  bool uio_ = false;
};

}  // namespace ht::axi
