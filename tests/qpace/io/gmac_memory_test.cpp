// SPDX-License-Identifier: Apache-2.0
// Ethernet's memory port where memory is slow, late and not always ready: whoever asked gets the
// answer, and what is asked for stands until it is taken (the harness throws if it does not),
// whatever registers are written meanwhile.
#include <catch2/catch.hpp>
#include <random>

#include "tests/qpace/io/gmac_host.hpp"

namespace {

using namespace ht::test;
namespace g = ht::qpace::registers::gmac;

constexpr std::uint64_t me = GmacHost::own_address, other = 0x010203040506;

/// Frames both ways at once, each direction at its own pace, and what became of them.
class Traffic {
 public:
  Traffic(unsigned seed, unsigned period)
      : random_(seed), period_(period), host_((set_memory(), h_), 3) {
    host_.give(7);
  }

  void step() {
    if (tx_ - tx_done_ < 6) {
      tx_frames_.push_back(make_frame(other, 64 + random_() % 600, tx_));
      host_.send(bare(tx_frames_.back()));
      ++tx_;
      host_.tx_go();
    }
    if (queued_ - got_ < 6) {
      rx_frames_.push_back(make_frame(me, 64 + random_() % 600, 10'000 + queued_));
      h_.queue(rx_frames_.back());
      ++queued_;
    }
    h_.run(100 + random_() % 400);
    collect();
  }

  void collect() {
    while (tx_done_ < tx_ && (host_.word1(GmacHost::tx_ring, tx_done_) >> 31) == 0) ++tx_done_;
    while (got_ < queued_ && host_.ready(got_)) {
      wrong_ += host_.frame(got_) != bare(rx_frames_[got_]);
      ++got_;
      host_.give(1);
    }
  }

  void finish() {
    for (int i = 0; i < 200 && (tx_done_ < tx_ || got_ < queued_); ++i) {
      h_.run(1000);
      collect();
    }
  }

  void check() {
    CHECK(tx_done_ == tx_);
    CHECK(got_ == queued_);
    CHECK(wrong_ == 0);
    REQUIRE(h_.sent.size() == tx_);
    unsigned bad = 0;
    for (std::size_t i = 0; i < tx_; ++i) bad += h_.sent[i].bytes() != tx_frames_[i];
    CHECK(bad == 0);
  }

  unsigned random(unsigned below) { return static_cast<unsigned>(random_()) % below; }
  IoHarness& harness() { return h_; }

 private:
  void set_memory() {
    // A line takes 256 cycles on the wire, and eight are asked for ahead: these keep up.
    h_.read_ready = [this] {
      h_.read_latency = 20 + static_cast<int>(random_() % 280);
      return random_() % period_ == 0;
    };
    h_.write_ready = [this] { return random_() % period_ == 0; };
  }

  IoHarness h_;
  std::mt19937 random_;
  unsigned period_;
  GmacHost host_;
  std::vector<Bytes> tx_frames_, rx_frames_;
  unsigned tx_ = 0, tx_done_ = 0, queued_ = 0, got_ = 0, wrong_ = 0;
};

TEST_CASE("gmac: read data go to whoever asked, at any pace of the memory") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const unsigned period = 1 + seed % 6;
    INFO("seed " << seed << ", memory ready one cycle in " << period);
    Traffic traffic(seed, period);
    for (int i = 0; i < 150; ++i) traffic.step();
    traffic.finish();
    traffic.check();
    CHECK(traffic.harness().read(g::error(0)) == 0);
  }
}

// None of these writes may lose, damage or repeat a frame.
TEST_CASE("gmac: registers written at any time leave the memory port's requests alone") {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    INFO("seed " << seed);
    Traffic traffic(seed, 4);
    IoHarness& h = traffic.harness();
    const std::uint32_t on = g::control_tx_enable.mask | g::control_rx_enable.mask;
    unsigned refused = 0;
    for (int i = 0; i < 300; ++i) {
      traffic.step();
      switch (traffic.random(5)) {
        case 0:
          h.write(g::control(0), g::control_rx_enable.mask);
          h.run(traffic.random(300));
          h.write(g::control(0), on);
          break;
        case 1:
          h.write(g::error(0), 0xFFFFFFFF);
          break;
        case 2:
          refused += h.access(true, g::tx_base(0), 0x3000 / 128).refused;
          break;
        case 3:
          refused += h.access(true, g::tx_size(0), 4).refused;
          break;
        default:
          h.write(g::max_frame(0), 2000 + traffic.random(4000));
          break;
      }
    }
    CHECK(refused > 50);
    traffic.finish();
    traffic.check();
  }
}

