// SPDX-License-Identifier: Apache-2.0
// What reads beats of a Tofu link, and what interfaces and gates make of its packets: any beats,
// and good frames among them. What is taken is to the bit what a sender makes of it, and good
// frames are taken.
#include "tests/fuzz/property.hpp"
#include "verif/check/tofu/reader.hpp"
#include "verif/model/tofu/gate_packet.hpp"
#include "verif/model/tofu/tni_packet.hpp"

using namespace ht;
using namespace ht::fuzz;
using namespace ht::model::tofu;
using check::TofuReader;
using model::Beat;

namespace {

constexpr unsigned most_payload = 12;  // beats of a packet made here

void interpret(const Packet& packet) {
  if (const auto tni = model::tni_packet(packet); tni && tni->interface != model::kNoInterface) {
    require(tni->payload.size() <= model::kTniPayload, "a payload longer than any");
    require(model::tni_packet(model::to_frame(*tni)) == tni, "an interface's packet changes");
  }
  for (const std::size_t states : {1U, 2U, 3U}) {
    const auto gate = model::from_frame(packet, states);
    if (!gate) continue;
    const auto again = model::from_frame(model::to_frame(*gate, states), states);
    require(again.has_value() && again->data == gate->data && again->sequence == gate->sequence,
            "a gate's packet changes");
  }
}

TofuReader::Event push(TofuReader& reader, const Beat& beat) {
  const TofuReader::Event e = reader.push(beat);
  require(e.error == e.anomalies.any(), "an error without a kind");
  require(!e.ok || e.packet || e.hello, "a frame that says nothing");
  require(!(e.packet && e.hello), "a packet and a hello at once");
  if (e.control) require(e.control->word() == beat.word[1], "a control packet is another");
  if (e.hello) require(Hello::parse(e.hello->beat()) == e.hello, "a hello is another");
  if (!e.packet) return e;
  require(e.packet->payload.size() <= kMostPayload, "a packet longer than any");
  require(e.packet->nullified || e.packet->payload.size() == e.packet->get(header::beats),
          "a packet of another length than its header says");
  interpret(*e.packet);
  return e;
}

Beat beat(Draw& draw) {
  Beat b;
  b.control = draw.number<std::uint16_t>();
  for (auto& word : b.word) word = draw.number<std::uint64_t>();
  if (draw.below(2) == 0) b.set(0, draw.below(2) == 0 ? kStart : kEnd, true);
  return b;
}

Packet packet(Draw& draw) {
  Packet p;
  for (auto& word : p.header) word = draw.number<std::uint64_t>();
  p.header[0] &= ~std::uint64_t{0xff};
  p.header[3] &= 0xffffffffU;
  p.payload.resize(draw.below(most_payload + 1));
  p.set(header::beats, static_cast<std::uint32_t>(p.payload.size()));
  for (auto& bytes : p.payload) {
    for (auto& word : bytes) word = draw.number<std::uint64_t>();
  }
  p.nullified = draw.below(4) == 0;
  return p;
}

Control control(Draw& draw) {
  Control c;
  c.type = static_cast<ControlType>(draw.below(4));
  c.sequence = static_cast<std::uint8_t>(draw.below(64));
  for (auto& credit : c.credits) credit = static_cast<std::uint8_t>(draw.below(128));
  return c;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Draw draw({data, size});
  TofuReader reader;
  while (!draw.empty()) {
    switch (draw.below(4)) {
      case 0:
        push(reader, beat(draw));
        break;
      case 1: {
        const Packet p = packet(draw);
        interpret(p);
        const auto beats = p.on_wire(draw.below(2) == 0 ? 0 : control(draw).word());
        TofuReader::Event last;
        for (const Beat& b : beats) last = push(reader, b);
        require(last.packet == p, "a good packet is not taken");
        break;
      }
      case 2: {
        const Control c = control(draw);
        require(push(reader, c.beat()).control == c, "a good control packet is not taken");
        break;
      }
      default: {  // a damaged packet
        auto beats = packet(draw).on_wire();
        const std::size_t at = draw.below(static_cast<unsigned>(beats.size()));
        if (draw.below(2) == 0) {
          beats.erase(beats.begin() + static_cast<std::ptrdiff_t>(at));
        } else {
          beats[at].set(draw.below(Beat::kBytes), draw.number(), draw.below(8) == 0);
        }
        for (const Beat& b : beats) push(reader, b);
      }
    }
  }
  return 0;
}
