// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/soft_errors.hpp"

#include <fmt/format.h>

#include "sw/host/causes.hpp"
#include "sw/tofu/registers.hpp"

namespace ht::tofu {
namespace {

namespace icc = registers::icc;
namespace link_regs = registers::link;
namespace tbi = registers::tbi;
namespace tni = registers::tni;

}  // namespace

// Two bits: only where that stops the module. Elsewhere they make a packet void, which is an error
// of that packet.
void SoftErrorSite::flip(std::mt19937_64& draw, bool two_bits) {
  const auto below = [&draw](std::size_t n) {
    return static_cast<std::uint32_t>(std::uniform_int_distribution<std::size_t>(0, n - 1)(draw));
  };
  collect();  // so that sticky bits count each of them
  const auto& cabled = transport_.links().cabled();
  const auto link = static_cast<std::uint32_t>(cabled[below(cabled.size())]);
  const std::uint32_t interface = below(interfaces_per_node);
  const auto flip_in_link = [&](host::Field which, std::uint32_t kind, std::uint32_t bits) {
    port_.write_register(link_regs::inject(link),
                         which.put(kind) | link_regs::inject_bit.put(below(bits)));
  };
  enum { Ring, Table, RouterBeat, Route, Interface, Gates, Kinds };
  switch (below(Kinds)) {
    case Ring:
      flip_in_link(link_regs::inject_ring,
                   two_bits ? link_regs::inject_ring_double : link_regs::inject_ring_single, 63);
      break;
    case Table:
      flip_in_link(link_regs::inject_table,
                   two_bits ? link_regs::inject_table_double : link_regs::inject_table_single, 17);
      break;
    case RouterBeat:
      if (!two_bits) {
        port_.write_register(icc::router_inject,
                             icc::router_inject_port.put(link) |
                                 icc::router_inject_kind.put(icc::router_inject_kind_one_bit));
        break;
      }
      [[fallthrough]];
    case Route:
      port_.write_register(
          icc::router_inject,
          icc::router_inject_port.put(link) |
              icc::router_inject_kind.put(two_bits ? icc::router_inject_kind_route_two_bits
                                                   : icc::router_inject_kind_route_one_bit));
      break;
    case Interface: {
      const std::uint32_t first = below(144);
      const std::uint32_t second =
          two_bits ? first / 72 * 72 + (first % 72 + 1 + below(71)) % 72 : first;
      port_.write_register(tni::inject(interface),
                           tni::inject_bit.put(first) | tni::inject_second.put(second));
      break;
    }
    default:
      port_.write_register(tbi::base + tbi::inject, tbi::inject_memory.put(1 + below(6)) |
                                                        tbi::inject_bits.put(two_bits ? 2 : 1));
      break;
  }
}

std::uint64_t SoftErrorSite::corrected() {
  std::uint64_t count =
      tbi::soft_corrected_count.get(port_.read_register(tbi::base + tbi::soft_corrected));
  for (const int link : transport_.links().cabled())
    count += port_.read_register(link_regs::count_corrected(static_cast<std::uint32_t>(link)));
  collect();
  return count + seen_;
}

void SoftErrorSite::collect() {
  const std::uint32_t of_router = port_.read_register(icc::router_error);
  if ((of_router & icc::router_error_corrected.mask) != 0) {
    ++seen_;
    port_.write_register(icc::router_error, icc::router_error_corrected.mask);
  }
  for (std::uint32_t interface = 0; interface < interfaces_per_node; ++interface) {
    if ((port_.read_register(tni::error(interface)) & tni::error_soft_corrected.mask) == 0)
      continue;
    ++seen_;
    port_.write_register(tni::error(interface), tni::error_soft_corrected.mask);
  }
}

std::string SoftErrorSite::fault() {
  constexpr std::uint32_t router = icc::router_error_fault_header.mask |
                                   icc::router_error_fault_parity.mask |
                                   icc::router_error_fault_state.mask;
  const std::uint32_t of_router = port_.read_register(icc::router_error);
  if ((of_router & router) != 0)
    return fmt::format("router: {} (register ROUTER_ERROR {:#x})",
                       host::causes(icc::router_error_causes, of_router & router), of_router);
  constexpr std::uint32_t of_links =
      link_regs::error_ring.mask | link_regs::error_parity.mask | link_regs::error_monitor.mask;
  for (const int link : transport_.links().cabled()) {
    const std::uint32_t error =
        port_.read_register(link_regs::error(static_cast<std::uint32_t>(link))) & of_links;
    if (error != 0)
      return fmt::format("link {}: {} (register ERROR {:#x})", link_name(link),
                         host::causes(link_regs::error_causes, error), error);
  }
  if (const std::uint32_t error =
          port_.read_register(tbi::base + tbi::error) & tbi::error_fault.mask;
      error != 0)
    return fmt::format("gates: {} (register ERROR {:#x})", host::causes(tbi::error_causes, error),
                       error);
  for (std::uint32_t interface = 0; interface < interfaces_per_node; ++interface) {
    const std::uint32_t error = port_.read_register(tni::error(interface));
    if ((error & tni::error_soft_fatal.mask) != 0)
      return fmt::format("interface {}: {} (register ERROR {:#x})", interface,
                         host::causes(tni::error_causes, tni::error_soft_fatal.mask), error);
  }
  return {};
}

}  // namespace ht::tofu
