// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sw/tofu/ranks/coordinates.hpp"

namespace ht::tofu {

constexpr int interfaces_per_node = 4;  ///< of the K computer's Verilog; see Profile
constexpr int queues_per_interface = 8;
constexpr std::uint32_t tag_limit = 1U << 18;
constexpr std::uint64_t offset_limit = std::uint64_t{1} << 40;
/// Longest transfer of one command, bytes.
constexpr std::uint64_t transfer_limit = (std::uint64_t{1} << 24) - 1;
/// Most bytes that a command carries in itself.
constexpr std::size_t immediate_limit = 32;

/// How an interface's transfer ended; as in packets and ring entries.
enum class TniCause : std::uint8_t {
  Good,
  Tag,
  Range,
  Right,
  Owner,
  Disabled,
  Descriptor,
  Lost,      ///< the notice
  DataLost,  ///< or some of them
  Full,      ///< too many transfers of several packets are open there
  Timeout,
  Group  ///< the interface there is of another group: another job's
};
/// "the steering tag is not valid", ...
const char* text(TniCause cause);

/// Memory that is named by a steering tag: bytes in one piece of the node's memory.
struct TagSetting {
  std::uint64_t base = 0;                         ///< byte offset in node memory, a multiple of 16
  std::uint64_t length = 0;                       ///< bytes
  int owner = 0;                                  ///< control queue
  bool read = true, write = true, atomic = true;  ///< what others may do
};

/// An end of a transfer.
struct TaggedAddress {
  std::uint32_t tag = 0;
  std::uint64_t offset = 0;
};

/// A control queue somewhere, and the way to it.
struct QueuePlace {
  Coordinates node;
  int interface = 0, queue = 0;
  /// Where the first ABC leg leads, {c, b[1:0], a}.
  std::uint32_t path = 0;
};

enum class TniCommand : std::uint8_t { Nothing, Put, PutImmediate, Get, Atomic };
enum class AtomicOperation : std::uint8_t { Add, And, Or, Xor, Swap, CompareSwap };

/// What a control queue is told to do (rtl/tofu/README.md, "Commands").
struct Descriptor {
  TniCommand command = TniCommand::Nothing;
  bool remote_notice = false;
  bool wide = false;    ///< atomic: of 8 bytes, not 4
  bool strict = false;  ///< it must not be overtaken: if there is no room for it, it fails
  AtomicOperation operation = AtomicOperation::Add;
  QueuePlace remote;
  std::uint64_t length = 0;
  TaggedAddress local, far;
  std::uint16_t edata = 0;
  std::array<std::byte, immediate_limit> data{};

  /// The 64 bytes of it; a completion is always asked for.
  std::array<std::byte, 64> bytes() const;
};

/// An entry of the table of steering tags.
std::array<std::byte, 32> table_entry(const TagSetting& setting);

/// A command is done.
struct Completion {
  std::uint16_t index = 0;  ///< of the command
  TniCause cause = TniCause::Good;
  std::uint64_t old = 0;  ///< what an atomic found
};

/// Another node's transfer has reached this one's memory, or was refused.
struct Notice {
  enum class Kind : std::uint8_t { Put, Get, Data, Atomic };
  std::uint16_t edata = 0;
  TniCause cause = TniCause::Good;
  std::uint32_t length = 0;
  Kind kind = Kind::Put;
  Coordinates from;
  int interface = 0, queue = 0;  ///< the sender's
  TaggedAddress at;
};

}  // namespace ht::tofu
