// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/qpace_machine.hpp"

#include <Random123/philox.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <numeric>

#include "sw/host/errors.hpp"
#include "verif/model/qpace_wire.hpp"

namespace ht::machine {
namespace {

constexpr int links = qpace::links;

// Counter-based random numbers for what is drawn once for the whole machine.
class Draw {
 public:
  Draw(std::uint64_t seed, std::uint32_t purpose) : key_{{seed}}, purpose_(purpose) {}

  /// Evenly from [0, limit).
  std::int64_t below(std::int64_t limit) {
    const auto r = r123::Philox2x64()({{count_++, purpose_}}, key_);
    return static_cast<std::int64_t>(r[0] % static_cast<std::uint64_t>(limit));
  }

 private:
  r123::Philox2x64::key_type key_;
  std::uint32_t purpose_;
  std::uint64_t count_ = 0;
};

// Neighbours along x stay together: each rank has a run of nodes.
unsigned owner_of(int node, int nodes, const sim::RankExchange* ranks) {
  return ranks == nullptr
             ? 0
             : static_cast<unsigned>(static_cast<std::int64_t>(node) * ranks->ranks() / nodes);
}

// Bytes a program can have without swapping: what the kernel calls MemAvailable, which counts the
// file cache, that gives way, as free.
double available_memory() {
  std::ifstream info("/proc/meminfo");
  std::string key;
  double kilobytes = 0;
  while (info >> key >> kilobytes) {
    if (key == "MemAvailable:") return kilobytes * 1024;
    info.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::numeric_limits<double>::infinity();  // not told: let the allocation itself fail
}

enum Purpose : std::uint32_t { Phases = 1, Bursts, Lost, Doubled, Stuck, Pulled, Forged };

}  // namespace

// The CRC is linear.
sim::FaultPlan::Forced forged_packet(std::uint64_t frame, unsigned bit) {
  model::qpace::DataPacket packet;
  const std::uint32_t before = packet.words().back().data;
  packet.payload.at(bit / 8) = static_cast<std::byte>(1U << bit % 8);
  const std::uint32_t after = packet.words().back().data;
  return {frame,
          {{1 + bit / 32, std::uint32_t{1} << bit % 32},
           {model::qpace::kPacketWords - 1, before ^ after}}};
}

int torus_neighbour(const std::vector<int>& shape, int rank, int link) {
  const auto axis = static_cast<std::size_t>(link / 2);
  if (axis >= shape.size()) return rank;
  int stride = 1;
  for (std::size_t i = 0; i < axis; ++i) stride *= shape[i];
  const int length = shape[axis];
  const int at = rank / stride % length;
  const int next = (at + (link % 2 == 0 ? 1 : length - 1)) % length;
  return rank + (next - at) * stride;
}

void QpaceMachine::require_memory(const std::vector<int>& shape) {
  // Model, cables, stack and a small program's data: 180 kB were measured with 64 nodes.
  constexpr double bytes_per_node = 512 << 10;
  double nodes = 1;
  for (const int length : shape) nodes *= length;
  const double available = available_memory();
  if (nodes * bytes_per_node > available)
    throw UsageError(
        fmt::format("{} nodes need {:.1f} GB of memory and {:.1f} GB are free: take a "
                    "smaller node grid",
                    nodes, nodes * bytes_per_node * 1e-9, available * 1e-9));
}

QpaceMachine::QpaceMachine(QpaceMachineOptions options)
    : options_(std::move(options)), kernel_(options_.kernel) {
  auto& shape = options_.shape;
  while (shape.size() > 3 && shape.back() == 1) shape.pop_back();
  if (shape.empty() || shape.size() > 3)
    throw UsageError(fmt::format("a QPACE torus has 1 to 3 axes, not {}", shape.size()));
  require_memory(shape);
  const int count = std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>());

