// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/qpace_machine.hpp"

#include <Random123/philox.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
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

namespace {

// Along link's axis from `rank`, on a ring of `ring` nodes of the axis' `length`.
int step(const std::vector<int>& shape, int rank, int link, int ring_divisor) {
  const auto axis = static_cast<std::size_t>(link / 2);
  if (axis >= shape.size()) return rank;
  int stride = 1;
  for (std::size_t i = 0; i < axis; ++i) stride *= shape[i];
  const int ring = shape[axis] / ring_divisor;
  const int at = rank / stride % shape[axis];
  const int begin = at / ring * ring;
  const int next = begin + (at - begin + (link % 2 == 0 ? 1 : ring - 1)) % ring;
  return rank + (next - at) * stride;
}

}  // namespace

int split_neighbour(const std::vector<int>& shape, int axis, int rank, int link) {
  return step(shape, rank, link, link / 2 == axis ? 2 : 1);
}

int torus_neighbour(const std::vector<int>& shape, int rank, int link) {
  return step(shape, rank, link, 1);
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
  const int axis = options_.split_axis;
  if (axis >= 0 &&
      (axis >= static_cast<int>(shape.size()) || shape[static_cast<std::size_t>(axis)] % 2 != 0))
    throw UsageError(fmt::format(
        "axis {} of a machine of {} nodes cannot be split in two halves: its length must be even",
        axis, fmt::join(shape, "x")));
  if (options_.split && axis < 0)
    throw UsageError("two partitions need an axis whose redundant interfaces are wired");
  split_ = options_.split;
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
    drivers_.push_back(nullptr);
  }

  failures_.resize(nodes_.size());
  plug_cables(link_clocks);
  for (int rank = 0; rank < count; ++rank) {
    if (is_local(rank))
      drivers_[static_cast<std::size_t>(rank)] =
          std::make_unique<qpace::Driver>(node(rank), place_of(rank), options_.driver);
  }
  if (!options_.driver.signal_tree) {
    options_.kill_on_error = false;  // nobody would hear it
  } else {
    options_.signals.skip_idle = options_.node.skip_idle;
    const auto clock = [&](int) {
      sim::Clock c = options_.node.core_clock;
      if (options_.random_phases) c.phase = phases.below(c.period);
      return c;
    };
    const auto owner = [&](int rank) { return owner_of(rank, count, options_.kernel.ranks); };
    signals_ = std::make_unique<SignalNetwork>(
        kernel_, nodes_, owner,
        options_.kernel.ranks == nullptr ? 0 : options_.kernel.ranks->rank(), clock,
        options_.signals);
  }
  configure_partitions();
  if (options_.ethernet.files) add_ethernet();
}

