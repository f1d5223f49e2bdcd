// SPDX-License-Identifier: Apache-2.0
// What makes a run good: each single thing that is not as it must be makes it bad.
#include <catch2/catch.hpp>
#include <functional>

#include "sim/cli/run/run_result.hpp"

namespace {

using namespace ht;
using cli::RunResult;

RunResult good_run() {
  RunResult r;
  r.words_compared = 96;
  for (int node = 0; node < 2; ++node) {
    machine::LinkReport link;
    link.from = node;
    link.to = 1 - node;
    link.tx_checksum = link.rx_checksum = 0x1234 + static_cast<std::uint32_t>(node);
    link.retransmitted = 3;
    link.replayed = 5;
    r.links.push_back(link);
  }
  r.errors.injected = 9;
  r.errors.detected = 7;
  r.errors.harmless = 2;
  return r;
}

TEST_CASE("verdict: a run is good if all is as it must be, and bad for each thing that is not") {
  const RunResult good = good_run();
  CHECK(good.bit_exact());
  CHECK(good.verdict() == "bit-exact");
  CHECK(good.retransmissions() == 6);
  CHECK(good.replays() == 10);
  struct Fault {
    const char* what;
    std::function<void(RunResult&)> make;
    const char* verdict;
  };
  const Fault faults[] = {
      {"a word of the solution differs", [](RunResult& r) { r.words_different = 1; }, "mismatch"},
      {"nothing was compared", [](RunResult& r) { r.words_compared = 0; }, "mismatch"},
      {"the last link's checksums differ in one bit",
       [](RunResult& r) { r.links.back().rx_checksum ^= 1U << 31; }, "mismatch"},
      {"an error was accepted, and is accounted for",
       [](RunResult& r) { r.errors.undetected = 1, r.errors.harmless = 1; }, "mismatch"},
      {"an error is not accounted for", [](RunResult& r) { r.errors.injected = 10; }, "mismatch"},
      {"one error too many is accounted for", [](RunResult& r) { r.errors.detected = 8; },
       "mismatch"},
      {"it was interrupted", [](RunResult& r) { r.interrupted = true; }, "interrupted"},
      {"it was stopped", [](RunResult& r) { r.interrupted = r.stopped = true; }, "stopped"},
      {"it threw", [](RunResult& r) { r.failed = true; }, "failed"},
      {"nodes are lost", [](RunResult& r) { r.losses.emplace(), r.failed = true; }, "lost"},
  };
  for (const Fault& fault : faults) {
    INFO(fault.what);
    RunResult r = good_run();
    fault.make(r);
    CHECK_FALSE(r.bit_exact());
    CHECK(r.verdict() == fault.verdict);
  }
}

}  // namespace
