// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/halo.hpp"

#include <fmt/format.h>

#include "sw/host/errors.hpp"

namespace ht::dirac {
namespace {

constexpr std::size_t kAlignment = 128;

void check(QMP_status_t status, const char* what) {
  if (status != QMP_SUCCESS) {
    throw ProtocolError(fmt::format("{} of a halo failed: {}", what, QMP_error_string(status)));
  }
}

}  // namespace

Halo::Halo(const Slots& receive, const Slots& send, std::size_t slot_bytes) {
  for (int d = 0; d < kDirections; ++d) {
    const auto i = static_cast<std::size_t>(d);
    receive_[i] = declare(d, receive[i], slot_bytes, false);
    send_[i] = declare(d, send[i], slot_bytes, true);
  }
}

Halo::Message Halo::declare(int direction, int slots, std::size_t slot_bytes, bool is_send) {
  Message m;
  if (slots == 0) return m;
  const std::size_t bytes = static_cast<std::size_t>(slots) * slot_bytes;
  const int axis = direction / 2, sign = direction % 2 == 0 ? 1 : -1;
  m.memory.reset(QMP_allocate_aligned_memory(bytes, kAlignment, QMP_MEM_DEFAULT));
  if (m.memory) {
    m.buffer = static_cast<std::byte*>(QMP_get_memory_pointer(m.memory.get()));
    m.place.reset(QMP_declare_msgmem(m.buffer, bytes));
  }
  if (m.place) {
    m.handle.reset(is_send ? QMP_declare_send_relative(m.place.get(), axis, sign, 0)
                           : QMP_declare_receive_relative(m.place.get(), axis, sign, 0));
  }
  if (!m.handle) {
    throw ProtocolError(fmt::format("a halo message of {} bytes along {} was refused: {}", bytes,
                                    "xyzt"[axis], QMP_get_error_string(nullptr)));
  }
  return m;
}

void Halo::start_receives() {
  for (Message& m : receive_) {
    if (m.handle) check(QMP_start(m.handle.get()), "the receive");
  }
}

void Halo::start_send(int direction) {
  Message& m = send_[static_cast<std::size_t>(direction)];
  if (m.handle) check(QMP_start(m.handle.get()), "the send");
}

void Halo::wait_receive(int direction) {
  Message& m = receive_[static_cast<std::size_t>(direction)];
  if (m.handle) check(QMP_wait(m.handle.get()), "the receive");
}

void Halo::wait_receives() {
  for (int d = 0; d < kDirections; ++d) wait_receive(d);
}

void Halo::wait_sends() {
  for (Message& m : send_) {
    if (m.handle) check(QMP_wait(m.handle.get()), "the send");
  }
}

Halo::Slots face_sizes(const Geometry& geometry) {
  Halo::Slots slots{};
  for (int d = 0; d < kDirections; ++d) {
    slots[static_cast<std::size_t>(d)] = static_cast<int>(geometry.face(d).size());
  }
  return slots;
}

}  // namespace ht::dirac
