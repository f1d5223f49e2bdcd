// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "sim/qcdoc/bench/bench.hpp"
#include "sim/qcdoc/bench/scu_torus.hpp"
#include "sw/host/errors.hpp"

namespace ht::bench {
namespace {

using machine::MemoryAccess;
using qcdoc::Mask;
using qcdoc::receive_engine;
using qcdoc::Scu;
using qcdoc::send_engine;

constexpr Picoseconds period = 2000;
constexpr int byte_phases = 8;
constexpr std::uint64_t word_bytes = 8;

double ns(Picoseconds t) {
  return static_cast<double>(t) * 1e-3;
}

// Where engine `e` of a measurement has its words: apart from all others'.
std::uint64_t place(int engine, int words) {
  return static_cast<std::uint64_t>(engine) * static_cast<std::uint64_t>(words) * word_bytes;
}

void store(Scu& scu, int engine, int words) {
  scu.store(engine, 0, {place(engine, words), static_cast<std::uint32_t>(words)});
}

// Words unlike one another, which the receiver's memory is compared with.
std::uint64_t word_of(int link, int i) {
  return (static_cast<std::uint64_t>(link) + 1) * 0x9E3779B97F4A7C15U +
         static_cast<std::uint64_t>(i) * 0xBF58476D1CE4E5B9U;
}

void fill(machine::ScuNode& node, int words) {
  for (int link = 0; link < qcdoc::links; ++link) {
    for (int i = 0; i < words; ++i) {
      const std::uint64_t word = word_of(link, i);
      std::memcpy(node.memory().data() + place(send_engine(link), words) +
                      static_cast<std::uint64_t>(i) * word_bytes,
                  &word, word_bytes);
    }
  }
}

// What came over `link` is what the other end sent.
void require_received(machine::ScuNode& node, int link, int words) {
  for (int i = 0; i < words; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word,
                node.memory().data() + place(receive_engine(link), words) +
                    static_cast<std::uint64_t>(i) * word_bytes,
                word_bytes);
    if (word != word_of(link ^ 1, i))
      throw ProtocolError("a measurement's words did not arrive as they were sent");
  }
}

// When an idle wire first carries something else: the first bit of a word's header, since idle
// headers begin with a one and those of words with a zero.
class FirstChange final : public sim::CableTap<sim::QcdocLineCode::Symbol> {
 public:
  void arm(Picoseconds from) { from_ = from / period; }
  void carried(std::int64_t edge, const std::uint8_t&, const std::uint8_t*) override {
    if (edge >= from_ && edge_ < 0) edge_ = edge;
  }
  void inserted(std::int64_t, const std::uint8_t&) override {}
  std::int64_t edge() const {
    if (edge_ < 0) throw ProtocolError("a measurement's word was not passed on");
    return edge_;
  }

 private:
  std::int64_t from_ = std::numeric_limits<std::int64_t>::max(), edge_ = -1;
};

// Both ways over `links` links, all started by one write.
Mask both_ways(int links) {
  const Mask sends = (Mask{1} << links) - 1;
  return sends | sends << qcdoc::links;
}

}  // namespace

Spread spread_of(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low,
          std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()),
          *high};
}

double qcdoc_total_rate(int words, Picoseconds memory_latency) {
  ScuTorusOptions options;
  options.memory_latency = memory_latency;
  ScuTorus torus(options);
  std::vector<Picoseconds> times;
  torus.node(0).watch_memory([&](const MemoryAccess& access) { times.push_back(access.time); });
  for (int rank = 0; rank < torus.size(); ++rank) fill(torus.node(rank), words);
  torus.run([&](int, Scu& scu) {
    for (int engine = 0; engine < qcdoc::engines; ++engine) store(scu, engine, words);
    scu.start(both_ways(qcdoc::links), 0);
    scu.wait(both_ways(qcdoc::links));
  });
  for (int rank = 0; rank < torus.size(); ++rank)
    for (int link = 0; link < qcdoc::links; ++link) require_received(torus.node(rank), link, words);
  torus.node(0).watch_memory(nullptr);
  require_delivered(torus.machine());
  // Whole rounds of all engines, since each round's accesses come close together.
  const std::size_t first = times.size() / 4 / qcdoc::engines * qcdoc::engines;
  const std::size_t last = times.size() * 3 / 4 / qcdoc::engines * qcdoc::engines;
  return static_cast<double>((last - first) * word_bytes) / ns(times[last] - times[first]);
}

Spread qcdoc_mem_to_mem(Picoseconds memory_latency) {
  std::vector<double> taken;
  for (Picoseconds clock_phase = 0; clock_phase < period; clock_phase += period / 4) {
    ScuTorusOptions options;
    options.clock_phases = {0, clock_phase};
    options.memory_latency = memory_latency;
    ScuTorus torus(options);
    fill(torus.node(0), 1);
    Picoseconds began = 0, ended = 0;
    torus.node(1).watch_memory([&](const MemoryAccess& access) { ended = access.time; });
    for (int phase = 0; phase < byte_phases; ++phase) {
      torus.run([&](int rank, Scu& scu) {
        const Mask engine = qcdoc::bit(rank == 0 ? send_engine(0) : receive_engine(1));
        store(scu, rank == 0 ? send_engine(0) : receive_engine(1), 1);
        if (rank == 0) {
          wait_for_phase(scu.port(), phase);
          began = scu.port().now();
        }
        scu.start(engine, 0);
        scu.wait(engine);
      });
      taken.push_back(ns(ended - began));
      require_received(torus.node(1), 1, 1);
    }
    require_delivered(torus.machine());
  }
  return spread_of(taken);
}

