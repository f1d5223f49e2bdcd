// SPDX-License-Identifier: Apache-2.0
#include "verif/model/tofu/tni_network.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace ht::model {

std::size_t TniNetwork::add(std::uint32_t coordinates, std::span<std::byte> memory) {
  const std::size_t node = nodes_.size();
  if (!places_.emplace(coordinates, node).second)
    throw std::invalid_argument("network interfaces: two nodes at one place");
  nodes_.emplace_back(coordinates, memory);
  return node;
}

TniInterface::Answer TniNetwork::read(std::size_t node, unsigned address) {
  return nodes_.at(node).read(address);
}

TniInterface::Answer TniNetwork::write(std::size_t node, unsigned address, std::uint32_t value) {
  const auto answer = nodes_.at(node).write(address, value);
  collect(nodes_[node]);
  return answer;
}

void TniNetwork::collect(TofuTni& node) {
  for (; !node.sent.empty(); node.sent.pop_front()) {
    TniPacket& p = node.sent.front();
    const Way way{p.from, p.source_interface, p.to, p.interface, p.response()};
    ways_[way].push_back({sent_++, std::move(p)});
  }
}

bool TniNetwork::step() {
  if (ways_.empty()) return false;
  auto way = shuffled_
                 ? std::next(ways_.begin(), static_cast<std::ptrdiff_t>(random_() % ways_.size()))
                 : std::min_element(ways_.begin(), ways_.end(), [](const auto& a, const auto& b) {
                     return a.second.front().number < b.second.front().number;
                   });
  TniPacket packet = std::move(way->second.front().packet);
  way->second.pop_front();
  if (way->second.empty()) ways_.erase(way);
  if (tamper && !tamper(packet)) return true;
  const auto place = places_.find(packet.to);
  if (place == places_.end() || packet.interface >= TofuTni::kInterfaces) {
    ++lost;
    return true;
  }
  nodes_[place->second].receive(packet);
  collect(nodes_[place->second]);
  return true;
}

void TniNetwork::settle() {
  while (step()) {
  }
}

std::size_t TniNetwork::under_way() const {
  std::size_t n = 0;
  for (const auto& [way, packets] : ways_) n += packets.size();
  return n;
}

}  // namespace ht::model
