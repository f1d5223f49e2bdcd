// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/kernel/kernel.hpp"
#include "sim/machine/ethernet_server.hpp"
#include "sim/machine/nwp_node.hpp"
#include "sim/machine/signal_network.hpp"
#include "sw/qpace/driver.hpp"

namespace ht::machine {

/// What goes wrong on the cables. Rates hold for every cable; counts are of the whole machine, at
/// random times in [from, until) on random cables, drawn from the seed.
struct CableErrors {
  double bit_error_rate = 0;
  int bursts = 0, burst_bits = 32;
  int lost = 0, doubled = 0;
  int stuck = 0;   ///< a lane shows one value for `stuck_time`
  int pulled = 0;  ///< both directions of a cable, for `pulled_time`
  /// Data packets, one of the first 16 of a cable, damaged so that their CRC cannot see it. (On a
  /// cable that carries fewer nothing happens.)
  int forged = 0;
  Picoseconds stuck_time = 400'000, pulled_time = 5'000'000;
  Picoseconds from = 5'000'000, until = 505'000'000;
};

/// The nodes' Ethernet.
struct EthernetOptions {
  net::FileSource files;  ///< what the server at the other end serves; empty: there is no Ethernet
  Picoseconds cable_delay = 1'000'000;  ///< cable, both PHYs, switch: our assumption
  double bit_error_rate = 0;            ///< of the five bits a nibble
  EthernetServer::Options server;
};

struct QpaceMachineOptions {
  std::vector<int> shape{2, 2, 2};  ///< 1 to 3 axes, x first
  NwpNodeOptions node;
  bool random_phases = false;         ///< every node's clocks start at a phase drawn from the seed
  Picoseconds cable_delay = 250'000;  ///< two PHYs and a cable: our assumption
  CableErrors errors;
  /// Besides those: what goes wrong on each cable, by sender's rank * 6 + link; empty: nothing.
  std::vector<sim::FaultPlan> faults;
  EthernetOptions ethernet;
  std::uint64_t seed = 1;
  sim::KernelOptions kernel;
  qpace::DriverOptions driver;
  SignalNetworkOptions signals;
  /// Axis along which redundant cables make two rings of half its length of each ring (seed 004
  /// figure 5), or -1: the redundant sockets are empty.
  int split_axis = -1;
  bool split = false;  ///< start as two partitions
  /// A program that fails kills the other programs of its partition, over the global signal tree,
  /// and run() throws when all have ended. Else it ends the run at once.
  bool kill_on_error = false;
};

/// One direction of one cable after a run: what its two ends counted and what happened on the way.
struct LinkReport {
  int from = 0, to = 0;  ///< ranks
  int link = 0;          ///< the sender's; the receiver's is link ^ 1
  qpace::LinkCounters
      sender;  ///< of the sender's end (its transmit side belongs to this direction)
  qpace::LinkCounters receiver;
  sim::ErrorTotals errors;
  Picoseconds first_retransmission = sim::kNever;  ///< when it first sent a packet again
  bool checksums_agree() const { return sender.tx_checksum == receiver.rx_checksum; }
};

/// Damage to the `frame`-th packet of a cable that no CRC sees: one inverted bit of the payload,
/// and those of the CRC that hide it.
sim::FaultPlan::Forced forged_packet(std::uint64_t frame, unsigned payload_bit);

/// Node at the other end of link `link` of node `rank`, in a torus of up to three axes, x first.
int torus_neighbour(const std::vector<int>& shape, int rank, int link);
/// The same where rings along `axis` are split in two.
int split_neighbour(const std::vector<int>& shape, int axis, int rank, int link);

enum class EventKind : std::uint8_t {
  Error,       ///< a receiver took exception to what came over its cable
  Retransmit,  ///< a sender sent a packet again
  Undetected   ///< a receiver accepted a damaged frame
};

/// When and where something happened first.
struct MachineEvent {
  Picoseconds time = sim::kNever;  ///< kNever: it did not happen
  int node = -1, link = -1;        ///< whose hardware it happened in; -1: nowhere in particular
};

/// A torus of Verilated QPACE network processors with their processors' memories and programs,
/// joined by cables. Axes of length 1 have their cable plugged from a node's + to its own - link.
class QpaceMachine {
 public:
  using Program = std::function<void(qpace::Driver&)>;

  /// Throws UsageError for a shape of more than three axes, one too large for this computer's
  /// memory, or a split axis of odd length.
  explicit QpaceMachine(QpaceMachineOptions options);
  ~QpaceMachine();

  /// Throws UsageError if a torus of that shape would not fit into this computer's free memory.
  static void require_memory(const std::vector<int>& shape);

