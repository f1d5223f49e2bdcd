// SPDX-License-Identifier: Apache-2.0
#include "tests/tofu/interface/tni_net.hpp"
#include "tests/support/power_on.hpp"

#include <verilated.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace ht::test {
using model::TniCommand;
namespace reg = model::tni_register;

namespace {

// From a device's rings on: its table of tags, lists of frames, rings of its queues.
constexpr std::uint64_t kTags = 64, kLists = 0x1000, kCommands = 0x4000, kCompletions = 0x8000,
                        kNotices = 0xa000;
constexpr std::uint64_t kCommandsEach = 0x400, kCompletionsEach = 0x200, kNoticesEach = 0x200,
                        kListEach = 0x80;
constexpr unsigned kLog2Commands = 4, kLog2Completions = 5, kLog2Notices = 4;

}  // namespace

TniNet::TniNet(unsigned nodes, unsigned per_node, std::size_t bytes, std::uint64_t seed)
    : context_(power_on()),
      memory(nodes, std::vector<std::byte>(bytes)),
      per_node_(per_node),
      queues_(nodes * per_node),
      random_(seed) {
  for (unsigned d = 0; d < nodes * per_node; ++d) {
    devices.push_back(std::make_unique<TniDevice>(context_.get(), coordinates(d / per_node),
                                                  d % per_node, memory_of(d), seed));
    devices[d]->on_packet = [this](const TniDevice::Beats& beats) {
      const auto frame = model::tofu::Packet::from_chip(beats);
      const auto packet = frame ? model::tni_packet(*frame) : std::nullopt;
      if (!packet || model::to_frame(*packet).in_chip() != beats)
        throw std::runtime_error("a malformed packet left a network interface");
      auto copy = beats;
      if (tamper && !tamper(copy)) return;
      const std::size_t kind = packet->response() ? 1 : 0;
      flying_[{packet->from, packet->source_interface, packet->to, packet->interface, kind}]
          .push_back({cycle + 1 + random_() % longest_way, std::move(copy)});
    };
  }
  for (unsigned d = 0; d < devices.size(); ++d) set_up(d);
}

TniNet::~TniNet() = default;

void TniNet::set_up(unsigned d) {
  write(d, reg::kTableBase, static_cast<std::uint32_t>(rings(d) / 16));
  write(d, reg::kTableTags, kTags);
  write(d, reg::kControl, 1);
  open(d, 0);
}

void TniNet::reset(unsigned d, std::uint32_t generation) {
  devices[d]->reset();
  queues_[d] = {};
  if (generation != 0) write(d, reg::kGeneration, generation);
  set_up(d);
}

void TniNet::step() {
  for (auto& device : devices) device->step();
  ++cycle;
  for (auto at = flying_.begin(); at != flying_.end();) {
    auto& [way, packets] = *at;
    while (!packets.empty() && packets.front().due <= cycle) {
      const auto to = std::find_if(devices.begin(), devices.end(), [&w = way](const auto& d) {
        return d->coordinates == std::get<2>(w) && d->number == std::get<3>(w);
      });
      if (to == devices.end())
        throw std::runtime_error("a packet to an interface that is not there");
      (*to)->in[std::get<4>(way)].push_back(std::move(packets.front().beats));
      packets.pop_front();
    }
    at = packets.empty() ? flying_.erase(at) : std::next(at);
  }
}

void TniNet::run_until(const std::function<bool()>& done, std::uint64_t limit) {
  for (std::uint64_t i = 0; !done(); ++i) {
    if (i == limit) throw std::runtime_error("network interfaces: not done in time");
    step();
  }
}

void TniNet::settle(std::uint64_t limit) {
  run_until(
      [&] {
        return flying_.empty() && std::all_of(devices.begin(), devices.end(),
                                              [](const auto& d) { return d->quiet(); });
      },
      limit);
}

void TniNet::disturb(unsigned router_stalls, unsigned memory_stalls, unsigned gaps) {
  for (auto& d : devices) {
    d->router_stalls = router_stalls;
    d->memory_stalls = memory_stalls;
    d->gaps = gaps;
  }
}

std::uint32_t TniNet::access(unsigned device, bool write, unsigned address, std::uint32_t value,
                             bool& refused) {
  bool ended = false;
  std::uint32_t answer = 0;
  devices[device]->accesses.push_back({write, address, value, [&](std::uint32_t v, bool r) {
                                         ended = true;
                                         answer = v;
                                         refused = r;
                                       }});
  run_until([&] { return ended; }, 1000);
  return answer;
}

std::uint32_t TniNet::read(unsigned device, unsigned address) {
  bool refused = false;
  const auto value = access(device, false, address, 0, refused);
  if (refused) throw std::runtime_error("register read refused");
  return value;
}

void TniNet::write(unsigned device, unsigned address, std::uint32_t value) {
  if (!try_write(device, address, value)) throw std::runtime_error("register write refused");
}

bool TniNet::try_write(unsigned device, unsigned address, std::uint32_t value) {
  bool refused = false;
  access(device, true, address, value, refused);
  return !refused;
}

std::uint64_t TniNet::word(unsigned device, std::uint64_t address) {
  std::uint64_t value = 0;
  std::memcpy(&value, memory_of(device).data() + address, sizeof value);
  return value;
}

void TniNet::put_word(unsigned device, std::uint64_t address, std::uint64_t value) {
  std::memcpy(memory_of(device).data() + address, &value, sizeof value);
}

