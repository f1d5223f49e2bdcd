// SPDX-License-Identifier: Apache-2.0
#include "verif/check/qpace/monitor.hpp"

namespace ht::check {

using namespace model::qpace;

namespace {

// A lane with an error character.
bool has_error(const model::Word& w) {
  for (unsigned i = 0; i < 4; ++i) {
    if (w.is_control(i) && w.lane(i) == kError) return true;
  }
  return false;
}

}  // namespace

QpaceMonitor::Event QpaceMonitor::push(const model::Word& word) {
  Event e;
  if (word == model::kIdleWord) return e;  // allowed anywhere, also inside a frame
  const bool code = has_error(word);
  bool framing = false;
  const bool packet = starts_with(word, kStart), hello = starts_with(word, kHello);
  if (packet || hello || starts_with(word, kCommand)) {
    const bool cut = !frame_.empty();  // the frame before was cut short
    framing = cut;
    frame_.clear();
    if (packet || hello) {
      frame_.push_back(word);
      e.start = true;
    } else if (!cut) {  // a command inside a frame may be damaged payload: ignored
      e.heard = Command::parse(word);
      e.command = e.heard.has_value();
      if (!e.command) {
        e.anomaly = Anomaly::Command;
        ++counts_.command_crc_errors;
      }
    }
  } else if (frame_.empty()) {
    framing = !code;
  } else {
    // A damaged word stands for a word of its frame, which parsing then refuses.
    frame_.push_back(word);
    framing = word.control != 0 && !code;
    finish(e);
    if (e.ok) framing = false;  // a withdrawn packet's end is in order
  }
  if (framing) e.anomaly = Anomaly::Framing;
  if (code) e.anomaly = Anomaly::Code;
  e.error = e.anomaly != Anomaly::None;
  counts_.packets += e.packet ? 1 : 0;
  counts_.hellos += e.hello ? 1 : 0;
  counts_.commands += e.command ? 1 : 0;
  counts_.errors += e.error ? 1 : 0;
  counts_.code_errors += code ? 1 : 0;
  counts_.framing_errors += framing ? 1 : 0;
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
  if (!e.ok) {
    e.anomaly = Anomaly::Check;
    ++counts_.crc_errors;
  }
  frame_.clear();
}

}  // namespace ht::check
