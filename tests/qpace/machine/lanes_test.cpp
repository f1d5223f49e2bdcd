// SPDX-License-Identifier: Apache-2.0
// QMP's promises once more, over QPACE nodes whose cables carry bits: a bundle of lanes between
// each link and its cable, clocks, skew, jitter and drift drawn, and errors.
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <string>

#include "sim/qpace/ethernet_server.hpp"
#include "sim/qpace/machine.hpp"
#include "sw/net/tftp_client.hpp"
#include "sw/qmp/node.hpp"
#include "sw/qpace/gmac.hpp"
#include "tests/qmp/programs.hpp"
#include "tests/support/drawn_phy.hpp"

using ht::machine::QpaceMachine;
using ht::machine::QpaceMachineOptions;

namespace {

constexpr ht::Picoseconds word = 4000;

QpaceMachineOptions drawn(std::uint64_t trial, std::vector<int> shape, unsigned lanes) {
  auto options = ht::test::drawn_over_lanes<QpaceMachineOptions>(trial, {4, lanes}, word);
  options.shape = std::move(shape);
  return options;
}

void check(const QpaceMachineOptions& options) {
  CAPTURE(options.cable_delay, options.phy->lanes.skew, options.phy->lanes.jitter,
          options.phy->lanes.shape.lanes);
  QpaceMachine machine(options);
  for (const auto& conformance : ht::qmp::tests::conformance_programs()) {
    INFO(conformance.name);
    CHECK_NOTHROW(machine.run([&](ht::qpace::Driver& driver) {
      ht::qmp::Node node(driver);
      conformance.program();
    }));
  }
  for (const auto& link : machine.read_links()) CHECK(link.checksums_agree());
  const auto errors = machine.close_ledgers();
  CHECK(errors.balanced());
  CHECK(errors.injected > 0);
  CHECK(errors.undetected == 0);
}

}  // namespace

TEST_CASE("QMP's promises on a QPACE ring of three over one lane, over two") {
  check(drawn(1, {3}, 1));
  check(drawn(2, {3}, 2));
}
TEST_CASE("QMP's promises on a QPACE torus of 2x2 over four lanes") {
  check(drawn(3, {2, 2}, 4));
}

TEST_CASE("QPACE: Ethernet beside lanes whose clocks differ") {
  QpaceMachineOptions options = drawn(5, {2}, 4);
  const std::string text = "what the server has";
  options.ethernet.files = [&](const std::string&) {
    ht::net::Bytes bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return std::make_shared<const ht::net::Bytes>(bytes);
  };
  QpaceMachine machine(options);
  machine.run([&](ht::qpace::Driver& driver) {
    const int rank = driver.rank();
    ht::qpace::Gmac gmac(machine.node(rank), ht::machine::node_endpoint(rank, 0).mac);
    const auto got = ht::net::tftp_read(gmac, ht::machine::node_endpoint(rank, 50'000),
                                        ht::machine::server_endpoint(), "file", {});
    gmac.close();
    CHECK(got.data.size() == text.size());
    CHECK(std::memcmp(got.data.data(), text.data(), text.size()) == 0);
  });
}
