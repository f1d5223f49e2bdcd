// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/campaign/remote.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "sw/tofu/registers.hpp"

namespace ht::campaign {
namespace {

namespace tni = tofu::registers::tni;

using tofu::AtomicOperation;
using tofu::TniCause;
using tofu::TniCommand;

constexpr std::uint64_t packet_bytes = 1'920;  // most that one carries
constexpr std::uint64_t short_bytes = 256;
constexpr std::uint32_t tags_per_queue = 2;
constexpr std::uint32_t log2_time_limit = 9;   ///< of commands: 105 us
constexpr std::uint32_t log2_short_limit = 8;  ///< where a cable dies: 52 us
constexpr std::uint32_t log2_long_limit = 10;  ///< where there is always more to do: 210 us
// A soak run: of each node, and a region with room for most of them.
constexpr std::int64_t soak_accesses = 1'200;
constexpr std::uint64_t soak_bytes = std::uint64_t{1} << 21;

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

std::uint64_t combine(AtomicOperation operation, std::uint64_t old, std::uint64_t operand,
                      std::uint64_t compare) {
  switch (operation) {
    case AtomicOperation::Add:
      return old + operand;
    case AtomicOperation::And:
      return old & operand;
    case AtomicOperation::Or:
      return old | operand;
    case AtomicOperation::Xor:
      return old ^ operand;
    case AtomicOperation::Swap:
      return operand;
    case AtomicOperation::CompareSwap:
      break;
  }
  return old == compare ? operand : old;
}

/// Bytes of regions that nobody else has.
class Places {
 public:
  Places(int nodes, std::uint64_t bytes) : used_(static_cast<std::size_t>(nodes)), bytes_(bytes) {}
  bool room(int node, std::uint64_t bytes) const {
    return used_[static_cast<std::size_t>(node)] + bytes + 256 < bytes_;
  }
  std::uint64_t take(Draw& draw, int node, std::uint64_t bytes, std::uint64_t alignment) {
    std::uint64_t& used = used_[static_cast<std::size_t>(node)];
    const std::uint64_t at = (used + draw.below(64) + alignment - 1) / alignment * alignment;
    used = at + bytes;
    return at;
  }

