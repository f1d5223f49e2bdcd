// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/kernel/agreement.hpp"
#include "sim/machine/lane_words.hpp"
#include "sim/machine/machine_draw.hpp"
#include "sim/qpace/cable_frames.hpp"
#include "sim/qpace/lane_word.hpp"
#include "sw/host/errors.hpp"
#include "sw/qpace/loss_probe.hpp"
#include "verif/model/qpace/wire.hpp"

namespace ht::machine {
namespace {

constexpr int node_links = qpace::links;
constexpr std::size_t most_axes = 3;

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

QpaceMachine::QpaceMachine(QpaceMachineOptions options)
    : CabledMachine(options.kernel), options_(std::move(options)) {
  auto& shape = options_.shape;
  shape = torus_shape(std::move(shape), most_axes, "QPACE");
  require_memory(shape, qpace_node_bytes, options_.kernel.ranks);
  const int axis = options_.split_axis;
  if (axis >= 0 &&
      (axis >= static_cast<int>(shape.size()) || shape[static_cast<std::size_t>(axis)] % 2 != 0))
    throw UsageError(fmt::format(
        "axis {} of a machine of {} nodes cannot be split in two halves: its length must be even",
        axis, fmt::join(shape, "x")));
  if (options_.split && axis < 0)
    throw UsageError("two partitions need an axis whose redundant interfaces are wired");
  split_ = options_.split;
  const int count = node_count(shape);

  MachineDraw phases(options_.seed, Purpose::Phases);
  add_nodes(count, options_, [&](NwpNodeOptions& node, int rank) {
    if (options_.random_phases) {
      node.core_clock.phase = phases.below(node.core_clock.period);
      node.link_clock.phase = phases.below(node.link_clock.period);
    }
    const std::int64_t off = oscillator_off(options_, rank);
    node.core_clock = node.core_clock.slower_by(off);
    node.link_clock = node.link_clock.slower_by(off);
    return node.link_clock;
  });

  failures_.resize(static_cast<std::size_t>(count));
  CableGrid grid = cable_grid();
  grid.lanes = options_.phy ? options_.phy->lanes.shape.lanes : sim::QpaceLineCode::kLanes;
  grid.forge = forged_packet;
  grid.payload_bits = 8 * model::qpace::kPayloadBytes;
  plug_cables(options_, grid);
  plug_redundant_cables();
  add_drivers([this](int rank) {
    return std::make_unique<qpace::Driver>(driver_port(rank, options_.noise), place_of(rank),
                                           options_.driver);
  });
  if (!options_.driver.signal_tree) {
    options_.kill_on_error = false;  // nobody would hear it
  } else {
    options_.signals.skip_idle = options_.node.skip_idle;
    const auto clock = [&](int) {
      sim::Clock c = options_.node.core_clock;
      if (options_.random_phases) c.phase = phases.below(c.period);
      return c;
    };
    const auto owner = [this](int rank) { return owner_of(rank); };
    std::vector<NwpNode*> nodes;
    for (int rank = 0; rank < count; ++rank)
      nodes.push_back(is_local(rank) ? &node(rank) : nullptr);
    signals_ = std::make_unique<SignalNetwork>(kernel(), nodes, owner, own_rank(), clock,
                                               options_.signals);
  }
  configure_partitions();
  if (options_.ethernet.files) add_ethernet();
}

int QpaceMachine::plugged_into(int rank, int link) const {
  return torus_neighbour(options_.shape, rank, link);
}

// Where rings are split.
void QpaceMachine::plug_redundant_cables() {
  redundant_.assign(cables_.size(), nullptr);
  redundant_lanes_.assign(cables_.size(), nullptr);
  const int axis = options_.split_axis;
  if (axis < 0) return;
  const auto far_end = [&](int rank, int link) {
    return split_neighbour(options_.shape, axis, rank, link);
  };
  for (int rank = 0; rank < size(); ++rank) {
    for (int link = 2 * axis; link < 2 * axis + 2; ++link) {
      const int to = far_end(rank, link);
      if (to == plugged_into(rank, link) && options_.shape[static_cast<std::size_t>(axis)] > 2)
        continue;  // inside a half: the ring's own cable
      const std::size_t number = cable_number(rank, link);
      sim::FaultPlan plan;
      plan.bit_error_rate = options_.errors.bit_error_rate;
      std::string name =
          fmt::format("node {} {} redundant to node {}", rank, qpace::link_name(link), to);
      const std::size_t key = 4 * cables_.size() + number;
      if (options_.phy)
        redundant_lanes_[number] = plug_kind<sim::lanes::LaneCable>(
            options_, rank, to, std::move(name), key, std::move(plan), options_.phy->lanes);
      else
        redundant_[number] = plug_cable(options_, rank, to, std::move(name), key, std::move(plan));
    }
  }
  for (int rank = 0; rank < size(); ++rank) {
    for (int link = 0; link < node_links && is_local(rank); ++link) {
      const std::size_t own = cable_number(rank, link);
      if (redundant_cable(own) == nullptr) continue;
      const std::size_t back = cable_number(far_end(rank, link), far_link(link));
      if (options_.phy)
        node(rank).connect_lanes(link, *redundant_lanes_[own], *redundant_lanes_[back],
                                 NwpNode::Redundant);
      else
        node(rank).connect(link, *redundant_[own], *redundant_[back], NwpNode::Redundant);
    }
  }
}

// After everything else, so that without Ethernet cables and nodes have the same numbers.
void QpaceMachine::add_ethernet() {
  // The server is simulated where node 0 is.
  std::unique_ptr<EthernetServer> owned;
  if (own_rank() == 0)
    owned = std::make_unique<EthernetServer>(options_.ethernet.files, options_.ethernet.server);
  server_ = owned.get();
  const std::size_t server =
      owned ? kernel().add_node(std::move(owned)) : kernel().add_remote_node(0);
  for (int rank = 0; rank < size(); ++rank) {
    std::array<sim::EthernetCable*, 2> ends{};
    for (const bool from_node : {true, false}) {
      const sim::Clock node_clock = link_clock(rank);
      sim::Clock server_clock = node_clock;
      server_clock.phase = 0;
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
      const auto at = static_cast<std::size_t>(rank);
      ends[from_node ? 0 : 1] = plug<sim::EthernetCable>(std::move(cable), from_node ? at : server,
                                                         from_node ? server : at);
    }
    ethernet_cables_.emplace_back(ends[0], ends[1]);
    if (is_local(rank)) node(rank).connect_ethernet(*ends[0], *ends[1]);
    if (server_ != nullptr) server_->connect(*ends[1], *ends[0]);
  }
}

void QpaceMachine::configure_partitions() {
  std::vector<int> partition;
  for (int rank = 0; rank < size(); ++rank) partition.push_back(place_of(rank).partition);
  if (signals_ != nullptr) signals_->configure(partition);
}

sim::QpaceCable& QpaceMachine::cable(int rank, int link) const {
  const auto number = static_cast<std::size_t>(rank * node_links + link);
  return split_ && redundant_[number] != nullptr ? *redundant_[number]
                                                 : CabledMachine::cable(rank, link);
}

sim::CableBase& QpaceMachine::cable_of(int rank, int link) const {
  if (over_lanes()) return lanes_in_use(rank, link);
  return cable(rank, link);
}

sim::lanes::LaneCable& QpaceMachine::lanes_in_use(int rank, int link) const {
  const auto number = cable_number(rank, link);
  return split_ && redundant_lanes_[number] != nullptr ? *redundant_lanes_[number]
                                                       : lane_cable(rank, link);
}

QpaceMachine::~QpaceMachine() = default;

qpace::Place QpaceMachine::place_of(int rank) const {
  qpace::Place place{options_.shape, torus_coordinates(options_.shape, rank), rank, rank, 0, 0};
  if (!split_) return place;
  const auto axis = static_cast<std::size_t>(options_.split_axis);
  const int half = options_.shape[axis] / 2;
  place.partition = place.coordinates[axis] / half;
  place.coordinates[axis] %= half;
  place.shape[axis] = half;
  place.rank = 0;
  for (std::size_t i = place.shape.size(); i-- > 0;)
    place.rank = place.rank * place.shape[i] + place.coordinates[i];
  for (int link = 0; link < node_links; ++link) {
    if (redundant_cable(cable_number(rank, link)) != nullptr) place.redundant |= 1U << link;
  }
  return place;
}

int QpaceMachine::neighbour(int rank, int link) const {
  return split_ ? split_neighbour(options_.shape, options_.split_axis, rank, link)
                : torus_neighbour(options_.shape, rank, link);
}

bool QpaceMachine::any_failed() const {
  return std::any_of(failures_.begin(), failures_.end(),
                     [](const Failure& f) { return f.error != nullptr; });
}

bool QpaceMachine::run_programs(const DriverProgram& program, Picoseconds limit) {
  // The kill is the news of a loss then.
  if (!options_.kill_on_error || !losses().empty())
    return CabledMachine::run_programs(program, limit);
  const bool finished = run_guarded(program, limit);
  for (int p = 0; p < partitions(); ++p) {
    if (const auto error = first_failure(p)) {
      if (distributed()) ranks()->end_together();
      std::rethrow_exception(error);
    }
  }
  return finished;
}

// Every failure is kept, and the partition killed, by the node's own program.
bool QpaceMachine::run_guarded(const DriverProgram& program, Picoseconds limit) {
  failures_.assign(static_cast<std::size_t>(size()), {});
  launch([&](qpace::Driver& driver) {
    Failure failure;
    try {
      if (!up()) bring_up(driver);
      program(driver);
    } catch (const KilledError&) {
      failure = {std::current_exception(), driver.runtime().now(), true};
    } catch (const std::exception&) {
      failure = {std::current_exception(), driver.runtime().now(), false};
    }
    if (!failure.error) {
      linger(driver);
      return;
    }
    failures_[static_cast<std::size_t>(driver.place().node)] = failure;
    if (!failure.killed) driver.kill();
  });
  return finish(limit, [this] { return any_failed(); });
}

// The first in time that was not killed by another, then the lowest; of all processes.
std::exception_ptr QpaceMachine::first_failure(int partition) const {
  const Failure* first = nullptr;
  for (int rank = 0; rank < size(); ++rank) {
    const Failure& f = failures_[static_cast<std::size_t>(rank)];
    if (!f.error || place_of(rank).partition != partition) continue;
    if (first == nullptr || std::pair(f.killed, f.time) < std::pair(first->killed, first->time))
      first = &f;
  }
  if (first == nullptr) return sim::agree_on(ranks(), nullptr, {});
  constexpr Picoseconds later = sim::kNever / 2;
  return sim::agree_on(ranks(), first->error,
                       {first->time + (first->killed ? later : 0),
                        static_cast<std::size_t>(first - failures_.data())});
}

std::vector<std::exception_ptr> QpaceMachine::run_partitions(const Program& program,
                                                             bool* finished) {
  *finished = run_guarded(numbered(program), sim::kNever);
  std::vector<std::exception_ptr> errors;
  for (int p = 0; p < partitions(); ++p) errors.push_back(first_failure(p));
  note_failures(errors);
  return errors;
}

void QpaceMachine::repartition(bool split) {
  if (options_.split_axis < 0)
    throw UsageError("two partitions need an axis whose redundant interfaces are wired");
  if (any_failed())
    throw std::logic_error("a machine whose programs failed is not partitioned anew");
  if (up()) {
    launch([](qpace::Driver& driver) { driver.take_down(); });
    if (!run_to_end(sim::kNever)) return;
  }
  split_ = split;
  configure_partitions();
  for (int rank = 0; rank < size(); ++rank) {
    if (is_local(rank)) driver(rank).move(place_of(rank));
  }
  set_down();
}

std::unique_ptr<host::LossProbe> QpaceMachine::open_probe(int node) {
  return std::make_unique<qpace::LossProbe>(processor(node));
}

std::unique_ptr<FrameSource> QpaceMachine::listen_to(int node, int link) {
  constexpr std::uint8_t format = 1;  // in a capture's records
  if (over_lanes())
    return std::make_unique<LaneFrameSource<CableFrames, LaneWords<model::Word>>>(
        lanes_in_use(node, link), format, sim::word_of);
  return std::make_unique<CableFrameSource<sim::QpaceCable, CableFrames>>(cable(node, link),
                                                                          format);
}

}  // namespace ht::machine
