// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ht::sim::lanes {

/// A word between a link and its lanes; `control` has a bit a byte.
struct Word {
  std::array<std::uint8_t, 16> data{};
  std::uint32_t control = 0;
  bool operator==(const Word&) const = default;
};

Word idle_word(unsigned bytes);
Word error_word(unsigned bytes);
std::string text(const Word& word, unsigned bytes);

/// Bits 0 to 159, of all lanes or of one.
using Bits = std::array<std::uint32_t, 5>;
inline bool bit_of(const Bits& bits, unsigned i) {
  return ((bits[i / 32] >> (i % 32)) & 1U) != 0;
}
inline void set_bit(Bits& bits, unsigned i, bool value) {
  const std::uint32_t mask = 1U << i % 32;
  bits[i / 32] = value ? bits[i / 32] | mask : bits[i / 32] & ~mask;
}

struct BundleInputs {
  bool rst = true, en = false, loopback_near = false, loopback_far = false, prbs = false,
       prbs31 = false;
  Word tx = {};
  std::uint32_t rx_clk = 0, rx_valid = 0, rx_signal = 0;  ///< a bit a lane
  Bits rx = {};
};

struct BundleOutputs {
  bool tx_pause = false, rx_strobe = false, up = false, local_fault = false, remote_fault = false,
       deskewed = false, late = false, added = false, dropped = false, lost = false;
  Word rx = {};
  Bits tx = {};
  std::uint32_t signal = 0, synced = 0, mismatch = 0, prbs_locked = 0, bad = 0;
  std::array<std::uint16_t, 8> prbs_errors{};
};

/// lane_bundle of any shape.
class Bundle {
 public:
  virtual ~Bundle() = default;
  virtual unsigned bytes() const = 0;
  virtual unsigned lanes() const = 0;
  unsigned width() const { return 10 * bytes() / lanes(); }  ///< bits of a lane in a word
  /// Settles with these inputs; a clock that was low and is high now has an edge.
  virtual void eval(bool clk, const BundleInputs& in) = 0;
  virtual BundleOutputs outputs() const = 0;
};

struct Shape {
  unsigned bytes, lanes;
};

/// The shapes that are tested by themselves. Of 16 bytes there are all numbers of lanes.
constexpr std::array<Shape, 5> kShapes{{{1, 1}, {4, 1}, {4, 2}, {4, 4}, {16, 8}}};
/// `state`: its registers come up with random bits drawn from it; nothing: with zeros. Throws
/// UsageError for a shape that is not built.
std::unique_ptr<Bundle> make_bundle(Shape shape, std::optional<std::uint32_t> state = {});

}  // namespace ht::sim::lanes
