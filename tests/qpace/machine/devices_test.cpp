// SPDX-License-Identifier: Apache-2.0
// Serial lines and Ethernet of Verilated nodes, through their drivers.
#include <catch2/catch.hpp>

#include "sim/qpace/machine.hpp"
#include "sw/host/errors.hpp"
#include "sw/net/tftp_client.hpp"
#include "sw/qpace/gmac.hpp"
#include "sw/qpace/uart.hpp"

using namespace ht;
using machine::QpaceMachine;

namespace {

net::Bytes content(std::size_t n) {
  net::Bytes b(n);
  for (std::size_t i = 0; i < n; ++i) b[i] = static_cast<std::uint8_t>(i * i + (i >> 7));
  return b;
}

machine::QpaceMachineOptions one_node(std::vector<int> shape = {1}) {
  machine::QpaceMachineOptions o;
  o.shape = std::move(shape);
  o.kernel.threads = 1;
  o.ethernet.files = [](const std::string& name) -> std::shared_ptr<const net::Bytes> {
    if (!name.starts_with("file")) return nullptr;
    return std::make_shared<const net::Bytes>(content(std::stoul(name.substr(4))));
  };
  return o;
}

net::TftpTransfer read(host::HardwarePort& port, int rank, const std::string& file) {
  qpace::Gmac gmac(port, machine::node_endpoint(rank, 0).mac);
  auto t =
      net::tftp_read(gmac, machine::node_endpoint(rank, 50000), machine::server_endpoint(), file);
  gmac.close();
  return t;
}

TEST_CASE("text goes over a serial line, and takes its time") {
  QpaceMachine m(one_node());
  const std::string text = "one\ntwo \xc3\xa4\n\x01 and a line of more than sixteen characters";
  Picoseconds took = 0;
  m.run([&](qpace::Driver& driver) {
    qpace::Uart uart(m.node(driver.rank()), 0);
    took = -m.node(0).now();
    uart.write(text);
    took += m.node(0).now();
    CHECK(uart.read() == -1);
    // The other port is somebody else's.
    qpace::Uart other(m.node(driver.rank()), 1);
    other.write("nobody hears this");
  });
  const auto lines = m.take_console(true);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].text == "one");
  CHECK(lines[1].text == "two \xc3\xa4");
  CHECK(lines[2].text == "\\x01 and a line of more than sixteen characters");
  CHECK(m.node(0).console().damaged() == 0);
  // ten bits of 16 cycles of 4 ns a character; 17 are still inside when the last one is taken
  const auto least = static_cast<Picoseconds>(text.size() - 17) * 640'000;
  CHECK(took > least);
  CHECK(took < least + 20 * 640'000);
}

TEST_CASE("two nodes read files over Ethernet, of any length") {
  for (const double rate : {0.0, 2e-6}) {
    auto options = one_node({2});
    options.ethernet.bit_error_rate = rate;
    QpaceMachine m(options);
    m.run([&](qpace::Driver& driver) {
      for (const std::size_t n :
           {std::size_t{0}, std::size_t{1}, std::size_t{8192}, std::size_t{50001}}) {
        const auto t = read(m.node(driver.rank()), driver.rank(), "file" + std::to_string(n));
        CHECK(t.data == content(n));
        CHECK((rate > 0 || t.repeats == 0));
      }
    });
    const auto totals = m.close_ledgers();
    CHECK(totals.balanced());
    CHECK(totals.undetected == 0);
    CHECK((totals.injected > 0) == (rate > 0));
  }
}

TEST_CASE("a file that is not there, and a server that is dead, are told") {
  QpaceMachine m(one_node());
  m.run([&](qpace::Driver&) { CHECK_THROWS_AS(read(m.node(0), 0, "nothing"), DataError); });
  m.run([&](qpace::Driver&) {
    qpace::Gmac gmac(m.node(0), machine::node_endpoint(0, 0).mac);
    net::Endpoint nobody = machine::server_endpoint();
    nobody.ip ^= 1;
    CHECK_THROWS_AS(net::tftp_read(gmac, machine::node_endpoint(0, 50000), nobody, "file9000",
                                   {.timeout = 100'000'000, .attempts = 3}),
                    TimeoutError);
    gmac.close();
  });
}

TEST_CASE("a machine without Ethernet and consoles never turns their clocks") {
  auto options = one_node();
  options.ethernet.files = nullptr;
  QpaceMachine m(options);
  m.run([&](qpace::Driver&) {});
  CHECK(m.ethernet_server() == nullptr);
  CHECK(m.node(0).device_edges() < 100);  // the reset's
}

}  // namespace
