// SPDX-License-Identifier: Apache-2.0
// The same words, whole frames and rubbish made of every code there is, into the Verilog, the twin
// and the C++ monitor: all three say the same of every single word.
#include <verilated.h>

#include <array>
#include <catch2/catch.hpp>
#include <deque>
#include <random>

#include "tests/qpace/link/link_device.hpp"
#include "verif/check/qpace/monitor.hpp"

using namespace ht::test;
namespace model = ht::model;

namespace {

struct Seen {
  bool start = false, ok = false, command = false, error = false;
  bool operator==(const Seen&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Seen& s) {
  return out << "start " << s.start << " ok " << s.ok << " command " << s.command << " error "
             << s.error;
}

/// A link that is only listened through.
class Ear {
 public:
  Ear(VerilatedContext* context, unsigned end) : link_(make_link(context, end)) {
    link_->rst = link_->link_rst = 1;
    for (int n = 0; n < 8; ++n) tick({});
    link_->rst = link_->link_rst = 0;
    for (int n = 0; n < 4; ++n) tick(model::kIdleWord);  // the core's reset has to cross
  }
  ~Ear() { link_->final(); }
  Ear(Ear&&) = delete;

  /// One cycle with `w` on the wire; what is seen during it.
  Seen tick(const model::Word& w) {
    link_->xgmii_rxd = w.data;
    link_->xgmii_rxc = w.control;
    link_->clk = link_->link_clk = 0;
    link_->eval();
    const Seen seen{link_->obs_rx_start != 0, link_->obs_rx_ok != 0, link_->obs_rx_command != 0,
                    link_->obs_rx_error != 0};
    link_->clk = link_->link_clk = 1;
    link_->eval();
    return seen;
  }

 private:
  std::unique_ptr<LinkDevice> link_;
};

/// Frames of the model, most of them damaged somewhere, and words of any kind between and in them.
class Source {
 public:
  explicit Source(unsigned seed) : random_(seed) {}

  model::Word next() {
    if (frame_.empty()) build();
    if (pick(200) == 0) return rubbish();
    if (pick(12) == 0) return model::kIdleWord;
    model::Word w = frame_.front();
    frame_.pop_front();
    if (pick(150) == 0) w.data ^= 1U << pick(32);
    if (pick(150) == 0) w.control = static_cast<std::uint8_t>(w.control ^ 1U << pick(4));
    return w;
  }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  std::uint8_t byte() {
    constexpr std::array codes{model::qpace::kIdle,      model::qpace::kStart,
                               model::qpace::kCommand,   model::qpace::kHello,
                               model::qpace::kWithdrawn, model::qpace::kError};
    return pick(2) == 0 ? codes.at(pick(codes.size())) : static_cast<std::uint8_t>(random_());
  }
  model::Word rubbish() {
    model::Word w;
    w.data = 0;
    for (unsigned lane = 0; lane < 4; ++lane) {
      w.data |= static_cast<std::uint32_t>(byte()) << (8 * lane);
    }
    const unsigned kind = pick(4);
    w.control = static_cast<std::uint8_t>(kind < 2 ? 1 : kind == 2 ? 0 : pick(16));
    return w;
  }
  template <class Words>
  void add(const Words& words) {
    frame_.insert(frame_.end(), words.begin(), words.end());
  }
  void build() {
    const unsigned kind = pick(6);
    if (kind == 0) {
      const model::qpace::Command c{static_cast<model::qpace::CommandType>(pick(4)),
                                    static_cast<std::uint8_t>(pick(64))};
      frame_.push_back(c.word());
    } else if (kind == 1) {
      model::qpace::Hello h;
      h.version = static_cast<std::uint8_t>(pick(3));
      h.up = pick(2) == 0;
      h.port = static_cast<std::uint8_t>(pick(6));
      h.train_id = static_cast<std::uint8_t>(pick(16));
      h.node = static_cast<std::uint16_t>(random_());
      h.next_expected = static_cast<std::uint8_t>(pick(64));
      add(h.words());
    } else if (kind == 2) {
      frame_.push_back(rubbish());
    } else {
      model::qpace::DataPacket p;
      p.channel = static_cast<std::uint8_t>(pick(8));
      p.sequence = static_cast<std::uint8_t>(pick(64));
      p.remote_offset = static_cast<std::uint16_t>(pick(1U << 15));
      for (auto& b : p.payload) b = static_cast<std::byte>(byte());
      p.withdrawn = pick(3) == 0;
      add(p.words());
      if (pick(6) == 0) frame_.resize(1 + pick(static_cast<unsigned>(frame_.size())));
    }
  }

  std::mt19937_64 random_;
  std::deque<model::Word> frame_;
};

}  // namespace

TEST_CASE("twin: Verilog, VHDL and monitor make the same of every word") {
  VerilatedContext context;
  std::array<Ear, 2> ears{{{&context, 0}, {&context, 1}}};
  ht::check::QpaceMonitor monitor;
  Source source(1);
  std::array<Seen, 3> expected{};  // of this word, of the last one, of the one before
  for (unsigned n = 0; n < 200000; ++n) {
    const model::Word w = source.next();
    const auto event = monitor.push(w);
    expected = {Seen{event.start, event.ok, event.command, event.error}, expected[0], expected[1]};
    const std::array seen{ears[0].tick(w), ears[1].tick(w)};
    if (seen[0] != expected[2] || seen[1] != expected[2]) {
      INFO("word " << n);
      CHECK(seen[0] == expected[2]);
      CHECK(seen[1] == expected[2]);
      return;
    }
  }
  // there was something to be said of: good frames among bad ones
  CHECK(monitor.counts().packets > 500);
  CHECK(monitor.counts().hellos > 500);
  CHECK(monitor.counts().commands > 500);
  CHECK(monitor.counts().errors > 10000);
}
