// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/campaign/residual.hpp"

#include <fmt/format.h>

#include <array>

#include "sim/bench/bench_rows.hpp"
#include "verif/model/qpace/residual_risk.hpp"

namespace ht::cli {
namespace {

constexpr std::uint32_t crc32c = 0x1EDC6F41;
constexpr unsigned packet_bits = 1080;  // 3 bytes of header, 128 of payload, 4 of CRC
constexpr double packets_a_second = 250e6 / 34;
constexpr double seconds_a_year = 365.25 * 86400;

std::string years(double risk) {
  return fmt::format("{:.1e}", 1 / (risk * packets_a_second * seconds_a_year));
}

}  // namespace

int inject_residual(Results& results) {
  BenchRows rows(results);
  const std::uint64_t weight6 = model::weight6_codewords(crc32c, 32, packet_bits);
  const unsigned distance = model::least_even_weight(crc32c, 32, packet_bits);
  const model::LineRisk packet = model::packet_line_risk();
  const model::CommandRisk command = model::command_risk();
  fmt::print(
      "packets        {} bits under the CRC-32C: {} or more wrong data bits to pass it; {} "
      "words of weight 6 pass\n"
      "    line code  one or two inverted line bits never pass ({} words of two bytes); of {} "
      "words "
      "of three bytes,\n"
      "               {} can be made by three; four: {:.2g} of {:.2g} choices get past the line "
      "code, times 2^-31\n",
      packet_bits, distance, weight6, packet.two_bytes, packet.three_bytes, packet.three_flips,
      packet.unseen[4], 1360.0 * 1359 * 1358 * 1357 / 24);
  fmt::print(
      "commands       24 bits under the CRC-16: {} words of weight 8, none less\n"
      "    line code  at least {} inverted line bits make one command another, in {:.2g} ways a "
      "command\n\n",
      command.weights[8], command.line_distance, command.same_line_distance);
  fmt::print(
      "probability of damage accepted by the link's own checks, and years of one full link "
      "to the next one (its packets, line bits)\n");
  fmt::print("{:>10}{:>18}{:>18}{:>14}{:>18}{:>18}\n", "error rate", "packet, data bit",
             "packet, line bit", "years", "command, data bit", "command, line bit");
  for (const double ber : {1e-6, 1e-5, 1e-4, 1e-3}) {
    fmt::print("{:>10.0e}{:>18.2e}{:>18.2e}{:>14}{:>18.2e}{:>18.2e}\n", ber,
               model::packet_risk(ber, weight6), packet(ber), years(packet(ber)), command.data(ber),
               command.line(ber));
    const auto row = [&](const char* what, double value) {
      rows.add(fmt::format("qpace.residual.{}.ber{:.0e}", what, ber), value, "probability");
    };
    row("packet_data", model::packet_risk(ber, weight6));
    row("packet_line", packet(ber));
    row("command_data", command.data(ber));
    row("command_line", command.line(ber));
  }
  fmt::print(
      "\nA command must also carry a sequence number of the window. Damage without pattern that "
      "the line code\ndoes not see passes a packet's CRC once in 2^32. What passes is caught by "
      "the checksums at both ends.\n");
  rows.add("qpace.residual.weight6", static_cast<double>(weight6), "code words");
  rows.add("qpace.residual.three_byte_words", static_cast<double>(packet.three_bytes),
           "code words");
  return 0;
}

}  // namespace ht::cli
