// SPDX-License-Identifier: Apache-2.0
// Messages between neighbours.
#include "sw/qcdoc/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sw/host/errors.hpp"
#include "sw/qcdoc/driver_plan.hpp"

namespace ht::qcdoc {
namespace {

bool aligned(std::uint64_t x) {
  return x % word_bytes == 0;
}

}  // namespace

Driver::Driver(host::HardwarePort& port, Place place, DriverOptions options)
    : MessageDriver(port, {.memory_unit = word_bytes,
                           .message_unit = word_bytes,
                           .poll_cost = options.scu.poll_cost,
                           .copy_bytes_per_us = options.copy_bytes_per_us,
                           .guard_receives = options.guard_receives}),
      place_(std::move(place)),
      options_(options),
      scu_(port, fmt::format("node {}", place_.node), options.scu),
      store_(scu_) {
  if (!place_.fold) throw UsageError(fmt::format("node {}: a place without a fold", place_.node));
  coordinates_ = place_.fold->coordinates(place_.physical_node);
  rank_ = place_.fold->application_rank(place_.physical_node);
  make_packets();
  listen();
}

Driver::~Driver() = default;

std::string Driver::name() const {
  return fmt::format("node {}", place_.node);
}

std::string Driver::description() const {
  return "QCDOC torus " + place_.fold->description();
}

void Driver::bring_up() {
  const Mask used = place_.partition_links();
  scu_.train(used);
  for (int link = 0; link < links; ++link) {
    if ((used & bit(link)) != 0) cable(link).sent_total = scu_.words_sent(link);
  }
  scu_.set_partition(used, place_.diameter());
  if (options_.forwards && rank_ >= 0) forward_over(packets_.get(), options_.forward_queue);
}

void Driver::make_packets() {
  packets_ = std::make_unique<PacketWords>(
      2 * shape().size(),
      [this](qmp::Direction way, std::uint64_t word) { scu_.send_supervisor(link_of(way), word); });
}

void Driver::take_down() {
  scu_.new_session(place_.partition_links());
}

void Driver::move(Place place) {
  if (!messages_.empty())
    throw UsageError(fmt::format(
        "node {}: messages are still declared; they belong to the links of the place it leaves",
        place_.node));
  while (!plans_.empty()) drop_plan();
  place_ = std::move(place);
  coordinates_ = place_.fold->coordinates(place_.physical_node);
  rank_ = place_.fold->application_rank(place_.physical_node);
  for (Engine& e : engines_) e = Engine{};
  for (Agreement& c : cables_) {
    // Neighbours who are ready already may have spoken.
    Agreement fresh;
    fresh.inbox = std::move(c.inbox);
    fresh.checksums = std::move(c.checksums);
    fresh.go = c.go;
    c = std::move(fresh);
  }
  operation_ = 0;
  stop_forwarding();
  make_packets();
}

int Driver::link_of(qmp::Direction direction) const {
  const int link = direction < 0 || direction >= 2 * static_cast<int>(shape().size())
                       ? -1
                       : place_.fold->link(place_.physical_node, direction);
  if (link < 0)
    throw UsageError(fmt::format("node {}: no link leads in direction {} of {}", place_.node,
                                 direction, place_.fold->description()));
  return link;
}

std::uint64_t Driver::offset_of(const void* pointer) const {
  return *port_.memory().offset_of(pointer);
}

// -------------------------------------------------------------------------------------------------
// Declaring

Message Driver::address(qmp::Direction direction, qmp::Channel channel, bool send) {
  if (channel != qmp::Channel::User)
    throw UsageError(
        fmt::format("node {}: QCDOC has one channel a link; global operations pass words through "
                    "(circulate, broadcast)",
                    place_.node));
  Message m;
  m.send = send;
  m.link = link_of(direction);
  m.transfer.engine = send ? send_engine(m.link) : receive_engine(m.link);
  m.far_end = link_name(m.link);
  return m;
}

void Driver::added(Message& m) {
  if (m.transfer.pieces.empty())
    m.transfer.pieces = contiguous(m.offset, whole_units(m.bytes) / word_bytes);
  store_.place_if_room(m.transfer);
}

std::optional<qmp::MessageId> Driver::declare_scattered(bool send, qmp::Direction direction,
                                                        qmp::Channel channel,
                                                        std::span<const Blocks> blocks) {
  if (blocks.empty() || blocks.size() > InstructionStore::most_pieces) return std::nullopt;
  std::vector<Descriptor> pieces;
  std::size_t bytes = 0;
  for (const Blocks& b : blocks) {
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(b.count - 1) * b.stride;
    const auto first = port_.memory().offset_of(b.base, b.bytes);
    if (!first || !port_.memory().offset_of(b.base + last, b.bytes) || !aligned(*first) ||
        !aligned(b.bytes) || !aligned(static_cast<std::uint64_t>(b.stride)) || b.count > 65535 ||
        b.bytes / word_bytes > 65535)
      return std::nullopt;
    pieces.push_back({*first, static_cast<std::uint32_t>(b.bytes / word_bytes),
                      static_cast<std::uint32_t>(b.count), b.stride});
    bytes += b.bytes * b.count;
  }
  Message m = address(direction, channel, send);
  m.buffer = blocks[0].base;
  m.bytes = bytes;
  m.transfer.pieces = std::move(pieces);
  return add(std::move(m));
}

// -------------------------------------------------------------------------------------------------
// Starting and completing

void Driver::before_launch() {
  progress();  // engines that are done make room
  together_.clear();
}

void Driver::launch(qmp::MessageId, Message& m) {
  m.landed = false;
  if (!m.send && take_early(m)) return;
  queue(m);
  if (engine(m.transfer.engine).tasks.size() == 1) together_.push_back(&m.transfer);
}

void Driver::after_launch() {
  store_.align(together_);
  pump();
}

void Driver::queue(Message& m) {
  Engine& e = engine(m.transfer.engine);
  e.tasks.push_back({&m.transfer, &m, nullptr, e.started, nullptr});
  e.started += m.transfer.words();
}

// What came before a global operation, and was received in it for want of an owner.
bool Driver::take_early(Message& m) {
  std::deque<std::uint64_t>& early = cable(m.link).early;
  if (early.empty()) return false;
  const std::uint64_t words = m.transfer.words();
  if (words > early.size())
    throw ProtocolError(fmt::format(
        "node {}: link {}: a message of at most {} words was sent and is received as {} "
        "words; both ends must declare the same length",
        place_.node, link_name(m.link), early.size(), words));
  for (const Descriptor& d : m.transfer.pieces) {
    for (std::uint32_t b = 0; b < d.blocks; ++b) {
      std::byte* to = port_.memory().data() + d.address + static_cast<std::int64_t>(b) * d.pitch;
      for (std::uint32_t w = 0; w < d.block_words; ++w, to += word_bytes) {
        std::memcpy(to, &early.front(), word_bytes);
        early.pop_front();
      }
    }
  }
  charge_copy(words * word_bytes);
  engine(m.transfer.engine).started += words;
  m.landed = true;
  return true;
}

// Starts what can be started: one register write for all that begin in the same slot.
void Driver::pump() {
  std::array<Mask, slots> masks{};
  for (int i = 0; i < engines; ++i) {
    Engine& e = engine(i);
    if (e.running || e.tasks.empty()) continue;
    Transfer& t = *e.tasks.front().transfer;
    store_.place(t);
    masks[static_cast<std::size_t>(t.slots.front())] |= bit(i);
    t.running = e.running = true;
  }
  for (int slot = 0; slot < slots; ++slot) scu_.start(masks[static_cast<std::size_t>(slot)], slot);
}

void Driver::ended(int i) {
  Engine& e = engine(i);
  const Task task = e.tasks.front();
  e.tasks.pop_front();
  e.running = task.transfer->running = false;
  if (i < links) cable(i).sent_total += static_cast<std::uint32_t>(task.transfer->words());
  if (task.message != nullptr) task.message->landed = true;
  if (task.early != nullptr) {
    std::deque<std::uint64_t>& early = cable(i - links).early;
    for (std::uint64_t w = 0; w < task.transfer->words(); ++w) {
      std::uint64_t word = 0;
      std::memcpy(&word, task.early + w * word_bytes, word_bytes);
      early.push_back(word);
    }
  }
  if (task.pending != nullptr) --*task.pending;
}

void Driver::progress() {
  Mask running = 0;
  for (int i = 0; i < engines; ++i) {
    if (engine(i).running) running |= bit(i);
  }
  const Mask done = scu_.done(running);
  if (done == 0) return;
  for (int i = 0; i < engines; ++i) {
    if ((done & bit(i)) != 0) ended(i);
  }
  pump();
}

}  // namespace ht::qcdoc
