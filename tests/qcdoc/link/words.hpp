// SPDX-License-Identifier: Apache-2.0
// What goes over a pair of QCDOC links in tests, and whether it has arrived.
#pragma once
#include <catch2/catch.hpp>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "tests/qcdoc/link/pair.hpp"

namespace ht::test {

template <typename T>
std::deque<T> queue_of(const std::vector<T>& v) {
  return {v.begin(), v.end()};
}
template <typename T>
std::vector<T> listed(const std::deque<T>& d) {
  return {d.begin(), d.end()};
}

template <typename T = std::uint64_t>
std::vector<T> random_words(std::size_t count, std::mt19937_64& random) {
  std::vector<T> w(count);
  for (auto& x : w) x = static_cast<T>(random());
  return w;
}
inline std::vector<std::uint64_t> random_words(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  return random_words(count, random);
}
/// The same, to be handed in.
inline std::deque<std::uint64_t> words(std::size_t count, std::uint64_t seed) {
  return queue_of(random_words(count, seed));
}

/// Words, and a few supervisor words and interrupts, both ways: handed in with the constructor.
struct QcdocMixture {
  QcdocMixture(QcdocPair& p, std::size_t count, std::size_t few, std::mt19937_64& random)
      : pair(p),
        a(random_words(count, random)),
        b(random_words(count, random)),
        sup_a(random_words(few, random)),
        sup_b(random_words(few, random)),
        int_a(random_words<std::uint8_t>(few, random)),
        int_b(random_words<std::uint8_t>(few, random)) {
    pair.a.to_send = queue_of(a);
    pair.b.to_send = queue_of(b);
    pair.a.sup_to_send = queue_of(sup_a);
    pair.b.sup_to_send = queue_of(sup_b);
    pair.a.int_to_send = queue_of(int_a);
    pair.b.int_to_send = queue_of(int_b);
  }

  /// As many have arrived as were sent.
  bool arrived() const {
    return pair.a.received.size() >= b.size() && pair.b.received.size() >= a.size() &&
           pair.a.sup_received.size() >= sup_b.size() &&
           pair.b.sup_received.size() >= sup_a.size() &&
           pair.a.int_received.size() >= int_b.size() && pair.b.int_received.size() >= int_a.size();
  }
  /// Supervisor words and interrupts are what was sent.
  void check_few() const {
    CHECK((pair.b.sup_received == sup_a));
    CHECK((pair.a.sup_received == sup_b));
    CHECK((pair.b.int_received == int_a));
    CHECK((pair.a.int_received == int_b));
  }

  QcdocPair& pair;
  std::vector<std::uint64_t> a, b, sup_a, sup_b;  ///< what each end sends
  std::vector<std::uint8_t> int_a, int_b;
};

}  // namespace ht::test
