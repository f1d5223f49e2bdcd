// SPDX-License-Identifier: Apache-2.0
// The part of residual_risk.hpp that goes through the line code.
#include <algorithm>
#include <bit>
#include <stdexcept>

#include "verif/model/common/code_8b10b.hpp"
#include "verif/model/common/crc.hpp"
#include "verif/model/qpace/residual_risk.hpp"
#include "verif/model/qpace/wire.hpp"

namespace ht::model {
namespace {

namespace code = code_8b10b;

// The CRC covers lanes 1 to 3 of word 0 and all of words 1 to 33: 135 bytes in this order, of which
// byte i is byte i + 1 of the packet (the start code is byte 0).
constexpr unsigned kBytes = 135;
constexpr unsigned kWords = qpace::kPacketWords;

/// What an inverted line bit makes of a random data byte.
struct OneFlip {
  /// ways[mismatch][e]: mean number, of the ten bits, whose inversion is received as the byte
  /// exclusive-or e; `mismatch`: the receiver's disparity was wrong before.
  std::array<std::array<double, 256>, 2> ways{};
  double unseen = 0;  ///< share of bytes that a receiver of the wrong disparity takes as they are
};

OneFlip one_flip() {
  OneFlip f;
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (const bool before : {false, true}) {
      for (const bool mismatch : {false, true}) {
        bool sender = before;
        const std::uint16_t group = code::encode(static_cast<std::uint8_t>(byte), false, sender);
        for (unsigned bit = 0; bit < 10; ++bit) {
          bool receiver = before != mismatch;
          const auto d = code::decode(static_cast<std::uint16_t>(group ^ 1U << bit), receiver);
          if (!d.error && !d.control && d.byte != byte)
            f.ways[mismatch ? 1 : 0][d.byte ^ byte] += 1.0 / 512;
        }
        bool receiver = before != mismatch;
        const auto d = code::decode(group, receiver);
        if (mismatch && !d.error && d.byte == byte) f.unseen += 1.0 / 512;
      }
    }
  }
  return f;
}

// The CRC register after an error pattern `e` in byte i, nothing else: linear, zero initial value.
std::uint32_t syndrome(unsigned i, std::uint32_t e) {
  // The reflected register, one byte with the error and the others zero.
  std::uint32_t r = e;
  for (unsigned step = 0; step < 8 * (kBytes - i); ++step)
    r = r >> 1 ^ ((r & 1U) != 0 ? 0x82F63B78U : 0U);
  return r;
}

struct Damage {
  unsigned byte;  // of the 135
  unsigned pattern;
};

/// Expected number of choices of three line bits that make just this code word of a packet with
/// random payload, unseen by the line code.
double ways_of(const std::array<Damage, 3>& word, const OneFlip& f) {
  double ways = 1;
  for (unsigned lane = 0; lane < 4; ++lane) {
    bool mismatch = false;
    unsigned from = 0;
    for (const Damage& d : word) {  // in order of bytes
      const unsigned at = d.byte + 1;
      if (at % 4 != lane) continue;
      if (mismatch)
        for (unsigned w = from + 1; w < at / 4; ++w) ways *= f.unseen;
      ways *= f.ways[mismatch ? 1 : 0][d.pattern];
      mismatch = !mismatch;  // a group with one bit inverted has the other disparity
      from = at / 4;
    }
    if (mismatch)
      for (unsigned w = from + 1; w < kWords; ++w) ways *= f.unseen;
  }
  return ways;
}

/// Code words of two and three wrong bytes, and what three line bits make of them.
void enumerate(LineRisk& risk) {
  struct Entry {
    std::uint32_t value;
    Damage damage;
  };
  std::vector<Entry> one;
  for (unsigned i = 0; i < kBytes; ++i) {
    for (unsigned e = 1; e < 256; ++e) one.push_back({syndrome(i, e), {i, e}});
  }
  std::vector<Entry> sorted = one;
  std::sort(sorted.begin(), sorted.end(),
            [](const Entry& a, const Entry& b) { return a.value < b.value; });
  for (std::size_t i = 1; i < sorted.size(); ++i)
    risk.two_bytes += sorted[i].value == sorted[i - 1].value ? 1 : 0;
  if (risk.two_bytes != 0) throw std::logic_error("the CRC-32C has a code word of two bytes");
  std::vector<std::uint64_t> filter((1U << 24) / 64);
  const auto slot = [](std::uint32_t v) { return (v ^ v >> 11) & 0xFFFFFFU; };
  for (const Entry& e : one) filter[slot(e.value) / 64] |= std::uint64_t{1} << slot(e.value) % 64;
  const OneFlip f = one_flip();
  double ways = 0;
  for (std::size_t a = 0; a < one.size(); ++a) {
    for (std::size_t b = a + 1; b < one.size(); ++b) {
      const std::uint32_t v = one[a].value ^ one[b].value;
      if ((filter[slot(v) / 64] >> slot(v) % 64 & 1U) == 0) continue;
      const auto it =
          std::lower_bound(sorted.begin(), sorted.end(), v,
                           [](const Entry& e, std::uint32_t value) { return e.value < value; });
      if (it == sorted.end() || it->value != v) continue;
      // Each word once: its bytes in order, and all different.
      if (one[a].damage.byte >= one[b].damage.byte || one[b].damage.byte >= it->damage.byte)
        continue;
      ++risk.three_bytes;
      const double made = ways_of({one[a].damage, one[b].damage, it->damage}, f);
      risk.three_flips += made > 0 ? 1 : 0;
      ways += made;
    }
  }
  risk.ways[3] = ways;
}

/// Mean numbers of choices of k line bits, sorted by k, by the parity of wrong data bits, and by
/// the number of wrong bytes (3: three or more).
constexpr unsigned kMost = 8;
struct Choices {
  std::array<std::array<std::array<double, 4>, 2>, kMost + 1> of{};