  int size() const { return static_cast<int>(nodes_.size()); }
  /// Whether this process simulates the node; the others belong to other MPI ranks.
  bool is_local(int rank) const { return nodes_[static_cast<std::size_t>(rank)] != nullptr; }
  /// A local node.
  NwpNode& node(int rank) { return *nodes_[static_cast<std::size_t>(rank)]; }
  sim::Kernel& kernel() { return kernel_; }

  /// Runs `program` on every node as straight-line code in a fibre, over that node's driver, until
  /// all have returned and the network is at rest. The first call trains the links. Throws what a
  /// program or the kernel throws. False if it was stopped from outside.
  /// At simulated time `limit`, too, it ends as if it was stopped.
  bool run(const Program& program, Picoseconds limit = sim::kNever);

  /// As run() with kill_on_error, but keeps to itself what failed: the first error of each
  /// partition, or null. Other partitions are not disturbed. `*finished` is false if it was
  /// stopped.
  std::vector<std::exception_ptr> run_partitions(const Program& program, bool* finished,
                                                 Picoseconds limit = sim::kNever);

  /// Makes two partitions of one along the split axis, or one of two, by software alone: links
  /// down, interfaces selected, the tree's cards set up; the next run trains the links anew. The
  /// machine must be at rest and no program may have failed. Throws UsageError without a split
  /// axis.
  void repartition(bool split);
  int partitions() const { return split_ ? 2 : 1; }
  /// Partition of a node, 0 or 1.
  int partition_of(int rank) const { return place_of(rank).partition; }
  /// Where a node stands in its partition.
  qpace::Place place_of(int rank) const;

  /// Only starts `program` on every node, for callers that drive kernel() themselves; it must
  /// outlive the programs, which end at the latest with abandon().
  void start(const Program& program);
  /// Throws away programs that have not ended.
  void abandon();

  /// The first event of that kind in the nodes simulated here; may be asked after a run that failed
  /// as well. For Undetected it is the time at which the damaged word reached the receiver.
  MachineEvent first_event(EventKind kind) const;

  /// Node at the other end of a link's cable.
  int neighbour(int rank, int link) const;
  /// The cable that carries what link `link` of node `rank` sends, over the interface in use.
  sim::QpaceCable& cable(int rank, int link) const;

  /// The Ethernet cables of a node: what it sends, what it receives. Null without Ethernet.
  std::pair<sim::EthernetCable*, sim::EthernetCable*> ethernet_cables(int rank) {
    return ethernet_cables_.empty() ? std::pair<sim::EthernetCable*, sim::EthernetCable*>{}
                                    : ethernet_cables_[static_cast<std::size_t>(rank)];
  }
  /// What the nodes simulated here wrote to their serial ports since the last call; with `all`,
  /// lines that have no end yet as well. While no node runs.
  std::vector<ConsoleLine> take_console(bool all);
  /// At the other end of them; null without.
  const EthernetServer* ethernet_server() const { return server_; }

  /// Reads every link's counters over the nodes' register buses; the machine must be at rest.
  std::vector<LinkReport> read_links();

  /// All errors of all cables; closes their books.
  sim::ErrorTotals close_ledgers();

  /// Those of the cables that end in one partition, in use or not; after close_ledgers().
  sim::ErrorTotals partition_errors(int partition) const;

  /// Node-cycles of the whole machine, windows of this process.
  sim::Kernel::Statistics statistics();

  /// Closes wave files, as a destructor would.
  void close_traces();

 private:
  void add_ethernet();
  std::vector<sim::FaultPlan> draw_faults() const;
  void plug_cables(const std::vector<sim::Clock>& link_clocks);
  void configure_partitions();
  void launch(const Program& program);
  bool run_guarded(const Program& program, Picoseconds limit);
  bool run_to_end(Picoseconds limit);
  std::exception_ptr first_failure(int partition) const;

  QpaceMachineOptions options_;
  sim::Kernel kernel_;
  /// Sums over the processes of a run what each counted for itself.
  template <typename T>
  T sum_over_ranks(const T& mine);

  std::vector<NwpNode*> nodes_;       ///< owned by the kernel; null if simulated by another rank
  EthernetServer* server_ = nullptr;  ///< the kernel's
  std::vector<std::pair<sim::EthernetCable*, sim::EthernetCable*>> ethernet_cables_;
  /// What a node's program failed with, when it had others killed or was killed.
  struct Failure {
    std::exception_ptr error;
    Picoseconds time = sim::kNever;
    bool killed = false;
  };

  std::vector<sim::QpaceCable*> cables_;     ///< the kernel's; by sender's rank and link
  std::vector<sim::QpaceCable*> redundant_;  ///< the same, null where there is none
  std::unique_ptr<SignalNetwork> signals_;   ///< null: none
  std::vector<Failure> failures_;            ///< of the last guarded run, by rank
  bool split_ = false;
  std::vector<std::unique_ptr<qpace::Driver>> drivers_;
  bool up_ = false;
};

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

}  // namespace ht::machine
