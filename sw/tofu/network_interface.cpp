// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/network_interface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sw/host/causes.hpp"
#include "sw/host/errors.hpp"
#include "sw/tofu/registers.hpp"

namespace ht::tofu {
namespace {

namespace tni = registers::tni;

constexpr std::size_t command_bytes = 64, completion_bytes = 16, notice_bytes = 32,
                      table_bytes = 32;
// Answered command by command, or harmless: all others end the program.
constexpr std::uint32_t told_elsewhere =
    tni::error_descriptor.mask | tni::error_soft_corrected.mask;

std::uint64_t get(const std::byte* from, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i)
    value |= static_cast<std::uint64_t>(from[at + i]) << (8 * i);
  return value;
}

/// The phase of the n-th entry of a ring is 1 the first time round, then 0, ...
bool there(const std::byte* entry, std::uint16_t count, int log2_size) {
  const bool phase = (count >> log2_size & 1) == 0;
  return (static_cast<unsigned>(entry[3]) & 1U) == (phase ? 1U : 0U);
}

}  // namespace

NetworkInterface::NetworkInterface(host::HardwarePort& port, std::string name, int number,
                                   NetworkOptions options)
    : port_(port), name_(std::move(name)), number_(number), options_(options) {
  if (number < 0 || number >= options.interfaces)
    usage(fmt::format("a node has network interfaces 0 to {}", options.interfaces - 1));
  tags_.resize(std::size_t{queues_per_interface} * options_.tags_per_queue);
}

NetworkInterface::~NetworkInterface() {
  // The hardware may still write into the rings: they are not given back before it is disabled.
}

void NetworkInterface::usage(const std::string& what) const {
  throw UsageError(fmt::format("{}, network interface {}: {}", name_, number_, what));
}

std::byte* NetworkInterface::allocate(std::size_t bytes) {
  auto* const memory = static_cast<std::byte*>(port_.memory().allocate(bytes, 128));
  std::memset(memory, 0, bytes);
  return memory;
}

std::uint32_t NetworkInterface::units(const std::byte* pointer) const {
  return static_cast<std::uint32_t>(*port_.memory().offset_of(pointer) / 16);
}

void NetworkInterface::set_group(int group) {
  port_.write_register(tni::group(n()), static_cast<std::uint32_t>(group));
}

std::uint32_t NetworkInterface::strayed() {
  return port_.read_register(tni::strayed(n()));
}

void NetworkInterface::enable() {
  if (enabled_) return;
  table_ = allocate(tags_.size() * table_bytes);
  port_.write_register(tni::table_base(n()), units(table_));
  port_.write_register(tni::table_tags(n()), static_cast<std::uint32_t>(tags_.size()));
  forget(tni::table_forget_all.mask);
  // Zero after a reset, and refused if there was none.
  if (const std::uint32_t first = first_generation(options_.epoch); first != 0)
    port_.write_register(tni::generation(n()), first);
  port_.write_register(tni::control(n()), tni::control_enable.mask);
  enabled_ = true;
}

void NetworkInterface::open(int queue) {
  if (queue < 0 || queue >= queues_per_interface) usage(fmt::format("there is no queue {}", queue));
  Queue& q = queues_[at(queue)];
  if (q.open) usage(fmt::format("queue {} is open already", queue));
  enable();
  const std::size_t commands = std::size_t{1} << options_.log2_commands;
  const std::size_t notices = std::size_t{1} << options_.log2_notices;
  if (q.commands == nullptr) {
    q.commands = allocate(commands * command_bytes);
    q.completions = allocate(2 * commands * completion_bytes);
    q.notices = allocate(notices * notice_bytes);
  }
  // Phases begin at 1: nothing of an earlier use may look like an entry.
  std::memset(q.completions, 0, 2 * commands * completion_bytes);
  std::memset(q.notices, 0, notices * notice_bytes);
  q.produced = q.rung = q.completed = q.completed_told = q.noticed = q.noticed_told = 0;
  q.busy.assign(commands, false);
  q.strict.assign(commands, false);
  q.again.clear();
  q.waiting.clear();
  const auto u = static_cast<std::uint32_t>(queue);
  port_.write_register(tni::queue_commands(n(), u), units(q.commands));
  port_.write_register(tni::queue_completions(n(), u), units(q.completions));
  port_.write_register(tni::queue_notices(n(), u), units(q.notices));
  port_.write_register(tni::queue_producer(n(), u), 0);
  port_.write_register(tni::queue_completed(n(), u), 0);
  port_.write_register(tni::queue_noticed(n(), u), 0);
  const auto log2 = [](int x) { return static_cast<std::uint32_t>(x); };
  port_.write_register(tni::queue_control(n(), u),
                       tni::queue_control_enable.mask |
                           tni::queue_control_commands.put(log2(options_.log2_commands)) |
                           tni::queue_control_completions.put(log2(options_.log2_commands + 1)) |
                           tni::queue_control_notices.put(log2(options_.log2_notices)));
  q.open = true;
}

