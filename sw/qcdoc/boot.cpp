// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/boot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <functional>

#include "sw/host/errors.hpp"

namespace ht::qcdoc {
namespace {

using Coordinates = std::array<int, 6>;
constexpr std::uint64_t is_known = std::uint64_t{1} << 63;
constexpr Mask origin_rings = bit(0), last_rings = bit(6);

std::uint64_t pack(const Coordinates& c) {
  std::uint64_t word = 0;
  for (std::size_t i = c.size(); i-- > 0;) word = word << 10 | static_cast<std::uint64_t>(c[i]);
  return word;
}

Coordinates unpack(std::uint64_t word) {
  Coordinates c{};
  for (int& x : c) {
    x = static_cast<int>(word & 0x3FF);
    word >>= 10;
  }
  return c;
}

class Program {
 public:
  Program(Scu& scu, std::uint64_t number, bool origin, const BootOptions& options)
      : scu_(scu), number_(number), origin_(origin), known_(origin), options_(options) {}

  Boot run() {
    const Mask cabled = train();
    const Buffer buffer(scu_.port());
    for (int axis = 0; axis < 6; ++axis) {
      if ((cabled & bit(2 * axis)) != 0) measure(axis, buffer);
    }
    if (!known_) fail("no node said that it is the origin");
    check_neighbours(cabled);
    int stride = 1;
    for (std::size_t i = 0; i < 6; ++i) {
      boot_.node += boot_.coordinates[i] * stride;
      stride *= boot_.shape[i];
    }
    check_partition_interrupts(stride, buffer);
    return boot_;
  }

 private:
  /// Four words of the node's memory: a record on its way out, and one that comes in.
  struct Buffer {
    explicit Buffer(host::HardwarePort& p)
        : port(p), words(static_cast<std::uint64_t*>(p.memory().allocate(4 * word_bytes))) {}
    ~Buffer() { port.memory().release(words); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    std::uint64_t offset() const { return *port.memory().offset_of(words); }
    host::HardwarePort& port;
    std::uint64_t* words;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw ProtocolError(fmt::format("{}: boot: {}", scu_.name(), what));
  }

