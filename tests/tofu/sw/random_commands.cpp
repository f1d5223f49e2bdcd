// SPDX-License-Identifier: Apache-2.0
#include "tests/tofu/sw/random_commands.hpp"

#include <array>

namespace ht::test {
namespace {

enum Kind : std::size_t {
  put,
  get,
  piggyback,
  piggyback8,
  armw4,
  armw8,
  cswap4,
  cswap8,
  nop,
  put_stride,
  get_stride,
  put_gap,
  get_gap,
  put_stride_gap,
  get_stride_gap
};
static_assert(armw8 == RandomCommand::add);
static_assert(get_stride_gap + 1 == RandomCommand::kinds);

constexpr std::array names{
    "put",           "get", "piggyback",  "piggyback8", "armw4",   "armw8",   "cswap4",
    "cswap8",        "nop", "put_stride", "get_stride", "put_gap", "get_gap", "put_stride_gap",
    "get_stride_gap"};

}  // namespace

const char* RandomCommand::name() const {
  return names[kind];
}

bool RandomCommand::gets() const {
  return kind == get || kind == get_stride || kind == get_gap || kind == get_stride_gap;
}

// What a command and its preparation have in common.
#define TO_THERE vcq, remote, here, there, length
#define END edata, flags

int RandomCommand::execute() const {
  void* const cb = reinterpret_cast<void*>(number);
  std::array<std::uint64_t, 16> data;
  data.fill(value);
  const auto old4 = static_cast<std::uint32_t>(expected), new4 = static_cast<std::uint32_t>(value);
  switch (static_cast<Kind>(kind)) {
    case put:
      return utofu_put(TO_THERE, END, cb);
    case get:
      return utofu_get(TO_THERE, END, cb);
    case piggyback:
      return utofu_put_piggyback(vcq, remote, data.data(), there, length % 36, END, cb);
    case piggyback8:
      return utofu_put_piggyback8(vcq, remote, value, there, length % 10, END, cb);
    case armw4:
      return utofu_armw4(vcq, remote, operation, new4, there, END, cb);
    case armw8:
      return utofu_armw8(vcq, remote, operation, value, there, END, cb);
    case cswap4:
      return utofu_cswap4(vcq, remote, old4, new4, there, END, cb);
    case cswap8:
      return utofu_cswap8(vcq, remote, expected, value, there, END, cb);
    case nop:
      return utofu_nop(vcq, flags, cb);
    case put_stride:
      return utofu_put_stride(TO_THERE, stride, blocks, END, cb);
    case get_stride:
      return utofu_get_stride(TO_THERE, stride, blocks, END, cb);
    case put_gap:
      return utofu_put_gap(TO_THERE, END, mtu, gap, cb);
    case get_gap:
      return utofu_get_gap(TO_THERE, END, mtu, gap, cb);
    case put_stride_gap:
      return utofu_put_stride_gap(TO_THERE, stride, blocks, END, mtu, gap, cb);
    case get_stride_gap:
      return utofu_get_stride_gap(TO_THERE, stride, blocks, END, mtu, gap, cb);
  }
  return 1;
}

int RandomCommand::post(std::size_t wrong) const {
  std::array<std::byte, 64> desc{};
  std::size_t size = 0;
  std::array<std::uint64_t, 16> data;
  data.fill(value);
  const auto old4 = static_cast<std::uint32_t>(expected), new4 = static_cast<std::uint32_t>(value);
  const auto prepare = [&] {
    void* const d = desc.data();
    switch (static_cast<Kind>(kind)) {
      case put:
        return utofu_prepare_put(TO_THERE, END, d, &size);
      case get:
        return utofu_prepare_get(TO_THERE, END, d, &size);
      case piggyback:
        return utofu_prepare_put_piggyback(vcq, remote, data.data(), there, length % 36, END, d,
                                           &size);
      case piggyback8:
        return utofu_prepare_put_piggyback8(vcq, remote, value, there, length % 10, END, d, &size);
      case armw4:
        return utofu_prepare_armw4(vcq, remote, operation, new4, there, END, d, &size);
      case armw8:
        return utofu_prepare_armw8(vcq, remote, operation, value, there, END, d, &size);
      case cswap4:
        return utofu_prepare_cswap4(vcq, remote, old4, new4, there, END, d, &size);
      case cswap8:
        return utofu_prepare_cswap8(vcq, remote, expected, value, there, END, d, &size);
      case nop:
        return utofu_prepare_nop(vcq, flags, d, &size);
      case put_stride:
        return utofu_prepare_put_stride(TO_THERE, stride, blocks, END, d, &size);
      case get_stride:
        return utofu_prepare_get_stride(TO_THERE, stride, blocks, END, d, &size);
      case put_gap:
        return utofu_prepare_put_gap(TO_THERE, END, mtu, gap, d, &size);
      case get_gap:
        return utofu_prepare_get_gap(TO_THERE, END, mtu, gap, d, &size);
      case put_stride_gap:
        return utofu_prepare_put_stride_gap(TO_THERE, stride, blocks, END, mtu, gap, d, &size);
      case get_stride_gap:
        return utofu_prepare_get_stride_gap(TO_THERE, stride, blocks, END, mtu, gap, d, &size);
    }
    return 1;
  };
  if (const int rc = prepare(); rc != UTOFU_SUCCESS) return rc;
  if (wrong == 0) size -= 1;
  if (wrong == 1) desc.fill(std::byte{0});
  return utofu_post_toq(vcq, desc.data(), size, reinterpret_cast<void*>(number));
}

}  // namespace ht::test