void NetworkInterface::close(int queue) {
  Queue& q = opened(queue);
  if (q.under_way != 0)
    usage(fmt::format("queue {} is closed with {} commands under way", queue, q.under_way));
  const std::uint32_t control = tni::queue_control(n(), static_cast<std::uint32_t>(queue));
  port_.write_register(control, 0);
  // A read is answered when memory has all that was written until then: entries on their way to the
  // rings, which open() clears for the next use.
  port_.read_register(control);
  for (std::uint32_t i = 0; i < options_.tags_per_queue; ++i) {
    if (tags_[tag(queue, i)]) clear_tag(tag(queue, i));
  }
  q.open = false;
}

NetworkInterface::Queue& NetworkInterface::opened(int queue) {
  if (queue < 0 || queue >= queues_per_interface || !queues_[at(queue)].open)
    usage(fmt::format("queue {} is not open", queue));
  return queues_[at(queue)];
}

// -------------------------------------------------------------------------------------------------
// Steering tags

const std::optional<TagSetting>& NetworkInterface::setting(std::uint32_t tag) const {
  static const std::optional<TagSetting> none;
  return tag < tags_.size() ? tags_[tag] : none;
}

void NetworkInterface::set_tag(std::uint32_t tag, const TagSetting& s) {
  if (!enabled_) usage("it has no table of steering tags before it is enabled");
  if (tag >= tags_.size() || tag / options_.tags_per_queue != static_cast<std::uint32_t>(s.owner))
    usage(fmt::format("steering tag {} is none of queue {}", tag, s.owner));
  if (tags_[tag]) usage(fmt::format("steering tag {} is in use", tag));
  const std::uint64_t memory = port_.memory().size();
  if (s.base % 16 != 0 || s.length == 0 || s.base > memory || s.length > memory - s.base)
    usage(
        fmt::format("steering tag {}: {} bytes at offset {} of the node's {} bytes of memory; it "
                    "begins at a multiple of 16",
                    tag, s.length, s.base, memory));
  const auto entry = table_entry(s);
  // The word that says "valid" comes last.
  std::byte* const to = table_ + tag * table_bytes;
  std::memcpy(to + 16, entry.data() + 16, 16);
  std::memcpy(to, entry.data(), 16);
  tags_[tag] = s;
}

void NetworkInterface::clear_tag(std::uint32_t tag) {
  if (!setting(tag)) usage(fmt::format("steering tag {} names no memory", tag));
  std::memset(table_ + tag * table_bytes, 0, table_bytes);
  tags_[tag].reset();
  forget(tag);
}

/// Waits until nothing uses it any more.
void NetworkInterface::forget(std::uint32_t what) {
  constexpr Picoseconds longest = 10'000'000;
  const Picoseconds begin = port_.now();
  port_.write_register(tni::table_forget(n()), what);
  for (Picoseconds pause = options_.poll_cost;
       (port_.read_register(tni::table_forget(n())) & tni::table_forget_busy.mask) != 0;
       pause = std::min(2 * pause, longest)) {
    if (port_.now() - begin > options_.again_limit)
      throw HardwareError(
          fmt::format("{}, network interface {}: what was forgotten (TABLE_FORGET {:#x}) is in use "
                      "beyond the longest time limit",
                      name_, number_, what));
    port_.pause(pause);
  }
}

