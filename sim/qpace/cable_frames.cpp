// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/cable_frames.hpp"

#include "verif/model/qpace/wire.hpp"

namespace ht::machine {

using namespace model::qpace;

std::size_t CableFrame::length(const model::Word& word) {
  if (starts_with(word, kStart)) return kPacketWords;
  if (starts_with(word, kHello)) return kHelloWords;
  return starts_with(word, kCommand) ? 1 : 0;
}

bool CableFrame::carries_data() const {
  return starts_with(sent[0], kStart);
}

bool CableFrame::unseen() const {
  if (!damaged() || arrived.empty()) return false;
  if (starts_with(arrived[0], kStart)) return DataPacket::parse(arrived).has_value();
  if (starts_with(arrived[0], kHello)) return Hello::parse(arrived).has_value();
  return arrived.size() == 1 && Command::parse(arrived[0]).has_value();
}

}  // namespace ht::machine
