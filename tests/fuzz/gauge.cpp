// SPDX-License-Identifier: Apache-2.0
// Gauge files: NERSC, ILDG and SciDAC in LIME, MILC v5. What is taken can be written and read
// again.
#include <cstring>

#include "sw/dirac/gauge/gauge.hpp"
#include "sw/dirac/gauge/gauge_write.hpp"
#include "tests/fuzz/checksums.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/property.hpp"

using namespace ht;
using namespace ht::fuzz;

namespace {

bool read(std::span<const std::byte> content, dirac::GlobalGauge& gauge) {
  static MemoryFile file;
  file.hold(content);
  return takes([&] { gauge = dirac::read_gauge_file(file.path()); });
}

bool same(const dirac::GlobalGauge& a, const dirac::GlobalGauge& b) {
  const std::size_t bytes = a.links.size() * sizeof(a.links[0]);
  return a.lattice == b.lattice && std::memcmp(a.links.data(), b.links.data(), bytes) == 0;
}

void round_trip(const dirac::GlobalGauge& gauge) {
  for (const auto format : {dirac::GaugeFormat::Ildg, dirac::GaugeFormat::Nersc}) {
    const dirac::GaugeWriteOptions options{format, gauge.precision_bits, 3};
    dirac::GlobalGauge once, twice;
    // A file's third row may have been completed: rounding it may take it over the limit.
    const bool good = read(dirac::encode_gauge(gauge, options), once);
    require(good || gauge.precision_bits == 32, "a field that was read, and written, is refused");
    if (!good) continue;
    require(once.verified.size() >= 3, "what was written has nothing to verify");
    require(read(dirac::encode_gauge(once, options), twice),
            "a field is refused when it comes again");
    require(same(once, twice), "a field changes from one file to the next");
  }
}

void check(const File& content) {
  dirac::GlobalGauge gauge;
  if (read(content, gauge)) round_trip(gauge);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const File content(bytes.begin(), bytes.end());
  check(content);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool wide =
      text.find("<precision>64") != text.npos || text.find("<precision>D") != text.npos;
  constexpr std::size_t reals = 72;
  for (const auto& repaired : {repaired_lime(content, reals * (wide ? 8 : 4)),
                               repaired_nersc(content), repaired_milc(content)}) {
    if (repaired && *repaired != content) check(*repaired);
  }
  return 0;
}