  Choices& operator+=(const Choices& c) {
    for (unsigned k = 0; k <= kMost; ++k) {
      for (unsigned p = 0; p < 2; ++p) {
        for (unsigned b = 0; b < 4; ++b) of[k][p][b] += c.of[k][p][b];
      }
    }
    return *this;
  }
  /// Choices in two places at once.
  friend Choices operator*(const Choices& x, const Choices& y) {
    Choices r;
    for (unsigned i = 0; i < (kMost + 1) * 8; ++i) {
      const unsigned k = i / 8, p = i / 4 % 2, b = i % 4;
      if (x.of[k][p][b] == 0) continue;
      for (unsigned j = 0; j < (kMost + 1 - k) * 8; ++j) {
        const unsigned l = j / 8, q = j / 4 % 2, c = j % 4;
        r.of[k + l][p ^ q][std::min(3U, b + c)] += x.of[k][p][b] * y.of[l][q][c];
      }
    }
    return r;
  }
};

/// What the receiver takes for good of one group in a lane, by the running disparities of sender
/// and receiver before it and after it: bit 0 and bit 1 of a state.
using Step = std::array<std::array<Choices, 4>, 4>;

Step step(bool start) {
  Step s{};
  const unsigned bytes = start ? 1 : 256;
  for (unsigned state = 0; state < 4; ++state) {
    for (unsigned n = 0; n < bytes; ++n) {
      const auto byte = static_cast<std::uint8_t>(start ? qpace::kStart : n);
      bool sender = (state & 1U) != 0;
      const std::uint16_t group = code::encode(byte, start, sender);
      for (unsigned flips = 0; flips < 1024; ++flips) {
        const auto k = static_cast<unsigned>(std::popcount(flips));
        if (k > kMost) continue;
        bool receiver = (state & 2U) != 0;
        const auto d = code::decode(static_cast<std::uint16_t>(group ^ flips), receiver);
        if (d.error || d.control != start || (start && d.byte != byte)) continue;
        const auto wrong =
            static_cast<unsigned>(std::popcount(static_cast<unsigned>(d.byte ^ byte)));
        const unsigned next = (sender ? 1U : 0U) | (receiver ? 2U : 0U);
        s[state][next].of[k][wrong % 2][wrong > 0 ? 1 : 0] += 1.0 / bytes;
      }
    }
  }
  return s;
}

/// A whole lane, from equal disparities, either with probability 1/2.
Choices lane(const Step* first, const Step& others) {
  std::array<Choices, 4> at{};
  at[0].of[0][0][0] = at[3].of[0][0][0] = 0.5;
  for (unsigned word = 0; word < kWords; ++word) {
    const Step& s = word == 0 && first != nullptr ? *first : others;
    std::array<Choices, 4> next{};
    for (unsigned from = 0; from < 4; ++from) {
      for (unsigned to = 0; to < 4; ++to) next[to] += at[from] * s[from][to];
    }
    at = next;
  }
  Choices all;
  for (const Choices& c : at) all += c;
  return all;
}

}  // namespace

