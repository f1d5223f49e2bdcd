// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

namespace ht::qcdoc::ppc440 {

/// Times of a node's memories ([QCDOC2004] section 2.1), in cycles of the processor and of its bus.
/// README.md says which are the paper's and which are assumed.
struct MemoryTiming {
  int fill = 52;      ///< embedded memory, from a miss to the line, its row being in a stream
  int row = 5;        ///< later, and memory busy for so long, where it is in neither
  int line = 2;       ///< a line of 32 bytes over 128 bits
  int bus_ratio = 3;  ///< the processor's clock to the bus'
  int ddr = 10;       ///< bus cycles from a miss to the line, its page being open
  int ddr_page = 6;   ///< bus cycles more, to close a page and open another
  int ddr_line = 2;   ///< bus cycles of a line over 128 bits: 2.6 GB/s
  double refresh_interval = 7.8e-6, refresh_time = 80e-9;  ///< seconds
};

/// The data cache and what is behind it: 32 kB in 16 sets of 64 ways of 32 bytes, replaced in turn;
/// three lines may be on their way, and four loads wait for them. Addresses below 4 MB are in the
/// embedded memory, whose controller reads ahead along two streams of rows of 1024 bits; the others
/// are in DDR SDRAM behind the bus, which has four banks of open pages. Cycles count from 0.
class DataMemory {
 public:
  static constexpr std::uint64_t line_bytes = 32, row_bytes = 128, page_bytes = 8192;
  static constexpr std::uint64_t embedded_bytes = std::uint64_t{4} << 20;

  /// `clock` in Hz.
  DataMemory(const MemoryTiming& timing, double clock);

  struct Access {
    std::int64_t free;  ///< when the load-store unit goes on
    std::int64_t data;  ///< when what is loaded can be used, but for the cache's own latency
  };
  Access load(std::int64_t cycle, std::uint64_t address) { return read(cycle, address, true); }
  /// dcbt: nothing waits for the line.
  Access touch(std::int64_t cycle, std::uint64_t address) { return read(cycle, address, false); }
  /// Into the cache. A line that is not there is not fetched: whole lines are written (dcbz).
  Access store(std::int64_t cycle, std::uint64_t address);
  /// Past the cache, as what the communications unit is to read: a line of it.
  Access store_through(std::int64_t cycle, std::uint64_t address);
  /// Forgets a line without writing it back (dcbi): the unit has written to memory.
  void invalidate(std::uint64_t address);

  std::int64_t embedded_lines() const { return embedded_lines_; }
  std::int64_t external_lines() const { return external_lines_; }
  /// Cycles in which the embedded memory did something for the processor.
  std::int64_t embedded_busy() const { return embedded_busy_; }

 private:
  static constexpr std::size_t sets = 16, ways = 64, banks = 4;

  struct Line {
    std::uint64_t tag = ~std::uint64_t{0};
    std::int64_t ready = 0;
    bool dirty = false;
  };
  struct Set {
    std::array<Line, ways> way;
    std::size_t next = 0;
  };

  Access read(std::int64_t cycle, std::uint64_t address, bool waits);
  Line* find(std::uint64_t line);
  Line& allocate(std::int64_t cycle, std::uint64_t line);
  std::int64_t fetch(std::int64_t cycle, std::uint64_t address);
  void write_back(std::int64_t cycle, std::uint64_t address);
  std::int64_t embedded(std::int64_t cycle, std::uint64_t address);
  std::int64_t external(std::int64_t cycle, std::uint64_t address);

  MemoryTiming timing_;
  std::int64_t refresh_interval_, refresh_time_;  ///< cycles
  std::array<Set, sets> sets_;
  Line* last_ = nullptr;
  std::array<std::int64_t, 3> fills_{};   ///< when each line comes, or came
  std::array<std::int64_t, 4> misses_{};  ///< when each waiting load has what it waits for
  struct Stream {
    std::uint64_t row = ~std::uint64_t{0} - 1;
    std::int64_t used = -1;
  };
  std::array<Stream, 2> streams_;
  std::int64_t memory_free_ = 0;
  std::array<std::uint64_t, banks> pages_{};
  std::int64_t bus_free_ = 0, refreshed_ = 0;
  std::int64_t embedded_lines_ = 0, external_lines_ = 0, embedded_busy_ = 0;
};

}  // namespace ht::qcdoc::ppc440