  Draw phases(options_.seed, Purpose::Phases);
  std::vector<sim::Clock> link_clocks;
  for (int rank = 0; rank < count; ++rank) {
    NwpNodeOptions node = options_.node;
    if (options_.random_phases) {
      node.core_clock.phase = phases.below(node.core_clock.period);
      node.link_clock.phase = phases.below(node.link_clock.period);
    }
    link_clocks.push_back(node.link_clock);
    const unsigned owner = owner_of(rank, count, options_.kernel.ranks);
    if (options_.kernel.ranks != nullptr && owner != options_.kernel.ranks->rank()) {
      nodes_.push_back(nullptr);
      drivers_.push_back(nullptr);
      kernel_.add_remote_node(owner);
      continue;
    }
    auto owned = std::make_unique<NwpNode>(rank, node);
    nodes_.push_back(owned.get());
    kernel_.add_node(std::move(owned));
    drivers_.push_back(
        std::make_unique<qpace::Driver>(*nodes_.back(), place_of(rank), options_.driver));
  }

  auto faults = draw_faults();
  for (int rank = 0; rank < size(); ++rank) {
    for (int link = 0; link < links; ++link) {
      const int to = neighbour(rank, link);
      const auto number = static_cast<std::size_t>(rank * links + link);
      sim::CableOptions cable;
      cable.name = fmt::format("node {} {} to node {}", rank, qpace::link_name(link), to);
      cable.number = static_cast<std::uint32_t>(number);
      cable.sender = link_clocks[static_cast<std::size_t>(rank)];
      cable.receiver = link_clocks[static_cast<std::size_t>(to)];
      cable.delay = options_.cable_delay;
      cable.seed = options_.seed;
      cable.faults = std::move(faults[number]);
      auto owned = std::make_unique<sim::QpaceCable>(std::move(cable));
      cables_.push_back(owned.get());
      kernel_.add_cable(std::move(owned), static_cast<std::size_t>(rank),
                        static_cast<std::size_t>(to));
    }
  }
  for (int rank = 0; rank < size(); ++rank) {
    for (int link = 0; link < links && is_local(rank); ++link) {
      const int from = neighbour(rank, link);
      node(rank).connect(link, cable(rank, link), cable(from, link ^ 1));
    }
  }
  if (options_.ethernet.files) add_ethernet();
}

// After everything else, so that without Ethernet cables and nodes have the same numbers.
void QpaceMachine::add_ethernet() {
  if (options_.kernel.ranks != nullptr)
    throw UsageError("Ethernet needs the whole machine in one process: not under mpirun");
  auto owned = std::make_unique<EthernetServer>(options_.ethernet.files, options_.ethernet.server);
  server_ = owned.get();
  const std::size_t server = kernel_.add_node(std::move(owned));
  for (int rank = 0; rank < size(); ++rank) {
    std::array<sim::EthernetCable*, 2> ends{};
    for (const bool from_node : {true, false}) {
      const sim::Clock node_clock = node(rank).link_clock();
      const sim::Clock server_clock{node_clock.period, 0};
      sim::CableOptions cable;
      cable.name = from_node ? fmt::format("node {} Ethernet -> server", rank)
                             : fmt::format("server -> node {} Ethernet", rank);
      cable.number = static_cast<std::uint32_t>(cables_.size()) +
                     static_cast<std::uint32_t>(2 * rank + (from_node ? 0 : 1));
      cable.sender = from_node ? node_clock : server_clock;
      cable.receiver = from_node ? server_clock : node_clock;
      cable.delay = options_.ethernet.cable_delay;
      cable.seed = options_.seed;
      cable.faults.bit_error_rate = options_.ethernet.bit_error_rate;
      auto added = std::make_unique<sim::EthernetCable>(std::move(cable));
      ends[from_node ? 0 : 1] = added.get();
      const auto at = static_cast<std::size_t>(rank);
      kernel_.add_cable(std::move(added), from_node ? at : server, from_node ? server : at);
    }
    ethernet_cables_.emplace_back(ends[0], ends[1]);
    node(rank).connect_ethernet(*ends[0], *ends[1]);
    server_->connect(*ends[1], *ends[0]);
  }
}

QpaceMachine::~QpaceMachine() = default;

qpace::Place QpaceMachine::place_of(int rank) const {
  qpace::Place place{options_.shape, {}, rank};
  for (const int length : options_.shape) {
    place.coordinates.push_back(rank % length);
    rank /= length;
  }
  return place;
}

int QpaceMachine::neighbour(int rank, int link) const {
  return torus_neighbour(options_.shape, rank, link);
}

std::vector<sim::FaultPlan> QpaceMachine::draw_faults() const {
  const CableErrors& e = options_.errors;
  std::vector<sim::FaultPlan> plans = options_.faults;
  plans.resize(nodes_.size() * links);
  for (sim::FaultPlan& plan : plans)
    plan.bit_error_rate = std::max(plan.bit_error_rate, e.bit_error_rate);
  const auto cables = static_cast<std::int64_t>(plans.size());
  const auto each = [&](int count, Purpose purpose, auto&& inject) {
    Draw draw(options_.seed, purpose);
    for (int i = 0; i < count; ++i) {
      const auto cable = static_cast<std::size_t>(draw.below(cables));
      inject(cable, e.from + draw.below(std::max<Picoseconds>(1, e.until - e.from)), draw);
    }
  };
  each(e.bursts, Purpose::Bursts, [&](std::size_t cable, Picoseconds time, Draw& draw) {
    const auto lane = static_cast<unsigned>(draw.below(4));
    plans[cable].bursts.push_back({time, static_cast<unsigned>(e.burst_bits), lane});
  });
  each(e.lost, Purpose::Lost, [&](std::size_t cable, Picoseconds time, Draw&) {
    plans[cable].lost.push_back({time, true});
  });
  each(e.doubled, Purpose::Doubled, [&](std::size_t cable, Picoseconds time, Draw&) {
    plans[cable].doubled.push_back({time, true});
  });
  each(e.stuck, Purpose::Stuck, [&](std::size_t cable, Picoseconds time, Draw& draw) {
    const auto lane = static_cast<unsigned>(draw.below(4));
    plans[cable].stuck.push_back({lane, draw.below(2) != 0, time, time + e.stuck_time});
  });
  each(e.pulled, Purpose::Pulled, [&](std::size_t cable, Picoseconds time, Draw&) {
    const int rank = static_cast<int>(cable) / links;
    const int link = static_cast<int>(cable) % links;
    const auto back = static_cast<std::size_t>(neighbour(rank, link) * links + (link ^ 1));
    plans[cable].pulls.push_back({time, time + e.pulled_time});
    if (back != cable) plans[back].pulls.push_back({time, time + e.pulled_time});
  });
  Draw draw(options_.seed, Purpose::Forged);
  for (int i = 0; i < e.forged; ++i) {
    // Only axes longer than 1 carry packets.
    std::size_t cable = 0;
    do {
      cable = static_cast<std::size_t>(draw.below(cables));
    } while (size() > 1 &&
             neighbour(static_cast<int>(cable) / links, static_cast<int>(cable) % links) ==
                 static_cast<int>(cable) / links);
    const auto frame = static_cast<std::uint64_t>(draw.below(16));
    constexpr auto payload_bits = static_cast<std::int64_t>(8 * model::qpace::kPayloadBytes);
    plans[cable].forced.push_back(
        forged_packet(frame, static_cast<unsigned>(draw.below(payload_bits))));
  }
  return plans;
}

void QpaceMachine::start(const Program& program) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i] == nullptr) continue;
    nodes_[i]->start([this, i, &program] {
      if (!up_) drivers_[i]->bring_up();
      program(*drivers_[i]);
    });
  }
}

