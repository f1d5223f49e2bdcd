// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/ppc440_memory.hpp"

#include <algorithm>
#include <cmath>

namespace ht::qcdoc::ppc440 {

DataMemory::DataMemory(const MemoryTiming& timing, double clock)
    : timing_(timing),
      refresh_interval_(std::llround(timing.refresh_interval * clock)),
      refresh_time_(std::llround(timing.refresh_time * clock)) {
  pages_.fill(~std::uint64_t{0});
}

DataMemory::Line* DataMemory::find(std::uint64_t line) {
  if (last_ != nullptr && last_->tag == line) return last_;
  for (Line& l : sets_[line % sets].way) {
    if (l.tag == line) return last_ = &l;
  }
  return nullptr;
}

// Makes place for a line; what was there and was written goes to memory.
DataMemory::Line& DataMemory::allocate(std::int64_t cycle, std::uint64_t line) {
  Set& set = sets_[line % sets];
  Line& l = set.way[set.next];
  set.next = (set.next + 1) % ways;
  if (l.dirty) write_back(cycle, l.tag * line_bytes);
  l = {.tag = line, .ready = 0, .dirty = false};
  last_ = &l;
  return l;
}

DataMemory::Access DataMemory::read(std::int64_t cycle, std::uint64_t address, bool waits) {
  const std::uint64_t line = address / line_bytes;
  Line* l = find(line);
  std::int64_t free = cycle + 1;
  if (l == nullptr) {
    auto fill = std::min_element(fills_.begin(), fills_.end());
    const std::int64_t start = std::max(cycle, *fill);
    free = start + 1;
    l = &allocate(start, line);
    l->ready = fetch(start, address);
    *fill = l->ready;
  }
  if (waits && l->ready > free) {
    auto miss = std::min_element(misses_.begin(), misses_.end());
    free = std::max(free, *miss + 1);
    *miss = l->ready;
  }
  return {free, l->ready};
}

DataMemory::Access DataMemory::store(std::int64_t cycle, std::uint64_t address) {
  const std::uint64_t line = address / line_bytes;
  Line* l = find(line);
  if (l == nullptr) l = &allocate(cycle, line);
  l->dirty = true;
  return {cycle + 1, cycle + 1};
}

DataMemory::Access DataMemory::store_through(std::int64_t cycle, std::uint64_t address) {
  write_back(cycle, address);
  return {cycle + 1, cycle + 1};
}

void DataMemory::invalidate(std::uint64_t address) {
  Line* const l = find(address / line_bytes);
  if (l == nullptr) return;
  *l = {};
  last_ = nullptr;
}

std::int64_t DataMemory::fetch(std::int64_t cycle, std::uint64_t address) {
  if (address < embedded_bytes) {
    ++embedded_lines_;
    const std::int64_t begin = embedded(cycle, address);
    return begin + timing_.fill;
  }
  ++external_lines_;
  const std::int64_t begin = external(cycle, address);
  // The same way to the embedded memory's controller and back, and on over the bus.
  return begin + timing_.fill + std::int64_t{timing_.bus_ratio} * timing_.ddr;
}

// Rows are collected before they are written, so that a write costs a line's time and no row's.
void DataMemory::write_back(std::int64_t cycle, std::uint64_t address) {
  if (address < embedded_bytes) {
    memory_free_ = std::max(cycle, memory_free_) + timing_.line;
    embedded_busy_ += timing_.line;
  } else {
    external(cycle, address);
  }
}

// When the embedded memory begins with a line: a stream that has its row, or the row before it, has
// read ahead; the one used longest ago is given up for another row.
std::int64_t DataMemory::embedded(std::int64_t cycle, std::uint64_t address) {
  const std::uint64_t row = address / row_bytes;
  std::int64_t begin = std::max(cycle, memory_free_);
  const auto has = [&](const Stream& s) { return row == s.row || row == s.row + 1; };
  auto stream = std::find_if(streams_.begin(), streams_.end(), has);
  int busy = timing_.line;
  if (stream == streams_.end()) {
    stream = std::min_element(streams_.begin(), streams_.end(),
                              [](const Stream& a, const Stream& b) { return a.used < b.used; });
    begin += timing_.row;
    busy += timing_.row;
  }
  *stream = {row, begin};
  memory_free_ = begin + timing_.line;
  embedded_busy_ += busy;
  return begin;
}

// When the bus begins with a line; its edges are every third of the processor's.
std::int64_t DataMemory::external(std::int64_t cycle, std::uint64_t address) {
  const std::int64_t ratio = timing_.bus_ratio;
  std::int64_t begin = (std::max(cycle, bus_free_) + ratio - 1) / ratio * ratio;
  if (begin >= refreshed_ + refresh_interval_) {
    refreshed_ = begin - begin % refresh_interval_;
    begin = std::max(begin, refreshed_ + refresh_time_);
    pages_.fill(~std::uint64_t{0});  // a refresh closes all pages
  }
  const std::uint64_t page = address / page_bytes;
  std::uint64_t& open = pages_[page % banks];
  if (open != page) {
    open = page;
    begin += ratio * timing_.ddr_page;
  }
  bus_free_ = begin + ratio * timing_.ddr_line;
  return begin;
}

}  // namespace ht::qcdoc::ppc440
