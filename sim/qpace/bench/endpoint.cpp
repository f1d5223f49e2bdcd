// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/bench/endpoint.hpp"

#include <fmt/format.h>

#include <cstring>

#include "sw/host/errors.hpp"
#include "sw/qpace/driver.hpp"
#include "sw/qpace/registers.hpp"

namespace ht::bench {
namespace {

namespace nwp = qpace::registers::nwp;
constexpr std::size_t notification_bytes = std::size_t{qpace::links} * 8 * 16;

constexpr std::uint32_t unsigned_of(int i) {
  return static_cast<std::uint32_t>(i);
}

}  // namespace

Endpoint::Endpoint(host::HardwarePort& port)
    : port_(port),
      notifications_(
          static_cast<std::byte*>(port.memory().allocate(notification_bytes, qpace::line_bytes))) {
  std::memset(notifications_, 0, notification_bytes);
  port_.write_register(
      nwp::notify_base,
      static_cast<std::uint32_t>(*port.memory().offset_of(notifications_) / qpace::line_bytes));
}

Endpoint::~Endpoint() = default;  // the network may still write its notifications

std::uint64_t Endpoint::allocate(std::uint64_t bytes) {
  return *port_.memory().offset_of(port_.memory().allocate(bytes, qpace::line_bytes));
}

void Endpoint::open(int link, int channel) {
  port_.write_register(nwp::base(unsigned_of(link), unsigned_of(channel)), 0);
}

void Endpoint::credit(int link, int channel, std::uint64_t offset, std::uint64_t bytes) {
  port_.write_register(nwp::credit_offset(unsigned_of(link), unsigned_of(channel)),
                       static_cast<std::uint32_t>(offset / qpace::line_bytes));
  port_.write_register(nwp::credit_post(unsigned_of(link), unsigned_of(channel)),
                       static_cast<std::uint32_t>(bytes / qpace::line_bytes));
}

std::uint64_t Endpoint::put(int link, int channel, std::uint64_t source, std::uint64_t bytes) {
  const std::uint64_t address =
      std::uint64_t{unsigned_of(link)} << 25 | std::uint64_t{unsigned_of(channel)} << 22;
  return port_.post_write(unsigned_of(link), address, source, bytes);
}

std::uint32_t Endpoint::filled(int link, int channel) const {
  std::uint32_t count = 0;
  std::memcpy(&count, notifications_ + 16 * static_cast<std::size_t>(8 * link + channel),
              sizeof count);
  return count;
}

void Endpoint::wait_filled(int link, int channel, std::uint32_t count) {
  while (static_cast<std::int32_t>(filled(link, channel) - count) < 0) wait("a message");
}

void Endpoint::wait_taken(int link, std::uint64_t ticket) {
  while (!port_.posted_done(unsigned_of(link), ticket)) wait("a put");
}

void Endpoint::wait(std::string_view what) {
  if (port_.interrupt()) {
    const std::uint32_t error = port_.read_register(nwp::error);
    if (error != 0)
      throw HardwareError(
          fmt::format("the network processor refused an access (ERROR {:#x}, INFO {:#x})", error,
                      port_.read_register(nwp::error_info)));
  }
  port_.wait(what);
}

}  // namespace ht::bench