bool QpaceMachine::run(const Program& program, Picoseconds limit) {
  start(program);
  // Programs refer to what their caller holds: none may outlive this call.
  try {
    const bool finished = kernel_.run(limit) == sim::RunEnd::Finished &&
                          kernel_.settle(limit) == sim::RunEnd::Finished;
    if (!finished) abandon();
    up_ = up_ || finished;
    return finished;
  } catch (...) {
    abandon();
    throw;
  }
}

MachineEvent QpaceMachine::first_event(EventKind kind) const {
  MachineEvent first;
  const auto candidate = [&first](Picoseconds time, int rank, int link) {
    if (time < first.time) first = {time, rank, link};
  };
  for (int rank = 0; rank < size(); ++rank) {
    for (int link = 0; link < links && is_local(rank); ++link) {
      const NwpNode& n = *nodes_[static_cast<std::size_t>(rank)];
      if (kind == EventKind::Error) candidate(n.first_error(link), rank, link);
      if (kind == EventKind::Retransmit) candidate(n.first_retransmission(link), rank, link);
      if (kind != EventKind::Undetected) continue;
      const auto from = static_cast<std::size_t>(neighbour(rank, link) * links + (link ^ 1));
      for (const auto& error : cables_[from]->ledger().errors()) {
        if (error.fate == sim::Fate::Undetected)
          candidate(cables_[from]->options().receiver.edge(error.last), rank, link);
      }
    }
  }
  return first;
}

