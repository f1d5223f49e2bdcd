// SPDX-License-Identifier: Apache-2.0
// How messages travel: receives are announced, sends are put where they were announced.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sw/host/errors.hpp"
#include "sw/qmp/message_lengths.hpp"
#include "sw/tofu/transport.hpp"
#include "sw/tofu/transport_layout.hpp"

namespace ht::tofu {
namespace {
/// Of a command that is no part of a message.
constexpr qmp::MessageId nobody = -1;
}  // namespace

std::vector<Transport::Part> Transport::parts_of(std::uint64_t bytes, std::uint64_t sent) const {
  const bool split = options_.split_bytes != 0 && bytes >= options_.split_bytes;
  std::uint64_t part = part_limit;
  if (split) {
    const std::uint64_t share = (bytes + interfaces_.size() - 1) / interfaces_.size();
    part = std::min(part, (share + memory_beat - 1) / memory_beat * memory_beat);
  }
  std::vector<Part> parts;
  std::uint64_t begin = 0;
  do {
    const int interface = split ? static_cast<int>(parts.size()) % interfaces() : 0;
    parts.push_back({begin, begin < sent ? std::min(part, sent - begin) : 0, interface});
    begin += part;
  } while (begin < bytes);
  return parts;
}

// Does what can be done now; never waits for anybody.
void Transport::progress() {
  for (int i = 0; i < interfaces(); ++i) {
    if (!interface(i).is_open(own_queue)) continue;
    take_completions(i);
    take_notices(i);
  }
  // Announcements first: they are what others wait for.
  for (Stream& s : streams_) announce(s);
  for (Stream& s : streams_) send(s);
  ring();
}

void Transport::ring() {
  for (auto& i : interfaces_) {
    if (i->is_open(own_queue)) i->ring(own_queue);
  }
}

bool Transport::submit(int interface, const Descriptor& command, qmp::MessageId message) {
  NetworkInterface& i = this->interface(interface);
  if (!i.has_room(own_queue)) return false;
  const std::uint16_t index = i.submit(own_queue, command);
  commands_[static_cast<std::size_t>(interface)][index] = message;
  return true;
}

void Transport::take_completions(int interface) {
  auto& commands = commands_[static_cast<std::size_t>(interface)];
  while (const auto c = this->interface(interface).take_completion(own_queue)) {
    const auto found = commands.find(c->index);
    const qmp::MessageId message = found == commands.end() ? nobody : found->second;
    if (found != commands.end()) commands.erase(found);
    if (c->cause != TniCause::Good)
      throw ProtocolError(fmt::format("{}, network interface {}: {}: {}", name_, interface,
                                      message != nobody ? messages_.at(message).waiting_for
                                                        : std::string("announcing a receive"),
                                      text(c->cause)));
    if (message != nobody) --messages_.at(message).parts;
  }
}

Transport::Stream* Transport::find_stream(const Notice& notice) {
  const unsigned code = notice.edata / edata_numbers;
  if (code < first_routed_code) {
    const auto found = by_code_.find(code);
    return found == by_code_.end() ? nullptr : &streams_[found->second];
  }
  const auto rank = layout_->rank(notice.from);
  const auto found = rank ? by_rank_.find({*rank, channel_of(code)}) : by_rank_.end();
  return found == by_rank_.end() ? nullptr : &streams_[found->second];
}

void Transport::take_notices(int interface) {
  while (const auto n = this->interface(interface).take_notice(own_queue)) {
    if (n->cause != TniCause::Good)
      throw ProtocolError(fmt::format("{}, network interface {}: refused what came from {}: {}",
                                      name_, interface, text(n->from), text(n->cause)));
    Stream* const stream = find_stream(*n);
    if (stream == nullptr || n->queue != own_queue)
      throw ProtocolError(fmt::format("{}, network interface {}: {} sent what nobody waits for",
                                      name_, interface, text(n->from)));
    part_landed(*stream, n->edata);
  }
}

void Transport::part_landed(Stream& stream, std::uint16_t edata) {
  auto& announced = stream.announced;
  const auto found = std::find_if(announced.begin(), announced.end(), [&](qmp::MessageId id) {
    return messages_.at(id).number % edata_numbers == edata % edata_numbers;
  });
  if (found == announced.end())
    throw ProtocolError(
        fmt::format("{}: a message from {} that was not announced", name_, stream.name));
  --parts_expected_;
  if (--messages_.at(*found).parts == 0) announced.erase(found);
}

// The hardware of the sender's node writes where we say: only receives that have started are
// announced.
void Transport::announce(Stream& s) {
  while (!s.unannounced.empty() && s.announced.size() < depth_of(s.code)) {
    const qmp::MessageId id = s.unannounced.front();
    const Message& m = messages_.at(id);
    if (parts_expected_ != 0 && parts_expected_ + m.parts > most_expected) return;
    Descriptor d;
    d.command = TniCommand::PutImmediate;
    d.remote = s.remote;
    d.length = memory_beat;
    d.far.tag = interface(s.interface).tag(own_queue, shared_tag);
    d.far.offset = s.far_slots + m.number % depth_of(s.code) * memory_beat;
    const std::uint64_t where = m.offset | static_cast<std::uint64_t>((m.number + 1) % told_numbers)
                                               << 40;
    const std::uint64_t bytes = m.bytes;
    std::memcpy(d.data.data(), &where, 8);
    std::memcpy(d.data.data() + 8, &bytes, 8);
    if (!submit(s.interface, d, nobody)) return;
    parts_expected_ += m.parts;
    s.unannounced.pop_front();
    s.announced.push_back(id);
  }
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> Transport::told(const Stream& s,
                                                                       std::uint32_t number) const {
  std::uint64_t where = 0, bytes = 0;
  const std::byte* const slot = shared_ + s.slots + number % depth_of(s.code) * memory_beat;
  std::memcpy(&where, slot, 8);
  std::memcpy(&bytes, slot + 8, 8);
  if (where >> 40 != (number + 1) % told_numbers) return std::nullopt;
  return std::pair{where & (offset_limit - 1), bytes};
}

void Transport::send(Stream& s) {
  while (!s.unsent.empty()) {
    const qmp::MessageId id = s.unsent.front();
    Message& m = messages_.at(id);
    const auto to = told(s, m.number);
    if (!to) return;
    if (to->second < m.bytes)
      throw ProtocolError(fmt::format("{}; {} is {}",
                                      qmp::too_short(rank_, m.bytes, s.peer, to->second), name_,
                                      m.waiting_for));
    // The receive's parts, which both ends know.
    const std::vector<Part> parts = parts_of(to->second, m.bytes);
    // All parts or none: commands that are left over would have to be remembered.
    std::array<std::size_t, most_interfaces> wanted{};
    for (const Part& p : parts)
      ++wanted[static_cast<std::size_t>((s.interface + p.interface) % interfaces())];
    for (int i = 0; i < interfaces(); ++i) {
      if (interface(i).room(own_queue) < wanted[static_cast<std::size_t>(i)]) return;
    }
    for (const Part& p : parts) {
      const int i = (s.interface + p.interface) % interfaces();
      Descriptor d;
      d.command = TniCommand::Put;
      d.remote_notice = true;
      d.remote = s.remote;
      d.remote.interface = (s.remote.interface + p.interface) % interfaces();
      if (!s.paths.empty() && parts.size() > 1)
        d.remote.path = s.paths[static_cast<std::size_t>(p.interface) % s.paths.size()];
      d.length = p.bytes;
      d.local = {interface(i).tag(own_queue, memory_tag), m.offset + p.begin};
      d.far = {interface(i).tag(own_queue, memory_tag), to->first + p.begin};
      if (p.bytes == 0) {  // a put has some: one that nobody looks at
        d.length = 1;
        d.local = {interface(i).tag(own_queue, shared_tag), nowhere(rank_, layout_->ranks())};
        d.far = {interface(i).tag(own_queue, shared_tag), nowhere(s.peer, layout_->ranks())};
      }
      d.edata = edata_of(s.code, m.number);
      submit(i, d, id);
    }
    m.parts = parts.size();
    s.unsent.pop_front();
  }
}

void Transport::check_hardware() {
  if (!port_.interrupt()) return;
  for (auto& i : interfaces_) i->check();
  icc_.links().check();
  icc_.check_router();
}

void Transport::check_errors() {
  icc_.check_errors();
  for (auto& i : interfaces_) i->check();
}

}  // namespace ht::tofu
