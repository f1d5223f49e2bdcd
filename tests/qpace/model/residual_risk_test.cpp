// SPDX-License-Identifier: Apache-2.0
// Residual risk: the counts against brute force and against numbers that others computed.
#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "verif/model/common/code_8b10b.hpp"
#include "verif/model/common/crc.hpp"
#include "verif/model/qpace/residual_risk.hpp"
#include "verif/model/qpace/wire.hpp"

using namespace ht::model;

namespace {

// Remainder of a word's polynomial, bit by bit.
std::uint32_t remainder(std::uint64_t word, std::uint32_t polynomial, unsigned width,
                        unsigned bits) {
  const std::uint64_t divisor = std::uint64_t{1} << width | polynomial;
  for (unsigned i = bits; i-- > width;) {
    if ((word >> i & 1) != 0) word ^= divisor << (i - width);
  }
  return static_cast<std::uint32_t>(word);
}

std::uint64_t by_brute_force(std::uint32_t polynomial, unsigned width, unsigned bits) {
  std::uint64_t count = 0, word = 0x3f;
  while (word >> bits == 0) {
    count += remainder(word, polynomial, width, bits) == 0 ? 1 : 0;
    const std::uint64_t low = word & (~word + 1), ripple = word + low;  // next of equal weight
    word = ripple | ((word ^ ripple) >> 2) / low;
  }
  return count;
}

// A packet of random bytes with three inverted line bits: true if all of it is received as data,
// three bytes of it wrong, with an even number of wrong bits.
bool unseen(std::mt19937_64& random) {
  std::array<unsigned, 3> at{};
  for (unsigned& bit : at) bit = static_cast<unsigned>(random() % 1360);
  if (at[0] == at[1] || at[0] == at[2] || at[1] == at[2]) return unseen(random);
  unsigned wrong_bits = 0, wrong_bytes = 0;
  for (unsigned lane = 0; lane < 4; ++lane) {
    bool sender = random() % 2 == 0, receiver = sender;
    for (unsigned word = 0; word < 34; ++word) {
      const bool start = word == 0 && lane == 0;
      const auto byte = static_cast<std::uint8_t>(start ? qpace::kStart : random());
      std::uint16_t group = code_8b10b::encode(byte, start, sender);
      for (const unsigned bit : at) {
        if (bit / 10 == 4 * word + lane) group = static_cast<std::uint16_t>(group ^ 1U << bit % 10);
      }
      const auto d = code_8b10b::decode(group, receiver);
      if (d.error || d.control != start || (start && d.byte != byte)) return false;
      wrong_bits += static_cast<unsigned>(std::popcount(static_cast<unsigned>(d.byte ^ byte)));
      wrong_bytes += d.byte != byte ? 1 : 0;
    }
  }
  return wrong_bytes == 3 && wrong_bits % 2 == 0;
}

}  // namespace

TEST_CASE("residual risk: code words of weight 6, by brute force on short codes") {
  for (const auto& [polynomial, width, bits] :
       {std::tuple{0x7U, 3U, 20U}, {0x9U, 8U, 24U}, {0x31U, 8U, 26U}, {0x80FU, 12U, 30U}}) {
    INFO(std::hex << polynomial);
    const std::uint64_t count = by_brute_force(polynomial, width, bits);
    CHECK(count > 10);
    CHECK(weight6_codewords(polynomial, width, bits) == count);
  }
}

TEST_CASE("residual risk: the CRC-32C of a packet") {
  // Computed elsewhere for 1088 bits (the start code counted in): 0 of weight 5, 1,060,037 of 6.
  CHECK(weight6_codewords(0x1EDC6F41, 32, 1088) == 1'060'037);
  CHECK(least_even_weight(0x1EDC6F41, 32, 1088) == 6);
  // The same source: 9.5e-19 a packet at 1e-4.
  CHECK(packet_risk(1e-4, 1'060'037) == Approx(9.5e-19).epsilon(0.01));
  CHECK_THROWS(least_even_weight(0x04C11DB7, 32, 1088));  // Ethernet's has words of odd weight
  CHECK_THROWS(least_even_weight(0xD25F, 16, 24));        // so has the commands'
  CHECK(least_even_weight(0x1021, 16, 24) == 4);          // CCITT's is 4
  CHECK(least_even_weight(0xD, 4, 7) == 4);               // (x + 1) times x^3 + x + 1, period 7
  CHECK(least_even_weight(0xD, 4, 8) == 2);
}

