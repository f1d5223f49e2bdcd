// SPDX-License-Identifier: Apache-2.0
// QMP's C API: memory and messages.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>

#include "sw/host/fibre.hpp"
#include "sw/qmp/qmp.h"
#include "sw/qmp/state.hpp"

using ht::qmp::initialized_state;
using ht::qmp::MessageLayout;
using ht::qmp::State;
using ht::qmp::TimedCall;
using Kind = QMP_msghandle_struct::Kind;

namespace {

QMP_msgmem_t add_msgmem(State& state, void* base, MessageLayout layout) {
  auto owned = std::make_unique<QMP_msgmem_struct>();
  owned->base = static_cast<std::byte*>(base);
  owned->layout = std::make_shared<const MessageLayout>(std::move(layout));
  QMP_msgmem_t handle = owned.get();
  state.msgmems.emplace(handle, std::move(owned));
  return handle;
}

/// The state if the handle is one of the node's; else null, with the error noted.
State* state_of(QMP_msghandle_t h, const char* what) {
  State* s = initialized_state();
  if (s == nullptr) return nullptr;
  if (s->handles.contains(h)) return s;
  s->fail(QMP_BAD_MESSAGE, fmt::format("{}: no such message handle", what));
  return nullptr;
}

QMP_status_t why() {
  State* s = State::current();
  return s == nullptr ? QMP_NOT_INITED : s->last_error;
}

// No memory has more bytes than a ptrdiff_t counts; a size_t that was a negative number is more.
constexpr auto most_bytes = static_cast<size_t>(PTRDIFF_MAX);
constexpr size_t most_alignment = size_t{1} << 40;

/// Whether a message may become longer by so many blocks.
bool fits(const MessageLayout& layout, size_t bytes, size_t count) {
  const size_t left = most_bytes - layout.bytes();
  return count == 0 || bytes <= left / count;
}

std::string too_long(int count, size_t bytes) {
  return fmt::format("a message of {} blocks of {} bytes: is the length negative?", count,
                     static_cast<ptrdiff_t>(bytes));
}

/// Whether this is a destructor on the way out of a program that failed: asking the hardware for
/// what is under way could throw again.
bool is_failing() {
  return std::uncaught_exceptions() > 0;
}

}  // namespace

