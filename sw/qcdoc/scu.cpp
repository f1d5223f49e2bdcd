// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/scu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sw/host/causes.hpp"
#include "sw/host/errors.hpp"
#include "sw/qcdoc/registers.hpp"

namespace ht::qcdoc {
namespace {

namespace scu = registers::scu;
namespace link_regs = registers::link;

constexpr Mask all_engines = (Mask{1} << engines) - 1;

constexpr std::uint32_t u(int i) {
  return static_cast<std::uint32_t>(i);
}

// "the send engine of link +y: " or as much of it as the offender of an error shows: an engine and
// its address (causes DMA_*), or a register number.
std::string where(std::uint32_t causes, std::uint32_t info) {
  constexpr std::uint32_t engine_causes = scu::error_dma_range.mask |
                                          scu::error_dma_alignment.mask |
                                          scu::error_dma_empty.mask | scu::error_engine_memory.mask;
  if ((causes & engine_causes) != 0 && info >> 27 < u(engines))
    return fmt::format("{}, address {:#x}: ", engine_name(static_cast<int>(info >> 27)),
                       std::uint64_t{info & 0x7FFFFFF} * word_bytes);
  for (int link = 0; link < links; ++link) {
    if (info >= scu::link_window(u(link)) && info < scu::link_window(u(link)) + 32)
      return fmt::format("link {}: ", link_name(link));
  }
  return "";
}

}  // namespace

const char* link_name(int link) {
  static constexpr const char* names[links] = {"+x", "-x", "+y", "-y", "+z", "-z",
                                               "+t", "-t", "+u", "-u", "+v", "-v"};
  return names[link];
}

std::string engine_name(int engine) {
  return fmt::format("the {} engine of link {}", engine < links ? "send" : "receive",
                     link_name(engine % links));
}

Scu::Scu(host::HardwarePort& port, std::string name, ScuOptions options)
    : port_(port),
      name_(std::move(name)),
      options_(options),
      registers_(port, [name = name_] { return name; },
                 {scu::error, scu::error_first, scu::error_info, scu::error_causes,
                  "the communications unit reports", where}) {}

// -------------------------------------------------------------------------------------------------
// Registers

void Scu::clear_errors() {
  write(scu::error, 0xFFFFFFFF);
}

void Scu::set_up() {
  if (set_up_) return;
  if (const std::uint32_t id = read(scu::id); id != 0x51534355)
    throw HardwareError(
        fmt::format("{}: no QCDOC communications unit answers (register ID {:#x})", name_, id));
  constexpr std::size_t reach = 0xFFFFFFF8;  // of the engines, which move words of 8 bytes
  const std::size_t bytes = std::min(port_.memory().size(), reach);
  write(scu::memory_bytes, static_cast<std::uint32_t>(bytes / 8 * 8));
  write(scu::done_enable, all_engines);
  write(scu::train_timeout, options_.retrain_timeout);
  set_up_ = true;
}

void Scu::usage(const std::string& what) const {
  throw UsageError(fmt::format("{}: {}", name_, what));
}

void Scu::check_link(int link) const {
  if (link < 0 || link >= links)
    usage(fmt::format("there is no link {}; the unit has links 0 to {}", link, links - 1));
}

void Scu::check_mask(Mask mask, int bits, const char* of) const {
  if (mask >> bits != 0) usage(fmt::format("mask {:#x} of {}: there are {}", mask, of, bits));
}

// -------------------------------------------------------------------------------------------------
// DMA

void Scu::check_engine(int engine, int slot) const {
  if (engine < 0 || engine >= engines)
    usage(fmt::format("there is no engine {}; the unit has engines 0 to {}", engine, engines - 1));
  if (slot < 0 || slot >= slots)
    usage(fmt::format("{}: there is no slot {}; an engine stores instructions 0 to {}",
                      engine_name(engine), slot, slots - 1));
}

void Scu::check_descriptor(const Descriptor& what, int engine, int slot) const {
  const auto refuse = [&](const std::string& why) {
    usage(fmt::format("{}, slot {}: {}", engine_name(engine), slot, why));
  };
  constexpr std::uint32_t most = 65535;
  if (what.block_words == 0 || what.blocks == 0 || what.block_words > most || what.blocks > most)
    refuse(fmt::format("{} blocks of {} words; both must be 1 to {}", what.blocks, what.block_words,
                       most));
  if (what.address % word_bytes != 0 || what.pitch % static_cast<std::int64_t>(word_bytes) != 0)
    refuse(fmt::format("address {:#x} and pitch {} must be multiples of {}", what.address,
                       what.pitch, word_bytes));
  const auto first = static_cast<std::int64_t>(what.address);
  const std::int64_t last = first + (std::int64_t{what.blocks} - 1) * what.pitch;
  const std::int64_t end = std::max(first, last) + std::int64_t{what.block_words} * 8;
  const auto size = static_cast<std::int64_t>(port_.memory().size());
  if (std::min(first, last) < 0 || end > size)
    refuse(fmt::format("words from {:#x} to {:#x} do not lie in the {:#x} bytes of memory",
                       std::min(first, last), end, size));
}

void Scu::store(int engine, int slot, const Descriptor& what, std::optional<int> next) {
  check_engine(engine, slot);
  if (next) check_engine(engine, *next);
  check_descriptor(what, engine, slot);
  const std::uint32_t e = u(engine), s = u(slot);
  write(scu::dma_address(e, s), static_cast<std::uint32_t>(what.address));
  write(scu::dma_blocks(e, s),
        scu::dma_blocks_words.put(what.block_words) | scu::dma_blocks_blocks.put(what.blocks));
  write(scu::dma_pitch(e, s), static_cast<std::uint32_t>(what.pitch));
  write(scu::dma_chain(e, s),
        next ? scu::dma_chain_chain.mask | scu::dma_chain_slot.put(u(*next)) : 0);
}

void Scu::start(Mask which, int slot) {
  check_mask(which, engines, "engines");
  check_engine(0, slot);
  if ((active_ & which) != 0) serve();
  if (const Mask busy = active_ & which; busy != 0)
    usage(fmt::format("{} was started again before it was done",
                      engine_name(std::countr_zero(busy))));
  if (which == 0) return;
  port_.advance(options_.start_cost);
  write(scu::start, scu::start_engines.put(which) | scu::start_slot.put(u(slot)));
  active_ |= which;
  done_ &= ~which;
}

void Scu::stop(Mask which) {
  check_mask(which, engines, "engines");
  write(scu::stop, which);
  while ((read(scu::active) & which) != 0) port_.advance(options_.poll_cost);
  active_ &= ~which;
}

Mask Scu::done(Mask which) {
  serve();
  return done_ & which;
}

void Scu::wait(Mask which, std::string_view what) {
  check_mask(which, engines, "engines");
  for (;;) {
    serve();
    if ((done_ & which) == which) return;
    port_.wait(what);
  }
}

// -------------------------------------------------------------------------------------------------
// What comes in

// The interrupt is a level: what is served takes its cause away.
void Scu::serve() {
  if (!port_.interrupt()) return;
  if (const Mask now = read(scu::done); now != 0) {
    write(scu::done, now);
    done_ |= now;
    active_ &= ~now;
    if (!port_.interrupt()) return;
  }
  serve_supervisor();
  if (!port_.interrupt()) return;
  if (const Mask now = read(scu::partition_present); now != 0) {
    write(scu::partition_present, now);
    present_ |= now;
    if (!port_.interrupt()) return;
  }
  if (read(scu::error) != 0) registers_.throw_error();
  check_links();
}

void Scu::serve_supervisor() {
  const Mask arrived = scu::supervisor_status_arrived.get(read(scu::supervisor_status));
  for (int link = 0; link < links; ++link) {
    if ((arrived & bit(link)) == 0) continue;
    const std::uint64_t word = std::uint64_t{read(link_regs::supervisor_high(u(link)))} << 32 |
                               read(link_regs::supervisor_low(u(link)));
    // The next one cannot come before this one is read: while the handler looks, it is the last.
    if (!handler_ || !handler_(link, word)) kept_[static_cast<std::size_t>(link)].push_back(word);
    write(link_regs::supervisor_read(u(link)), 1);
  }
}

}  // namespace ht::qcdoc
