// SPDX-License-Identifier: Apache-2.0
// A parser with a fault of the kind that is looked for, so that tests see it found: a length that
// it takes from its input and believes.
#include "tests/fuzz/property.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || data[0] != 'L') return 0;
  const std::size_t length = data[1];
  ht::fuzz::require(length <= size - 2, "a length beyond the input's end");
  return 0;
}
