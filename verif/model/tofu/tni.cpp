// SPDX-License-Identifier: Apache-2.0
#include "verif/model/tofu/tni.hpp"

#include <utility>

namespace ht::model {

TofuTni::TofuTni(std::uint32_t coordinates, const TniReach& memory, unsigned interfaces) {
  for (unsigned i = 0; i < interfaces; ++i) interfaces_.emplace_back(coordinates, i, memory);
}

TniInterface::Answer TofuTni::read(unsigned address) {
  return interface((address - kBase) / kStride).read(address % kStride);
}

TniInterface::Answer TofuTni::write(unsigned address, std::uint32_t value) {
  TniInterface& one = interface((address - kBase) / kStride);
  const auto answer = one.write(address % kStride, value);
  collect(one);
  return answer;
}

void TofuTni::receive(const TniPacket& packet) {
  TniInterface& one = interface(packet.interface);
  one.receive(packet);
  collect(one);
}

void TofuTni::collect(TniInterface& from) {
  for (; !from.sent.empty(); from.sent.pop_front()) sent.push_back(std::move(from.sent.front()));
}

std::uint64_t TofuTni::entries() const {
  std::uint64_t sum = 0;
  for (const auto& one : interfaces_) sum += one.entries;
  return sum;
}

}  // namespace ht::model