double qcdoc_transfer_ns(int words, int links, Picoseconds memory_latency) {
  ScuTorusOptions options;
  options.shape = {1};
  options.memory_latency = memory_latency;
  ScuTorus torus(options);
  fill(torus.node(0), words);
  Picoseconds began = 0, ended = 0;
  torus.node(0).watch_memory([&](const MemoryAccess& access) {
    if (access.write) ended = access.time;
  });
  std::vector<double> taken;
  for (int phase = 0; phase < byte_phases; ++phase) {
    torus.run([&](int, Scu& scu) {
      // One link: its own other end receives. An even number: each with its axis' other end.
      const Mask sends = (Mask{1} << links) - 1;
      const Mask receives = (links == 1 ? Mask{2} : sends) << qcdoc::links;
      for (int engine = 0; engine < qcdoc::engines; ++engine) store(scu, engine, words);
      wait_for_phase(scu.port(), phase);
      began = scu.port().now();
      scu.start(sends | receives, 0);
      scu.wait(sends | receives);
    });
    taken.push_back(ns(ended - began));
    for (int link = links == 1 ? 1 : 0; link < std::max(links, 2); ++link)
      require_received(torus.node(0), link, words);
  }
  require_delivered(torus.machine());
  return spread_of(taken).worst;
}

bool qcdoc_full_rate(int bits, Busy busy) {
  constexpr int words = 24, settled = 8, frame = 72;
  for (int phase = 0; phase < byte_phases; ++phase) {
    ScuTorusOptions options;
    options.cable_delay = bits * period;
    options.byte_phases = {0, phase};
    ScuTorus torus(options);
    for (int rank : {0, 1}) fill(torus.node(rank), words);
    // Frames of one direction begin anywhere in those of the other.
    for (int later = 0; later < (busy == Busy::BothWays ? frame : 1); later += byte_phases) {
      std::vector<Picoseconds> times[2];
      for (int rank : {0, 1})
        torus.node(rank).watch_memory([&, rank](const MemoryAccess& access) {
          if (access.write) times[rank].push_back(access.time);
        });
      torus.run([&](int rank, Scu& scu) {
        const int link = rank;  // +x of node 0, -x of node 1
        Mask engines = 0;
        if (rank == 0 || busy == Busy::BothWays) engines |= qcdoc::bit(send_engine(link));
        if (rank == 1 || busy == Busy::BothWays) engines |= qcdoc::bit(receive_engine(link));
        for (const int engine : {send_engine(link), receive_engine(link)})
          store(scu, engine, words);
        wait_for_phase(scu.port(), 0);
        if (rank == 1) scu.port().advance(later * period);
        scu.start(engines, 0);
        scu.wait(engines);
      });
      for (const int rank : {0, 1}) {
        const auto& t = times[rank];
        if (rank == 0 && busy == Busy::OneWay) continue;
        if (t.size() != words) throw ProtocolError("words are missing in a measurement");
        if (t.back() - t[settled] != (words - 1 - settled) * frame * period) return false;
      }
    }
  }
  return true;
}

int qcdoc_longest_cable(Busy busy, int good, int bad) {
  for (; good > 2 && !qcdoc_full_rate(good, busy); good /= 2) bad = good;
  for (; qcdoc_full_rate(bad, busy); bad += 8) good = bad;
  while (bad - good > 1) {
    const int middle = (good + bad) / 2;
    (qcdoc_full_rate(middle, busy) ? good : bad) = middle;
  }
  return good;
}

Spread qcdoc_passthrough_bits() {
  constexpr int cable_bits = 10;
  std::vector<double> bits;
  for (int phase = 0; phase < byte_phases; ++phase) {
    ScuTorusOptions options;
    options.shape = {3};
    options.cable_delay = cable_bits * period;
    options.byte_phases = {0, phase, 0};
    ScuTorus torus(options);
    fill(torus.node(0), 1);
    FirstChange in, out;
    torus.machine().cable(0, 0).listen(&in);
    torus.machine().cable(1, 0).listen(&out);
    torus.run([&](int rank, Scu& scu) {
      const int engine = rank == 0 ? send_engine(0) : receive_engine(1);
      store(scu, engine, 1);
      if (rank != 0) {
        scu.prepare_set(0, {1, rank == 1 ? qcdoc::bit(0) : 0, 1});
        scu.enable_set(0);
      } else {
        wait_for_phase(scu.port(), 0);  // the others are ready
        in.arm(scu.port().now());
        out.arm(scu.port().now());
      }
      scu.start(qcdoc::bit(engine), 0);
      scu.wait(qcdoc::bit(engine));
    });
    for (const int rank : {1, 2}) require_received(torus.node(rank), 1, 1);
    bits.push_back(static_cast<double>(out.edge() - in.edge() - cable_bits));
  }
  return spread_of(bits);
}

}  // namespace ht::bench
