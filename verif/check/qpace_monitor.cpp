// SPDX-License-Identifier: Apache-2.0
#include "verif/check/qpace_monitor.hpp"

namespace ht::check {

using namespace model::qpace;

QpaceMonitor::Event QpaceMonitor::push(const model::Word& word) {
  Event e;
  if (word == model::kIdleWord) return e;  // allowed anywhere, also inside a frame
  if (word.control == 0) {
    if (frame_.empty()) {
      e.error = true;
    } else {
      frame_.push_back(word);
      finish(e);
    }
  } else {
    // No control word but idle belongs in a frame: it was cut short, or the word is damaged.
    e.error = !frame_.empty();
    frame_.clear();
    if (starts_with(word, kStart) || starts_with(word, kHello)) {
      frame_.push_back(word);
      e.start = true;
    } else if (starts_with(word, kCommand)) {
      e.heard = Command::parse(word);
      e.command = e.heard.has_value();
      e.error = e.error || !e.command;
    } else {
      e.error = true;
    }
  }
  counts_.packets += e.packet ? 1 : 0;
  counts_.hellos += e.hello ? 1 : 0;
  counts_.commands += e.command ? 1 : 0;
  counts_.errors += e.error ? 1 : 0;
  if (e.packet) checksum_.add(*e.packet);
  return e;
}

void QpaceMonitor::finish(Event& e) {
  const bool packet = starts_with(frame_[0], kStart);
  if (frame_.size() < (packet ? kPacketWords : kHelloWords)) return;
  if (packet) {
    e.packet = DataPacket::parse(frame_);
  } else {
    e.hello = Hello::parse(frame_);
  }
  e.ok = e.packet.has_value() || e.hello.has_value();
  e.error = !e.ok;
  frame_.clear();
}

}  // namespace ht::check
