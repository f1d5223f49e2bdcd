// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/packet_capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/machine/torus.hpp"

namespace ht::machine {
namespace {

constexpr std::uint8_t layout_version = 1;
// Of the pseudo-header's flags.
constexpr unsigned damaged_flag = 1, unseen_flag = 2, cut_flag = 4, unknown_flag = 8;
// A frame this old that is not complete never will be. Packets wait for their payload a few
// microseconds at most.
constexpr Picoseconds patience = 20'000'000;

// Big-endian, as Wireshark reads by default.
void put(std::vector<std::uint8_t>& out, std::uint64_t value, unsigned bytes) {
  while (bytes-- > 0) out.push_back(static_cast<std::uint8_t>(value >> (8 * bytes)));
}

}  // namespace

PacketCapture::PacketCapture(Machine& machine, const std::string& file)
    : machine_(machine), file_(machine, file) {}

PacketCapture::~PacketCapture() {
  if (machine_.ranks() != nullptr) return;  // the others would have to take part
  try {
    finish();
  } catch (const std::exception&) {
    // Reported by finish(), which was not called: the run has failed for another reason.
  }
}

void PacketCapture::add(int node, int link) {
  End plus{node, link}, minus{machine_.neighbour(node, link), machine_.far_link(link)};
  // Where both ends have the same name, the first node is the + end.
  if (std::pair(minus.link, minus.node) < std::pair(plus.link, plus.node)) std::swap(plus, minus);
  for (const Direction& d : directions_) {
    if (d.from.node == plus.node && d.from.link == plus.link) return;
  }
  const auto title = [this](End e) {
    return fmt::format("node {} {}", e.node, machine_.link_name(e.link));
  };
  const std::uint32_t interface =
      file_.add_interface(fmt::format("node{}{}", plus.node, machine_.link_name(plus.link)),
                          title(plus) + " to " + title(minus));
  add_direction(plus, minus, interface, PcapngFile::Direction::Outbound);
  add_direction(minus, plus, interface, PcapngFile::Direction::Inbound);
}

void PacketCapture::add_direction(End from, End to, std::uint32_t interface,
                                  PcapngFile::Direction direction) {
  directions_.push_back({from,
                         to,
                         {directions_.size(), interface, direction},
                         machine_.listen_to(from.node, from.link)});
}

void PacketCapture::collect(Picoseconds now) {
  // What was sent before `horizon` is complete.
  Picoseconds horizon = now;
  for (const Direction& d : directions_) {
    const auto since = d.frames->open_since(now);
    if (!since) continue;
    if (now - *since > patience) {
      d.frames->cut();
    } else {
      horizon = std::min(horizon, *since);
    }
  }
  take_frames();
  file_.complete_until(horizon);
}

void PacketCapture::finish() {
  if (std::exchange(finished_, true)) return;
  for (const Direction& d : directions_) d.frames->cut();
  take_frames();
  file_.finish();
}

void PacketCapture::take_frames() {
  for (const Direction& d : directions_) {
    while (d.frames->next()) add_record(d, d.frames->take());
  }
}

void PacketCapture::add_record(const Direction& d, const CapturedFrame& frame) {
  const unsigned flags = (frame.damaged ? damaged_flag : 0U) | (frame.unseen ? unseen_flag : 0U) |
                         (frame.cut_short ? cut_flag : 0U) |
                         (frame.arrival_unknown ? unknown_flag : 0U);
  std::vector<std::uint8_t> data;
  put(data, layout_version, 1);
  put(data, d.frames->format(), 1);
  put(data, flags, 1);
  put(data, static_cast<std::uint64_t>(d.from.link), 1);
  put(data, static_cast<std::uint64_t>(d.to.link), 1);
  put(data, 0, 3);
  put(data, static_cast<std::uint64_t>(d.from.node), 4);
  put(data, static_cast<std::uint64_t>(d.to.node), 4);
  put(data, static_cast<std::uint64_t>(frame.time), 8);
  put(data, frame.sent, 2);
  put(data, frame.arrived, 2);
  data.insert(data.end(), frame.data.begin(), frame.data.end());
  std::string comment;
  if (frame.damaged)
    comment = "damaged: " + frame.damage + (frame.unseen ? "; the check does not see it" : "");
  file_.add(d.source, frame.time, std::move(data), std::move(comment));
}

}  // namespace ht::machine