 private:
  std::vector<std::uint64_t> used_;
  std::uint64_t bytes_;
};

void draw_kind(Draw& draw, bool soak, TofuAccess& a) {
  constexpr std::array commands = {TniCommand::Put, TniCommand::PutImmediate, TniCommand::Get,
                                   TniCommand::Atomic};
  a.command = commands[draw.below(commands.size())];
  a.notice = draw.once_in(2);
  a.operand = draw.bits();
  a.compare = draw.bits();
  switch (a.command) {
    case TniCommand::PutImmediate:
      a.length = 1 + draw.below(tofu::immediate_limit);
      return;
    case TniCommand::Atomic:
      a.operation = static_cast<AtomicOperation>(draw.below(6));
      a.wide = draw.once_in(2);
      a.length = a.wide ? 8 : 4;
      return;
    default:
      // Of one packet, or of up to five; in a soak mostly of a short one.
      if (soak && !draw.once_in(8))
        a.length = 1 + draw.below(short_bytes);
      else
        a.length = draw.once_in(3) ? packet_bytes + 1 + draw.below(4 * packet_bytes)
                                   : 1 + draw.below(packet_bytes);
  }
}

// Any place of the A, B and C axes: {c, b[1:0], a}.
std::uint32_t draw_path(Draw& draw, const tofu::Shape& shape) {
  const auto along = [&](std::size_t axis) {
    return static_cast<std::uint32_t>(draw.below(static_cast<std::uint64_t>(shape.length[axis])));
  };
  const std::uint32_t a = along(3), b = along(4), c = along(5);
  return c << 3 | b << 1 | a;
}

}  // namespace

std::string TofuAccess::describe() const {
  constexpr std::array names = {"nothing", "put", "put from the command", "get", "atomic"};
  return fmt::format("{} of {} bytes by node {} at node {}, queue {} of those in use",
                     names[static_cast<std::size_t>(command)], length, node, peer, queue);
}

std::string TofuTagChange::describe() const {
  return fmt::format(
      "node {} takes the steering tag of queue {} of those in use away for {:.3f} us", node, queue,
      static_cast<double>(pause) * 1e-6);
}

bool TofuRemoteTraffic::strays(const TofuAccess& a) const {
  const auto group_of = [this](std::size_t queue) {
    return group[static_cast<std::size_t>(queues[queue].first)];
  };
  return group_of(a.queue) != group_of(a.far_queue);
}

bool TofuRemoteTraffic::may_fail(const TofuAccess& a) const {
  return std::ranges::any_of(changes, [&](const TofuTagChange& c) {
    return (c.node == a.node && c.queue == a.queue) || (c.node == a.peer && c.queue == a.far_queue);
  });
}

// No answer came; or the last packet of several came, and not all before it.
bool TofuRemoteTraffic::may_lose(const TofuAccess& a, TniCause cause) const {
  return a.start < dead_until && (cause == TniCause::Timeout || cause == TniCause::DataLost);
}

std::byte TofuRemoteTraffic::initial(int node, std::uint64_t offset) const {
  const std::uint64_t word = mixed(salt + (static_cast<std::uint64_t>(node) << 40) + offset / 8);
  return static_cast<std::byte>(word >> (offset % 8 * 8));
}

std::uint64_t TofuRemoteTraffic::found(const TofuAccess& a) const {
  std::uint64_t old = 0;
  for (std::uint64_t i = 0; i < a.length; ++i)
    old |= static_cast<std::uint64_t>(initial(a.peer, a.far + i)) << (8 * i);
  return old;
}

std::vector<std::byte> TofuRemoteTraffic::result(const TofuAccess& a) const {
  std::vector<std::byte> bytes(a.length);
  for (std::uint64_t i = 0; i < a.length; ++i) {
    if (a.command == TniCommand::Put) bytes[i] = initial(a.node, a.local + i);
    if (a.command == TniCommand::Get) bytes[i] = initial(a.peer, a.far + i);
    if (a.command == TniCommand::PutImmediate)
      bytes[i] = static_cast<std::byte>(mixed(a.operand + i / 8) >> (i % 8 * 8));
  }
  if (a.command == TniCommand::Atomic) {
    const std::uint64_t mask = a.wide ? ~std::uint64_t{0} : 0xffff'ffff;
    const std::uint64_t after = combine(a.operation, found(a), a.operand & mask, a.compare & mask);
    std::memcpy(bytes.data(), &after, a.length);
  }
  return bytes;
}

std::vector<std::optional<std::byte>> TofuRemoteTraffic::image(
    int node, const std::vector<TniCause>& ends) const {
  std::vector<std::optional<std::byte>> bytes(region_bytes);
  for (std::uint64_t i = 0; i < region_bytes; ++i) bytes[i] = initial(node, i);
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const TofuAccess& a = accesses[i];
    const bool get = a.command == TniCommand::Get;
    if ((get ? a.node : a.peer) != node) continue;
    const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(get ? a.local : a.far);
    if (ends[i] == TniCause::Good) {
      std::ranges::copy(result(a), at);
    } else if (!strays(a)) {
      std::fill_n(at, a.length, std::nullopt);
    }
  }
  return bytes;
}

