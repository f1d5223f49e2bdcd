// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a solve: the bytes as they are, and as the body of a file whose head and CRC are
// right.
#include "sw/dirac/checkpoint.hpp"

#include <zlib.h>

#include "tests/fuzz/property.hpp"

using namespace ht;
using namespace ht::fuzz;

namespace {

constexpr const char* job = "job";

void check(const std::string& file) {
  dirac::NodeState state;
  if (!takes([&] { state = dirac::from_bytes(file, job, 0, 1, "checkpoint"); })) return;
  require(state.columns.size() == state.solutions.size(), "columns and solutions do not match");
  const std::string again = dirac::to_bytes(state, job, 0, 1);
  require(dirac::to_bytes(dirac::from_bytes(again, job, 0, 1, "again"), job, 0, 1) == again,
          "a state changes from one file to the next");
}

std::string with_crc(std::string file) {
  const auto crc = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(file.data()), file.size()));
  return file.append(reinterpret_cast<const char*>(&crc), sizeof crc);
}

// All that comes before the columns in a file.
const std::string& head() {
  static const std::string bytes = [] {
    dirac::NodeState state;
    state.solver.history = {1};
    const std::string file = dirac::to_bytes(state, job, 0, 1);
    const std::size_t at = file.find(job) + std::string_view(job).size() + 2 * sizeof(int);
    return file.substr(0, at);
  }();
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(text_of({data, size}));
  check(input);
  check(with_crc(input));
  check(with_crc(head() + input));
  return 0;
}