// -------------------------------------------------------------------------------------------------
// Commands

bool NetworkInterface::has_room(int queue) const {
  const Queue& q = queues_[at(queue)];
  // A place is free when its last command has answered: then it was fetched long ago.
  return q.open && !q.busy[q.produced % q.busy.size()];
}

std::size_t NetworkInterface::room(int queue) const {
  const Queue& q = queues_[at(queue)];
  std::size_t count = 0;
  while (q.open && count < q.busy.size() && !q.busy[(q.produced + count) % q.busy.size()]) ++count;
  return count;
}

void NetworkInterface::check_local(int queue, const Descriptor& c) const {
  if (c.length > transfer_limit)
    usage(fmt::format("a transfer of {} bytes; {} at most", c.length, transfer_limit));
  if (c.command == TniCommand::PutImmediate && c.length > immediate_limit)
    usage(fmt::format("a command carries {} bytes at most, not {}", immediate_limit, c.length));
  if (c.command != TniCommand::Put && c.command != TniCommand::Get) return;
  const auto& s = setting(c.local.tag);
  if (!s || s->owner != queue || c.local.offset > s->length ||
      c.length > s->length - c.local.offset)
    usage(fmt::format("queue {}: {} bytes at offset {} of steering tag {} are not its memory",
                      queue, c.length, c.local.offset, c.local.tag));
}

std::uint16_t NetworkInterface::submit(int queue, const Descriptor& command) {
  Queue& q = opened(queue);
  check_local(queue, command);
  if (!has_room(queue)) usage(fmt::format("queue {} has no room for a command", queue));
  port_.advance(options_.command_cost);
  ++q.under_way;
  return place_command(q, command.bytes(), command.strict);
}

std::uint16_t NetworkInterface::place_command(Queue& q, std::span<const std::byte> bytes,
                                              bool strict) {
  const std::uint16_t index = q.produced++;
  const std::size_t place = index % q.busy.size();
  std::memcpy(q.commands + place * command_bytes, bytes.data(), bytes.size());
  q.busy[place] = true;
  q.strict[place] = strict;
  return index;
}

/// Whether a command that found no room goes again, now or when it has a place.
bool NetworkInterface::send_again(int queue, const Completion& refused,
                                  std::optional<Again> before) {
  Queue& q = queues_[at(queue)];
  const std::size_t place = refused.index % q.busy.size();
  const Again again = before.value_or(Again{refused.index, port_.now()});
  if (q.strict[place] || port_.now() - again.since > options_.again_limit) return false;
  auto& waiting = q.waiting.emplace_back();
  std::memcpy(waiting.first.data(), q.commands + place * command_bytes, command_bytes);
  waiting.second = again;
  port_.advance(options_.again_delay);
  return true;
}

void NetworkInterface::send_waiting(int queue) {
  Queue& q = queues_[at(queue)];
  for (; !q.waiting.empty() && has_room(queue); q.waiting.pop_front()) {
    const auto& [bytes, again] = q.waiting.front();
    q.again[place_command(q, bytes, false)] = again;
  }
  ring(queue);
}

void NetworkInterface::ring(int queue) {
  Queue& q = opened(queue);
  if (q.rung == q.produced) return;
  q.rung = q.produced;
  port_.write_register(tni::queue_producer(n(), static_cast<std::uint32_t>(queue)), q.produced);
}

// -------------------------------------------------------------------------------------------------
// Ring entries

const std::byte* NetworkInterface::completion_at(const Queue& q, std::uint16_t count) const {
  const int log2_size = options_.log2_commands + 1;
  const std::byte* const entry =
      q.completions + (count & ((1U << log2_size) - 1)) * completion_bytes;
  return there(entry, count, log2_size) ? entry : nullptr;
}

const std::byte* NetworkInterface::notice_at(const Queue& q, std::uint16_t count) const {
  const std::byte* const entry =
      q.notices + (count & ((1U << options_.log2_notices) - 1)) * notice_bytes;
  return there(entry, count, options_.log2_notices) ? entry : nullptr;
}

