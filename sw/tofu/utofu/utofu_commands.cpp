// SPDX-License-Identifier: Apache-2.0
// Commands to VCQs. What comes of them: utofu_notices.cpp.
#include <algorithm>

#include "sw/tofu/utofu/utofu_queues.hpp"

namespace ht::tofu {
namespace {

using Request = UtofuQueues::Request;

constexpr std::uint64_t block_limit = 0xffff'ffff;
constexpr unsigned path_shift = 28;
constexpr unsigned long sps_mask = 0xfUL << 24, path_mask = 0xffUL << path_shift;
constexpr unsigned long known_flags =
    UTOFU_ONESIDED_FLAG_STRONG_ORDER | UTOFU_ONESIDED_FLAG_PACKET_RESPONSE |
    UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE | UTOFU_ONESIDED_FLAG_PADDING |
    UTOFU_ONESIDED_FLAG_CACHE_INJECTION | UTOFU_ONESIDED_FLAG_DELAY_START |
    UTOFU_ONESIDED_FLAG_TCQ_NOTICE | UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE | sps_mask | path_mask;

utofu_mrq_notice_type local_type(TniCommand command) {
  switch (command) {
    case TniCommand::Get:
      return UTOFU_MRQ_TYPE_LCL_GET;
    case TniCommand::Atomic:
      return UTOFU_MRQ_TYPE_LCL_ARMW;
    default:
      return UTOFU_MRQ_TYPE_LCL_PUT;
  }
}

bool names_local(const Descriptor& command) {
  return command.command == TniCommand::Put || command.command == TniCommand::Get;
}

/// Without path and component: of the same VCQ the same.
utofu_vcq_id_t at_any_path(utofu_vcq_id_t id) {
  return id & ~utofu_vcq_id_t{0x01f7'0000};
}

std::uint64_t bytes_of(const Descriptor& command) {
  return command.command == TniCommand::Atomic ? (command.wide ? 8 : 4) : command.length;
}

/// From the first block's begin to the last one's end.
std::uint64_t extent(const Request& r) {
  return (r.blocks - 1) * r.stride + bytes_of(r.command);
}

/// Of a block, most bytes that one command of the hardware's takes.
std::uint64_t piece_bytes(const Request& r) {
  return r.gap != 0 || r.mtu != UtofuQueues::packet_bytes ? r.mtu : transfer_limit;
}

std::uint64_t pieces(const Request& r) {
  return std::max<std::uint64_t>(1, (r.command.length + piece_bytes(r) - 1) / piece_bytes(r));
}

/// Of a packet on a link where 16 bytes take `beat`, and of the gap after it.
Picoseconds time_of(const Request& r, Picoseconds beat) {
  constexpr std::uint64_t header = 3;  // beats, with what ends a packet
  const std::uint64_t payload = std::min(r.command.length, r.mtu);
  const std::uint64_t beats = header + (payload + 15) / 16;
  return beat * static_cast<Picoseconds>(beats * (8 + r.gap)) / 8;
}

}  // namespace

/// Where a command goes, on which way, and to what memory.
int UtofuQueues::aim(const Found& from, const Request& r, Descriptor& command) const {
  Vcq vcq;
  if (const int rc = query(r.vcq, vcq); rc != UTOFU_SUCCESS) return rc;
  const auto path_id = static_cast<utofu_path_id_t>((r.flags & path_mask) >> path_shift);
  std::optional<Path> path = vcq.path;
  if (path_id != 0) {
    std::array<std::uint8_t, 3> coordinates{};
    if (const int rc = path_coordinates(r.vcq, path_id, coordinates.data()); rc != UTOFU_SUCCESS)
      return rc;
    path = Path{coordinates[0], coordinates[1], coordinates[2]};
  }
  if (!path) path = default_path(vcq.node);
  if (!path) return UTOFU_ERR_INVALID_PATH;
  command.remote = {vcq.node, vcq.tni, vcq.queue, path_bits(*path)};

  // All nodes number their tags alike: a tag of another queue is known here.
  const auto far = from_stadd(r.remote);
  const std::uint32_t first = from.interface->tag(vcq.queue, 0);
  if (!far || far->tag < first || far->tag - first >= from.interface->options().tags_per_queue)
    return UTOFU_ERR_INVALID_STADD;
  if (command.command == TniCommand::Atomic && far->offset % bytes_of(command) != 0)
    return UTOFU_ERR_INVALID_STADD;
  if (extent(r) > offset_limit - far->offset) return UTOFU_ERR_INVALID_SIZE;
  command.far = *far;
  return UTOFU_SUCCESS;
}

int UtofuQueues::check_local(const Found& from, const Request& r, Descriptor& command) const {
  const auto near = from_stadd(r.local);
  if (!near) return UTOFU_ERR_INVALID_STADD;
  const auto found = from.queue->regions.find(near->tag);
  if (found == from.queue->regions.end()) return UTOFU_ERR_INVALID_STADD;
  const Region& region = found->second;
  if (near->offset < region.begin || near->offset > region.end) return UTOFU_ERR_INVALID_STADD;
  if (command.command == TniCommand::Get && region.read_only) return UTOFU_ERR_INVALID_STADD;
  if (extent(r) > region.end - near->offset) return UTOFU_ERR_INVALID_SIZE;
  command.local = *near;
  return UTOFU_SUCCESS;
}

int UtofuQueues::check(const Found& from, Request& r) const {
  if ((r.flags & ~known_flags) != 0) return UTOFU_ERR_INVALID_FLAGS;
  if (r.edata >> (8 * edata_bytes) != 0) return UTOFU_ERR_INVALID_EDATA;
  if (r.blocks == 0 || r.blocks > block_limit) return UTOFU_ERR_INVALID_NUMBER;
  if (r.mtu == 0 || r.mtu > packet_bytes || r.gap > gap_limit) return UTOFU_ERR_INVALID_SIZE;
  Descriptor& command = r.command;
  if (command.length >
      (command.command == TniCommand::PutImmediate ? immediate_limit : transfer_limit))
    return UTOFU_ERR_INVALID_SIZE;
  if (r.stride != 0 && r.blocks - 1 > offset_limit / r.stride) return UTOFU_ERR_INVALID_SIZE;
  if (command.command != TniCommand::Nothing) {
    if (const int rc = aim(from, r, command); rc != UTOFU_SUCCESS) return rc;
  }
  if (names_local(command)) {
    if (const int rc = check_local(from, r, command); rc != UTOFU_SUCCESS) return rc;
  }
  command.edata = static_cast<std::uint16_t>(r.edata);
  return UTOFU_SUCCESS;
}

int UtofuQueues::check(utofu_vcq_hdl_t handle, const Request& request) {
  const auto f = find(handle);
  if (!f) return UTOFU_ERR_INVALID_VCQ_HDL;
  Request copy = request;
  return check(*f, copy);
}

// -------------------------------------------------------------------------------------------------
// To the hardware. It knows neither blocks nor gaps: every block is a command of its own, and every
// packet, if packets are to be short or apart.

/// As many as the ring has, if there are more: the others follow as places come free. Notices that
/// nobody polls take places of commands, as in a ring in memory.
bool UtofuQueues::has_places(const Batch& b) const {
  const std::size_t places = std::size_t{1} << b.queue.interface->options().log2_commands;
  std::uint64_t wanted = 0;
  for (const Request& r : b.requests) wanted += r.blocks * pieces(r);
  return b.queue.interface->room(b.queue.number) >= std::min<std::uint64_t>(wanted, places) &&
         b.queue.queue->tcq.size() < places;
}

/// One command of the hardware's: of a block, the bytes from `offset` on.
void UtofuQueues::give(const Found& f, const Request& r, std::uint64_t block, std::uint64_t offset,
                       const std::shared_ptr<Taken>& taken) {
  const bool named = names_local(r.command);
  const std::uint64_t begin = block * r.stride;
  Descriptor command = r.command;
  command.length = std::min(r.command.length - offset, piece_bytes(r));
  command.local.offset += begin + offset;
  command.far.offset += begin + offset;
  Pending p;
  p.of = taken;
  p.ends_block = offset + command.length == r.command.length;
  p.local_end = named ? r.local + begin + r.command.length : 0;
  p.remote_end = r.remote + begin + bytes_of(r.command);
  if (named) p.local = command.local.tag;
  if (command.command == TniCommand::Get) p.reads = at_any_path(r.vcq);
  command.remote_notice = p.ends_block && (r.flags & UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE) != 0;
  command.strict = (r.flags & UTOFU_ONESIDED_FLAG_STRONG_ORDER) != 0;
  f.queue->pending[f.interface->submit(f.number, command)] = std::move(p);
  ++taken->under_way;
}

/// What writes where a get before it may still read, if that is to be in order: the hardware reads
/// for gets as their answers leave, and writes at once.
bool UtofuQueues::must_wait(const Found& f, const Request& r) const {
  if ((r.flags & UTOFU_ONESIDED_FLAG_STRONG_ORDER) == 0 || r.command.command == TniCommand::Get)
    return false;
  return std::ranges::any_of(f.queue->pending, [vcq = at_any_path(r.vcq)](const auto& command) {
    return command.second.reads == vcq;
  });
}

/// Of what was refused at the other end, nothing more is sent.
void UtofuQueues::give(const Found& f, const Request& r) {
  const auto taken = std::make_shared<Taken>();
  taken->flags = r.flags;
  taken->cbdata = r.cbdata;
  taken->notice.notice_type = static_cast<std::uint8_t>(local_type(r.command.command));
  taken->notice.vcq_id = r.vcq;
  taken->notice.edata = r.edata;
  auto& port = f.interface->port();
  const std::uint64_t in_block = pieces(r);
  for (std::uint64_t n = 0; n < r.blocks * in_block; ++n) {
    const Picoseconds begun = port.now();
    while (!f.interface->has_room(f.number) || must_wait(f, r)) {
      f.interface->ring(f.number);
      wait_a_little(f);
      collect(f);
    }
    if (taken->cause != TniCause::Good) break;
    give(f, r, n / in_block, n % in_block * piece_bytes(r), taken);
    if (r.gap == 0) continue;
    f.interface->ring(f.number);
    const Picoseconds next = begun + time_of(r, network_.profile.cycle);
    if (n + 1 != r.blocks * in_block && next > port.now()) port.advance(next - port.now());
    collect(f);
  }
  taken->given = true;
  end(f, *taken);
}

void UtofuQueues::give(const Batch& b) {
  std::size_t begin = 0;  // requests that start now
  for (std::size_t i = 0; i < b.requests.size(); ++i) {
    if ((b.requests[i].flags & UTOFU_ONESIDED_FLAG_DELAY_START) == 0) begin = i + 1;
  }
  for (std::size_t i = 0; i < b.requests.size(); ++i) {
    give(b.queue, b.requests[i]);
    if (i + 1 == begin) b.queue.interface->ring(b.queue.number);
  }
}

int UtofuQueues::start(std::span<const Batch> batches) {
  for (const Batch& b : batches) {
    for (Request& r : b.requests) {
      if (const int rc = check(b.queue, r); rc != UTOFU_SUCCESS) return rc;
    }
  }
  for (const Batch& b : batches) collect(b.queue);
  for (const Batch& b : batches) {
    if (has_places(b)) continue;
    b.queue.interface->ring(b.queue.number);  // what was delayed must not wait for ever
    wait_a_little(b.queue);
    return UTOFU_ERR_BUSY;
  }
  for (const Batch& b : batches) give(b);
  return UTOFU_SUCCESS;
}

int UtofuQueues::submit(utofu_vcq_hdl_t handle, std::span<Request> requests) {
  const auto f = find(handle);
  if (!f) return UTOFU_ERR_INVALID_VCQ_HDL;
  const Batch batch{*f, requests};
  return start({&batch, 1});
}

int UtofuQueues::submit(std::span<const utofu_vcq_hdl_t> handles, std::span<Request> requests) {
  std::vector<Batch> batches;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const auto f = find(handles[i]);
    const auto same = [&](const Batch& other) { return f && other.queue.queue == f->queue; };
    if (!f || std::any_of(batches.begin(), batches.end(), same)) return UTOFU_ERR_INVALID_VCQ_HDL;
    batches.push_back({*f, requests.subspan(i, 1)});
  }
  return start(batches);
}

}  // namespace ht::tofu