// Every node's six primary cables, and the redundant ones where rings are split.
void QpaceMachine::plug_cables(const std::vector<sim::Clock>& link_clocks) {
  auto faults = draw_faults();
  const auto add = [&](int rank, int link, int to, std::size_t number, sim::FaultPlan plan,
                       const char* which) {
    sim::CableOptions cable;
    cable.name = fmt::format("node {} {}{} to node {}", rank, qpace::link_name(link), which, to);
    cable.number = static_cast<std::uint32_t>(number);
    cable.sender = link_clocks[static_cast<std::size_t>(rank)];
    cable.receiver = link_clocks[static_cast<std::size_t>(to)];
    cable.delay = options_.cable_delay;
    cable.seed = options_.seed;
    cable.faults = std::move(plan);
    auto owned = std::make_unique<sim::QpaceCable>(std::move(cable));
    sim::QpaceCable* const plain = owned.get();
    kernel_.add_cable(std::move(owned), static_cast<std::size_t>(rank),
                      static_cast<std::size_t>(to));
    return plain;
  };
  for (int rank = 0; rank < size(); ++rank) {
    for (int link = 0; link < links; ++link) {
      const auto number = static_cast<std::size_t>(rank * links + link);
      cables_.push_back(add(rank, link, torus_neighbour(options_.shape, rank, link), number,
                            std::move(faults[number]), ""));
    }
  }
  redundant_.assign(cables_.size(), nullptr);
  const int axis = options_.split_axis;
  for (int rank = 0; rank < size() && axis >= 0; ++rank) {
    for (int link = 2 * axis; link < 2 * axis + 2; ++link) {
      const int to = split_neighbour(options_.shape, axis, rank, link);
      if (to == torus_neighbour(options_.shape, rank, link) &&
          options_.shape[static_cast<std::size_t>(axis)] > 2)
        continue;  // inside a half: the ring's own cable
      const auto number = static_cast<std::size_t>(rank * links + link);
      sim::FaultPlan plan;
      plan.bit_error_rate = options_.errors.bit_error_rate;
      redundant_[number] =
          add(rank, link, to, 4 * cables_.size() + number, std::move(plan), " redundant");
    }
  }
  for (int rank = 0; rank < size(); ++rank) {
    for (int link = 0; link < links && is_local(rank); ++link) {
      const auto own = static_cast<std::size_t>(rank * links + link);
      const auto from = [&](int peer) {
        return static_cast<std::size_t>(peer * links + (link ^ 1));
      };
      node(rank).connect(link, *cables_[own],
                         *cables_[from(torus_neighbour(options_.shape, rank, link))]);
      if (redundant_[own] != nullptr)
        node(rank).connect(link, *redundant_[own],
                           *redundant_[from(split_neighbour(options_.shape, axis, rank, link))],
                           NwpNode::Redundant);
    }
  }
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

void QpaceMachine::configure_partitions() {
  std::vector<int> partition;
  for (int rank = 0; rank < size(); ++rank) partition.push_back(place_of(rank).partition);
  if (signals_ != nullptr) signals_->configure(partition);
}

sim::QpaceCable& QpaceMachine::cable(int rank, int link) const {
  const auto number = static_cast<std::size_t>(rank * links + link);
  return split_ && redundant_[number] != nullptr ? *redundant_[number] : *cables_[number];
}

QpaceMachine::~QpaceMachine() = default;

qpace::Place QpaceMachine::place_of(int rank) const {
  qpace::Place place{options_.shape, {}, rank, rank, 0, 0};
  int rest = rank;
  for (const int length : options_.shape) {
    place.coordinates.push_back(rest % length);
    rest /= length;
  }
  if (!split_) return place;
  const auto axis = static_cast<std::size_t>(options_.split_axis);
  const int half = options_.shape[axis] / 2;
  place.partition = place.coordinates[axis] / half;
  place.coordinates[axis] %= half;
  place.shape[axis] = half;
  place.rank = 0;
  for (std::size_t i = place.shape.size(); i-- > 0;)
    place.rank = place.rank * place.shape[i] + place.coordinates[i];
  for (int link = 0; link < links; ++link) {
    if (redundant_[static_cast<std::size_t>(rank * links + link)] != nullptr)
      place.redundant |= 1U << link;
  }
  return place;
}

int QpaceMachine::neighbour(int rank, int link) const {
  return split_ ? split_neighbour(options_.shape, options_.split_axis, rank, link)
                : torus_neighbour(options_.shape, rank, link);
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

void QpaceMachine::launch(const Program& program) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i] != nullptr) nodes_[i]->start([this, i, &program] { program(*drivers_[i]); });
  }
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

// Programs refer to what their caller holds: none may outlive the call that started them.
bool QpaceMachine::run_to_end(Picoseconds limit) {
  try {
    if (kernel_.run(limit) != sim::RunEnd::Finished) {
      abandon();
      return false;
    }
    const auto failed = [](const Failure& f) { return f.error != nullptr; };
    if (std::any_of(failures_.begin(), failures_.end(), failed)) {
      // Links may be stuck for ever with what their programs did not fetch.
      constexpr Picoseconds patience = 20'000'000;
      kernel_.settle(std::min(limit, kernel_.now() + patience));
    } else if (kernel_.settle(limit) != sim::RunEnd::Finished) {
      abandon();
      return false;
    }
    up_ = true;
    return true;
  } catch (...) {
    abandon();
    throw;
  }
}

