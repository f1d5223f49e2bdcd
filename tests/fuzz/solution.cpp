// SPDX-License-Identifier: Apache-2.0
// Files of run --save-solution. What is taken equals itself, and what is written of it.
#include "sw/dirac/solution.hpp"

#include "tests/fuzz/checksums.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/property.hpp"

using namespace ht;
using namespace ht::fuzz;

namespace {

void check(std::span<const std::byte> content) {
  static MemoryFile in, out;
  dirac::Solution solution, again;
  in.hold(content);
  if (!takes([&] { solution = dirac::read_solution(in.path()); })) return;
  const auto difference = dirac::compare_solutions(solution, solution);
  require(difference.words > 0 && difference.words_different == 0,
          "a solution differs from itself");
  if (solution.shifts == 1 && solution.description.find('<') == std::string::npos) {
    out.hold({});
    dirac::write_solution(solution, out.path());
    require(takes([&] { again = dirac::read_solution(out.path()); }),
            "a solution that was read, and written, is refused");
    require(dirac::compare_solutions(solution, again).words_different == 0,
            "a solution changes from one file to the next");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const File content(bytes.begin(), bytes.end());
  check(content);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t spins = text.find("ColorVector</datatype>") != text.npos ? 1 : 4;
  const std::size_t real = text.find("<precision>D") != text.npos ? 8 : 4;
  const auto repaired = repaired_lime(content, 6 * spins * real);
  if (repaired && *repaired != content) check(*repaired);
  return 0;
}
