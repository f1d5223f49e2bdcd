// SPDX-License-Identifier: Apache-2.0
// Errors that a QCDOC unit holds when its program has ended end the run, with node, link and
// register: what says "good" is right.
#include <catch2/catch.hpp>

#include "sw/host/errors.hpp"
#include "sw/qcdoc/registers.hpp"
#include "tests/qcdoc/machine/exchange.hpp"

using namespace ht;
using machine::QcdocMachine;
using machine::QcdocMachineOptions;
namespace scu = qcdoc::registers::scu;

namespace {

// Node 0 sends a word that nobody asked for, after bits of it were spoilt in a memory of `node`,
// and both programs end before it is there.
std::string verdict(unsigned memory, int node, unsigned link, unsigned first, unsigned second,
                    bool check = true) {
  QcdocMachineOptions options;
  options.shape = {2};
  options.kernel.threads = 1;
  options.driver.check_errors = check;
  options.driver.scu.retrain_timeout = 20;  // the other end of a link that went down gives up soon
  QcdocMachine m(options);
  REQUIRE(m.run([&](qcdoc::Driver& d) {
    host::HardwarePort& port = d.scu().port();
    if (d.rank() == node)
      port.write_register(scu::inject, scu::inject_memory.put(memory) | scu::inject_link.put(link) |
                                           scu::inject_bit.put(first) |
                                           scu::inject_second.put(second));
    if (d.rank() != 0) return;
    port.advance(1'000'000);
    d.scu().store(qcdoc::send_engine(0), 0, {0, 1, 1, 0});
    d.scu().start(qcdoc::bit(qcdoc::send_engine(0)), 0);
  }));
  REQUIRE(m.run([](qcdoc::Driver& d) { d.scu().port().advance(5'000'000); }));
  try {
    m.read_links();
  } catch (const HardwareError& e) {
    return e.what();
  }
  return "good";
}

bool names(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words)
    if (text.find(word) == std::string::npos) return false;
  return true;
}

}  // namespace

TEST_CASE("QCDOC: an error that comes when the programs have ended ends the run, and is named") {
  // One flipped bit is corrected. (The memories, and their numbers: INJECT.)
  for (const unsigned memory : {1U, 2U, 3U, 6U, 7U}) {
    const int node = memory == 2 ? 1 : 0;
    const unsigned link = memory == 2 ? 1 : 0;
    const unsigned second = memory == 3 || memory == 6 ? 3 : 71;
    for (const unsigned bit : {0U, 2U}) {
      CAPTURE(memory, bit);
      CHECK(verdict(memory, node, link, bit, bit) == "good");
      const std::string two = verdict(memory, node, link, bit, second);
      INFO(two);
      // Of a link either end may be named: the one that found the error, or the one that gave up.
      CHECK(names(two, {"ERROR", memory == 3   ? "node 0: the send engine of link +x"
                                 : memory >= 6 ? "node 0"
                                               : "node"}));
      CHECK(names(two, {memory <= 2   ? "link "
                        : memory == 3 ? "stored instruction"
                                      : "nothing more until reset"}));
      CHECK(verdict(memory, node, link, bit, second, false) == "good");
    }
  }
}