TEST_CASE("residual risk: commands, by trying") {
  const CommandRisk risk = command_risk();
  std::array<std::uint64_t, 25> weights{};
  for (unsigned c = 1; c < 256; ++c) {
    const auto crc =
        static_cast<unsigned>(command_crc16(static_cast<std::uint8_t>(c)) ^ command_crc16(0));
    ++weights[static_cast<unsigned>(std::popcount(c) + std::popcount(crc))];
  }
  CHECK(risk.weights == weights);
  CHECK(risk.data(1e-4) == Approx(3e-32).epsilon(0.01));  // three of weight 8, as crc.hpp says
  // Up to three inverted bits of thirty never make another command; four can.
  CHECK(risk.line_distance == 4);
  const auto accepted = [](std::uint8_t c, unsigned disparities, std::uint32_t flips) {
    const std::uint32_t data =
        qpace::Command{static_cast<qpace::CommandType>(c & 3), static_cast<std::uint8_t>(c >> 2)}
            .word()
            .data;
    Word got{data & 0xffU, 1};
    for (unsigned lane = 1; lane < 4; ++lane) {
      bool sender = (disparities >> lane & 1U) != 0, receiver = sender;
      const auto group =
          code_8b10b::encode(static_cast<std::uint8_t>(data >> 8 * lane), false, sender);
      const auto d = code_8b10b::decode(
          static_cast<std::uint16_t>(group ^ (flips >> 10 * (lane - 1) & 0x3ffU)), receiver);
      if (d.error || d.control) return false;
      got.data |= std::uint32_t{d.byte} << 8 * lane;
    }
    return got.data != data && qpace::Command::parse(got).has_value();
  };
  std::uint64_t tried = 0, fooled = 0;
  for (unsigned c = 0; c < 256; c += 5) {
    for (std::uint32_t a = 0; a < 30; ++a) {
      for (std::uint32_t b = 0; b <= a; ++b) {
        for (std::uint32_t e = 0; e <= b; ++e) {
          const std::uint32_t flips = 1U << a | 1U << b | 1U << e;
          ++tried;
          fooled += accepted(static_cast<std::uint8_t>(c), c * 2 & 0xeU, flips) ? 1 : 0;
        }
      }
    }
  }
  CHECK(tried > 100'000);
  CHECK(fooled == 0);
  CHECK(risk.line(1e-4) > 0);
  CHECK(risk.line(1e-4) < 1e-16);
}

TEST_CASE("residual risk: line errors on packets, against sampling") {
  const LineRisk risk = packet_line_risk();
  CHECK(risk.two_bytes == 0);
  CHECK(risk.ways[1] + risk.ways[2] == 0);
  // 34,425 patterns of one byte: so many words of three bytes by chance, half of them odd, the even
  // ones twice as likely.
  const double expected = std::pow(34'425.0, 3) / 6 / std::pow(2.0, 32);
  CHECK(std::abs(static_cast<double>(risk.three_bytes) - expected) < 5 * std::sqrt(expected));
  CHECK(risk.ways[4] == Approx(risk.unseen[4] / std::pow(2.0, 31)));
  // Three inverted bits that the line code does not see: the exact share against trying.
  const double share = risk.unseen[3] / (1360.0 * 1359 * 1358 / 6);
  std::mt19937_64 random(1);
  constexpr std::uint64_t samples = 500'000;
  std::uint64_t hits = 0;
  for (std::uint64_t n = 0; n < samples; ++n) hits += unseen(random) ? 1 : 0;
  INFO(hits << " of " << samples << ", expected " << share * samples);
  CHECK(share * samples > 20);
  CHECK(std::abs(static_cast<double>(hits) - share * samples) < 5 * std::sqrt(share * samples));
  // Hence 1e-6: less than one packet in 1e26.
  CHECK(risk(1e-6) < 1e-26);
  CHECK(risk(1e-6) > 1e-28);
}
