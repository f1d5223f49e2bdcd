// SPDX-License-Identifier: Apache-2.0
// Commands to VCQs, and what comes of them.
#include <algorithm>

#include "sw/tofu/utofu_queues.hpp"

namespace ht::tofu {
namespace {

constexpr std::uint32_t packet_bytes = 1920;  // of a message, at most
constexpr unsigned path_shift = 28;
constexpr unsigned long sps_mask = 0xfUL << 24, path_mask = 0xffUL << path_shift;
constexpr unsigned long known_flags =
    UTOFU_ONESIDED_FLAG_STRONG_ORDER | UTOFU_ONESIDED_FLAG_PACKET_RESPONSE |
    UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE | UTOFU_ONESIDED_FLAG_PADDING |
    UTOFU_ONESIDED_FLAG_CACHE_INJECTION | UTOFU_ONESIDED_FLAG_DELAY_START |
    UTOFU_ONESIDED_FLAG_TCQ_NOTICE | UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE | sps_mask | path_mask;

/// What an MRQ notice says of a fault in the memory that was commanded: of the commander's view, or
/// of the memory's own.
int code_of(TniCause cause, bool local) {
  switch (cause) {
    case TniCause::Good:
      return UTOFU_SUCCESS;
    case TniCause::Tag:
    case TniCause::Owner:
      return local ? UTOFU_ERR_MRQ_LCL_STADD : UTOFU_ERR_MRQ_RMT_STADD;
    case TniCause::Range:
      return local ? UTOFU_ERR_MRQ_LCL_LENGTH : UTOFU_ERR_MRQ_RMT_LENGTH;
    case TniCause::Right:
      return local ? UTOFU_ERR_MRQ_LCL_MEMORY : UTOFU_ERR_MRQ_RMT_MEMORY;
    case TniCause::Disabled:
    case TniCause::Lost:
      return UTOFU_ERR_MRQ_PEER;
    default:
      return UTOFU_ERR_MRQ_OTHER;
  }
}

int tcq_code(TniCause cause) {
  if (cause == TniCause::Good) return UTOFU_SUCCESS;
  return cause == TniCause::Descriptor ? UTOFU_ERR_TCQ_DESC : UTOFU_ERR_TCQ_OTHER;
}

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

utofu_mrq_notice_type remote_type(Notice::Kind kind) {
  switch (kind) {
    case Notice::Kind::Get:
      return UTOFU_MRQ_TYPE_RMT_GET;
    case Notice::Kind::Atomic:
      return UTOFU_MRQ_TYPE_RMT_ARMW;
    default:
      return UTOFU_MRQ_TYPE_RMT_PUT;
  }
}

bool names_local(const Descriptor& command) {
  return command.command == TniCommand::Put || command.command == TniCommand::Get;
}

std::uint64_t bytes_of(const Descriptor& command) {
  return command.command == TniCommand::Atomic ? (command.wide ? 8 : 4) : command.length;
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
  if (bytes_of(command) > offset_limit - far->offset) return UTOFU_ERR_INVALID_SIZE;
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
  if (command.length > region.end - near->offset) return UTOFU_ERR_INVALID_SIZE;
  command.local = *near;
  return UTOFU_SUCCESS;
}

int UtofuQueues::check(const Found& from, Request& r) const {
  if ((r.flags & ~known_flags) != 0) return UTOFU_ERR_INVALID_FLAGS;
  if (r.edata >> (8 * edata_bytes) != 0) return UTOFU_ERR_INVALID_EDATA;
  Descriptor& command = r.command;
  if (command.length >
      (command.command == TniCommand::PutImmediate ? immediate_limit : transfer_limit))
    return UTOFU_ERR_INVALID_SIZE;
  if (command.command != TniCommand::Nothing) {
    if (const int rc = aim(from, r, command); rc != UTOFU_SUCCESS) return rc;
  }
  if (names_local(command)) {
    if (const int rc = check_local(from, r, command); rc != UTOFU_SUCCESS) return rc;
  }
  command.remote_notice = (r.flags & UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE) != 0;
  command.edata = static_cast<std::uint16_t>(r.edata);
  return UTOFU_SUCCESS;
}

/// Notices that nobody polls take places of commands, as in a ring in memory.
bool UtofuQueues::has_place(const Found& f) const {
  const std::size_t places = std::size_t{1} << f.interface->options().log2_commands;
  return f.interface->has_room(f.number) && f.queue->tcq.size() < places;
}

void UtofuQueues::give(const Found& f, const Request& r) {
  const Descriptor& command = r.command;
  const bool named = names_local(command);
  Pending p;
  p.flags = r.flags;
  p.cbdata = r.cbdata;
  if (named) p.local = command.local.tag;
  p.notice.notice_type = static_cast<std::uint8_t>(local_type(command.command));
  p.notice.vcq_id = r.vcq;
  p.notice.edata = r.edata;
  p.notice.lcl_stadd = named ? r.local + command.length : 0;
  p.notice.rmt_stadd = r.remote + bytes_of(command);
  f.queue->pending[f.interface->submit(f.number, command)] = p;
  if ((r.flags & UTOFU_ONESIDED_FLAG_DELAY_START) == 0) f.interface->ring(f.number);
}

int UtofuQueues::submit(std::span<const utofu_vcq_hdl_t> handles, std::span<Request> requests) {
  std::vector<Found> queues;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const auto f = find(handles[i]);
    const auto same = [&](const Found& other) { return f && other.queue == f->queue; };
    if (!f || std::any_of(queues.begin(), queues.end(), same)) return UTOFU_ERR_INVALID_VCQ_HDL;
    if (const int rc = check(*f, requests[i]); rc != UTOFU_SUCCESS) return rc;
    queues.push_back(*f);
  }
  synchronise();
  for (const Found& f : queues) collect(f);
  for (const Found& f : queues) {
    if (has_place(f)) continue;
    f.interface->ring(f.number);  // what was delayed must not wait for ever
    wait_a_little(f);
    return UTOFU_ERR_BUSY;
  }
  for (std::size_t i = 0; i < queues.size(); ++i) give(queues[i], requests[i]);
  return UTOFU_SUCCESS;
}

// -------------------------------------------------------------------------------------------------
// Notices

void UtofuQueues::collect(const Found& f) {
  while (const auto c = f.interface->take_completion(f.number)) {
    const auto found = f.queue->pending.find(c->index);
    if (found == f.queue->pending.end()) continue;
    Pending p = std::move(found->second);
    f.queue->pending.erase(found);
    const bool ended = (p.flags & UTOFU_ONESIDED_FLAG_TCQ_NOTICE) != 0;
    const bool failed = c->cause != TniCause::Good;
    if (ended) f.queue->tcq.push_back({tcq_code(c->cause), p.cbdata});
    // What failed is told even if nobody asked.
    if ((p.flags & UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE) != 0 || (failed && !ended)) {
      p.notice.rmt_value = c->old;
      f.queue->mrq.push_back({code_of(c->cause, false), p.notice});
    }
  }
}

void UtofuQueues::note(const Found& f, const Notice& n) {
  utofu_mrq_notice notice{};
  notice.notice_type = static_cast<std::uint8_t>(remote_type(n.kind));
  notice.vcq_id = Vcq{n.from, n.interface, n.queue, 0, {}}.id();
  notice.edata = n.edata;
  // A put's notice is of its last packet.
  const std::uint32_t last =
      n.kind == Notice::Kind::Put && n.length != 0 ? (n.length - 1) % packet_bytes + 1 : n.length;
  notice.rmt_stadd = to_stadd({n.at.tag, (n.at.offset + last) & (offset_limit - 1)});
  notice.rmt_value = notice.rmt_stadd;
  f.queue->mrq.push_back({code_of(n.cause, true), notice});
}

void UtofuQueues::wait_a_little(const Found& f) {
  if (f.interface->port().interrupt()) f.interface->check();
  f.interface->port().advance(f.interface->options().poll_cost);
}

int UtofuQueues::poll(utofu_vcq_hdl_t handle, void*& cbdata) {
  const auto f = find(handle);
  if (!f) return UTOFU_ERR_INVALID_VCQ_HDL;
  collect(*f);
  synchronise();
  auto& tcq = f->queue->tcq;
  if (tcq.empty()) {
    wait_a_little(*f);
    return UTOFU_ERR_NOT_FOUND;
  }
  const Ended ended = tcq.front();
  tcq.pop_front();
  cbdata = ended.cbdata;
  return ended.code;
}

int UtofuQueues::poll(utofu_vcq_hdl_t handle, utofu_mrq_notice& notice) {
  const auto f = find(handle);
  if (!f) return UTOFU_ERR_INVALID_VCQ_HDL;
  collect(*f);
  if (const auto n = f->interface->take_notice(f->number)) note(*f, *n);
  synchronise();
  auto& mrq = f->queue->mrq;
  if (mrq.empty()) {
    wait_a_little(*f);
    return UTOFU_ERR_NOT_FOUND;
  }
  const Told told = mrq.front();
  mrq.pop_front();
  notice = told.notice;
  return told.code;
}

int UtofuQueues::unread_tcq(utofu_vcq_hdl_t handle, std::size_t& count) {
  const auto f = find(handle);
  if (!f) return UTOFU_ERR_INVALID_VCQ_HDL;
  collect(*f);
  synchronise();
  count = f->queue->tcq.size();
  wait_a_little(*f);  // programs wait for a number
  return UTOFU_SUCCESS;
}

int UtofuQueues::unread_mrq(utofu_vcq_hdl_t handle, std::size_t& count) {
  const auto f = find(handle);
  if (!f) return UTOFU_ERR_INVALID_VCQ_HDL;
  collect(*f);
  synchronise();
  count = f->queue->mrq.size() + f->interface->notices_waiting(f->number);
  wait_a_little(*f);
  return UTOFU_SUCCESS;
}

}  // namespace ht::tofu
