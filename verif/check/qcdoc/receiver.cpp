// SPDX-License-Identifier: Apache-2.0
#include "verif/check/qcdoc/receiver.hpp"

#include <algorithm>
#include <stdexcept>

namespace ht::check {

using model::qcdoc::Kind;

namespace {

constexpr std::size_t kMostDifferences = 4;
// Bits of a training sequence.
constexpr std::int64_t kSequence = 32;
// After so many repeated bits nothing new is read.
constexpr std::int64_t kEnough = 32 * 8;

// Bits that are not read yet.
constexpr std::size_t kBacklog = 1024;

std::string text(const QcdocReceiver::Pulses& p) {
  std::string s;
  if (p.start) s += " start";
  if (p.ok) s += " ok";
  if (p.error) s += " error";
  return s.empty() ? " nothing" : s;
}

}  // namespace

void QcdocReceiver::received(std::int64_t edge) {
  if (edge < next_)
    throw std::logic_error("QcdocReceiver: a bit of edge " + std::to_string(edge) + " after edge " +
                           std::to_string(next_ - 1) + " was read");
  // Training goes on without pulses: what is so far back cannot be about a byte still to be told.
  if (changes_.size() > kBacklog) advance(changes_.back() - kSequence);
  changes_.push_back(edge);
}

void QcdocReceiver::state(std::int64_t edge, State state) {
  advance(edge - 1);
  if (state == state_) return;
  state_ = state;
  entered_ = true;
  repeated_.reset();
  status_.reset();
  word_end_.reset();
  counts_.trainings += state == State::Train ? 1 : 0;
}

void QcdocReceiver::observed(std::int64_t edge, const Pulses& pulses) {
  advance(edge - 1);
  if (next_ > edge) return differ(edge, {}, pulses);
  step(edge, pulses);
}

void QcdocReceiver::advance(std::int64_t edge) {
  while (next_ <= edge) {
    const std::int64_t stop =
        changes_.empty() ? edge + 1 : std::clamp(changes_.front(), next_, edge + 1);
    if (stop - next_ > kEnough) {
      for (const std::int64_t enough = next_ + kEnough; next_ < enough;) step(next_, {});
      next_ += (stop - next_) & ~std::int64_t{7};
    }
    while (next_ < stop) step(next_, {});
    if (next_ <= edge) step(next_, {});
  }
}

void QcdocReceiver::step(std::int64_t edge, const Pulses& pulses) {
  bool& wire = wire_[static_cast<std::size_t>(edge & 7)];
  if (!changes_.empty() && changes_.front() == edge) {
    wire = !wire;
    changes_.pop_front();
  }
  next_ = edge + 1;
  const auto e = aligner_.push(wire, state_ == State::Train);
  if (state_ == State::Train) train(edge, e);
  if (state_ == State::Up && e.byte) {
    read_byte(edge, e.value, pulses);
  } else if (pulses.any()) {
    differ(edge, {}, pulses);
  }
  // The receiver begins anew with the end of its first cycle.
  if (entered_ && state_ == State::Up) {
    bytes_.restart();
    unsure_ = false;
    word_end_.reset();
  }
  entered_ = false;
}

void QcdocReceiver::read_byte(std::int64_t edge, std::uint8_t byte, const Pulses& pulses) {
  const auto e = bytes_.push(byte, pulses.error);
  const Pulses expected{e.start, e.ok, e.error};
  if (expected != pulses) differ(edge, expected, pulses);
  counts_.header_errors += e.anomaly == Anomaly::Header ? 1 : 0;
  counts_.parity_errors += e.anomaly == Anomaly::Parity ? 1 : 0;
  counts_.marker_errors += e.anomaly == Anomaly::Marks ? 1 : 0;
  counts_.refused += e.anomaly == Anomaly::Refused ? 1 : 0;
  if (e.ok) {
    ++counts_.frames;
    frames_.push_back(edge);
  }
  // A data word counts when a good header follows. Where none does, that is an objection to the
  // word, too.
  if (word_end_) {
    Verdict v;
    v.ok = !e.error;
    v.error = e.error;
    v.anomaly = e.anomaly;
    tell(e.error ? edge : *word_end_, v);
    word_end_.reset();
    repeated_.reset();
    if (e.error) return;
  }
  if (pulses.ok && e.ok && e.header->kind == Kind::Data) {
    word_end_ = edge;
    repeated_.reset();
    return;
  }
  // A supervisor word or an interrupt counts when it is believed: the ledger hears of it, and of
  // the idle bytes that say so, then. Before that, an error gives up all of it.
  if (unsure_ && !e.error) {
    repeated_.reset();
    if (bytes_.unsure()) return;
    unsure_ = false;
    if (e.header && e.header->kind == Kind::Mark) return;  // it comes again
    Verdict v;
    v.ok = true;
    tell(edge, v);
    return;
  }
  unsure_ = false;
  if (pulses.ok && e.ok && bytes_.unsure()) {
    unsure_ = true;
    return;
  }
  // What the ledger hears is what the hardware said; of bytes without a payload it says nothing.
  const bool again = e.bare() && repeated_ == byte;
  repeated_.reset();
  if (e.bare()) repeated_ = byte;
  // An idle byte delivers nothing: what it says of acknowledgements and room is said by every other
  // header, too, and believed for certain from a record only. Nor does a mark: bytes read at a
  // wrong boundary may look like one, and only the record behind ten of them counts.
  const bool nothing = e.header && (e.header->kind == Kind::Idle || e.header->kind == Kind::Mark);
  if (e.bare() && !nothing && !again && !pulses.any()) {
    Verdict v;
    v.ok = true;
    tell_whole(edge - 8 * e.bytes + 1, edge, v);
  }
  if (pulses.start) {
    Verdict v;
    v.start = true;
    tell(edge - 7, v);
  }
  if (pulses.ok || pulses.error) {
    Verdict v;
    v.ok = pulses.ok;
    v.error = pulses.error;
    v.anomaly = e.anomaly;
    if (pulses.error && e.anomaly != Anomaly::Parity) {
      tell_whole(edge - 8 * e.bytes + 1, edge, v);
    } else {
      tell(edge, v);
    }
  }
}

void QcdocReceiver::train(std::int64_t edge, const model::qcdoc::BitAligner::Event& e) {
  Verdict v;
  if (e.trained) {
    if (!status_ || e.aligned) {
      Verdict aligned;
      aligned.aligned = true;
      tell(edge - kSequence + 1, aligned);
    }
    v.ok = true;
    if (status_ != e.trained) tell_whole(edge - kSequence + 1, edge, v);
    status_ = e.trained;
    sequence_end_ = edge;
  } else if (status_ && edge == sequence_end_ + kSequence) {
    v.error = true;
    tell_whole(edge - kSequence + 1, edge, v);
    sequence_end_ = edge;
  }
}

void QcdocReceiver::tell_whole(std::int64_t first, std::int64_t last, Verdict verdict) {
  Verdict begin;
  begin.start = true;
  tell(first, begin);
  tell(last, verdict);
}

void QcdocReceiver::tell(std::int64_t edge, Verdict verdict) {
  // Where the byte boundary moved, bytes overlap.
  told_ = std::max(told_, edge);
  verdict.edge = told_;
  if (sink_) sink_(verdict);
}

void QcdocReceiver::differ(std::int64_t edge, const Pulses& expected, const Pulses& got) {
  if (differences_.size() < kMostDifferences)
    differences_.push_back("edge " + std::to_string(edge) + ": expected" + text(expected) +
                           ", got" + text(got));
}

const std::vector<std::string>& QcdocReceiver::close(std::int64_t edge) {
  advance(edge);
  return differences_;
}

}  // namespace ht::check
