// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include "sim/bench/message_times.hpp"

#include "sim/cli/run/run_result.hpp"

namespace ht::cli {

/// What `hypertorus compare` found out of one machine.
struct ComparedMachine {
  std::string processor;
  RunResult run;                             ///< the solve, over bad cables
  std::vector<bench::MessageTime> messages;  ///< between neighbours, over good cables
  double wire_rate = 0;                      ///< GB/s of a link, one way, framing included

  std::uint64_t sent() const;  ///< packets or words, by all links, each once
  /// What further bytes of a long message cost, as a share of what a link's wire carries in that
  /// time: by the two largest sizes. Nothing if there is only one.
  std::optional<double> wire_efficiency() const;
};

struct Comparison {
  std::vector<ComparedMachine> machines;
  /// Every run bit-exact, and with that all solutions the same.
  bool bit_exact() const;
};

/// The table, on standard output.
void print_comparison(const Comparison& comparison);

/// What `--json` writes of it.
nlohmann::ordered_json comparison_document(const Comparison& comparison);

/// STEM.svg and STEM.png: the time of a message by its size, and what the wire alone takes. Throws
/// DataError.
void draw_comparison(const Comparison& comparison, const std::string& stem);

}  // namespace ht::cli
