// SPDX-License-Identifier: Apache-2.0
// The driver's part for the global signal tree.
#include <fmt/format.h>

#include <exception>

#include "sw/host/errors.hpp"
#include "sw/qpace/driver.hpp"
#include "sw/qpace/registers.hpp"

namespace ht::qpace {
namespace {

namespace nwp = registers::nwp;

// The killer's number comes 16 bits after the kill, 2 x 32 cycles each: 4.9 us at 208 MHz.
constexpr Picoseconds number_timeout = 20'000'000;

}  // namespace

void Driver::signal_barrier() {
  if (!signal(true, false, "barrier on the global signal tree"))
    throw ProtocolError(fmt::format(
        "node {}: a barrier met another node's condition on the global signal tree: all nodes must "
        "call the same operations in the same order",
        place_.node));
}

bool Driver::signal_all(bool mine) {
  return signal(mine, false, "condition on the global signal tree");
}

bool Driver::signal_any(bool mine) {
  return signal(mine, true, "condition on the global signal tree");
}

bool Driver::signal(bool mine, bool is_or, std::string_view what) {
  port_.advance(options_.start_cost + options_.signal_path);
  check_hardware();
  try {
    write(nwp::signal_vote,
          nwp::signal_vote_value.put(mine ? 1 : 0) | nwp::signal_vote_or.put(is_or ? 1 : 0));
  } catch (const HardwareError&) {
    check_signals();  // a kill came between
    throw;
  }
  signal_count_ = (signal_count_ + 1) % 65536;
  for (;;) {
    // A node that waits here keeps the others going: they may need credits for messages it started.
    attend();
    const std::uint32_t result = read(nwp::signal_result);
    if (nwp::signal_result_count.get(result) == signal_count_) {
      port_.advance(options_.signal_path);
      return nwp::signal_result_value.get(result) != 0;
    }
    port_.wait(what);
  }
}

// An operation that is complete interrupts too; whoever waits for it reads the result's count.
void Driver::check_signals() {
  const std::uint32_t events = read(nwp::signal_event);
  if (events == 0) return;
  if (nwp::signal_event_killed.get(events) != 0) {
    const Picoseconds deadline = port_.now() + number_timeout;
    for (;;) {
      const std::uint32_t killer = read(nwp::signal_killer);
      if (nwp::signal_killer_valid.get(killer) != 0)
        throw KilledError(fmt::format("node {}: the partition was killed by node {}", place_.node,
                                      nwp::signal_killer_number.get(killer)));
      if (port_.now() > deadline)
        throw KilledError(fmt::format(
            "node {}: the global signal tree killed the partition: some node broke the order of "
            "votes, or its wires are disturbed",
            place_.node));
      port_.advance(options_.poll_cost);
    }
  }
  if (nwp::signal_event_order.get(events) != 0)
    throw HardwareError(
        fmt::format("node {}: the global signal tree gave a result that nobody asked for (register "
                    "SIGNAL_EVENT {:#x}): are its wires disturbed?",
                    place_.node, events));
  write(nwp::signal_event, nwp::signal_event_done.mask);
}

void Driver::kill() {
  try {
    port_.advance(options_.start_cost + options_.signal_path);
    write(nwp::signal_kill, nwp::signal_kill_number.put(static_cast<std::uint32_t>(place_.node)));
  } catch (const std::exception&) {
    // Killing already: the others were notified.
  }
}

void Driver::release_kill() {
  write(nwp::signal_control, nwp::signal_control_release.mask);
}

}  // namespace ht::qpace