LineRisk packet_line_risk() {
  LineRisk risk;
  enumerate(risk);
  const Step start = step(true), data = step(false);
  const Choices plain = lane(nullptr, data);
  const Choices packet = lane(&start, data) * plain * plain * plain;
  for (unsigned k = 0; k <= kMost; ++k) {
    risk.unseen[k] = packet.of[k][0][3];
    if (k > 3) risk.ways[k] = risk.unseen[k] * 0x1p-31;
  }
  return risk;
}

CommandRisk command_risk() {
  CommandRisk risk;
  // ways[disparity][sent][received][flips]: one lane, data bytes.
  using Lane = std::array<double, 11>;
  std::vector<Lane> lanes(std::size_t{2} * 256 * 256);
  const auto lane_of = [&](unsigned disparity, unsigned sent, unsigned got) -> Lane& {
    return lanes[(std::size_t{disparity} * 256 + sent) * 256 + got];
  };
  for (unsigned disparity = 0; disparity < 2; ++disparity) {
    for (unsigned sent = 0; sent < 256; ++sent) {
      bool after = disparity != 0;
      const std::uint16_t group = code::encode(static_cast<std::uint8_t>(sent), false, after);
      for (unsigned line = 0; line < 1024; ++line) {
        bool receiver = disparity != 0;
        const auto d = code::decode(static_cast<std::uint16_t>(line), receiver);
        if (!d.error && !d.control)
          lane_of(disparity, sent, d.byte)[static_cast<unsigned>(std::popcount(line ^ group))] += 1;
      }
    }
  }
  for (unsigned command = 0; command < 256; ++command) {
    const std::uint32_t crc = command_crc16(static_cast<std::uint8_t>(command));
    for (unsigned other = 0; other < 256; ++other) {
      if (other == command) continue;
      const std::uint32_t other_crc = command_crc16(static_cast<std::uint8_t>(other));
      const auto weight =
          static_cast<unsigned>(std::popcount(command ^ other) + std::popcount(crc ^ other_crc));
      if (command == 0) ++risk.weights[weight];
      const std::array<unsigned, 3> from = {command, crc & 0xFFU, crc >> 8},
                                    to = {other, other_crc & 0xFFU, other_crc >> 8};
      // Lane 0 keeps its code: no inverted bit in it. Lanes have disparities of their own.
      std::array<double, 31> ways{1};
      for (unsigned lane = 0; lane < 3; ++lane) {
        std::array<double, 31> next{};
        for (unsigned disparity = 0; disparity < 2; ++disparity) {
          const Lane& l = lane_of(disparity, from[lane], to[lane]);
          for (unsigned a = 0; a <= 20; ++a) {
            for (unsigned b = 0; b <= 10; ++b) next[a + b] += 0.5 * ways[a] * l[b];
          }
        }
        ways = next;
      }
      for (unsigned d = 0; d < ways.size(); ++d) risk.ways_[d] += ways[d] / 256;
    }
  }
  while (risk.ways_[risk.line_distance] == 0) ++risk.line_distance;
  risk.same_line_distance = risk.ways_[risk.line_distance];
  return risk;
}

}  // namespace ht::model
