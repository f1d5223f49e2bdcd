// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/group_collectives.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sw/qmp/capabilities.hpp"
#include "sw/qmp/forwarder.hpp"

namespace ht::qmp {

GroupCollectives::GroupCollectives(Transport& transport, std::vector<int> members, int here)
    : transport_(transport), members_(std::move(members)), here_(here) {}

bool GroupCollectives::possible(Transport& transport) {
  return transport.routed_messages() != nullptr || transport.forwarder() != nullptr;
}

void GroupCollectives::move(bool send, int member, std::byte* buffer, std::size_t bytes) {
  const int rank = members_[static_cast<std::size_t>(member)];
  MessageService* service = &transport_;
  MessageId message = 0;
  if (RoutedMessages* const routed = transport_.routed_messages()) {
    message = send ? routed->declare_send_to(rank, buffer, bytes, Channel::Collective)
                   : routed->declare_receive_from(rank, buffer, bytes, Channel::Collective);
  } else {
    service = transport_.forwarder();
    message = transport_.forwarder()->declare(send, rank, Forwarder::stream_of(Channel::Collective),
                                              buffer, bytes);
  }
  service->start(message);
  service->wait(message);
  service->undeclare(message);
}

void GroupCollectives::send(int to, const void* data, std::size_t bytes) {
  // A send's buffer is only read.
  move(true, to, static_cast<std::byte*>(const_cast<void*>(data)), bytes);
}

void GroupCollectives::receive(int from, void* data, std::size_t bytes) {
  move(false, from, static_cast<std::byte*>(data), bytes);
}

// What is combined are the values of neighbours in the group's order: lower ones come first.
void GroupCollectives::reduce(void* data, std::size_t bytes, const Combine& combine) {
  if (bytes == 0) return;
  std::vector<std::max_align_t> other(bytes / sizeof(std::max_align_t) + 1);
  for (int step = 1; step < size(); step *= 2) {
    if (here_ % (2 * step) != 0) {
      send(here_ - step, data, bytes);
      break;
    }
    if (here_ + step >= size()) continue;
    receive(here_ + step, other.data(), bytes);
    combine(data, other.data());
  }
  broadcast(data, bytes);
}

void GroupCollectives::broadcast(void* data, std::size_t bytes) {
  if (bytes == 0) return;
  int step = 1;
  while (step < size()) step *= 2;
  for (step /= 2; step > 0; step /= 2) {
    if (here_ % (2 * step) == step) receive(here_ - step, data, bytes);
    if (here_ % (2 * step) == 0 && here_ + step < size()) send(here_ + step, data, bytes);
  }
}

void GroupCollectives::gather(const void* mine, std::size_t bytes, void* all) {
  if (bytes == 0) return;
  auto* const blocks = static_cast<std::byte*>(all);
  const auto block = [&](int member) { return blocks + bytes * static_cast<std::size_t>(member); };
  const auto length = [&](int first, int count) {
    return bytes * static_cast<std::size_t>(std::min(count, size() - first));
  };
  std::memcpy(block(here_), mine, bytes);
  for (int step = 1; step < size(); step *= 2) {
    if (here_ % (2 * step) != 0) {
      send(here_ - step, block(here_), length(here_, step));
      break;
    }
    const int from = here_ + step;
    if (from < size()) receive(from, block(from), length(from, step));
  }
  broadcast(all, length(0, size()));
}

void GroupCollectives::barrier() {
  std::byte nothing{};
  reduce(&nothing, 1, [](void*, const void*) {});
}

}  // namespace ht::qmp
