// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/scu_watch.hpp"

#include <bit>

namespace ht::machine {
namespace {

using check::QcdocReceiver;

sim::Complaint complaint_of(QcdocReceiver::Anomaly anomaly) {
  switch (anomaly) {
    case QcdocReceiver::Anomaly::Header:
    case QcdocReceiver::Anomaly::Refused:
      return sim::Complaint::Header;
    case QcdocReceiver::Anomaly::Parity:
      return sim::Complaint::Parity;
    case QcdocReceiver::Anomaly::Marks:
      return sim::Complaint::Marks;
    case QcdocReceiver::Anomaly::None:
      return sim::Complaint::Training;
  }
  return sim::Complaint::None;
}

}  // namespace

void ScuWatch::watch(unsigned link, sim::ErrorLedger* ledger) {
  receivers_.at(link) = std::make_unique<QcdocReceiver>([ledger](const QcdocReceiver::Verdict& v) {
    if (ledger == nullptr) return;
    sim::Observation seen;
    seen.start = v.start;
    seen.ok = v.ok;
    seen.error = v.error;
    seen.aligned = v.aligned;
    if (v.error) seen.complaint = complaint_of(v.anomaly);
    ledger->observe(v.edge, seen);
  });
  mask_ |= 1U << link;
}

QcdocReceiver& ScuWatch::receiver(std::uint32_t lowest) {
  return *receivers_[static_cast<std::size_t>(std::countr_zero(lowest))];
}

void ScuWatch::observed(std::int64_t edge, std::uint32_t state, std::uint32_t start,
                        std::uint32_t ok, std::uint32_t error) {
  if (state != state_) tell_states(edge, state);
  for (std::uint32_t any = (start | ok | error) & mask_; any != 0; any &= any - 1) {
    const std::uint32_t link = any & -any;
    receiver(any).observed(edge, {(start & link) != 0, (ok & link) != 0, (error & link) != 0});
  }
}

void ScuWatch::tell_states(std::int64_t edge, std::uint32_t state) {
  for (std::uint32_t all = mask_; all != 0; all &= all - 1) {
    const auto link = static_cast<unsigned>(std::countr_zero(all));
    receiver(all).state(edge, static_cast<QcdocReceiver::State>(state >> (2 * link) & 3));
  }
  state_ = state;
}

void ScuWatch::close(std::int64_t edge) {
  for (std::uint32_t all = mask_; all != 0; all &= all - 1) receiver(all).advance(edge);
}

}  // namespace ht::machine
