// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/bench/puts.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "sim/tofu/machine.hpp"

namespace ht::bench {
namespace {

using machine::TofuMachine;
using machine::TofuMachineOptions;
using tofu::Descriptor;
using tofu::NetworkInterface;
using tofu::TniCommand;

// Every node has given its memory a tag by then; the measurement begins when all is quiet again.
constexpr Picoseconds ready = 100'000'000, begin = 200'000'000;
constexpr std::size_t block = 128;
constexpr int queue = 0;

TofuMachineOptions options_of(const tofu::Shape& shape, std::optional<Picoseconds> memory_latency) {
  TofuMachineOptions o;
  o.shape = shape;
  o.node.memory_latency = memory_latency.value_or(o.node.clock.period);
  o.driver.network.command_cost = 0;
  return o;
}

std::byte* allocate(host::HardwarePort& port, std::uint64_t bytes) {
  auto* const memory = static_cast<std::byte*>(port.memory().allocate(bytes, block));
  std::memset(memory, 0, bytes);
  return memory;
}

// Memory as a tag's, and the tag.
std::uint32_t give(host::HardwarePort& port, NetworkInterface& by, const std::byte* memory,
                   std::uint64_t bytes) {
  tofu::TagSetting setting;
  setting.base = *port.memory().offset_of(memory);
  setting.length = bytes;
  setting.owner = queue;
  by.set_tag(by.tag(queue, 0), setting);
  return by.tag(queue, 0);
}

void wait_until(host::HardwarePort& port, Picoseconds time) {
  if (port.now() > time) throw std::logic_error("bench: nodes were not ready in time");
  port.advance(time - port.now());
}

// Until a program that looks every cycle sees it; when it was.
Picoseconds see(host::HardwarePort& port, const std::byte* at, std::byte value) {
  const volatile std::byte* const watched = at;
  while (*watched != value) port.advance(TofuMachineOptions{}.node.clock.period);
  return port.now();
}

void finish(NetworkInterface& interface, host::HardwarePort& port) {
  for (;; port.advance(TofuMachineOptions{}.node.clock.period)) {
    const auto done = interface.take_completion(queue);
    if (!done) continue;
    if (done->cause != tofu::TniCause::Good) throw std::logic_error("bench: a put was refused");
    return;
  }
}

}  // namespace

double tofu_put8_ns(std::optional<Picoseconds> memory_latency) {
  const TofuMachineOptions options =
      options_of({{2, 1, 1, 1, 1, 1}, {true, true, true}}, memory_latency);
  TofuMachine m(options);
  Picoseconds rung = 0, seen = 0;
  m.run([&](tofu::Transport& t) {
    host::HardwarePort& port = t.port();
    NetworkInterface& interface = t.interface(0);
    interface.open(queue);
    std::byte* const memory = allocate(port, block);
    const std::uint32_t tag = give(port, interface, memory, block);
    wait_until(port, ready);
    if (t.place().node == 1) {
      see(port, memory, std::byte{1});
      seen = see(port, memory, std::byte{2});
      return;
    }
    Descriptor put;
    put.command = TniCommand::PutImmediate;
    put.remote.node = t.place().machine.place(1);
    put.length = 8;
    put.far.tag = tag;
    for (const Picoseconds at : {ready, begin}) {
      put.data[0] = at == ready ? std::byte{1} : std::byte{2};
      wait_until(port, at);
      interface.submit(queue, put);
      rung = port.now();
      interface.ring(queue);
      finish(interface, port);
    }
  });
  Picoseconds excluded = options.cable_delay;
  if (!memory_latency) excluded += options.node.memory_latency;
  return static_cast<double>(seen - rung - excluded) * 1e-3;
}

double tofu_put_rate(int interfaces, std::uint64_t bytes,
                     std::optional<Picoseconds> memory_latency) {
  // A node has two neighbours on each of two rings of three.
  const tofu::Shape shape{{3, 3, 1, 1, 1, 1}, {true, true, true}};
  TofuMachine m(options_of(shape, memory_latency));
  std::vector<int> neighbours;
  for (const int link : {0, 1, 2, 3}) neighbours.push_back(m.neighbour(0, link));
  std::mutex mutex;
  Picoseconds last = 0;
  m.run([&](tofu::Transport& t) {
    host::HardwarePort& port = t.port();
    const int node = t.place().node;
    if (node == 0) {
      std::vector<NetworkInterface*> all;
      std::byte* const memory = allocate(port, bytes);
      for (std::uint64_t i = 0; i < bytes; ++i) memory[i] = static_cast<std::byte>(1 + i % 127);
      for (int i = 0; i < interfaces; ++i) {
        all.push_back(&t.interface(i));
        all.back()->open(queue);
        Descriptor put;
        put.command = TniCommand::Put;
        put.remote.node = shape.place(neighbours[static_cast<std::size_t>(i)]);
        put.length = bytes;
        put.local.tag = give(port, *all.back(), memory, bytes);
        put.far.tag = put.local.tag;
        all.back()->submit(queue, put);
      }
      wait_until(port, begin);
      for (NetworkInterface* const one : all) one->ring(queue);
      for (NetworkInterface* const one : all) finish(*one, port);
      return;
    }
    const auto at = std::find(neighbours.begin(), neighbours.end(), node);
    if (at - neighbours.begin() >= interfaces) return;
    NetworkInterface& interface = t.interface(0);
    interface.open(queue);
    std::byte* const memory = allocate(port, bytes);
    give(port, interface, memory, bytes);
    const Picoseconds seen =
        see(port, memory + bytes - 1, static_cast<std::byte>(1 + (bytes - 1) % 127));
    for (std::uint64_t i = 0; i < bytes; ++i) {
      if (memory[i] != static_cast<std::byte>(1 + i % 127))
        throw std::logic_error("bench: wrong data");
    }
    const std::lock_guard lock(mutex);
    last = std::max(last, seen);
  });
  return static_cast<double>(bytes) * interfaces / (static_cast<double>(last - begin) * 1e-12);
}

}  // namespace ht::bench