TofuRemoteTraffic draw_remote_traffic(Draw draw, const tofu::Shape& shape,
                                      const TofuRemoteTimes& times) {
  TofuRemoteTraffic t;
  t.soak = times.soak;
  if (t.soak) t.region_bytes = soak_bytes;
  const int nodes = shape.nodes();
  t.salt = draw.bits();
  for (auto n = draw.between(1, 4); n > 0; --n) {
    const std::pair queue{static_cast<int>(draw.below(tofu::interfaces_per_node)),
                          static_cast<int>(draw.below(tofu::queues_per_interface))};
    if (std::ranges::find(t.queues, queue) == t.queues.end()) t.queues.push_back(queue);
  }
  Places places(nodes, t.region_bytes);
  const std::int64_t most = draw.between(1, 8), least = t.soak ? soak_accesses : 0;
  for (int node = 0; node < nodes; ++node) {
    for (auto n = least + draw.between(0, most); n > 0; --n) {
      TofuAccess a;
      a.node = node;
      a.peer = static_cast<int>(draw.below(static_cast<std::uint64_t>(nodes)));
      a.queue = draw.below(t.queues.size());
      a.far_queue = draw.below(t.queues.size());
      a.start = times.from + draw.between(0, times.span);
      a.path = draw_path(draw, shape);
      draw_kind(draw, t.soak, a);
      if (!places.room(a.node, a.length) || !places.room(a.peer, 2 * a.length)) continue;
      const bool atomic = a.command == TniCommand::Atomic;
      a.local = places.take(draw, a.node, a.length, 1);
      a.far = places.take(draw, a.peer, a.length, atomic ? 8 : 1);
      // Every second comparison is equal.
      if (atomic && draw.once_in(2)) a.compare = t.found(a);
      t.accesses.push_back(a);
    }
  }
  return t;
}

