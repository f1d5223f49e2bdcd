// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/utofu/utofu_prepared.hpp"

#include <cstring>

namespace ht::tofu {
namespace {

using Request = UtofuQueues::Request;

constexpr unsigned path_shift = 28;  // of flags: what is above is one byte
constexpr unsigned long low_flags = (1UL << path_shift) - 1;
constexpr std::uint16_t written_here = 0x7c0f;

/// What a put or get has, and nothing else.
struct Blocks {
  std::uint64_t local, stride;
  std::uint32_t blocks;
  std::uint16_t mtu, gap;
};

struct Image {
  std::uint16_t mark;
  std::uint8_t handle, command, operation, wide, length_high, path;
  std::uint32_t flags;
  std::uint16_t edata, length;
  std::uint64_t vcq, remote;
  std::array<std::byte, immediate_limit> rest;  ///< data, or Blocks
};
static_assert(sizeof(Image) == prepared_bytes && sizeof(Blocks) <= immediate_limit);
static_assert(offsetof(Image, rest) + offsetof(Blocks, blocks) == prepared_blocks);

bool has_blocks(TniCommand command) {
  return command == TniCommand::Put || command == TniCommand::Get;
}

std::optional<Request> request_of(const Image& image, utofu_vcq_hdl_t handle) {
  if (image.mark != written_here || image.handle != handle ||
      image.command > static_cast<std::uint8_t>(TniCommand::Atomic) ||
      image.operation > static_cast<std::uint8_t>(AtomicOperation::CompareSwap) || image.wide > 1)
    return std::nullopt;
  Request r;
  r.command.command = static_cast<TniCommand>(image.command);
  r.command.operation = static_cast<AtomicOperation>(image.operation);
  r.command.wide = image.wide != 0;
  r.command.length = std::uint64_t{image.length_high} << 16 | image.length;
  r.flags = image.flags | static_cast<unsigned long>(image.path) << path_shift;
  r.edata = image.edata;
  r.vcq = image.vcq;
  r.remote = image.remote;
  if (has_blocks(r.command.command)) {
    Blocks b;
    std::memcpy(&b, image.rest.data(), sizeof b);
    r.local = b.local;
    r.stride = b.stride;
    r.blocks = b.blocks;
    r.mtu = b.mtu;
    r.gap = b.gap;
  } else {
    r.command.data = image.rest;
  }
  return r;
}

}  // namespace

void prepare(utofu_vcq_hdl_t handle, const Request& r, void* to) {
  Image image{};
  image.mark = written_here;
  image.handle = static_cast<std::uint8_t>(handle);
  image.command = static_cast<std::uint8_t>(r.command.command);
  image.operation = static_cast<std::uint8_t>(r.command.operation);
  image.wide = r.command.wide ? 1 : 0;
  image.length_high = static_cast<std::uint8_t>(r.command.length >> 16);
  image.length = static_cast<std::uint16_t>(r.command.length);
  image.path = static_cast<std::uint8_t>(r.flags >> path_shift);
  image.flags = static_cast<std::uint32_t>(r.flags & low_flags);
  image.edata = static_cast<std::uint16_t>(r.edata);
  image.vcq = r.vcq;
  image.remote = r.remote;
  if (has_blocks(r.command.command)) {
    const Blocks b{r.local, r.stride, static_cast<std::uint32_t>(r.blocks),
                   static_cast<std::uint16_t>(r.mtu), static_cast<std::uint16_t>(r.gap)};
    std::memcpy(image.rest.data(), &b, sizeof b);
  } else {
    image.rest = r.command.data;
  }
  std::memcpy(to, &image, sizeof image);
}

std::optional<std::vector<Request>> prepared(utofu_vcq_hdl_t handle, const void* from,
                                             std::size_t count, void* cbdata) {
  std::vector<Request> all;
  for (std::size_t i = 0; i < count; ++i) {
    Image image;
    std::memcpy(&image, static_cast<const std::byte*>(from) + i * prepared_bytes, sizeof image);
    auto r = request_of(image, handle);
    if (!r) return std::nullopt;
    r->cbdata = cbdata;
    all.push_back(*r);
  }
  return all;
}

}  // namespace ht::tofu