void TniNet::open(unsigned device, unsigned queue) {
  const std::array<std::uint64_t, 3> at{rings(device) + kCommands + kCommandsEach * queue,
                                        rings(device) + kCompletions + kCompletionsEach * queue,
                                        rings(device) + kNotices + kNoticesEach * queue};
  for (std::size_t ring = 1; ring < 3; ++ring)
    std::fill_n(memory_of(device).begin() + static_cast<std::ptrdiff_t>(at[ring]), 0x200,
                std::byte{0});
  const unsigned base = reg::kQueue + 16 * queue;
  for (unsigned ring = 0; ring < 3; ++ring)
    write(device, base + reg::kCommands + ring, static_cast<std::uint32_t>(at[ring] / 16));
  write(device, base, 1 | kLog2Commands << 1 | kLog2Completions << 5 | kLog2Notices << 9);
  queues_[device][queue] = {};
}

void TniNet::tag(unsigned device, unsigned number, unsigned rights, std::uint64_t base,
                 std::uint64_t length, unsigned owner, const std::vector<std::uint64_t>& frames) {
  const std::uint64_t entry = rings(device) + 32ULL * number;
  const std::uint64_t list = rings(device) + kLists + kListEach * number;
  if (8 * frames.size() > kListEach) throw std::runtime_error("too many frames");
  const bool paged = !frames.empty();
  put_word(device, entry, 1 | rights | owner << 4 | (paged ? 12U : 63U) << 10);
  put_word(device, entry + 8, length);
  put_word(device, entry + 16, (paged ? list : base) / 16);
  put_word(device, entry + 24, 0);
  for (std::size_t i = 0; i < frames.size(); ++i) put_word(device, list + 8 * i, frames[i] / 16);
  forget(device, number);
}

void TniNet::forget_tag(unsigned device, unsigned number) {
  put_word(device, rings(device) + 32ULL * number, 0);
  forget(device, number);
}

bool TniNet::forgotten(unsigned device) {
  return read(device, reg::kTableForget) == 0;
}

void TniNet::forget(unsigned device, std::uint32_t number) {
  for (int i = 0; !forgotten(device); ++i) {
    if (i == 100000) throw std::runtime_error("network interface: a tag is never forgotten");
  }
  write(device, reg::kTableForget, number);
}

void TniNet::put_command(unsigned device, const TniCommand& command, unsigned queue) {
  const auto words = command.to_bytes();
  const unsigned place = queues_[device][queue].produced++ % (1U << kLog2Commands);
  std::memcpy(memory_of(device).data() + rings(device) + kCommands + kCommandsEach * queue +
                  std::size_t{64} * place,
              words.data(), 64);
}

void TniNet::ring(unsigned device, unsigned queue) {
  write(device, reg::kQueue + 16 * queue + reg::kProducer, queues_[device][queue].produced);
}

std::uint16_t TniNet::submit(unsigned device, const TniCommand& command, unsigned queue) {
  put_command(device, command, queue);
  ring(device, queue);
  return static_cast<std::uint16_t>(queues_[device][queue].produced - 1);
}

std::vector<TniNet::Completion> TniNet::completions(unsigned device, unsigned queue) {
  std::vector<Completion> taken;
  std::uint16_t& count = queues_[device][queue].completed;
  for (;; ++count) {
    const unsigned place = count % (1U << kLog2Completions);
    const std::uint64_t at =
        rings(device) + kCompletions + kCompletionsEach * queue + 16ULL * place;
    const std::uint64_t w = word(device, at);
    if ((w >> 24 & 1) != (~(unsigned{count} >> kLog2Completions) & 1)) break;
    if ((w & ~0x30f'ffffULL) != 0) throw std::runtime_error("a completion that cannot be");
    taken.push_back({static_cast<unsigned>(w & 0xffff), static_cast<unsigned>(w >> 16 & 0xff),
                     (w >> 25 & 1) != 0, word(device, at + 8)});
  }
  if (!taken.empty()) write(device, reg::kQueue + 16 * queue + reg::kCompleted, count);
  return taken;
}

std::vector<TniNet::Notice> TniNet::notices(unsigned device, unsigned queue, bool tell) {
  std::vector<Notice> taken;
  std::uint16_t& count = queues_[device][queue].noticed;
  for (;; ++count) {
    const unsigned place = count % (1U << kLog2Notices);
    const std::uint64_t at = rings(device) + kNotices + kNoticesEach * queue + 32ULL * place;
    const std::uint64_t a = word(device, at), b = word(device, at + 8), c = word(device, at + 16);
    if ((a >> 24 & 1) != (~(unsigned{count} >> kLog2Notices) & 1)) break;
    const auto bits = [](std::uint64_t w, unsigned low, unsigned width) {
      return static_cast<unsigned>(w >> low & ((1ULL << width) - 1));
    };
    taken.push_back({bits(a, 0, 16), bits(a, 16, 8), bits(a, 32, 24), bits(a, 56, 8),
                     bits(b, 0, 24), bits(b, 30, 2), bits(b, 24, 6), c & 0xff'ffff'ffffULL,
                     bits(c, 40, 24)});
  }
  if (tell && !taken.empty()) write(device, reg::kQueue + 16 * queue + reg::kNoticed, count);
  return taken;
}

TniNet::Completion TniNet::run(unsigned device, TniCommand command, unsigned queue) {
  command.flags |= TniCommand::kCompletion;
  const unsigned index = submit(device, command, queue);
  settle();
  const auto taken = completions(device, queue);
  if (taken.size() != 1 || taken[0].index != index)
    throw std::runtime_error("a command has not one completion but " +
                             std::to_string(taken.size()));
  return taken[0];
}

TniCommand TniNet::to(TniCommand::Kind kind, unsigned device) const {
  TniCommand c;
  c.kind = kind;
  c.to = coordinates(device / per_node_);
  c.interface = static_cast<std::uint8_t>(device % per_node_);
  return c;
}

}  // namespace ht::test
