// SPDX-License-Identifier: Apache-2.0
// JSON that the program reads: documents of run and exec in `report A B`, rows of benchmarks.
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/bench/bench_table.hpp"
#include "sim/cli/pair/pair_report.hpp"
#include "sim/output/read_document.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/property.hpp"

using namespace ht;
using namespace ht::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static FILE* const quiet = std::freopen("/dev/null", "w", stdout);
  require(quiet != nullptr, "there is no /dev/null");
  static MemoryFile file;
  file.hold(std::as_bytes(std::span(data, size)));
  cli::Results results;
  if (takes([&] { cli::pair_report({file.path(), file.path(), 3, ""}, results); })) {
    // Both sides are one document.
    for (const auto& row : results.document().at("overview"))
      require(row.at("values").at(0) == row.at("values").at(1), "a document differs from itself");
    require(!cli::read_document(results.document().dump()).is_discarded(),
            "what is written cannot be read");
  }
  takes([&] {
    for (const auto& line : cli::read_bench_lines(file.path())) {
      if (!line.id.empty()) require_line(line.id);
    }
  });
  return 0;
}