void QpaceMachine::abandon() {
  for (NwpNode* n : nodes_) {
    if (n != nullptr) n->abandon();
  }
}

std::vector<LinkReport> QpaceMachine::read_links() {
  // What one node, and the receiving end of a cable, know; zero where another rank knows it.
  struct Known {
    qpace::LinkCounters counters;
    sim::ErrorTotals received;
    Picoseconds first_retransmission = 0;
  };
  static_assert(std::is_trivially_copyable_v<Known>);
  std::vector<Known> known(nodes_.size() * links);
  run([&](qpace::Driver& driver) {
    for (int link = 0; link < links; ++link) {
      Known& k = known[static_cast<std::size_t>(driver.rank() * links + link)];
      k.counters = driver.read_counters(link);
      k.first_retransmission = node(driver.rank()).first_retransmission(link);
    }
  });
  for (std::size_t i = 0; i < known.size(); ++i) {
    const int from = static_cast<int>(i) / links;
    if (is_local(neighbour(from, static_cast<int>(i) % links)))
      known[i].received = kernel_.cable(i).ledger().totals_so_far();
  }
  if (options_.kernel.ranks != nullptr)
    options_.kernel.ranks->merge(std::as_writable_bytes(std::span(known)));
  std::vector<LinkReport> reports;
  for (int rank = 0; rank < size(); ++rank) {
    for (int link = 0; link < links; ++link) {
      const Known& k = known[static_cast<std::size_t>(rank * links + link)];
      const int to = neighbour(rank, link);
      reports.push_back({rank, to, link, k.counters,
                         known[static_cast<std::size_t>(to * links + (link ^ 1))].counters,
                         k.received, k.first_retransmission});
    }
  }
  return reports;
}

template <typename T>
T QpaceMachine::sum_over_ranks(const T& mine) {
  sim::RankExchange* ranks = options_.kernel.ranks;
  if (ranks == nullptr) return mine;
  std::vector<T> all(ranks->ranks());
  all[ranks->rank()] = mine;
  ranks->merge(std::as_writable_bytes(std::span(all)));
  T sum{};
  for (const T& one : all) sum += one;
  return sum;
}

sim::ErrorTotals QpaceMachine::close_ledgers() {
  return sum_over_ranks(kernel_.close_ledgers());
}

sim::Kernel::Statistics QpaceMachine::statistics() {
  struct Count {
    std::uint64_t total = 0, skipped = 0;
    Count& operator+=(const Count& c) {
      total += c.total;
      skipped += c.skipped;
      return *this;
    }
  };
  sim::Kernel::Statistics s = kernel_.statistics();
  const Count sum = sum_over_ranks(Count{s.cycles.total, s.cycles.skipped});
  s.cycles = {sum.total, sum.skipped};
  return s;
}

std::vector<ConsoleLine> QpaceMachine::take_console(bool all) {
  std::vector<ConsoleLine> lines;
  for (NwpNode* n : nodes_) {
    if (n == nullptr) continue;
    auto more = n->console().take(all);
    lines.insert(lines.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  }
  return lines;
}

void QpaceMachine::close_traces() {
  for (NwpNode* n : nodes_) {
    if (n != nullptr) n->close_trace();
  }
}

}  // namespace ht::machine
