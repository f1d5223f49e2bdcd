// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <catch2/catch.hpp>
#include <memory>

#include "tests/lane/lane_link.hpp"
#include "tests/lane/lane_pair.hpp"
#include "tests/support/test_seed.hpp"

namespace ht::test {

/// A pair of bundles with a link at each end that sends frames once it is told to.
struct Traffic {
  LanePair pair;
  std::array<LaneLink, 2> links;
  std::array<WordCheck, 2> checks;  ///< of what arrives at end i
  bool sends = false;

  Traffic(const PairOptions& options, const LinkOptions& link)
      : pair(options),
        links{LaneLink(pair.bytes(0), link, options.seed + 1),
              LaneLink(pair.bytes(1), link, options.seed + 2)},
        checks{WordCheck(pair.bytes(0)), WordCheck(pair.bytes(1))} {
    for (unsigned i = 0; i < 2; ++i) {
      pair.source[i] = [this, i](const BundleOutputs& out) {
        const Word word = sends ? links[i].next(out.tx_pause) : idle_word(pair.bytes(i));
        checks[1 - i].sent(word);
        return word;
      };
      pair.sink[i] = [this, i](const Word& word) { checks[i].received(word); };
    }
  }
  /// Up, and what was under way has arrived: from here on every word counts.
  void begin() {
    REQUIRE(pair.bring_up());
    pair.run(200);
    for (WordCheck& check : checks) check.start();
    sends = true;
  }
  /// What was sent has arrived.
  void end() {
    sends = false;
    pair.run(200);
  }
  void check_all_arrived(std::uint64_t least) {
    for (unsigned i = 0; i < 2; ++i) {
      INFO("end " << i << ": " << checks[i].first());
      CHECK(checks[i].wrong() == 0);
      CHECK(checks[i].missing() == 0);
      CHECK(checks[i].waiting() == 0);
      CHECK(checks[i].good() >= least);
      CHECK(pair.count_lost(i) == 0);
      CHECK(pair.out(i).up);
      CHECK(!pair.out(i).late);
    }
  }
};

}  // namespace ht::test
