// SPDX-License-Identifier: Apache-2.0
// What reads words of a QPACE link: any words, and good frames among them. What is taken for a
// frame is one to the bit, and a frame that begins between others is taken.
#include <algorithm>
#include <vector>

#include "tests/fuzz/property.hpp"
#include "verif/check/qpace/monitor.hpp"

using namespace ht;
using namespace ht::fuzz;
using namespace ht::model::qpace;
using check::QpaceMonitor;
using model::Word;

namespace {

// A monitor, and all words of what may be the frame under way.
class Line {
 public:
  QpaceMonitor::Event push(const Word& word) {
    const QpaceMonitor::Event e = monitor_.push(word);
    if (word == model::kIdleWord) {
      require(!e.start && !e.ok && !e.command && !e.error, "an idle word is something");
      return e;
    }
    if (e.start) words_.clear();
    words_.push_back(word);
    require(e.error == (e.anomaly != QpaceMonitor::Anomaly::None), "an error without a kind");
    require(e.command == e.heard.has_value(), "a command that says nothing");
    require(!e.command || e.heard->word() == word, "a command is not what it was");
    require(e.ok == (e.packet.has_value() || e.hello.has_value()), "a frame that says nothing");
    if (e.packet) require(std::ranges::equal(e.packet->words(), words_), "a packet is another");
    if (e.hello) {
      // Bits that no field has are covered by the CRC, and lost.
      const auto words = e.hello->words();
      const auto again = Hello::parse(words);
      require(again == e.hello, "a hello is not what it was");
    }
    const auto& n = monitor_.counts();
    require(n.errors <= n.code_errors + n.framing_errors + n.crc_errors + n.command_crc_errors,
            "errors that are counted nowhere");
    return e;
  }
  template <class Words>
  QpaceMonitor::Event push_all(const Words& words) {
    QpaceMonitor::Event last;
    for (const Word& w : words) last = push(w);
    return last;
  }

 private:
  QpaceMonitor monitor_;
  std::vector<Word> words_;
};

Word word(Draw& draw) {
  Word w;
  w.data = draw.number<std::uint32_t>();
  w.control = draw.number<std::uint8_t>() & 0xF;
  return w;
}

DataPacket packet(Draw& draw) {
  DataPacket p;
  p.channel = static_cast<std::uint8_t>(draw.below(8));
  p.sequence = static_cast<std::uint8_t>(draw.below(kSequences));
  p.remote_offset = draw.number<std::uint16_t>() & 0x7FFF;
  const Bytes some = draw.take(draw.below(kPayloadBytes + 1));
  std::ranges::copy(std::as_bytes(some), p.payload.begin());
  p.withdrawn = draw.below(4) == 0;
  return p;
}

Hello hello(Draw& draw) {
  Hello h;
  h.version = draw.number();
  const std::uint8_t flags = draw.number();
  h.up = (flags & 1) != 0;
  h.heard = (flags & 2) != 0;
  h.session = (flags & 4) != 0;
  h.used = (flags & 8) != 0;
  h.port = static_cast<std::uint8_t>(draw.below(6));
  h.train_id = static_cast<std::uint8_t>(draw.below(16));
  h.echo_train_id = static_cast<std::uint8_t>(draw.below(16));
  h.node = draw.number<std::uint16_t>();
  h.epoch = draw.number<std::uint16_t>();
  h.next_expected = static_cast<std::uint8_t>(draw.below(kSequences));
  return h;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Draw draw({data, size});
  Line line;
  // Whether a frame may be under way.
  bool open = false;
  while (!draw.empty()) {
    switch (draw.below(5)) {
      case 0:
        line.push(word(draw));
        open = true;
        break;
      case 1: {
        const DataPacket p = packet(draw);
        require(line.push_all(p.words()).packet == p, "a good packet is not taken");
        open = false;
        break;
      }
      case 2: {
        const Hello h = hello(draw);
        require(line.push_all(h.words()).hello == h, "a good hello is not taken");
        open = false;
        break;
      }
      case 3: {
        const Command c{static_cast<CommandType>(draw.below(4)),
                        static_cast<std::uint8_t>(draw.below(kSequences))};
        const auto e = line.push(c.word());
        require(open || e.heard == c, "a good command is not taken");
        open = false;
        break;
      }
      default: {  // a damaged packet
        auto words = packet(draw).words();
        words[draw.below(kPacketWords)] = word(draw);
        line.push_all(words);
        open = true;
      }
    }
  }
  return 0;
}
