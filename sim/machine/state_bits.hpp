// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ht::machine {

/// The bits that a node's Verilated hardware consists of: arrays, which are memories, and
/// everything else, which is registers and what Verilator keeps of the logic between them. Of the
/// latter a flipped bit lasts until it is computed again, as when a particle hits a gate. Clocks
/// and pins are not among them.
class StateBits {
 public:
  struct Flipped {
    std::string where;  ///< "g_link[0].link.rx.data[17] bit 3"; empty: there was no bit to flip
    bool memory = false;
  };

  /// `elements` of `width` bits, each in `stride` bytes from `data` on, the lowest bits first.
  void add(std::string name, void* data, std::size_t stride, std::size_t elements, unsigned width,
           bool memory) {
    variables_.push_back(
        {std::move(name), static_cast<unsigned char*>(data), stride, elements, width, memory});
    (memory ? memory_bits_ : register_bits_) += elements * width;
  }

  std::uint64_t memory_bits() const { return memory_bits_; }
  std::uint64_t register_bits() const { return register_bits_; }

  /// Inverts one bit, chosen by 64 random ones: half the time one of memories, else one of
  /// registers, each as likely as any other of its sort. Between two edges of the hardware.
  Flipped flip(std::uint64_t random) const {
    const bool memory = memory_bits_ > 0 && (register_bits_ == 0 || (random & 1U) != 0);
    const std::uint64_t bits = memory ? memory_bits_ : register_bits_;
    if (bits == 0) return {};
    std::uint64_t left = (random >> 1) % bits;
    for (const Variable& v : variables_) {
      if (v.memory != memory) continue;
      if (left >= v.elements * v.width) {
        left -= v.elements * v.width;
        continue;
      }
      const std::uint64_t element = left / v.width, bit = left % v.width;
      v.data[element * v.stride + bit / 8] ^= static_cast<unsigned char>(1U << bit % 8);
      std::string where = v.name;
      if (memory) where += '[' + std::to_string(element) + ']';
      return {where + " bit " + std::to_string(bit), memory};
    }
    return {};
  }

 private:
  static_assert(std::endian::native == std::endian::little);
  struct Variable {
    std::string name;
    unsigned char* data;
    std::size_t stride, elements;
    unsigned width;
    bool memory;
  };

  std::vector<Variable> variables_;
  std::uint64_t memory_bits_ = 0, register_bits_ = 0;
};

}  // namespace ht::machine
