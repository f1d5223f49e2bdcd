// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>
#include <optional>

#include "sw/tofu/utofu/utofu_queues.hpp"

// The arguments of utofu.h's commands, as UtofuQueues takes them: the same for those that are
// carried out at once and those that are prepared.
namespace ht::tofu {

inline UtofuQueues::Request request(TniCommand kind, utofu_vcq_id_t vcq, utofu_stadd_t local,
                                    utofu_stadd_t remote, std::size_t length, std::uint64_t edata,
                                    unsigned long flags) {
  UtofuQueues::Request r;
  r.command.command = kind;
  r.command.length = length;
  r.vcq = vcq;
  r.local = local;
  r.remote = remote;
  r.edata = edata;
  r.flags = flags;
  return r;
}

inline UtofuQueues::Request strided(UtofuQueues::Request r, std::size_t stride,
                                    std::size_t blocks) {
  r.stride = stride;
  r.blocks = blocks;
  return r;
}

inline UtofuQueues::Request apart(UtofuQueues::Request r, std::size_t mtu, std::size_t gap) {
  r.mtu = mtu;
  r.gap = gap;
  return r;
}

/// A put of data in the command; what is longer is refused when it is checked.
inline UtofuQueues::Request put_of(const void* data, utofu_vcq_id_t vcq, utofu_stadd_t remote,
                                   std::size_t length, std::uint64_t edata, unsigned long flags) {
  auto r = request(TniCommand::PutImmediate, vcq, 0, remote, length, edata, flags);
  if (length <= r.command.data.size()) std::memcpy(r.command.data.data(), data, length);
  return r;
}

/// An atomic operation on 4 or 8 bytes; `compare` for compare and swap only.
template <typename Word>
UtofuQueues::Request atomic(utofu_vcq_id_t vcq, AtomicOperation operation, Word operand,
                            Word compare, utofu_stadd_t remote, std::uint64_t edata,
                            unsigned long flags) {
  auto r = request(TniCommand::Atomic, vcq, 0, remote, 0, edata, flags);
  r.command.operation = operation;
  r.command.wide = sizeof(Word) == 8;
  const std::uint64_t operands[] = {operand, compare};
  std::memcpy(r.command.data.data(), operands, sizeof operands);
  return r;
}

/// Nothing if there is no such operation.
inline std::optional<AtomicOperation> operation_of(utofu_armw_op operation) {
  switch (operation) {
    case UTOFU_ARMW_OP_SWAP:
      return AtomicOperation::Swap;
    case UTOFU_ARMW_OP_ADD:
      return AtomicOperation::Add;
    case UTOFU_ARMW_OP_XOR:
      return AtomicOperation::Xor;
    case UTOFU_ARMW_OP_AND:
      return AtomicOperation::And;
    case UTOFU_ARMW_OP_OR:
      return AtomicOperation::Or;
  }
  return std::nullopt;
}

}  // namespace ht::tofu
