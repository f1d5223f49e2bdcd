// SPDX-License-Identifier: Apache-2.0
// One network interface goes in step with the reference through anything: commands right and wrong,
// requests and answers of another node, packets that are damaged, doubled, lost or cannot be,
// registers, tags and queues that come and go. After every event both must have sent the same
// packets, hold the same memory, and stand the same.
#include <catch2/catch.hpp>

#include "tests/support/power_on.hpp"
#include "tests/tofu/interface/tni_reference.hpp"

using namespace ht::test;

TEST_CASE("tni: in step with the reference through anything", "[tni]") {
  TniInStep::Seen seen;
  for (std::uint64_t seed = 1; seed <= 14; ++seed) {
    CAPTURE(seed);
    const RandomPowerOn power(seed);
    TniInStep pair(seed_of(seed));
    for (int i = 0; i < 400; ++i) pair.event();
    pair.finish();
    seen += pair.seen;
  }
  // Each of these happened, and not just once.
  for (unsigned cause = 0; cause <= 8; ++cause) {
    CAPTURE(cause);
    if (cause != 7)
      CHECK(seen.completions[cause] >= 3);  // the peer reads its notices; tofu_tni_test.cpp
    if (cause <= 4) CHECK(seen.notices[cause] >= 3);
  }
  for (unsigned bit = 0; bit < 7; ++bit) {
    CAPTURE(bit);
    CHECK(seen.errors[bit] >= 3);
  }
  CHECK(seen.sent[0] > 300);
  CHECK(seen.sent[1] > 300);
}