bool QpaceMachine::run(const Program& program, Picoseconds limit) {
  if (options_.kill_on_error) {
    const bool finished = run_guarded(program, limit);
    for (int p = 0; p < partitions(); ++p) {
      if (const auto error = first_failure(p)) std::rethrow_exception(error);
    }
    return finished;
  }
  start(program);
  return run_to_end(limit);
}

// Every failure is kept, and the partition killed, by the node's own program.
bool QpaceMachine::run_guarded(const Program& program, Picoseconds limit) {
  failures_.assign(nodes_.size(), {});
  // Ends with this call, as the programs do.
  const Program guarded = [&](qpace::Driver& driver) {
    Failure failure;
    try {
      if (!up_) driver.bring_up();
      program(driver);
    } catch (const KilledError&) {
      failure = {std::current_exception(), driver.runtime().now(), true};
    } catch (const std::exception&) {
      failure = {std::current_exception(), driver.runtime().now(), false};
    }
    if (!failure.error) return;
    failures_[static_cast<std::size_t>(driver.place().number())] = failure;
    if (!failure.killed) driver.kill();
  };
  launch(guarded);
  const bool finished = run_to_end(limit);
  if (options_.kernel.ranks != nullptr) {
    const auto failed = [](const Failure& f) { return f.error != nullptr; };
    const bool here = std::any_of(failures_.begin(), failures_.end(), failed);
    if (sum_over_ranks(here ? 1U : 0U) != 0 && !here)
      throw std::runtime_error("another rank of this machine failed; its own message says why");
  }
  return finished;
}

// The first in time that was not killed by another, then the lowest.
std::exception_ptr QpaceMachine::first_failure(int partition) const {
  const Failure* first = nullptr;
  for (int rank = 0; rank < size(); ++rank) {
    const Failure& f = failures_[static_cast<std::size_t>(rank)];
    if (!f.error || place_of(rank).partition != partition) continue;
    if (first == nullptr || std::pair(f.killed, f.time) < std::pair(first->killed, first->time))
      first = &f;
  }
  return first == nullptr ? nullptr : first->error;
}

std::vector<std::exception_ptr> QpaceMachine::run_partitions(const Program& program, bool* finished,
                                                             Picoseconds limit) {
  *finished = run_guarded(program, limit);
  std::vector<std::exception_ptr> errors;
  for (int p = 0; p < partitions(); ++p) errors.push_back(first_failure(p));
  return errors;
}

void QpaceMachine::repartition(bool split) {
  if (options_.split_axis < 0)
    throw UsageError("two partitions need an axis whose redundant interfaces are wired");
  if (std::any_of(failures_.begin(), failures_.end(), [](const Failure& f) { return f.error; }))
    throw std::logic_error("a machine whose programs failed is not partitioned anew");
  if (up_) {
    const Program take_down = [](qpace::Driver& driver) { driver.take_down(); };
    launch(take_down);
    if (!run_to_end(sim::kNever)) return;
  }
  split_ = split;
  configure_partitions();
  for (int rank = 0; rank < size(); ++rank) {
    if (is_local(rank)) drivers_[static_cast<std::size_t>(rank)]->move(place_of(rank));
  }
  up_ = false;
}

void QpaceMachine::abandon() {
  for (NwpNode* n : nodes_) {
    if (n != nullptr) n->abandon();
  }
}

void QpaceMachine::close_traces() {
  for (NwpNode* n : nodes_) {
    if (n != nullptr) n->close_trace();
  }
}

}  // namespace ht::machine