std::optional<Completion> NetworkInterface::take_completion(int queue) {
  Queue& q = opened(queue);
  if (!q.waiting.empty()) send_waiting(queue);
  const std::byte* const e = completion_at(q, q.completed);
  if (e == nullptr) return std::nullopt;
  Completion c;
  c.index = static_cast<std::uint16_t>(get(e, 0, 2));
  c.cause = static_cast<TniCause>(get(e, 2, 1));
  c.old = get(e, 8, 8);
  ++q.completed;
  const std::size_t place = c.index % q.busy.size();
  if (!q.busy[place])
    throw HardwareError(fmt::format("{}, network interface {}, queue {}: command {} answered twice",
                                    name_, number_, queue, c.index));
  q.busy[place] = false;
  std::optional<Again> before;
  if (const auto found = q.again.find(c.index); found != q.again.end()) {
    before = found->second;
    q.again.erase(found);
  }
  // Told now and then: there is room for twice what can be under way.
  if (static_cast<std::uint16_t>(q.completed - q.completed_told) >= q.busy.size() / 2) {
    q.completed_told = q.completed;
    port_.write_register(tni::queue_completed(n(), static_cast<std::uint32_t>(queue)), q.completed);
  }
  if (c.cause == TniCause::Full && send_again(queue, c, before)) return take_completion(queue);
  --q.under_way;
  if (before) c.index = before->index;
  return c;
}

std::optional<Notice> NetworkInterface::take_notice(int queue) {
  Queue& q = opened(queue);
  const std::byte* const e = notice_at(q, q.noticed);
  if (e == nullptr) return std::nullopt;
  Notice r;
  r.edata = static_cast<std::uint16_t>(get(e, 0, 2));
  r.cause = static_cast<TniCause>(get(e, 2, 1));
  r.length = static_cast<std::uint32_t>(get(e, 4, 3));
  r.kind = static_cast<Notice::Kind>(get(e, 7, 1));
  r.from = Coordinates::from_address(static_cast<std::uint32_t>(get(e, 8, 3) & 0x7ffff));
  r.interface = static_cast<int>(get(e, 11, 1) >> 6 | (get(e, 10, 1) >> 7) << 2);
  r.queue = static_cast<int>(get(e, 11, 1) & 0x3f);
  r.at.offset = get(e, 16, 5);
  r.at.tag = static_cast<std::uint32_t>(get(e, 21, 3));
  ++q.noticed;
  if (static_cast<std::uint16_t>(q.noticed - q.noticed_told) >= 1U << (options_.log2_notices - 2)) {
    q.noticed_told = q.noticed;
    port_.write_register(tni::queue_noticed(n(), static_cast<std::uint32_t>(queue)), q.noticed);
  }
  return r;
}

std::size_t NetworkInterface::completions_waiting(int queue) const {
  const Queue& q = queues_[at(queue)];
  std::size_t count = 0;
  while (q.open && count < 2 * q.busy.size() &&
         completion_at(q, static_cast<std::uint16_t>(q.completed + count)) != nullptr)
    ++count;
  return count;
}

std::size_t NetworkInterface::notices_waiting(int queue) const {
  const Queue& q = queues_[at(queue)];
  std::size_t count = 0;
  while (q.open && count < std::size_t{1} << options_.log2_notices &&
         notice_at(q, static_cast<std::uint16_t>(q.noticed + count)) != nullptr)
    ++count;
  return count;
}

void NetworkInterface::check() {
  if (!enabled_) return;
  const std::uint32_t error = port_.read_register(tni::error(n()));
  if (error == 0) return;
  const std::uint32_t info = port_.read_register(tni::error_info(n()));
  port_.write_register(tni::error(n()), error);
  if ((error & ~told_elsewhere) == 0) return;
  throw HardwareError(fmt::format(
      "{}, network interface {}: {} (registers ERROR {:#x}, ERROR_INFO "
      "{:#x})",
      name_, number_, host::causes(tni::error_causes, error & ~told_elsewhere), error, info));
}

}  // namespace ht::tofu