extern "C" {

QMP_mem_t* QMP_allocate_aligned_memory(size_t nbytes, size_t alignment, int /*flags*/) {
  State* s = initialized_state();
  if (s == nullptr) return nullptr;
  if (alignment == QMP_ALIGN_ANY) alignment = s->transport.granularity();
  if ((alignment & (alignment - 1)) != 0) {
    s->fail(QMP_INVALID_ARG, fmt::format("an alignment of {} bytes is no power of two", alignment));
    return nullptr;
  }
  if (nbytes > most_bytes || alignment > most_alignment) {
    s->fail(QMP_INVALID_ARG, fmt::format("memory of {} bytes, aligned to {}: is it negative?",
                                         static_cast<ptrdiff_t>(nbytes), alignment));
    return nullptr;
  }
  try {
    auto owned = std::make_unique<QMP_mem_struct>();
    // Never less than what the machine likes: then the start of the memory needs no bouncing.
    owned->pointer = s->transport.allocate(std::max<size_t>(nbytes, 1),
                                           std::max(alignment, s->transport.granularity()));
    owned->bytes = nbytes;
    QMP_mem_t* handle = owned.get();
    s->memories.emplace(handle, std::move(owned));
    return handle;
  } catch (const std::bad_alloc&) {
    s->fail(QMP_NOMEM_ERR, fmt::format("{} bytes are more than the node has left", nbytes));
    return nullptr;
  }
}

QMP_mem_t* QMP_allocate_memory(size_t nbytes) {
  return QMP_allocate_aligned_memory(nbytes, QMP_ALIGN_DEFAULT, QMP_MEM_DEFAULT);
}

void* QMP_get_memory_pointer(QMP_mem_t* mem) {
  State* s = initialized_state();
  if (s == nullptr) return nullptr;
  if (s->memories.contains(mem)) return mem->pointer;
  s->fail(QMP_BAD_MEMORY, "QMP_get_memory_pointer: not memory that QMP allocated");
  return nullptr;
}

void QMP_free_memory(QMP_mem_t* mem) {
  if (ht::host::Fibre::is_thrown_away()) return;
  State* s = initialized_state();
  if (s == nullptr || mem == nullptr) return;
  if (!s->memories.contains(mem)) {
    s->fail(QMP_BAD_MEMORY, "QMP_free_memory: not memory that QMP allocated");
    return;
  }
  if (is_failing()) return;
  if (!s->check_messages(mem)) return;
  s->transport.release(mem->pointer);
  s->memories.erase(mem);
}

QMP_msgmem_t QMP_declare_msgmem(const void* mem, size_t nbytes) {
  return QMP_declare_strided_msgmem(const_cast<void*>(mem), nbytes, 1, 0);
}

QMP_msgmem_t QMP_declare_strided_msgmem(void* base, size_t blksize, int nblocks, ptrdiff_t stride) {
  return QMP_declare_strided_array_msgmem(&base, &blksize, &nblocks, &stride, 1);
}

QMP_msgmem_t QMP_declare_strided_array_msgmem(void* base[], size_t blksize[], int nblocks[],
                                              ptrdiff_t stride[], int num) {
  State* s = initialized_state();
  if (s == nullptr) return nullptr;
  MessageLayout layout;
  for (int i = 0; i < num; ++i) {
    if (nblocks[i] < 0) {
      s->fail(QMP_INVALID_ARG, fmt::format("a message of {} blocks", nblocks[i]));
      return nullptr;
    }
    if (!fits(layout, blksize[i], static_cast<size_t>(nblocks[i]))) {
      s->fail(QMP_INVALID_ARG, too_long(nblocks[i], blksize[i]));
      return nullptr;
    }
    layout.append(static_cast<std::byte*>(base[i]) - static_cast<std::byte*>(base[0]), blksize[i],
                  static_cast<size_t>(nblocks[i]), stride[i]);
  }
  if (num < 1 || (base[0] == nullptr && layout.bytes() > 0)) {
    s->fail(QMP_INVALID_ARG, "a message without memory");
    return nullptr;
  }
  return add_msgmem(*s, base[0], std::move(layout));
}

QMP_msgmem_t QMP_declare_indexed_msgmem(void* base, int blocklen[], int index[], int elemsize,
                                        int count) {
  State* s = initialized_state();
  if (s == nullptr) return nullptr;
  MessageLayout layout;
  for (int i = 0; i < count; ++i) {
    if (blocklen[i] < 0 || elemsize < 0) {
      s->fail(QMP_INVALID_ARG, fmt::format("block {} has a negative length", i));
      return nullptr;
    }
    if (!fits(layout, static_cast<size_t>(elemsize), static_cast<size_t>(blocklen[i]))) {
      s->fail(QMP_INVALID_ARG, too_long(blocklen[i], static_cast<size_t>(elemsize)));
      return nullptr;
    }
    layout.append(static_cast<ptrdiff_t>(index[i]) * elemsize,
                  static_cast<size_t>(blocklen[i]) * static_cast<size_t>(elemsize), 1, 0);
  }
  if (count < 0 || (base == nullptr && layout.bytes() > 0)) {
    s->fail(QMP_INVALID_ARG, "a message without memory");
    return nullptr;
  }
  return add_msgmem(*s, base, std::move(layout));
}

void QMP_free_msgmem(QMP_msgmem_t m) {
  if (ht::host::Fibre::is_thrown_away()) return;
  State* s = initialized_state();
  if (s == nullptr) return;
  if (s->msgmems.erase(m) == 0) s->fail(QMP_BAD_MEMORY, "QMP_free_msgmem: no such message memory");
}

QMP_msghandle_t QMP_comm_declare_receive_relative(QMP_comm_t comm, QMP_msgmem_t m, int axis,
                                                  int dir, int /*priority*/) {
  State* s = initialized_state();
  if (s == nullptr) return nullptr;
  const TimedCall timed(*s);
  return s->declare(comm, m, false, axis, dir);
}
QMP_msghandle_t QMP_declare_receive_relative(QMP_msgmem_t m, int axis, int dir, int priority) {
  return QMP_comm_declare_receive_relative(QMP_comm_get_default(), m, axis, dir, priority);
}
QMP_msghandle_t QMP_comm_declare_send_relative(QMP_comm_t comm, QMP_msgmem_t m, int axis, int dir,
                                               int /*priority*/) {
  State* s = initialized_state();
  if (s == nullptr) return nullptr;
  const TimedCall timed(*s);
  return s->declare(comm, m, true, axis, dir);
}
QMP_msghandle_t QMP_declare_send_relative(QMP_msgmem_t m, int axis, int dir, int priority) {
  return QMP_comm_declare_send_relative(QMP_comm_get_default(), m, axis, dir, priority);
}
QMP_msghandle_t QMP_comm_declare_send_to(QMP_comm_t comm, QMP_msgmem_t m, int rem_node_rank,
                                         int /*priority*/) {
  State* s = initialized_state();
  if (s == nullptr) return nullptr;
  const TimedCall timed(*s);
  return s->declare_by_rank(comm, m, true, rem_node_rank);
}
QMP_msghandle_t QMP_declare_send_to(QMP_msgmem_t m, int rem_node_rank, int priority) {
  return QMP_comm_declare_send_to(QMP_comm_get_default(), m, rem_node_rank, priority);
}
QMP_msghandle_t QMP_comm_declare_receive_from(QMP_comm_t comm, QMP_msgmem_t m, int rem_node_rank,
                                              int /*priority*/) {
  State* s = initialized_state();
  if (s == nullptr) return nullptr;
  const TimedCall timed(*s);
  return s->declare_by_rank(comm, m, false, rem_node_rank);
}
QMP_msghandle_t QMP_declare_receive_from(QMP_msgmem_t m, int rem_node_rank, int priority) {
  return QMP_comm_declare_receive_from(QMP_comm_get_default(), m, rem_node_rank, priority);
}

QMP_status_t QMP_change_address(QMP_msghandle_t msg, void* addr) {
  State* s = state_of(msg, "QMP_change_address");
  if (s == nullptr) return why();
  if (msg->kind == Kind::Multiple) {
    return msg->error = s->fail(QMP_INVALID_ARG, "QMP_change_address: the handle is a multiple");
  }
  if (msg->active) {
    return msg->error = s->fail(QMP_INVALID_OP, "QMP_change_address: the message is under way");
  }
  if (addr == nullptr) return msg->error = s->fail(QMP_INVALID_ARG, "QMP_change_address to NULL");
  msg->moved = msg->moved || addr != msg->base;
  msg->base = static_cast<std::byte*>(addr);
  return QMP_SUCCESS;
}

QMP_status_t QMP_change_address_multiple(QMP_msghandle_t msg, void* addr[], int naddr) {
  State* s = state_of(msg, "QMP_change_address_multiple");
  if (s == nullptr) return why();
  if (msg->kind != Kind::Multiple || naddr != static_cast<int>(msg->members.size())) {
    return msg->error = s->fail(QMP_INVALID_ARG,
                                fmt::format("QMP_change_address_multiple: {} addresses for {} "
                                            "messages",
                                            naddr, msg->members.size()));
  }
  for (size_t i = 0; i < msg->members.size(); ++i) {
    const QMP_status_t status = QMP_change_address(msg->members[i], addr[i]);
    if (status != QMP_SUCCESS) return msg->error = status;
  }
  return QMP_SUCCESS;
}

QMP_msghandle_t QMP_declare_multiple(QMP_msghandle_t msgh[], int num) {
  State* s = initialized_state();
  if (s == nullptr) return nullptr;
  if (num < 0) {
    s->fail(QMP_INVALID_ARG, fmt::format("QMP_declare_multiple: {} messages", num));
    return nullptr;
  }
  auto owned = std::make_unique<QMP_msghandle_struct>();
  owned->kind = Kind::Multiple;
  for (int i = 0; i < num; ++i) {
    QMP_msghandle_t h = msgh[i];
    if (state_of(h, "QMP_declare_multiple") == nullptr) return nullptr;
    if (h->member || h->active || std::find(msgh, msgh + i, h) != msgh + i) {
      s->fail(QMP_INVALID_ARG,
              fmt::format("QMP_declare_multiple: message {} is under way or joined already", i));
      return nullptr;
    }
  }
  for (int i = 0; i < num; ++i) {
    QMP_msghandle_t h = msgh[i];
    if (h->kind != Kind::Multiple) {
      h->member = true;
      owned->members.push_back(h);
      continue;
    }
    owned->members.insert(owned->members.end(), h->members.begin(), h->members.end());
    s->handles.erase(h);
  }
  QMP_msghandle_t handle = owned.get();
  s->handles.emplace(handle, std::move(owned));
  return handle;
}

QMP_msghandle_t QMP_declare_send_recv_pairs(QMP_msghandle_t msgh[], int num) {
  return QMP_declare_multiple(msgh, num);
}

void QMP_free_msghandle(QMP_msghandle_t h) {
  if (h == nullptr || ht::host::Fibre::is_thrown_away()) return;
  State* s = state_of(h, "QMP_free_msghandle");
  if (s == nullptr) return;
  const TimedCall timed(*s);
  if (h->member) {
    s->fail(QMP_INVALID_OP, "QMP_free_msghandle: it belongs to a multiple, which frees it");
    return;
  }
  if (h->active && is_failing()) return;
  if (h->active && !s->is_complete(*h)) {
    s->fail(QMP_INVALID_OP, "QMP_free_msghandle: the message is under way; wait for it first");
    return;
  }
  for (QMP_msghandle_t m : h->members) {
    s->forget(*m);
    s->handles.erase(m);
  }
  s->forget(*h);
  s->handles.erase(h);
}

QMP_status_t QMP_clear_to_send(QMP_msghandle_t mh, QMP_clear_to_send_t /*cts*/) {
  State* s = state_of(mh, "QMP_clear_to_send");
  if (s == nullptr) return why();
  if (mh->active) return mh->error = s->fail(QMP_INVALID_OP, "QMP_clear_to_send: under way");
  return QMP_SUCCESS;
}

QMP_status_t QMP_start(QMP_msghandle_t h) {
  State* s = state_of(h, "QMP_start");
  if (s == nullptr) return why();
  if (h->member) {
    return h->error = s->fail(QMP_INVALID_OP, "QMP_start: the message belongs to a multiple");
  }
  const TimedCall timed(*s);
  return s->start(*h);
}

QMP_status_t QMP_wait(QMP_msghandle_t h) {
  State* s = state_of(h, "QMP_wait");
  if (s == nullptr) return why();
  const TimedCall timed(*s);
  s->wait(*h);
  return QMP_SUCCESS;
}

QMP_status_t QMP_wait_all(QMP_msghandle_t h[], int num) {
  State* s = initialized_state();
  if (s == nullptr) return QMP_NOT_INITED;
  const TimedCall timed(*s);
  QMP_status_t result = QMP_SUCCESS;
  for (int i = 0; i < num; ++i) {
    const QMP_status_t status = QMP_wait(h[i]);
    if (status != QMP_SUCCESS) result = status;
  }
  return result;
}

QMP_bool_t QMP_is_complete(QMP_msghandle_t h) {
  State* s = state_of(h, "QMP_is_complete");
  if (s == nullptr) return QMP_FALSE;
  const TimedCall timed(*s);
  return s->is_complete(*h) ? QMP_TRUE : QMP_FALSE;
}

}  // extern "C"
