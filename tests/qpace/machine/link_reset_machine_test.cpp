// SPDX-License-Identifier: Apache-2.0
// A link of a machine is reset by itself: the programs at both ends get an error, and go on after
// recover().
#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>

#include "sim/qpace/machine.hpp"
#include "sw/host/errors.hpp"

using namespace ht;
using machine::QpaceMachine;
using machine::QpaceMachineOptions;
using qmp::Channel;

TEST_CASE("a link that is reset in mid-message or at rest is reported at both ends, and recovers") {
  constexpr std::size_t bytes = 12 * qpace::line_bytes;  // the transmit FIFO holds all of it
  const Picoseconds when = GENERATE(1'800'000, 2'300'000, 2'900'000, 9'000'000);
  INFO("after " << when << " ps");
  QpaceMachineOptions options;
  options.shape = {2};
  options.random_phases = true;
  options.seed = static_cast<std::uint64_t>(when);
  options.kernel.threads = 1;
  options.kernel.watchdog = 1'000'000'000;
  QpaceMachine m(options);
  std::array<std::string, 2> told;
  std::atomic<int> recovered = 0;
  m.run([&](qpace::Driver& driver) {
    const int rank = driver.rank(), link = rank;  // +x of node 0 is joined with -x of node 1
    auto* const buffer = static_cast<std::byte*>(driver.allocate(bytes, qpace::line_bytes));
    std::memset(buffer, rank == 0 ? 'a' : 0, bytes);
    const auto id = rank == 0 ? driver.declare_send(link, Channel::User, buffer, bytes)
                              : driver.declare_receive(link, Channel::User, buffer, bytes);
    try {
      driver.start(id);
      if (rank == 0) {
        driver.runtime().advance(when);
        m.node(0).reset_link(link, m.node(0).now() + 200'000);
      } else {
        driver.wait(id);
      }
      for (int looks = 0; looks < 300; ++looks) {
        driver.runtime().advance(1'000'000);
        driver.check_errors();
      }
    } catch (const ProtocolError& e) {
      told.at(static_cast<std::size_t>(rank)) = e.what();
    }
    driver.recover(link);
    ++recovered;
    while (recovered < 2) driver.runtime().advance(1'000'000);
    // A message again, whole.
    std::memset(buffer, rank == 0 ? 'b' : 0, bytes);
    driver.start(id);
    driver.wait(id);
    if (std::count(buffer, buffer + bytes, std::byte{'b'}) != static_cast<std::ptrdiff_t>(bytes))
      throw MismatchError("wrong data after a reset");
  });
  CHECK(told[0].find("node 0: link +x: This end was reset by itself") == 0);
  CHECK(told[1].find("node 1: link -x: A different peer or epoch") == 0);
  for (const auto& link : m.read_links()) CHECK(link.checksums_agree());
}
