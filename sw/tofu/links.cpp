// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "sw/host/causes.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/link_wait.hpp"
#include "sw/tofu/registers.hpp"

namespace ht::tofu {
namespace {

namespace icc = registers::icc;
namespace regs = registers::link;

// What a link makes up for: damage and its trainings, and single wrong bits. All others lose
// something.
constexpr std::uint32_t made_up_for = regs::error_signal_lost.mask | regs::error_corrected.mask;

constexpr std::array<const char*, links_per_node> names{"X+", "X-", "Y+", "Y-", "Z+",
                                                        "Z-", "A",  "B+", "B-", "C"};
constexpr std::array<int, links_per_node> opposite{1, 0, 3, 2, 5, 4, 6, 8, 7, 9};

constexpr std::uint32_t u(int i) {
  return static_cast<std::uint32_t>(i);
}

}  // namespace

const char* link_name(int link) {
  return names.at(static_cast<std::size_t>(link));
}

int far_link(int link) {
  return opposite.at(static_cast<std::size_t>(link));
}

Links::Links(host::HardwarePort& port, std::string name, const Shape& machine,
             const Coordinates& here, LinkOptions options)
    : port_(port), name_(std::move(name)), machine_(machine), here_(here), options_(options) {
  machine_.check();
  for (int link = 0; link < links_per_node; ++link) {
    const auto peer = machine_.neighbour(here_, link);
    const auto& failed = options_.failed;
    if (peer && std::find(failed.begin(), failed.end(), *peer) == failed.end())
      cabled_.push_back(link);
  }
}

void Links::bring_up() {
  // In this order: a place outside of the torus is refused.
  write(icc::shape, machine_.register_value());
  write(icc::coordinates, here_.address());
  for (const int link : cabled_) {
    write(regs::node(u(link)), here_.address());
    write(regs::epoch(u(link)), options_.epoch);
    write(regs::control(u(link)), regs::control_enable.mask);
  }
  host::LinkWait wait(port_, name_, {link_name, regs::error}, options_.up_timeout,
                      options_.poll_cost);
  for (const int link : cabled_) {
    wait.until_up([&]() -> std::optional<int> {
      const std::uint32_t state = regs::status_state.get(read(regs::status(u(link))));
      return state != regs::status_state_up ? std::optional(link) : std::nullopt;
    });
    check_peer(link);
  }
}

void Links::check_peer(int link) {
  const auto from = Coordinates::from_address(read(regs::peer_node(u(link))));
  const auto port = static_cast<int>(regs::peer_port.get(read(regs::peer(u(link)))));
  const Coordinates expected = *machine_.neighbour(here_, link);
  if (from == expected && port == far_link(link)) return;
  throw ProtocolError(
      fmt::format("{}: link {}: the cable comes from link {} of {}, and should from {} of {}",
                  name_, link_name(link), port < links_per_node ? link_name(port) : "?", text(from),
                  link_name(far_link(link)), text(expected)));
}

void Links::take_down() {
  for (const int link : cabled_) write(regs::control(u(link)), 0);
}

LinkCounters Links::read_counters(int link) {
  if (link < 0 || link >= links_per_node)
    throw UsageError(fmt::format("{}: link {}: links are 0 to 9", name_, link));
  const std::uint32_t l = u(link);
  LinkCounters c;
  c.sent = read(regs::count_sent(l));
  c.retransmitted = read(regs::count_retransmitted(l));
  c.accepted = read(regs::count_accepted(l));
  c.duplicates = read(regs::count_duplicate(l));
  c.gaps = read(regs::count_gap(l));
  c.refused = read(regs::count_refused(l));
  c.void_sent = read(regs::count_void_sent(l));
  c.void_received = read(regs::count_void_received(l));
  c.code_errors = read(regs::count_code_error(l));
  c.framing_errors = read(regs::count_framing_error(l));
  c.header_errors = read(regs::count_header_error(l));
  c.crc_errors = read(regs::count_crc_error(l));
  c.command_errors = read(regs::count_command_error(l));
  c.nacks = read(regs::count_nack_sent(l));
  c.timeouts = read(regs::count_timeout(l));
  c.retrains = read(regs::count_retrain(l));
  c.dropped = read(regs::count_dropped(l));
  c.flushed = read(regs::count_flushed(l));
  c.tx_checksum = read(regs::tx_checksum(l));
  c.rx_checksum = read(regs::rx_checksum(l));
  return c;
}

void Links::check() {
  for (const int link : cabled_) {
    if (regs::status_state.get(read(regs::status(u(link)))) != regs::status_state_down) continue;
    const std::uint32_t error = read(regs::error(u(link)));
    throw ProtocolError(fmt::format("{}: link {} is down: {} (register ERROR {:#x})", name_,
                                    link_name(link), host::causes(regs::error_causes, error),
                                    error));
  }
}

void Links::check_errors() {
  for (const int link : cabled_) {
    const std::uint32_t error = read(regs::error(u(link))) & ~made_up_for;
    if (error == 0) continue;
    throw HardwareError(fmt::format("{}: link {}: {} (register ERROR {:#x})", name_,
                                    link_name(link), host::causes(regs::error_causes, error),
                                    error));
  }
}

}  // namespace ht::tofu