// Frames that come while the receiver is switched off are lost, all else must be as it was sent.
TEST_CASE("gmac: the receiver switched on and off delivers whole frames only") {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    INFO("seed " << seed);
    IoHarness h;
    GmacHost host(h, 3);
    std::mt19937 random(seed);
    h.write_ready = [&] { return random() % 4 == 0; };
    h.read_ready = [&] { return random() % 4 == 0; };
    host.give(7);
    std::vector<Bytes> frames;
    std::size_t next = 0;  // frames before it were delivered or lost
    unsigned got = 0, strange = 0;
    for (int i = 0; i < 300; ++i) {
      if (h.receive.size() < 3000) {
        frames.push_back(make_frame(me, 64 + random() % 400, static_cast<unsigned>(frames.size())));
        h.queue(frames.back());
      }
      h.run(random() % 600);
      h.write(g::control(0), i % 2 == 0 ? 0 : g::control_rx_enable.mask);
      // A ring that is being worked with does not move.
      if (!h.access(true, g::rx_base(0), GmacHost::rx_ring / 128).refused) {
        // It begins anew at descriptor 0.
        while (host.ready(got)) {
          while (next < frames.size() && bare(frames[next]) != host.frame(got)) ++next;
          strange += next == frames.size();
          ++got;
        }
        host.rx_tail = got = 0;
        host.give(7);
      }
      while (host.ready(got)) {
        while (next < frames.size() && bare(frames[next]) != host.frame(got)) ++next;
        strange += next == frames.size();
        ++got;
        host.give(1);
      }
    }
    CHECK(strange == 0);
    CHECK(next > 20);
  }
}

// A frame of a line starts when that line is there, the last beat of it as much as the first.
TEST_CASE("gmac: memory may pause before any beat of a line, for as long as it likes") {
  for (int late = 0; late < 8; ++late) {
    INFO("before beat " << late);
    IoHarness h;
    GmacHost host(h, 3);
    int pause = 0;
    h.data_ready = [&](int beat) {
      if (beat != late || pause == 0) {
        pause = 2000;
        return true;
      }
      --pause;
      return false;
    };
    std::vector<Bytes> frames;
    for (unsigned i = 0; i < 4; ++i) {
      frames.push_back(make_frame(other, 64 + 4 + 16 * i + 16, i));
      host.send(bare(frames.back()));
    }
    frames.push_back(make_frame(other, 128 + 4, 4));
    host.send(bare(frames.back()));
    host.tx_go();
    h.run_until([&] { return h.descriptors_written.size() == frames.size(); }, 60000, "all frames");
    REQUIRE(h.sent.size() == frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i) CHECK((h.sent[i].bytes() == frames[i]));
    CHECK(h.read(g::error(0)) == 0);
  }
}

// The harness throws if it is: its clock may be stopped then, with the last of a frame not written.
TEST_CASE("gmac: it is not idle while memory is asked for something, however long that takes") {
  IoHarness h;
  GmacHost host(h, 3);
  unsigned cycle = 0;
  h.write_ready = h.read_ready = [&] { return ++cycle % 601 == 0; };
  host.give(3);
  h.queue(make_frame(me, 64, 1));
  host.send(bare(make_frame(other, 64, 2)));
  host.tx_go();
  h.run_until([&] { return h.descriptors_written.size() == 2; }, 60000, "both frames");
  h.run_until([&] { return h.idle(); }, 1000, "rest");
  CHECK((host.frame(0) == bare(make_frame(me, 64, 1))));
}

TEST_CASE("gmac: a ring moves only where nothing of it is under way") {
  IoHarness h;
  GmacHost host(h, 3);
  const Bytes frame = make_frame(other, 300, 1);
  host.send(bare(frame));
  host.tx_go();
  CHECK(h.access(true, g::tx_base(0), 0x3000 / 128).refused);
  CHECK(h.access(true, g::tx_size(0), 4).refused);
  h.run_until([&] { return h.descriptors_written.size() == 1; }, 20000, "the frame");
  CHECK(h.descriptors_written[0] == GmacHost::tx_ring);
  h.run(40);  // the gap behind the frame
  CHECK_FALSE(h.access(true, g::tx_base(0), GmacHost::tx_ring / 128).refused);
  CHECK(h.read(g::tx_head(0)) == 0);
  // the receive ring: while its descriptors are read, and inside a frame
  host.give(7);
  CHECK(h.access(true, g::rx_base(0), 0x3000 / 128).refused);
  h.run(1000);
  h.queue(make_frame(me, 1000, 2));
  h.run(1000);
  CHECK(h.access(true, g::rx_base(0), 0x3000 / 128).refused);
  h.run_until([&] { return h.descriptors_written.size() == 2; }, 20000, "the frame received");
  CHECK((host.frame(0) == bare(make_frame(me, 1000, 2))));
  h.run(10);
  CHECK_FALSE(h.access(true, g::rx_base(0), 0x3000 / 128).refused);
}

}  // namespace
