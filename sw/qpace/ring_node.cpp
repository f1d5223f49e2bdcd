// SPDX-License-Identifier: Apache-2.0
// A node of a ring of boards with processors (fpga/pynq_z2): QPACE's driver over AXI, and messages
// of any size passed both ways round the ring, compared word by word, beside sums and barriers,
// until the time is over. One process a board, on the board's own processor, or one a simulated
// node.
//
//   qpace_ring_node --registers /dev/uio0 --buffer udmabuf0 --node I --nodes N --seconds S
//   qpace_ring_node --window FILE --node I --nodes N --seconds S
//
// Prints one line of JSON: what was passed, what was wrong, and both links' counters. Exit codes:
// 0; 1 something came wrong; else as every command's.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "sw/axi/mapped.hpp"
#include "sw/axi/port.hpp"
#include "sw/axi/window.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/fibre.hpp"
#include "sw/qmp/node.hpp"
#include "sw/qmp/qmp.h"
#include "sw/qpace/driver.hpp"

namespace {

using namespace ht;

struct Arguments {
  std::string window, registers, buffer;
  int node = 0, nodes = 2;
  double seconds = 1;
  std::uint64_t seed = 1;
};

struct Totals {
  std::uint64_t rounds = 0, messages = 0, bytes = 0, wrong = 0;
};

void must(QMP_status_t status, const char* what) {
  if (status != QMP_SUCCESS)
    throw ProtocolError(fmt::format("{}: {}", what, QMP_error_string(status)));
}

/// What `sender` says in that round in that direction: everybody can tell.
std::vector<std::uint64_t> message(const Arguments& a, int sender, std::uint64_t round,
                                   int direction) {
  std::seed_seq from{a.seed, std::uint64_t(sender), round, std::uint64_t(direction + 1)};
  std::mt19937_64 draw(from);
  // short ones mostly, and long ones; all nodes of a round send as much
  std::seed_seq size_from{a.seed, round};
  std::mt19937_64 size_draw(size_from);
  const std::size_t words = std::size_t{1} + size_draw() % (std::size_t{1} << size_draw() % 12);
  std::vector<std::uint64_t> out(words);
  for (auto& word : out) word = draw();
  return out;
}

/// One round: a message to both neighbours, and one from each.
void pass(const Arguments& a, std::uint64_t round, Totals& totals) {
  const int left = (a.node + a.nodes - 1) % a.nodes, right = (a.node + 1) % a.nodes;
  std::vector<std::uint64_t> up = message(a, a.node, round, 1), down = message(a, a.node, round, 0);
  const auto from_left = message(a, left, round, 1), from_right = message(a, right, round, 0);
  std::vector<std::uint64_t> got_left(from_left.size()), got_right(from_right.size());
  struct Way {
    std::vector<std::uint64_t>* words;
    int direction;
    bool sends;
  };
  std::vector<QMP_msgmem_t> memories;
  std::vector<QMP_msghandle_t> handles;
  for (const Way way : {Way{&got_left, -1, false}, Way{&got_right, 1, false}, Way{&up, 1, true},
                        Way{&down, -1, true}}) {
    memories.push_back(QMP_declare_msgmem(way.words->data(), way.words->size() * 8));
    handles.push_back(way.sends
                          ? QMP_declare_send_relative(memories.back(), 0, way.direction, 0)
                          : QMP_declare_receive_relative(memories.back(), 0, way.direction, 0));
    if (handles.back() == nullptr) throw ProtocolError("QMP refuses a message to a neighbour");
  }
  for (const QMP_msghandle_t handle : handles) must(QMP_start(handle), "QMP_start");
  for (const QMP_msghandle_t handle : handles) must(QMP_wait(handle), "QMP_wait");
  for (const QMP_msghandle_t handle : handles) QMP_free_msghandle(handle);
  for (const QMP_msgmem_t memory : memories) QMP_free_msgmem(memory);
  totals.messages += 2;
  totals.bytes += 16 * up.size();
  totals.wrong += (got_left != from_left) + (got_right != from_right);
}

/// Rounds until node 0's time is over.
Totals run(const Arguments& a) {
  using Clock = std::chrono::steady_clock;
  const int dims[] = {a.nodes};
  must(QMP_declare_logical_topology(dims, 1), "QMP_declare_logical_topology");
  std::uint64_t seed = a.seed;
  must(QMP_broadcast(&seed, sizeof seed), "QMP_broadcast");
  if (seed != a.seed)
    throw UsageError(fmt::format("--seed {}: node 0's is {}, and all need the same", a.seed, seed));
  const auto end = Clock::now() + std::chrono::duration<double>(a.seconds);
  Totals totals;
  for (int goes_on = 1; goes_on != 0; ++totals.rounds) {
    pass(a, totals.rounds, totals);
    double sum = a.node + 1.0;
    must(QMP_sum_double(&sum), "QMP_sum_double");
    totals.wrong += sum != a.nodes * (a.nodes + 1) / 2.0;
    goes_on = Clock::now() < end;
    must(QMP_broadcast(&goes_on, sizeof goes_on), "QMP_broadcast");
  }
  must(QMP_barrier(), "QMP_barrier");
  return totals;
}

/// Since `before`, when the links came up; checksums are the links' own, of all that ever passed.
nlohmann::json counters(const qpace::LinkCounters& before, const qpace::LinkCounters& now,
                        const char* link) {
  const auto damaged = [](const qpace::LinkCounters& c) {
    return c.crc_errors + c.code_errors + c.framing_errors + c.command_errors;
  };
  return {{"link", link},
          {"sent", now.sent - before.sent},
          {"accepted", now.accepted - before.accepted},
          {"resent", now.retransmitted - before.retransmitted},
          {"damaged", damaged(now) - damaged(before)},
          {"retrains", now.retrains - before.retrains},
          {"tx_checksum", now.tx_checksum},
          {"rx_checksum", now.rx_checksum}};
}

/// The node at work; its line of JSON, and whether all was right.
bool work(const Arguments& a, axi::Board& board) {
  axi::PortOptions port_options;
  port_options.puts = true;
  axi::BoardPort port(board, port_options);
  bool good = false;
  // QMP keeps what it knows with the fibre that it is called on.
  host::Fibre fibre([&] {
    qpace::DriverOptions options;
    options.signal_tree = false;
    // links of a few Mword/s train for milliseconds, and a cable may be put in later
    options.link_up_timeout = 20'000'000'000'000;
    qpace::Driver driver(port, qpace::Place{{a.nodes}, {a.node}, a.node, a.node}, options);
    driver.bring_up();
    const qpace::LinkCounters up = driver.read_counters(0), down = driver.read_counters(1);
    Totals totals;
    {
      const qmp::Node node(driver);
      QMP_thread_level_t provided = QMP_THREAD_SINGLE;
      must(QMP_init_msg_passing(nullptr, nullptr, QMP_THREAD_SINGLE, &provided),
           "QMP_init_msg_passing");
      totals = run(a);
    }
    driver.check_errors();
    const nlohmann::json row = {{"node", a.node},
                                {"rounds", totals.rounds},
                                {"messages", totals.messages},
                                {"bytes", totals.bytes},
                                {"wrong", totals.wrong},
                                {"links",
                                 {counters(up, driver.read_counters(0), "+x"),
                                  counters(down, driver.read_counters(1), "-x")}}};
    fmt::print("{}\n", row.dump());
    std::fflush(stdout);
    good = totals.wrong == 0;
    driver.linger();
    port.linger([] {});
    port.check_errors();
  });
  fibre.resume();
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  CLI::App app("A node of a ring of boards: messages both ways round it, compared");
  auto* window = app.add_option("--window", a.window, "of a simulated node");
  auto* registers = app.add_option("--registers", a.registers, "of the board: a UIO device");
  auto* buffer =
      app.add_option("--buffer", a.buffer, "the board's memory for the node: a u-dma-buf");
  window->excludes(registers)->excludes(buffer);
  registers->needs(buffer);
  app.add_option("--node", a.node, "this board's number")->check(CLI::Range(0, 63));
  app.add_option("--nodes", a.nodes, "boards in the ring")->check(CLI::Range(2, 64));
  app.add_option("--seconds", a.seconds, "that node 0 goes on")->check(CLI::Range(0.0, 1e6));
  app.add_option("--seed", a.seed, "of the messages; the same one for all");
  try {
    app.parse(argc, argv);
    if (a.window.empty() == a.registers.empty())
      throw UsageError("say --window, or --registers and --buffer");
    if (a.node >= a.nodes)
      throw UsageError(
          fmt::format("--node {}: with --nodes {} it is 0 to {}", a.node, a.nodes, a.nodes - 1));
    if (!a.window.empty()) {
      axi::WindowBoard board(a.window);
      return work(a, board) ? 0 : 1;
    }
    axi::MappedOptions linux_has;
    linux_has.registers = a.registers;
    linux_has.buffer = a.buffer;
    axi::MappedBoard board(linux_has);
    return work(a, board) ? 0 : 1;
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const Error& e) {
    fmt::print(stderr, "node {}: {}\n", a.node, e.what());
    return static_cast<int>(e.exit_code());
  } catch (const std::exception& e) {
    fmt::print(stderr, "node {}: {}\n", a.node, e.what());
    return 12;
  }
}
