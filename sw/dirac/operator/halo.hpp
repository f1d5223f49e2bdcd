// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <memory>

#include "sw/dirac/operator/lattice.hpp"
#include "sw/dirac/phase_clock.hpp"
#include "sw/qmp/qmp.h"

namespace ht::dirac {

/// Persistent messages with the neighbours in the eight directions, in memory that the network
/// reaches. A direction with no slots has no message, at neither end.
class Halo {
 public:
  using Slots = std::array<int, kDirections>;

  /// `receive[d]` slots of `slot_bytes` come from the neighbour in direction d, `send[d]` go to it.
  /// Throws ProtocolError if QMP refuses.
  Halo(const Slots& receive, const Slots& send, std::size_t slot_bytes);

  template <class T>
  T* send_buffer(int direction) {
    return reinterpret_cast<T*>(send_[static_cast<std::size_t>(direction)].buffer);
  }
  template <class T>
  const T* receive_buffer(int direction) const {
    return reinterpret_cast<const T*>(receive_[static_cast<std::size_t>(direction)].buffer);
  }

  void start_receives();
  void start_send(int direction);
  void wait_receive(int direction);
  /// All of them.
  void wait_receives();
  /// Until the send buffers may be written again.
  void wait_sends();

 private:
  struct FreeMemory {
    void operator()(QMP_mem_t* p) const { QMP_free_memory(p); }
  };
  struct FreeMessageMemory {
    void operator()(QMP_msgmem_t p) const { QMP_free_msgmem(p); }
  };
  struct FreeHandle {
    void operator()(QMP_msghandle_t p) const { QMP_free_msghandle(p); }
  };
  struct Message {
    std::unique_ptr<QMP_mem_t, FreeMemory> memory;
    std::unique_ptr<std::remove_pointer_t<QMP_msgmem_t>, FreeMessageMemory> place;
    std::unique_ptr<std::remove_pointer_t<QMP_msghandle_t>, FreeHandle> handle;
    std::byte* buffer = nullptr;
  };

  static Message declare(int direction, int slots, std::size_t slot_bytes, bool is_send);

  std::array<Message, kDirections> receive_, send_;
};

/// The number of sites of each face: the slots of a halo of all sites.
Halo::Slots face_sizes(const Geometry& geometry);

}  // namespace ht::dirac