void draw_disorder(Draw draw, int nodes, Picoseconds from, Picoseconds span, TofuRemoteTraffic& t) {
  if (t.accesses.empty()) return;
  if (draw.once_in(2)) {
    for (int& group : t.group) group = static_cast<int>(draw.between(1, 2));
    // Mostly within a job.
    for (TofuAccess& a : t.accesses) {
      if (t.strays(a) && !draw.once_in(4)) a.far_queue = a.queue;
    }
  }
  if (!draw.once_in(3)) return;
  for (auto n = draw.between(1, 3); n > 0; --n) {
    TofuTagChange c;
    c.node = static_cast<int>(draw.below(static_cast<std::uint64_t>(nodes)));
    c.queue = draw.below(t.queues.size());
    c.at = from + draw.between(0, span);
    // Often one that is just about to be used.
    if (draw.once_in(2)) {
      const TofuAccess& a = t.accesses[draw.below(t.accesses.size())];
      c = {a.peer, a.far_queue, a.start + draw.between(-500'000, 2'000'000), 0};
    }
    c.pause = draw.between(0, 5'000'000);
    t.changes.push_back(c);
  }
}

void draw_late(Draw draw, Picoseconds until, Picoseconds span, TofuRemoteTraffic& t) {
  t.dead_until = until;
  for (TofuAccess& a : t.accesses) {
    if (draw.once_in(4)) a.start = until + draw.between(0, span);
  }
}

TofuRemoteProgram::TofuRemoteProgram(const TofuRemoteTraffic& traffic, int node,
                                     std::vector<std::byte*>& regions, std::vector<TniCause>& ends)
    : traffic_(traffic), node_(node), regions_(regions), ends_(ends) {
  for (const TofuTagChange& c : traffic.changes) {
    if (c.node == node) changes_.push_back(&c);
  }
  std::ranges::stable_sort(changes_, std::greater{}, &TofuTagChange::at);
  for (const TofuAccess& a : traffic.accesses) {
    if (a.node == node) due_.push_back(&a);
  }
  std::ranges::stable_sort(due_, std::greater{}, &TofuAccess::start);
}

tofu::NetworkInterface& TofuRemoteProgram::interface(std::size_t queue) {
  return *interfaces_.at(traffic_.queues[queue].first);
}

void TofuRemoteProgram::set_up(tofu::Icc& icc) {
  icc_ = &icc;
  if (traffic_.accesses.empty()) return;
  host::HardwarePort& port = icc.port();
  auto* const region = static_cast<std::byte*>(port.memory().allocate(traffic_.region_bytes, 128));
  for (std::uint64_t i = 0; i < traffic_.region_bytes; ++i) region[i] = traffic_.initial(node_, i);
  regions_[static_cast<std::size_t>(node_)] = region;
  tofu::NetworkOptions options;
  options.tags_per_queue = tags_per_queue;
  options.log2_notices = traffic_.soak ? 12 : 8;
  for (std::size_t q = 0; q < traffic_.queues.size(); ++q) {
    const auto [number, queue] = traffic_.queues[q];
    auto& one = interfaces_[number];
    if (one == nullptr) {
      one = std::make_unique<tofu::NetworkInterface>(port, fmt::format("node {}", node_), number,
                                                     options);
      one->set_group(traffic_.group[static_cast<std::size_t>(number)]);
      port.write_register(tni::time_limit(static_cast<std::uint32_t>(number)),
                          tni::time_limit_log2.put(traffic_.dead_until > 0 ? log2_short_limit
                                                   : traffic_.soak         ? log2_long_limit
                                                                           : log2_time_limit));
    }
    one->open(queue);
    set_tag(q);
  }
}

void TofuRemoteProgram::set_tag(std::size_t q) {
  const int queue = traffic_.queues[q].second;
  tofu::TagSetting setting;
  setting.base = *icc_->port().memory().offset_of(regions_[static_cast<std::size_t>(node_)]);
  setting.length = traffic_.region_bytes;
  setting.owner = queue;
  interface(q).set_tag(interface(q).tag(queue, 0), setting);
}

// What is under way then ends with a cause, or well.
void TofuRemoteProgram::change_tags(Picoseconds now) {
  std::erase_if(tagless_, [&](const auto& queue) {
    if (queue.second > now) return false;
    set_tag(queue.first);
    return true;
  });
  while (!changes_.empty() && changes_.back()->at <= now) {
    const TofuTagChange& c = *changes_.back();
    changes_.pop_back();
    if (tagless_.contains(c.queue)) continue;
    interface(c.queue).clear_tag(interface(c.queue).tag(traffic_.queues[c.queue].second, 0));
    tagless_[c.queue] = now + c.pause;
  }
}

void TofuRemoteProgram::give(const TofuAccess& a) {
  const auto [far_number, far_queue] = traffic_.queues[a.far_queue];
  const int queue = traffic_.queues[a.queue].second;
  tofu::NetworkInterface& by = interface(a.queue);
  tofu::Descriptor d;
  d.command = a.command;
  d.operation = a.operation;
  d.wide = a.wide;
  d.remote_notice = a.notice;
  d.remote.node = icc_->place().machine.place(a.peer);
  d.remote.interface = far_number;
  d.remote.queue = far_queue;
  d.remote.path = a.path;
  d.length = a.command == TniCommand::Atomic ? 0 : a.length;
  d.local = {by.tag(queue, 0), a.local};
  d.far = {static_cast<std::uint32_t>(far_queue) * tags_per_queue, a.far};
  d.edata = static_cast<std::uint16_t>(&a - traffic_.accesses.data());
  if (a.command == TniCommand::Atomic) {
    std::memcpy(d.data.data(), &a.operand, 8);
    std::memcpy(d.data.data() + 8, &a.compare, 8);
  } else if (a.command == TniCommand::PutImmediate) {
    std::ranges::copy(traffic_.result(a), d.data.begin());
  }
  under_way_[{a.queue, by.submit(queue, d)}] = &a;
  by.ring(queue);
}

bool TofuRemoteProgram::step(Picoseconds now) {
  if (!traffic_.accesses.empty()) change_tags(now);
  while (!due_.empty() && due_.back()->start <= now) {
    const TofuAccess& a = *due_.back();
    if (tagless_.contains(a.queue)) break;
    if (!interface(a.queue).has_room(traffic_.queues[a.queue].second)) break;
    due_.pop_back();
    give(a);
  }
  for (std::size_t q = 0; q < traffic_.queues.size() && !under_way_.empty(); ++q) {
    while (const auto c = interface(q).take_completion(traffic_.queues[q].second)) {
      const auto it = under_way_.find({q, c->index});
      if (it == under_way_.end()) {
        complaints_.push_back(
            fmt::format("queue {} completed command {}, which it was not given", q, c->index));
        continue;
      }
      ended(*it->second, *c);
      under_way_.erase(it);
    }
  }
  return !due_.empty() || !under_way_.empty() || !tagless_.empty();
}

void TofuRemoteProgram::ended(const TofuAccess& a, const tofu::Completion& c) {
  ++completed_;
  ends_[static_cast<std::size_t>(&a - traffic_.accesses.data())] = c.cause;
  if (traffic_.strays(a)) {
    ++strays_;
    if (c.cause != TniCause::Group && !traffic_.may_fail(a) && !traffic_.may_lose(a, c.cause))
      complaints_.push_back(
          fmt::format("{}, which is another job's: {}", a.describe(), tofu::text(c.cause)));
    return;
  }
  // Links lose nothing but where a cable is dead for long: else only a tag that was taken away
  // explains another cause.
  if (c.cause != TniCause::Good) {
    if (traffic_.may_lose(a, c.cause)) {
      ++lost_;
      return;
    }
    ++failed_;
    if (traffic_.may_fail(a)) return;
    complaints_.push_back(fmt::format("{}: {}", a.describe(), tofu::text(c.cause)));
    return;
  }
  const bool get = a.command == TniCommand::Get;
  const std::byte* const there =
      regions_[static_cast<std::size_t>(get ? a.node : a.peer)] + (get ? a.local : a.far);
  const auto due = traffic_.result(a);
  if (const auto at = std::ranges::mismatch(due, std::span(there, due.size())).in1; at != due.end())
    complaints_.push_back(fmt::format("{}: completed good, but byte {} at its target is wrong",
                                      a.describe(), at - due.begin()));
  if (a.command == TniCommand::Atomic && c.old != traffic_.found(a))
    complaints_.push_back(fmt::format("{}: completed good, and found {:#x}, not {:#x}",
                                      a.describe(), c.old, traffic_.found(a)));
}

void TofuRemoteProgram::take_notices() {
  std::map<std::uint16_t, int> came;
  for (std::size_t q = 0; q < traffic_.queues.size(); ++q) {
    while (const auto n = interface(q).take_notice(traffic_.queues[q].second)) {
      if (n->edata >= traffic_.accesses.size() ||
          (n->cause != TniCause::Good && !traffic_.may_fail(traffic_.accesses[n->edata]))) {
        complaints_.push_back(
            fmt::format("a notice of {} came: {}", n->edata, tofu::text(n->cause)));
        continue;
      }
      const TofuAccess& a = traffic_.accesses[n->edata];
      ++came[n->edata];
      if (a.far_queue != q || n->from != icc_->place().machine.place(a.node))
        complaints_.push_back(a.describe() + ": its notice came to the wrong place");
    }
  }
  for (std::size_t i = 0; i < traffic_.accesses.size(); ++i) {
    const TofuAccess& a = traffic_.accesses[i];
    if (a.peer != node_) continue;
    const auto it = came.find(static_cast<std::uint16_t>(i));
    const int count = it == came.end() ? 0 : it->second;
    // The notice of one that failed may have come, or not; a stray's must not.
    if (ends_[i] != TniCause::Good && count <= (traffic_.strays(a) ? 0 : 1)) continue;
    if (count != (a.notice ? 1 : 0))
      complaints_.push_back(
          fmt::format("{}: {} notices, not {}", a.describe(), count, a.notice ? 1 : 0));
  }
}

void TofuRemoteProgram::account() {
  if (traffic_.accesses.empty()) return;
  for (const auto& [queue, access] : under_way_)
    complaints_.push_back(access->describe() + ": it did not end");
  if (!due_.empty()) complaints_.push_back("some commands were never given");
  take_notices();
  const auto due = traffic_.image(node_, ends_);
  const std::span there(regions_[static_cast<std::size_t>(node_)], due.size());
  const auto at = std::ranges::mismatch(due, there, [](auto is_due, std::byte is) {
                    return !is_due || *is_due == is;
                  }).in1;
  if (complaints_.empty() && at != due.end())
    complaints_.push_back(
        fmt::format("byte {} of its memory is not what it should be", at - due.begin()));
  for (const auto& [number, one] : interfaces_) one->check();
}

}  // namespace ht::campaign
