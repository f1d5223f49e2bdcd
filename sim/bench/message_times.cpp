// SPDX-License-Identifier: Apache-2.0
#include "sim/bench/message_times.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>

#include "sw/host/errors.hpp"
#include "sw/qmp/qmp.h"

namespace ht::bench {
namespace {

Picoseconds now() {
  return std::llround(QMP_time() * 1e12);
}

// The same at both ends; no byte is what a fresh buffer has.
std::uint8_t pattern(std::size_t i) {
  return static_cast<std::uint8_t>(1 + i % 251);
}

/// One end of a ping-pong of `data`.
class Ends {
 public:
  Ends(std::span<std::uint8_t> data, int axis, bool first)
      : first_(first), memory_(QMP_declare_msgmem(data.data(), data.size())) {
    const int direction = first ? +1 : -1;
    send_ = QMP_declare_send_relative(memory_, axis, direction, 0);
    receive_ = QMP_declare_receive_relative(memory_, axis, direction, 0);
    if (send_ == nullptr || receive_ == nullptr)
      throw ProtocolError("QMP declares no messages to a neighbour");
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;

  void round() {
    for (const QMP_msghandle_t each : {first_ ? send_ : receive_, first_ ? receive_ : send_}) {
      QMP_start(each);
      QMP_wait(each);
    }
  }
  /// Not in a destructor: what ends a program by an exception ends its messages, too.
  void free() {
    QMP_free_msghandle(send_);
    QMP_free_msghandle(receive_);
    QMP_free_msgmem(memory_);
  }

 private:
  bool first_;
  QMP_msgmem_t memory_;
  QMP_msghandle_t send_ = nullptr, receive_ = nullptr;
};

Picoseconds half_round_trip(std::span<std::uint8_t> data, int axis, bool first) {
  // Short ones start at whatever phase the clocks have.
  const int rounds = data.size() <= 1024 ? 4 : 1;
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = first ? pattern(i) : 0;
  Ends ends(data, axis, first);
  ends.round();
  const Picoseconds begin = now();
  for (int i = 0; i < rounds; ++i) ends.round();
  const Picoseconds end = now();
  ends.free();
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data[i] != pattern(i))
      throw MismatchError("a message of " + std::to_string(data.size()) +
                          " bytes came back with another byte at " + std::to_string(i));
  }
  return (end - begin) / (2 * rounds);
}

}  // namespace

std::vector<std::size_t> message_sizes(std::size_t largest) {
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = 8; bytes <= largest; bytes *= 2) sizes.push_back(bytes);
  return sizes;
}

std::vector<MessageTime> message_times(const std::vector<std::size_t>& sizes) {
  QMP_thread_level_t provided = QMP_THREAD_SINGLE;
  QMP_init_msg_passing(nullptr, nullptr, QMP_THREAD_SINGLE, &provided);
  const std::span lengths(QMP_get_allocated_dimensions(),
                          static_cast<std::size_t>(QMP_get_allocated_number_of_dimensions()));
  if (QMP_declare_logical_topology(lengths.data(), static_cast<int>(lengths.size())) != QMP_SUCCESS)
    throw ProtocolError("QMP does not take the machine's own torus");
  const auto along = std::ranges::find_if(lengths, [](int length) { return length > 1; });
  if (along == lengths.end())
    throw UsageError("messages need a neighbour; take a machine of at least two nodes");
  const auto axis = static_cast<std::size_t>(along - lengths.begin());
  const std::span place(QMP_get_logical_coordinates(), lengths.size());
  // All places but the axis' are 0, and the axis' is 0 or 1.
  const bool first = place[axis] == 0;
  const bool takes_part =
      place[axis] <= 1 && std::accumulate(place.begin(), place.end(), 0) == place[axis];
  std::vector<MessageTime> times;
  if (takes_part && !sizes.empty()) {
    QMP_mem_t* const memory =
        QMP_allocate_aligned_memory(*std::ranges::max_element(sizes), 128, QMP_MEM_COMMS);
    if (memory == nullptr) throw UsageError("a node has no memory for a message this long");
    auto* const data = static_cast<std::uint8_t*>(QMP_get_memory_pointer(memory));
    for (const std::size_t bytes : sizes) {
      const Picoseconds time = half_round_trip({data, bytes}, static_cast<int>(axis), first);
      if (first) times.push_back({bytes, time});
    }
    QMP_free_memory(memory);
  }
  QMP_finalize_msg_passing();
  return times;
}

}  // namespace ht::bench
