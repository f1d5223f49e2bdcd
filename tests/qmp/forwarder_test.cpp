// SPDX-License-Identifier: Apache-2.0
// Packets passed on from node to node, over ports that do what real ones may: hold few packets, and
// take and give them whenever they like.
#include "sw/qmp/forwarder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <random>

#include "sw/host/errors.hpp"

using namespace ht;
using namespace ht::qmp;

namespace {

/// A torus of nodes without programs or hardware: time is what is charged.
class Torus {
 public:
  Torus(std::vector<int> shape, std::size_t queue, std::size_t window, std::size_t packet,
        std::uint64_t seed)
      : shape_(std::move(shape)), queue_(queue), window_(window), packet_(packet), random_(seed) {
    int nodes = 1;
    for (const int n : shape_) nodes *= n;
    for (int n = 0; n < nodes; ++n) nodes_.push_back(std::make_unique<Node>(*this, n));
  }

  int size() const { return static_cast<int>(nodes_.size()); }
  Forwarder& operator[](int n) { return nodes_[static_cast<std::size_t>(n)]->forwarder; }
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  bool idle() const {
    return std::ranges::all_of(nodes_, [](const auto& n) {
      return std::ranges::all_of(n->from, [](const auto& c) { return c.packets.empty(); });
    });
  }
  /// A step: some node looks at its hardware.
  void step() { (*this)[static_cast<int>(draw(nodes_.size()))].serve(); }

 private:
  struct Cable {
    std::deque<std::vector<std::byte>> packets;  ///< that come over it
    std::size_t untold = 0;                      ///< taken, and the neighbour does not know
  };
  struct Node final : Transport, PacketPort, host::Runtime {
    Node(Torus& t, int n)
        : torus(t), number(n), from(2 * t.shape_.size()), forwarder(*this, *this, t.queue_) {}
    void set_coordinates() {
      int rest = number;
      at.clear();
      for (const int length : torus.shape_) {
        at.push_back(rest % length);
        rest /= length;
      }
    }

    host::Runtime& runtime() override { return *this; }
    std::span<const int> shape() const override { return torus.shape_; }
    std::span<const int> coordinates() const override {
      const_cast<Node*>(this)->set_coordinates();
      return at;
    }
    int rank() const override { return number; }
    std::string description() const override { return "a torus of tests"; }
    void* allocate(std::size_t, std::size_t) override { throw std::bad_alloc(); }
    void release(void*) override {}
    MessageId declare_send(Direction, Channel, const void*, std::size_t) override { return 0; }
    MessageId declare_receive(Direction, Channel, void*, std::size_t) override { return 0; }
    void start(MessageId) override {}
    bool is_complete(MessageId) override { return true; }
    void wait(MessageId) override {}
    void undeclare(MessageId) override {}

    void attend() override { forwarder.serve(); }

    Picoseconds now() const override { return time; }
    void advance(Picoseconds duration) override { time += duration; }
    void wait(std::string_view) override { torus.step(); }

    std::size_t packet_bytes() const override { return torus.packet_; }
    bool try_send(Direction way, std::span<const std::byte> packet) override {
      Cable& cable = torus.neighbour(number, way).cable(opposite(way));
      if (cable.packets.size() + cable.untold >= torus.window_ || torus.draw(3) == 0) return false;
      cable.packets.emplace_back(packet.begin(), packet.end());
      return true;
    }
    std::size_t try_receive(Direction d, std::span<std::byte> packet) override {
      Cable& c = cable(d);
      if (c.packets.empty() || torus.draw(3) == 0) return 0;
      const std::vector<std::byte> first = std::move(c.packets.front());
      c.packets.pop_front();
      ++c.untold;
      std::ranges::copy(first, packet.begin());
      return first.size();
    }
    void flush() override {
      for (Cable& c : from) c.untold = 0;
    }
    Cable& cable(Direction d) { return from[static_cast<std::size_t>(d)]; }

    Torus& torus;
    int number;
    std::vector<int> at;
    std::vector<Cable> from;  ///< by direction
    Picoseconds time = 0;
    Forwarder forwarder;
  };

  Node& neighbour(int number, Direction way) {
    int stride = 1, axis = way / 2;
    for (int a = 0; a < axis; ++a) stride *= shape_[static_cast<std::size_t>(a)];
    const int length = shape_[static_cast<std::size_t>(axis)], here = number / stride % length;
    const int there = (here + (way % 2 == 0 ? 1 : length - 1)) % length;
    return *nodes_[static_cast<std::size_t>(number + (there - here) * stride)];
  }

