// SPDX-License-Identifier: Apache-2.0
#include "verif/check/tofu/reader.hpp"

namespace ht::check {

using model::Beat;
using model::tofu::Control;
using model::tofu::Packet;

namespace {

constexpr std::uint64_t kIdleHalf = model::kIdleBeat.word[0];

/// A packet of these beats, whatever their CRCs say.
Packet packet_of(const std::vector<Beat>& beats) {
  Packet p;
  p.header = {beats[0].word[0] & ~std::uint64_t{0xff}, beats[0].word[1], beats[1].word[0],
              beats[1].word[1] & 0xffffffffU};
  for (std::size_t i = 2; i < beats.size(); ++i) p.payload.push_back(beats[i].word);
  return p;
}

}  // namespace

TofuReader::Form TofuReader::form(const Beat& b) {
  const bool high = (b.control >> 8 == 0xff && b.word[1] == kIdleHalf) ||
                    (b.control >> 8 == 0x01 && b.byte(8) == model::tofu::kControl);
  const unsigned low = b.control & 0xffU;
  if (b.control == 0) return Form::Data;
  if (b.control == 1 && b.byte(0) == model::tofu::kStart) return Form::First;
  if (b.control == 1 && b.byte(0) == model::tofu::kHello) return Form::Hello;
  if (high && low == 0xff && b.word[0] == kIdleHalf) return Form::Idle;
  if (high && low == 1 && (b.byte(0) == model::tofu::kEnd || b.byte(0) == model::tofu::kNullified))
    return Form::Last;
  return Form::Unknown;
}

bool TofuReader::header_good() const {
  const Packet p = packet_of(beats_);
  return beats_[1].word[1] >> 32 == p.header_crc() &&
         p.get(model::tofu::header::beats) <= model::tofu::kMostPayload;
}

void TofuReader::last(const Beat& beat, Event& event) {
  const auto sum = static_cast<std::uint32_t>(beat.word[0] >> 32);
  const bool nullified = beat.byte(0) == model::tofu::kNullified;
  if (beats_.size() < 2) {
    event.anomalies.framing = !nullified;
    return;
  }
  Packet p = packet_of(beats_);
  p.nullified = nullified;
  const bool whole = p.payload.size() == p.get(model::tofu::header::beats);
  if (nullified) {
    event.anomalies.crc = sum != ~p.header_crc();
  } else {
    event.anomalies.framing = !whole;
    event.anomalies.crc = whole && (sum != p.crc() || (beat.word[0] & 0xffffff00U) != 0);
  }
  if (event.anomalies.any()) return;
  event.ok = !nullified;
  ++(nullified ? counts_.nullified : counts_.packets);
  event.packet = std::move(p);
}

TofuReader::Event TofuReader::push(const Beat& beat) {
  Event e;
  const Form f = form(beat);
  const bool inside = !beats_.empty();
  switch (f) {
    case Form::Idle:
      skip_ = false;
      break;
    case Form::First:
      e.start = true;
      e.anomalies.framing = inside;
      beats_ = {beat};
      skip_ = false;
      break;
    case Form::Hello:
      e.anomalies.framing = inside;
      e.hello = model::tofu::Hello::parse(beat);
      e.ok = e.hello.has_value();
      e.anomalies.crc = !e.hello;
      if (e.hello) ++counts_.hellos;
      beats_.clear();
      skip_ = false;
      break;
    case Form::Data:
      if (!inside) {
        e.anomalies.framing = !skip_;
        skip_ = true;
        break;
      }
      beats_.push_back(beat);
      if (beats_.size() == 2) {
        e.anomalies.header = !header_good();
      } else {
        e.anomalies.framing = beats_.size() - 2 > packet_of(beats_).get(model::tofu::header::beats);
      }
      skip_ = e.anomalies.any();
      if (skip_) beats_.clear();
      break;
    case Form::Last:
      if (inside) {
        last(beat, e);
      } else {
        e.anomalies.framing = !skip_;
      }
      beats_.clear();
      skip_ = false;
      break;
    case Form::Unknown:
      e.anomalies.code = true;
      beats_.clear();
      skip_ = true;
      break;
  }
  if ((f == Form::Idle || f == Form::Last) && beat.control >> 8 == 1) {
    e.control = Control::parse(beat.word[1]);
    e.anomalies.control = !e.control;
    if (e.control) ++counts_.controls;
  }
  e.error = e.anomalies.any();
  counts_.code += e.anomalies.code;
  counts_.framing += e.anomalies.framing;
  counts_.header += e.anomalies.header;
  counts_.crc += e.anomalies.crc;
  counts_.control += e.anomalies.control;
  return e;
}

}  // namespace ht::check
