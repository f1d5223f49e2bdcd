// SPDX-License-Identifier: Apache-2.0
// What comes of commands to VCQs: notices, and polling for them.
#include "sw/tofu/utofu/utofu_queues.hpp"

namespace ht::tofu {
namespace {

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
    case TniCause::Full:
    case TniCause::Timeout:
    case TniCause::Group:
      return UTOFU_ERR_MRQ_PEER;
    default:
      return UTOFU_ERR_MRQ_OTHER;
  }
}

int tcq_code(TniCause cause) {
  if (cause == TniCause::Good) return UTOFU_SUCCESS;
  return cause == TniCause::Descriptor ? UTOFU_ERR_TCQ_DESC : UTOFU_ERR_TCQ_OTHER;
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

}  // namespace

void UtofuQueues::collect(const Found& f) {
  while (const auto c = f.interface->take_completion(f.number)) {
    const auto found = f.queue->pending.find(c->index);
    if (found == f.queue->pending.end()) continue;
    const Pending p = std::move(found->second);
    f.queue->pending.erase(found);
    Taken& of = *p.of;
    --of.under_way;
    // What follows a fault of the same command is not reported any more.
    const bool well = of.cause == TniCause::Good;
    const bool failed = c->cause != TniCause::Good;
    if (well) of.cause = c->cause;
    const bool wanted = (of.flags & UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE) != 0;
    const bool ended = (of.flags & UTOFU_ONESIDED_FLAG_TCQ_NOTICE) != 0;
    // Failures are reported even if no notice was asked for.
    if (well && ((wanted && (p.ends_block || failed)) || (failed && !ended))) {
      utofu_mrq_notice notice = of.notice;
      notice.rmt_value = c->old;
      notice.lcl_stadd = p.local_end;
      notice.rmt_stadd = p.remote_end;
      f.queue->mrq.push_back({code_of(c->cause, false), notice});
    }
    end(f, of);
  }
}

/// The TCQ notice, when nothing more comes of a command.
void UtofuQueues::end(const Found& f, const Taken& taken) {
  if (!taken.given || taken.under_way != 0) return;
  if ((taken.flags & UTOFU_ONESIDED_FLAG_TCQ_NOTICE) != 0)
    f.queue->tcq.push_back({tcq_code(taken.cause), taken.cbdata});
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

template <typename Entry>
std::optional<Entry> UtofuQueues::take(const Found& f, std::deque<Entry>& queue) {
  if (queue.empty()) {
    wait_a_little(f);
    return std::nullopt;
  }
  const Entry entry = queue.front();
  queue.pop_front();
  return entry;
}

int UtofuQueues::poll(utofu_vcq_hdl_t handle, void*& cbdata) {
  const auto f = find(handle);
  if (!f) return UTOFU_ERR_INVALID_VCQ_HDL;
  collect(*f);
  const auto ended = take(*f, f->queue->tcq);
  if (!ended) return UTOFU_ERR_NOT_FOUND;
  cbdata = ended->cbdata;
  return ended->code;
}

int UtofuQueues::poll(utofu_vcq_hdl_t handle, utofu_mrq_notice& notice) {
  const auto f = find(handle);
  if (!f) return UTOFU_ERR_INVALID_VCQ_HDL;
  collect(*f);
  if (const auto n = f->interface->take_notice(f->number)) note(*f, *n);
  const auto told = take(*f, f->queue->mrq);
  if (!told) return UTOFU_ERR_NOT_FOUND;
  notice = told->notice;
  return told->code;
}

void UtofuQueues::count_failures(const Queue& queue, Left& left) const {
  const auto count = [&left](const auto& notices) {
    for (const auto& notice : notices) {
      if (notice.code == UTOFU_SUCCESS) continue;
      if (left.failed++ == 0) left.code = notice.code;
    }
  };
  count(queue.tcq);
  count(queue.mrq);
}

UtofuQueues::Left UtofuQueues::left(Picoseconds patience) {
  Left all = freed_;
  for (int tni = 0; tni < interfaces(); ++tni) {
    NetworkInterface& interface = *network_.interfaces[static_cast<std::size_t>(tni)];
    for (int number = 0; number < network_.queues; ++number) {
      Queue& queue = queues_[static_cast<std::size_t>(tni)][static_cast<std::size_t>(number)];
      if (!queue.open) continue;
      const Found found{&interface, tni, number, &queue};
      const Picoseconds until = interface.port().now() + patience;
      for (collect(found); !queue.pending.empty() && interface.port().now() < until; collect(found))
        wait_a_little(found);
      all.under_way += queue.pending.size();
      count_failures(queue, all);
    }
  }
  return all;
}

int UtofuQueues::unread_tcq(utofu_vcq_hdl_t handle, std::size_t& count) {
  const auto f = find(handle);
  if (!f) return UTOFU_ERR_INVALID_VCQ_HDL;
  collect(*f);
  count = f->queue->tcq.size();
  wait_a_little(*f);  // programs wait for a number
  return UTOFU_SUCCESS;
}

int UtofuQueues::unread_mrq(utofu_vcq_hdl_t handle, std::size_t& count) {
  const auto f = find(handle);
  if (!f) return UTOFU_ERR_INVALID_VCQ_HDL;
  collect(*f);
  count = f->queue->mrq.size() + f->interface->notices_waiting(f->number);
  wait_a_little(*f);
  return UTOFU_SUCCESS;
}

}  // namespace ht::tofu
