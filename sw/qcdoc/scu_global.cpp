// SPDX-License-Identifier: Apache-2.0
// Supervisor words, partition interrupts, and sets of links for global operations.
#include <fmt/format.h>

#include <bit>

#include "sw/host/errors.hpp"
#include "sw/qcdoc/registers.hpp"
#include "sw/qcdoc/scu.hpp"

namespace ht::qcdoc {
namespace {

namespace scu = registers::scu;
namespace link_regs = registers::link;

constexpr int partition_bits = 7;

constexpr std::uint32_t u(int i) {
  return static_cast<std::uint32_t>(i);
}

}  // namespace

// -------------------------------------------------------------------------------------------------
// Supervisor words

void Scu::send_supervisor(int link, std::uint64_t word) {
  check_link(link);
  while ((supervisor_sent_ & bit(link)) != 0) {
    serve();  // both ends may be here
    supervisor_sent_ &= scu::supervisor_status_sending.get(read(scu::supervisor_status));
    if ((supervisor_sent_ & bit(link)) != 0) port_.advance(options_.poll_cost);
  }
  write(link_regs::supervisor_send_low(u(link)), static_cast<std::uint32_t>(word));
  write(link_regs::supervisor_send_high(u(link)), static_cast<std::uint32_t>(word >> 32));
  supervisor_sent_ |= bit(link);
}

void Scu::on_supervisor(SupervisorHandler handler) {
  handler_ = std::move(handler);
  if (!handler_) return;
  for (int link = 0; link < links; ++link) {
    std::deque<std::uint64_t> words;
    std::swap(words, kept_[static_cast<std::size_t>(link)]);
    for (const std::uint64_t word : words) {
      if (!handler_(link, word)) kept_[static_cast<std::size_t>(link)].push_back(word);
    }
  }
}

std::optional<std::uint64_t> Scu::take_supervisor(int link) {
  check_link(link);
  serve();
  std::deque<std::uint64_t>& words = kept_[static_cast<std::size_t>(link)];
  if (words.empty()) return std::nullopt;
  const std::uint64_t word = words.front();
  words.pop_front();
  return word;
}

std::vector<std::uint64_t> Scu::take_kept(std::uint64_t top_byte) {
  std::vector<std::uint64_t> taken;
  for (std::deque<std::uint64_t>& words : kept_) {
    std::erase_if(words, [&](std::uint64_t word) {
      if (word >> 56 != top_byte) return false;
      taken.push_back(word);
      return true;
    });
  }
  return taken;
}

// -------------------------------------------------------------------------------------------------
// Partition interrupts

void Scu::set_partition(Mask which, int diameter, int log2_ticks) {
  check_mask(which, links, "links");
  const int least = least_partition_window_log2_ticks(diameter, options_.partition);
  if (log2_ticks == 0) log2_ticks = least;
  if (log2_ticks < least || log2_ticks > 15)
    usage(fmt::format(
        "windows of 2^{} ticks of the global clock: a partition of a diameter of {} "
        "hops needs {} ns, 2^{} ticks of {} ns at least",
        log2_ticks, diameter, least_partition_window(diameter, options_.partition) / 1000, least,
        options_.partition.tick / 1000));
  // Never links with windows of another length: a neighbour may have raised an interrupt already.
  const std::uint32_t window = scu::partition_window_log2_ticks.put(u(log2_ticks));
  write(scu::partition_window, window);
  write(scu::partition_links, which);
  write(scu::partition_window, scu::partition_window_enable.mask | window);
}

void Scu::raise(Mask bits) {
  check_mask(bits, partition_bits, "partition interrupts");
  write(scu::partition_raise, bits);
}

Mask Scu::take_partition(Mask bits) {
  serve();
  const Mask now = present_ & bits;
  present_ &= ~bits;
  return now;
}

Mask Scu::wait_partition(Mask bits) {
  check_mask(bits, partition_bits, "partition interrupts");
  for (;;) {
    if (const Mask now = take_partition(bits); now != 0) return now;
    port_.wait("a partition interrupt");
  }
}

// -------------------------------------------------------------------------------------------------
// Global operations

void Scu::prepare_set(int set, const GlobalSet& what) {
  if (set < 0 || set > 1) usage(fmt::format("there is no global set {}; 0 and 1", set));
  const auto i = static_cast<std::size_t>(set);
  check_link(what.input);
  check_mask(what.outputs, links, "links");
  if (set_enabled_[i]) usage(fmt::format("global set {} is changed while it is enabled", set));
  if (what.words == 0 || what.words > 65535)
    usage(fmt::format("global set {}: {} words; 1 to 65535", set, what.words));
  if ((what.outputs & bit(what.input)) != 0)
    usage(fmt::format("global set {}: its input {} is one of its outputs", set,
                      link_name(what.input)));
  const GlobalSet& other = sets_[1 - i];
  if (set_prepared_[1 - i] && (other.input == what.input || (other.outputs & what.outputs) != 0))
    usage(fmt::format(
        "global sets 0 and 1 overlap: {} {}",
        other.input == what.input ? "both take in link" : "both send on link",
        link_name(other.input == what.input ? what.input
                                            : std::countr_zero(other.outputs & what.outputs))));
  write(scu::global_outputs(u(set)), what.outputs);
  write(scu::global_limit(u(set)), what.words);
  sets_[i] = what;
  set_prepared_[i] = true;
}

void Scu::enable_set(int set) {
  const auto i = static_cast<std::size_t>(set);
  if (set < 0 || set > 1 || !set_prepared_[i])
    usage(fmt::format("global set {} was not prepared", set));
  write(scu::global_control(u(set)), scu::global_control_enable.mask |
                                         scu::global_control_store.mask |
                                         scu::global_control_input.put(u(sets_[i].input)));
  set_enabled_[i] = true;
}

void Scu::disable_set(int set) {
  if (set < 0 || set > 1) usage(fmt::format("there is no global set {}; 0 and 1", set));
  const auto i = static_cast<std::size_t>(set);
  if (set_enabled_[i]) write(scu::global_control(u(set)), 0);
  set_enabled_[i] = set_prepared_[i] = false;
}

}  // namespace ht::qcdoc
