// SPDX-License-Identifier: Apache-2.0
// The unit's links: training, sessions, counters.
#include <fmt/format.h>

#include <bit>
#include <optional>

#include "sw/host/causes.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/link_wait.hpp"
#include "sw/qcdoc/registers.hpp"
#include "sw/qcdoc/scu.hpp"

namespace ht::qcdoc {
namespace {

namespace scu = registers::scu;
namespace link_regs = registers::link;

constexpr std::uint32_t u(int i) {
  return static_cast<std::uint32_t>(i);
}

}  // namespace

void Scu::enable(Mask which) {
  check_mask(which, links, "links");
  set_up();
  for (int link = 0; link < links; ++link) {
    if ((which & bit(link)) != 0)
      write(link_regs::control(u(link)), link_regs::control_enable.mask);
  }
}

Mask Scu::links_up() {
  return scu::link_status_up.get(read(scu::link_status));
}

void Scu::train(Mask which) {
  enable(which);
  host::LinkWait wait(port_, name_, {link_name, link_regs::error}, options_.link_up_timeout,
                      500'000);
  wait.until_up([&]() -> std::optional<int> {
    const Mask missing = which & ~links_up();
    return missing != 0 ? std::optional(std::countr_zero(missing)) : std::nullopt;
  });
  for (int link = 0; link < links; ++link) {
    if ((which & bit(link)) == 0) continue;
    const std::uint32_t peer = link_regs::status_peer_port.get(read(link_regs::status(u(link))));
    if (peer != u(link ^ 1))
      throw ProtocolError(fmt::format(
          "{}: link {}: the cable comes from link {} of its peer, and should from {}", name_,
          link_name(link), peer < u(links) ? link_name(static_cast<int>(peer)) : "?",
          link_name(link ^ 1)));
  }
}

void Scu::disable(Mask which) {
  check_mask(which, links, "links");
  for (int link = 0; link < links; ++link) {
    if ((which & bit(link)) != 0) write(link_regs::control(u(link)), 0);
  }
}

void Scu::new_session(Mask which) {
  disable(which);
  for (int link = 0; link < links; ++link) {
    if ((which & bit(link)) == 0) continue;
    while (link_regs::status_state.get(read(link_regs::status(u(link)))) !=
           link_regs::status_state_down)
      port_.advance(options_.poll_cost);
    write(link_regs::control(u(link)), link_regs::control_new_session.mask);
    // It begins when memory has taken what the link has on the way there.
    while ((read(link_regs::control(u(link))) & link_regs::control_new_session.mask) != 0)
      port_.advance(options_.poll_cost);
    write(link_regs::error(u(link)), 0xFFFFFFFF);
  }
}

LinkCounters Scu::read_counters(int link) {
  check_link(link);
  const std::uint32_t l = u(link);
  LinkCounters c;
  c.sent = read(link_regs::count_sent(l));
  c.retransmitted = read(link_regs::count_retransmitted(l));
  c.accepted = read(link_regs::count_accepted(l));
  c.refused = read(link_regs::count_refused(l));
  c.header_errors = read(link_regs::count_header_error(l));
  c.parity_errors = read(link_regs::count_parity_error(l));
  c.marker_errors = read(link_regs::count_marker_error(l));
  c.requests = read(link_regs::count_request(l));
  c.bursts = read(link_regs::count_burst(l));
  c.bad_acknowledgements = read(link_regs::count_bad_ack(l));
  c.retrains = read(link_regs::count_retrain(l));
  c.tx_checksum = read(link_regs::tx_checksum(l));
  c.rx_checksum = read(link_regs::rx_checksum(l));
  return c;
}

std::uint32_t Scu::rx_checksum(int link) {
  check_link(link);
  return read(link_regs::rx_checksum(u(link)));
}

std::uint32_t Scu::words_sent(int link) {
  check_link(link);
  return read(link_regs::count_sent(u(link)));
}

void Scu::check_links() {
  const Mask attention = scu::link_status_attention.get(read(scu::link_status));
  for (int link = 0; link < links; ++link) {
    if ((attention & bit(link)) == 0) continue;
    const std::uint32_t error = read(link_regs::error(u(link)));
    throw ProtocolError(fmt::format("{}: link {} is down: {} (register ERROR {:#x})", name_,
                                    link_name(link), host::causes(link_regs::error_causes, error),
                                    error));
  }
}

void Scu::check_errors() {
  for (int link = 0; link < links; ++link) {
    const std::uint32_t error = read(link_regs::error(u(link)));
    if (error == 0) continue;
    throw HardwareError(fmt::format("{}: link {}: {} (register ERROR {:#x})", name_,
                                    link_name(link), host::causes(link_regs::error_causes, error),
                                    error));
  }
  if (read(scu::error) != 0) registers_.throw_error();
}

}  // namespace ht::qcdoc
