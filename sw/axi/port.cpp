// SPDX-License-Identifier: Apache-2.0
#include "sw/axi/port.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "sw/bus/registers.hpp"
#include "sw/host/errors.hpp"

namespace ht::axi {
namespace {

namespace control_map = bus::registers::control;
namespace puts_map = bus::registers::puts;

constexpr std::uint64_t page_bytes = 4096, line_bytes = 128;
constexpr std::uint64_t most_lines = 0xFFFF;  // of a put, as axi_puts counts
constexpr Picoseconds step = 1'000'000, patience = 1'000'000'000;

// Between memory and registers, which are memory of another kind to the processor.
void order() {
#if defined(__aarch64__)
  asm volatile("dsb sy" ::: "memory");
#elif defined(__arm__)
  asm volatile("dsb" ::: "memory");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace

BoardPort::BoardPort(Board& board, const PortOptions& options)
    : board_(board), options_(options), memory_(board.memory()) {
  const std::uint32_t letters = board_.read(control(control_map::version));
  if (letters != control_map::all[0].reset)
    throw HardwareError(fmt::format(
        "no node behind AXI answers: its register VERSION, at byte {:#x}, reads {:#010x}, not "
        "{:#010x}. Is this the right window, and the machine of the bitstream?",
        control(control_map::version), letters, control_map::all[0].reset));
  const std::uint64_t base = board_.memory_address();
  if (base % page_bytes != 0 || memory_.size() % page_bytes != 0)
    throw HardwareError(
        fmt::format("memory of {} bytes at {:#x}: whole pages of {} bytes are wanted",
                    memory_.size(), base, page_bytes));
  const auto until = [&](std::uint32_t wanted, const char* what) {
    const Picoseconds end = board_.now() + patience;
    while (board_.read(control(control_map::control)) != wanted) {
      if (board_.now() > end)
        throw HardwareError(fmt::format("the node did not {} within 1 ms: CONTROL reads {:#x}",
                                        what, board_.read(control(control_map::control))));
      board_.pause(step);
    }
  };
  board_.write(control(control_map::control), control_map::control_hold.mask);
  until(control_map::control_hold.mask, "finish what was under way");
  board_.write(control(control_map::base_low), static_cast<std::uint32_t>(base));
  board_.write(control(control_map::base_high), static_cast<std::uint32_t>(base >> 32));
  board_.write(control(control_map::pages),
               static_cast<std::uint32_t>(memory_.size() / page_bytes));
  board_.write(control(control_map::error), board_.read(control(control_map::error)));
  board_.write(control(control_map::control), 0);
  until(0, "leave reset");
  if (options_.puts) queues_.resize(puts_map::queues);
}

// ---------------------------------------------------------------------------------------------
// Registers

std::uint32_t BoardPort::read_register(std::uint32_t address) {
  const std::uint32_t value = board_.read(4 * address);
  order();
  return value;
}

void BoardPort::write_register(std::uint32_t address, std::uint32_t value) {
  order();
  board_.write(4 * address, value);
}

void BoardPort::check_errors() {
  const std::uint32_t errors = board_.read(control(control_map::error));
  if (errors == 0) return;
  std::string causes;
  for (const auto& cause : control_map::error_causes) {
    if ((errors & cause.field.mask) != 0)
      causes += fmt::format("{}{}", causes.empty() ? "" : ", ", cause.name);
  }
  const std::uint64_t where = board_.read(control(control_map::error_low)) |
                              std::uint64_t{board_.read(control(control_map::error_high))} << 32;
  throw HardwareError(fmt::format("the node's buses report {}: port {} of its memory, offset {:#x}",
                                  causes, board_.read(control(control_map::error_port)), where));
}

// ---------------------------------------------------------------------------------------------
// Puts

std::uint64_t BoardPort::post_write(unsigned queue, std::uint64_t address, std::uint64_t source,
                                    std::uint64_t bytes) {
  if (queues_.empty()) return HardwarePort::post_write(queue, address, source, bytes);
  if (queue >= queues_.size() || bytes == 0 || bytes % line_bytes != 0 ||
      source % line_bytes != 0 || address % line_bytes != 0 || address > 0xFFFF'FFFF ||
      source > memory_.size() || bytes > memory_.size() - source)
    throw UsageError(fmt::format(
        "put of {} bytes from offset {:#x} to {:#x} by queue {}: puts are whole lines of "
        "128 bytes inside the node's memory, to an address of 32 bits, by one of {} queues",
        bytes, source, address, queue, queues_.size()));
  Queue& q = queues_[queue];
  q.waiting.push_back({address, source / line_bytes, bytes / line_bytes, ++q.issued});
  pump(queue, q);
  return q.issued;
}

bool BoardPort::posted_done(unsigned queue, std::uint64_t ticket) const {
  if (queues_.empty()) return HardwarePort::posted_done(queue, ticket);
  return queues_[queue].completed >= ticket;
}

void BoardPort::move_puts() {
  for (unsigned number = 0; number < queues_.size(); ++number) pump(number, queues_[number]);
}

// Notes that the put under way has ended, and hands the next one over.
void BoardPort::pump(unsigned number, Queue& queue) {
  while (queue.busy || !queue.waiting.empty()) {
    if (queue.busy) {
      if (board_.read(control(puts_map::lines(number))) != 0) return;
      queue.busy = false;
      queue.completed = std::max(queue.completed, queue.under_way);
      continue;
    }
    Put& put = queue.waiting.front();
    const std::uint64_t lines = std::min(put.lines, most_lines);
    order();
    board_.write(control(puts_map::source(number)), static_cast<std::uint32_t>(put.source));
    board_.write(control(puts_map::target(number)), static_cast<std::uint32_t>(put.address));
    board_.write(control(puts_map::lines(number)), static_cast<std::uint32_t>(lines));
    queue.busy = true;
    put.address += lines * line_bytes;
    put.source += lines;
    put.lines -= lines;
    queue.under_way = put.lines == 0 ? put.ticket : 0;
    if (put.lines == 0) queue.waiting.pop_front();
  }
}

// ---------------------------------------------------------------------------------------------
// Time

void BoardPort::advance(Picoseconds duration) {
  move_puts();
  if (duration > 0) board_.pause(duration);
  look();
}

void BoardPort::compute(Picoseconds duration, double /*memory_share*/) {
  board_.compute(duration);
}

void BoardPort::wait(std::string_view /*what*/) {
  move_puts();
  board_.pause(options_.poll);
  look();
}

// Of errors of the node's own its driver knows; what the buses refused is lost data, whoever wrote
// it.
void BoardPort::look() {
  order();
  if (board_.interrupt()) check_errors();
}

void BoardPort::linger(const std::function<void()>& service) {
  for (;;) {
    service();
    move_puts();
    const bool empty = std::ranges::none_of(
        queues_, [](const Queue& queue) { return queue.busy || !queue.waiting.empty(); });
    if (empty && board_.job_ended()) return;
    wait("the programs of other nodes");
  }
}

}  // namespace ht::axi
