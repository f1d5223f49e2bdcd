// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sw/host/hardware_port.hpp"
#include "sw/tofu/profile.hpp"
#include "sw/tofu/tni_layout.hpp"

namespace ht::tofu {

/// GENERATION of a node's interfaces in an epoch. Five from one to the next: no answer to an epoch
/// before ends a new command if fewer than five of one number ended by the time limit there, and
/// eleven periods of the new one are longer than a packet lives. rtl/tofu/README.md, "After a
/// reset".
constexpr std::uint32_t first_generation(std::uint32_t epoch) {
  constexpr std::uint32_t apart = 5, generations = 16;
  return (epoch - 1) * apart % generations;
}

/// Sizes, and what the software around an access costs.
struct NetworkOptions {
  int interfaces = interfaces_per_node;  ///< of the node
  std::uint32_t epoch = 1;               ///< of the node, as its links have it
  int log2_commands = 6;  ///< of a queue's ring; its completions have a ring of twice as many
  int log2_notices = 9;
  std::uint32_t tags_per_queue = 512;
  Picoseconds command_cost = 20'000;  ///< building a descriptor
  Picoseconds poll_cost = 20'000;     ///< looking in vain for an entry
  /// A command that finds no room among the transfers that are open at the other end is sent again
  /// after `again_delay`, for `again_limit` at most: twice the longest time limit.
  Picoseconds again_delay = 1'000'000;
  Picoseconds again_limit = 27'000'000'000;
};

/// Direct access to one of the four network interfaces of a node: control queues whose rings lie in
/// the node's memory, and the table of steering tags. Only called from the node's fibre.
///
/// Queue q has tags q * tags_per_queue on. Bad arguments throw UsageError before anything gets to
/// the hardware; what the hardware reports of itself throws HardwareError.
class NetworkInterface {
 public:
  /// `name` of the node, for messages. Memory is taken at enable() and open().
  NetworkInterface(host::HardwarePort& port, std::string name, int number,
                   NetworkOptions options = {});
  ~NetworkInterface();
  NetworkInterface(const NetworkInterface&) = delete;
  NetworkInterface& operator=(const NetworkInterface&) = delete;

  host::HardwarePort& port() { return port_; }
  int number() const { return number_; }
  const NetworkOptions& options() const { return options_; }

  /// Lays the table and switches the interface on; once enabled nothing happens.
  void enable();
  /// Group of nodes, 0 to 63, that its commands are of; requests of others are refused.
  void set_group(int group);
  /// Packets of other groups that came.
  std::uint32_t strayed();

  void open(int queue);
  /// What is under way must have been polled to its end: UsageError else.
  void close(int queue);
  bool is_open(int queue) const { return queues_[at(queue)].open; }

  /// A queue's n-th tag.
  std::uint32_t tag(int queue, std::uint32_t n) const {
    return static_cast<std::uint32_t>(queue) * options_.tags_per_queue + n;
  }
  /// Gives memory to a tag of its owner. UsageError: a tag of another queue, or in use; memory that
  /// is not the node's, unaligned.
  void set_tag(std::uint32_t tag, const TagSetting& setting);
  /// Takes it away. Nothing uses it any more then, at the latest when the time limit of what was
  /// under way is over.
  void clear_tag(std::uint32_t tag);
  const std::optional<TagSetting>& setting(std::uint32_t tag) const;

  /// Whether submit() has room for a command; for how many.
  bool has_room(int queue) const;
  std::size_t room(int queue) const;
  /// Writes a command into the queue's ring; it goes with the next ring(). Returns its index.
  /// UsageError: no room, or it reaches outside of a tag of this queue.
  std::uint16_t submit(int queue, const Descriptor& command);
  /// Rings the hardware's doorbell for what was submitted, if anything was.
  void ring(int queue);
  /// Commands that have no completion yet.
  int under_way(int queue) const { return queues_[at(queue)].under_way; }

  /// What found no room at the other end was sent again, behind later commands, if it was not
  /// `strict`.
  std::optional<Completion> take_completion(int queue);
  std::optional<Notice> take_notice(int queue);
  /// Entries that could be taken now.
  std::size_t completions_waiting(int queue) const;
  std::size_t notices_waiting(int queue) const;

  /// Throws HardwareError if the interface reports something that is not some command's answer.
  void check();

 private:
  struct Again {
    std::uint16_t index;  ///< that its owner knows
    Picoseconds since;    ///< it was refused first
  };
  struct Queue {
    bool open = false;
    std::byte* commands = nullptr;
    std::byte* completions = nullptr;
    std::byte* notices = nullptr;
    std::uint16_t produced = 0, rung = 0;
    std::uint16_t completed = 0, completed_told = 0;
    std::uint16_t noticed = 0, noticed_told = 0;
    std::vector<bool> busy;    ///< by place in the ring of commands
    std::vector<bool> strict;  ///< the same
    /// What was refused for lack of room there, by the index it has now; a list of what waits for
    /// a place.
    std::map<std::uint16_t, Again> again;
    std::deque<std::pair<std::array<std::byte, 64>, Again>> waiting;
    int under_way = 0;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::uint32_t n() const { return static_cast<std::uint32_t>(number_); }
  std::byte* allocate(std::size_t bytes);
  std::uint32_t units(const std::byte* pointer) const;
  Queue& opened(int queue);
  void forget(std::uint32_t what);
  std::uint16_t place_command(Queue& q, std::span<const std::byte> bytes, bool strict);
  bool send_again(int queue, const Completion& refused, std::optional<Again> before);
  void send_waiting(int queue);
  void check_local(int queue, const Descriptor& command) const;
  const std::byte* completion_at(const Queue& q, std::uint16_t count) const;
  const std::byte* notice_at(const Queue& q, std::uint16_t count) const;
  [[noreturn]] void usage(const std::string& what) const;

  host::HardwarePort& port_;
  std::string name_;
  int number_;
  NetworkOptions options_;
  bool enabled_ = false;
  std::byte* table_ = nullptr;
  std::vector<std::optional<TagSetting>> tags_;
  std::array<Queue, queues_per_interface> queues_;
};

}  // namespace ht::tofu
