// SPDX-License-Identifier: Apache-2.0
#include "verif/check/qpace_monitor.hpp"

namespace ht::check {

using namespace model::qpace;

QpaceMonitor::Event QpaceMonitor::push(const model::Word& word) {
  Event e;
  if (word == model::kIdleWord) return e;  // allowed anywhere, also inside a frame
  const bool packet = starts_with(word, kStart), hello = starts_with(word, kHello);
  if (packet || hello || starts_with(word, kCommand)) {
    const bool cut = !frame_.empty();  // the frame before was cut short
    e.error = cut;
    frame_.clear();
    if (packet || hello) {
      frame_.push_back(word);
      e.start = true;
    } else if (!cut) {  // a command inside a frame may be damaged payload: not heeded
      e.heard = Command::parse(word);
      e.command = e.heard.has_value();
      e.error = !e.command;
    }
  } else if (frame_.empty()) {
    e.error = true;
  } else {
    // A damaged word stands for a word of its frame, which parsing then refuses.
    frame_.push_back(word);
    e.error = word.control != 0;
    finish(e);
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
  e.error = !e.ok;  // a withdrawn packet's end is in order
  frame_.clear();
}

}  // namespace ht::check
