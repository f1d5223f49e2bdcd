// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/hardware_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sw/host/errors.hpp"
#include "sw/qmp/forwarder.hpp"
#include "sw/qmp/receive_guard.hpp"

namespace ht::qmp {

HardwareTransport::HardwareTransport(host::HardwarePort& port, DriverSettings settings)
    : port_(port), settings_(settings) {}

HardwareTransport::~HardwareTransport() = default;

void HardwareTransport::forward_over(PacketPort* packets, std::size_t queue_packets) {
  stop_forwarding();
  if (packets != nullptr) forwarder_ = std::make_unique<Forwarder>(*this, *packets, queue_packets);
}

void HardwareTransport::stop_forwarding() {
  forwarder_.reset();
}

bool HardwareTransport::serve() {
  return forwarder_ && forwarder_->serve();
}

void HardwareTransport::attend() {
  do {
    progress();
  } while (serve());
}

void HardwareTransport::linger() {
  if (!forwarder_) return;
  const Forwarder::Closed closed(*forwarder_);
  port_.linger([this] { attend(); });
}

std::size_t HardwareTransport::whole_units(std::size_t bytes) const {
  const std::size_t unit = settings_.memory_unit;
  return (bytes + unit - 1) / unit * unit;
}

void* HardwareTransport::allocate(std::size_t bytes, std::size_t alignment) {
  // Whole units, so that no other allocation shares one that the network writes.
  return port_.memory().allocate(whole_units(bytes), std::max(alignment, settings_.memory_unit));
}

void HardwareTransport::release(void* pointer) {
  port_.memory().release(pointer);
}

void HardwareTransport::charge_copy(std::size_t bytes) {
  port_.advance(static_cast<Picoseconds>(bytes) * 1'000'000 / settings_.copy_bytes_per_us);
}

void HardwareTransport::lay_out(DriverMessage& m, std::byte* buffer, std::size_t bytes) {
  if (bytes == 0) {
    if (!settings_.says_lengths) throw UsageError(name() + ": a message of no bytes");
    return;
  }
  if (bytes > settings_.most_bytes)
    throw UsageError(
        fmt::format("{}: a message of {} bytes; {} at most", name(), bytes, settings_.most_bytes));
  m.buffer = buffer;
  m.bytes = bytes;
  const std::size_t unit = settings_.message_unit;
  const auto offset = port_.memory().offset_of(buffer, bytes);
  const bool reachable = offset && *offset % unit == 0 && bytes % unit == 0;
  m.guarded = reachable && !m.send && settings_.guard_receives;
  if (reachable && !m.guarded) {
    m.offset = *offset;
    return;
  }
  m.bounce = static_cast<std::byte*>(allocate(bytes, settings_.memory_unit));
  // Padding is sent too: it must not depend on what was in this memory before.
  std::memset(m.bounce, 0, whole_units(bytes));
  m.offset = *port_.memory().offset_of(m.bounce);
}

// Of a receive only what came is copied back, and behind it there stays what was there: it is put
// there here, and takes nobody's time.
void HardwareTransport::prepare(const DriverMessage& m) {
  if (m.bounce == nullptr) return;
  std::memcpy(m.bounce, m.buffer, m.bytes);
  if (m.send)
    charge_copy(m.bytes);
  else if (settings_.guard_receives)
    ReceiveGuard::fill({m.buffer, m.bytes});
}

void HardwareTransport::conclude(const DriverMessage& m) {
  if (m.send || m.bounce == nullptr) return;
  if (settings_.guard_receives)
    ReceiveGuard::check({m.buffer, m.bytes}, [&] { return name() + ": " + m.waiting_for; });
  std::memcpy(m.buffer, m.bounce, m.bytes);
  if (!m.guarded) charge_copy(m.bytes);
}

void HardwareTransport::release_bounce(DriverMessage& m) {
  if (m.bounce != nullptr) release(m.bounce);
  m.bounce = nullptr;
}

void HardwareTransport::describe(DriverMessage& m) {
  m.waiting_for = fmt::format("{} {} bytes {} {}", m.send ? "sending" : "receiving", m.bytes,
                              m.send ? "to" : "from", m.far_end);
}

}  // namespace ht::qmp