  std::vector<int> shape_;
  std::size_t queue_, window_, packet_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

struct Traffic {
  int from, to;
  MessageId send, receive;
  std::vector<std::byte> out, in;
  bool sent = false, received = false;
};

// Messages between all nodes, that start in any order at both ends; then all nodes serve, at
// random, until nothing is left. Returns the steps it took.
int exchange(Torus& torus, int each, std::size_t longest, int patience) {
  std::vector<std::unique_ptr<Traffic>> all;
  std::vector<std::pair<Traffic*, bool>> starts;
  for (int from = 0; from < torus.size(); ++from) {
    for (int to = 0; to < torus.size(); ++to) {
      if (from == to) continue;
      for (int i = 0; i < each; ++i) {
        auto t = std::make_unique<Traffic>();
        t->from = from;
        t->to = to;
        t->out.resize(1 + torus.draw(longest));
        for (std::byte& b : t->out) b = static_cast<std::byte>(torus.draw(256));
        // Room for more.
        t->in.resize(t->out.size() + torus.draw(100), std::byte{0x5A});
        t->send = torus[from].declare(true, to, Forwarder::by_number, t->out.data(), t->out.size());
        t->receive =
            torus[to].declare(false, from, Forwarder::by_number, t->in.data(), t->in.size());
        starts.emplace_back(t.get(), true);
        starts.emplace_back(t.get(), false);
        all.push_back(std::move(t));
      }
    }
  }
  // Of a pair of nodes, messages start in their order; nothing else is kept.
  std::vector<std::uint64_t> when;
  std::map<std::tuple<int, int, bool>, std::uint64_t> last;
  for (const auto& [t, send] : starts) {
    std::uint64_t& l = last[{t->from, t->to, send}];
    when.push_back(l = l + 1 + torus.draw(50));
  }
  std::vector<std::size_t> order(starts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return when[a] < when[b]; });
  for (const std::size_t i : order) {
    auto& [t, send] = starts[i];
    torus[send ? t->from : t->to].start(send ? t->send : t->receive);
    if (torus.draw(4) == 0) torus.step();
  }
  int steps = 0;
  for (std::size_t left = all.size(); left > 0 && steps < patience; ++steps) {
    torus.step();
    if (steps % 64 != 0) continue;
    left = 0;
    for (auto& t : all) {
      t->sent = t->sent || torus[t->from].is_complete(t->send);
      t->received = t->received || torus[t->to].is_complete(t->receive);
      left += t->sent && t->received ? 0 : 1;
    }
  }
  for (auto& t : all) {
    REQUIRE(t->sent);
    REQUIRE(t->received);
    REQUIRE(std::equal(t->out.begin(), t->out.end(), t->in.begin()));
    REQUIRE(std::all_of(t->in.begin() + static_cast<std::ptrdiff_t>(t->out.size()), t->in.end(),
                        [](std::byte b) { return b == std::byte{0x5A}; }));
    torus[t->from].undeclare(t->send);
    torus[t->to].undeclare(t->receive);
  }
  CHECK(torus.idle());
  return steps;
}

}  // namespace

TEST_CASE("forwarder: all nodes to all nodes, on any torus: every byte arrives, in its order") {
  std::mt19937_64 random(7);
  const std::vector<std::vector<int>> shapes = {
      {3}, {4}, {8}, {2, 2}, {4, 2}, {3, 5}, {2, 2, 2}, {4, 3, 2}, {1, 4, 1}, {2, 1, 2, 2, 1, 2}};
  for (const auto& shape : shapes) {
    for (int trial = 0; trial < 6; ++trial) {
      Torus torus(shape, 2 + random() % 3, 1 + random() % 3,
                  Forwarder::header_bytes + 1 + random() % 100, random());
      INFO("shape of " << shape.size() << " axes, " << torus.size() << " nodes, trial " << trial);
      exchange(torus, 3, 400, 1'000'000);
    }
  }
}

TEST_CASE("forwarder: rings that are filled from all sides do not stand still") {
  // One ring, and a torus of rings, whose nodes all send much to those half the way round: every
  // queue is full of packets that go on.
  for (const auto& shape : {std::vector<int>{4}, {8}, {4, 4}, {5, 4}}) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      Torus torus(shape, Forwarder::least_queue, 1, Forwarder::header_bytes + 8, seed);
      INFO("seed " << seed);
      exchange(torus, 2, 1000, 3'000'000);
    }
  }
}

TEST_CASE("forwarder: a receive that is too short is named, with both ends") {
  Torus torus({4}, 4, 2, 64, 1);
  std::byte out[100]{}, in[50]{};
  const MessageId send = torus[0].declare(true, 2, Forwarder::by_number, out, sizeof out);
  const MessageId receive = torus[2].declare(false, 0, Forwarder::by_number, in, sizeof in);
  torus[2].start(receive);
  const auto run = [&] {
    torus[0].start(send);
    for (int i = 0; i < 1000; ++i) torus.step();
  };
  CHECK_THROWS_AS(run(), ProtocolError);
  CHECK_THROWS_AS(torus[2].undeclare(receive), std::logic_error);
  CHECK_THROWS_AS(torus[2].start(receive), std::logic_error);
}

TEST_CASE("forwarder: a message of no bytes is one, and its receive may be longer") {
  Torus torus({4}, 4, 2, 64, 1);
  std::byte out[8], in[2][16];
  std::fill(std::begin(out), std::end(out), std::byte{7});
  for (auto& buffer : in) std::fill(std::begin(buffer), std::end(buffer), std::byte{9});
  const auto declare = [&](bool send, std::byte* buffer, std::size_t bytes) {
    return torus[send ? 0 : 2].declare(send, send ? 2 : 0, Forwarder::by_number, buffer, bytes);
  };
  const std::vector<MessageId> sends{declare(true, nullptr, 0), declare(true, out, sizeof out),
                                     declare(true, nullptr, 0)};
  const std::vector<MessageId> receives{declare(false, in[0], 16), declare(false, in[1], 16),
                                        declare(false, nullptr, 0)};
  for (const MessageId m : sends) torus[0].start(m);
  for (const MessageId m : receives) torus[2].start(m);
  for (int i = 0; i < 1000; ++i) torus.step();
  for (const MessageId m : sends) CHECK(torus[0].is_complete(m));
  for (const MessageId m : receives) CHECK(torus[2].is_complete(m));
  for (std::size_t i = 0; i < 16; ++i) {
    CHECK(in[0][i] == std::byte{9});
    CHECK(in[1][i] == (i < 8 ? std::byte{7} : std::byte{9}));
  }
}