  Mask train() {
    constexpr Mask all = (Mask{1} << links) - 1;
    scu_.enable(all);
    const Picoseconds deadline = scu_.port().now() + options_.cable_timeout;
    Mask up = 0;
    while ((up = scu_.links_up()) != all && scu_.port().now() < deadline)
      scu_.port().pause(500'000);
    for (int link = 0; link < links; ++link) {
      if ((up >> link & 1) != (up >> (link ^ 1) & 1))
        fail(fmt::format("link {} came up, and {} did not: an axis has cables both ways or none",
                         link_name((up >> link & 1) != 0 ? link : link ^ 1),
                         link_name((up >> link & 1) != 0 ? link ^ 1 : link)));
    }
    scu_.disable(all & ~up);
    scu_.train(up);  // they are: checks where their cables come from
    return up;
  }

  /// A record of two words goes round the ring of an axis; `seen(steps, record)` for each that
  /// comes by. Returns the length: steps until this node's own is back.
  int go_round(int axis, const Buffer& buffer, std::uint64_t what,
               const std::function<void(int, std::uint64_t)>& seen) {
    const int out = send_engine(2 * axis), in = receive_engine(2 * axis + 1);
    scu_.store(out, 0, {buffer.offset(), 2, 1, 0});
    scu_.store(in, 0, {buffer.offset() + 2 * word_bytes, 2, 1, 0});
    const std::uint64_t own[] = {number_, what};
    std::memcpy(buffer.words, own, sizeof own);
    for (int steps = 1; steps <= options_.longest_axis; ++steps) {
      scu_.start(bit(out) | bit(in), 0);
      scu_.wait(bit(out) | bit(in), "the records of an axis");
      if (buffer.words[2] == number_) return steps;
      seen(steps, buffer.words[3]);
      std::memcpy(buffer.words, buffer.words + 2, sizeof own);
    }
    fail(fmt::format("axis {} has more than {} nodes, or two nodes have the same number",
                     axis_name(static_cast<std::size_t>(axis)), options_.longest_axis));
  }

  void measure(int axis, const Buffer& buffer) {
    struct Sight {
      int steps;
      Coordinates of;
    };
    std::vector<Sight> sights;
    const std::uint64_t record = pack(boot_.coordinates) | (known_ ? is_known : 0);
    const int length = go_round(axis, buffer, record, [&](int steps, std::uint64_t other) {
      if ((other & is_known) != 0) sights.push_back({steps, unpack(other)});
    });
    const auto a = static_cast<std::size_t>(axis);
    boot_.shape[a] = length;
    for (Sight s : sights) {
      s.of[a] = (s.of[a] + s.steps) % length;
      if (known_ && s.of != boot_.coordinates)
        fail(fmt::format("is at both ({}) and ({}): two nodes say that they are the origin",
                         fmt::join(boot_.coordinates, ","), fmt::join(s.of, ",")));
      boot_.coordinates = s.of;
      known_ = true;
    }
  }

  void check_neighbours(Mask cabled) {
    for (int link = 0; link < links; ++link) {
      if ((cabled & bit(link)) != 0) scu_.send_supervisor(link, pack(boot_.coordinates));
    }
    for (int link = 0; link < links; ++link) {
      if ((cabled & bit(link)) == 0) continue;
      std::optional<std::uint64_t> word;
      while (!(word = scu_.take_supervisor(link))) scu_.port().wait("a neighbour's coordinates");
      const auto a = static_cast<std::size_t>(link / 2);
      Coordinates expected = boot_.coordinates;
      expected[a] = (expected[a] + (link % 2 == 0 ? 1 : boot_.shape[a] - 1)) % boot_.shape[a];
      if (unpack(*word) != expected)
        fail(fmt::format("link {} leads to ({}), not to ({})", link_name(link),
                         fmt::join(unpack(*word), ","), fmt::join(expected, ",")));
    }
  }

  void check_partition_interrupts(int nodes, const Buffer& buffer) {
    Mask inside = 0;
    int diameter = 0;
    for (int axis = 0; axis < 6; ++axis) {
      const int length = boot_.shape[static_cast<std::size_t>(axis)];
      diameter += length / 2;
      if (length > 1) inside |= bit(2 * axis) | bit(2 * axis + 1);
    }
    scu_.set_partition(inside, diameter);
    // A node that has not got here would not pass an interrupt on: once round all rings.
    for (int axis = 0; axis < 6; ++axis) {
      if (boot_.shape[static_cast<std::size_t>(axis)] > 1)
        go_round(axis, buffer, 0, [](int, std::uint64_t) {});
    }
    if (origin_) scu_.raise(origin_rings);
    await(origin_rings, "the origin");
    if (boot_.node == nodes - 1) scu_.raise(last_rings);
    await(last_rings, "the last node");
  }

  void await(Mask bits, const char* whose) {
    const Picoseconds deadline = scu_.port().now() + options_.partition_timeout;
    while (scu_.take_partition(bits) == 0) {
      if (scu_.port().now() > deadline)
        throw HardwareError(
            fmt::format("{}: boot: the partition interrupt of {} did not arrive within {} us: does "
                        "the global clock run?",
                        scu_.name(), whose, options_.partition_timeout / 1'000'000));
      scu_.port().pause(500'000);
    }
  }

  Scu& scu_;
  std::uint64_t number_;
  bool origin_, known_;
  BootOptions options_;
  Boot boot_;
};

}  // namespace

Place Boot::place(const std::vector<int>& application) const {
  std::vector<int> machine(shape.begin(), shape.end());
  while (machine.size() > 1 && machine.back() == 1) machine.pop_back();
  return place_on(machine, node, application);
}

Boot boot(Scu& scu, std::uint64_t number, bool origin, const BootOptions& options) {
  return Program(scu, number, origin, options).run();
}

}  // namespace ht::qcdoc
