// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/kernel/kernel.hpp"
#include "sim/machine/cable_account.hpp"
#include "sim/machine/cable_errors.hpp"
#include "sim/machine/devices.hpp"
#include "sim/machine/frame_source.hpp"
#include "sim/machine/losses.hpp"
#include "sim/machine/program_node.hpp"
#include "sw/host/noisy_port.hpp"
#include "sw/host/soft_errors.hpp"
#include "sw/qmp/transport.hpp"

namespace ht::machine {

enum class EventKind : std::uint8_t {
  Error,       ///< a receiver rejected what came over its cable
  Retransmit,  ///< a sender sent something again, for damage
  Replay,      ///< or because its peer had had no room
  Undetected   ///< a receiver accepted something damaged
};

/// When and where something happened first.
struct MachineEvent {
  Picoseconds time = sim::kNever;  ///< kNever: it did not happen
  int node = -1, link = -1;        ///< whose hardware it happened in; -1: nowhere in particular
  int peer = -1;                   ///< at the other end of the link
};

/// An error on a cable that its receiver accepted.
struct UndetectedError {
  int from = 0, to = 0;  ///< nodes
  int link = 0;          ///< the receiver's; the sender's is Machine::far_link()
  sim::InjectedError error;
  Picoseconds arrival = 0;  ///< of the last symbol that it damaged
};

/// Of a node of a machine that does not say how much memory it takes.
constexpr std::size_t usual_node_bytes = std::size_t{512} << 10;

/// Throws UsageError if a machine of that shape would not fit into this computer's free memory, or
/// its nodes' stacks into a process' memory mappings; it says how many nodes would. `node_bytes`:
/// what a simulated node takes, with its share of the cables and a small program. `ranks`: the
/// processes that share it; null for one.
void require_memory(const std::vector<int>& shape, std::size_t node_bytes = usual_node_bytes,
                    const sim::RankExchange* ranks = nullptr);

/// What all simulated machines share: nodes with programs on them in a kernel, cables between
/// them, and what is known of both after a run. The derived class builds nodes, cables and
/// drivers.
///
/// Programs run as straight-line code in each node's fibre. Nodes of other MPI ranks are not here.
class Machine {
 public:
  /// A program, as application code sees the machine; `node` is the node's number, which is not
  /// transport.rank() where the application sees another torus or a part of the machine.
  using Program = std::function<void(qmp::Transport& transport, int node)>;

  virtual ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  int size() const { return static_cast<int>(nodes_.size()); }
  /// Whether this process simulates the node; the others belong to other MPI ranks.
  bool is_local(int node) const { return nodes_[static_cast<std::size_t>(node)] != nullptr; }
  /// What a local node's program is known as by the others, in its job: transport.rank(); -1: it
  /// has none.
  virtual int rank_of(int node) { return node; }
  /// A local node's processor, memory and hardware.
  ProgramNode& processor(int node) { return *nodes_[static_cast<std::size_t>(node)]; }
  const ProgramNode& processor(int node) const { return *nodes_[static_cast<std::size_t>(node)]; }
  sim::Kernel& kernel() { return kernel_; }
  /// The processes that the machine is spread over; null: it is not.
  sim::RankExchange* ranks() const { return ranks_; }

  /// What links count: "packets" or "words".
  virtual std::string data_unit() const = 0;
  /// Physical torus, x first.
  virtual const std::vector<int>& shape() const = 0;
  /// Cables of a node.
  virtual int links() const = 0;
  /// Period of the links' clock, ps.
  virtual Picoseconds link_period() const = 0;
  /// "+x".
  virtual std::string link_name(int link) const;
  /// Node at the other end of a link's cable; the node itself if has_cable() says there is none.
  virtual int neighbour(int node, int link) const = 0;
  /// The neighbour's link that this cable is plugged into: of an axis' two, the other one.
  virtual int far_link(int link) const { return link ^ 1; }
  virtual bool has_cable(int /*node*/, int /*link*/) const { return true; }
  /// Whether the node is in service. Those that are not run nothing.
  virtual bool works(int /*node*/) const { return true; }
  /// The cable that carries what link `link` of node `node` sends.
  virtual sim::CableBase& cable_of(int node, int link) const = 0;
  /// Hears that cable and cuts what it carries into frames, for captures.
  virtual std::unique_ptr<FrameSource> listen_to(int node, int link) = 0;

  /// Runs `program` on every node, over that node's driver, until all have returned and the
  /// network is at rest. The first call brings the links up. Throws what a program or the kernel
  /// throws. False if it was stopped from outside, or at simulated time `limit`.
  virtual bool run_everywhere(const Program& program, Picoseconds limit = sim::kNever) = 0;
  /// As run_everywhere(), for a machine whose partitions run programs of their own: what failed, by
  /// partition, null where nothing did. `*finished` is false if it was stopped.
  virtual std::vector<std::exception_ptr> run_partitions(const Program& program, bool* finished);
  virtual int partitions() const { return 1; }
  virtual int partition_of(int /*node*/) const { return 0; }

  /// Only starts it, for callers that drive kernel() themselves; `program` must outlive the
  /// programs, which end at the latest with abandon() (StartedPrograms).
  virtual void start_everywhere(const Program& program) = 0;
  /// Throws away programs that have not ended.
  void abandon();

  /// The first event of that kind in the nodes simulated here; may be asked after a run that failed
  /// as well. For Undetected it is the time at which the damaged symbol reached the receiver.
  MachineEvent first_event(EventKind kind) const;
  /// Those of the cables that end in nodes simulated here; may be asked whenever first_event() may.
  std::vector<UndetectedError> undetected_errors() const;
  /// In words, those of all processes, of which all must ask: cable, kind and when. Of the cables
  /// that end in one partition, or of all (-1). After close_ledgers().
  std::vector<std::string> say_undetected(int partition = -1) const;

  /// Reads every link's counters over the nodes' register buses; the machine must be at rest.
  virtual std::vector<LinkReport> report_links() = 0;

  /// Serial ports or Ethernet; null where nodes have none.
  virtual Consoles* consoles() { return nullptr; }
  virtual NodeEthernet* ethernet() { return nullptr; }
  /// What a node's program can call besides QMP, on its fibre; null: nothing.
  virtual std::unique_ptr<ProgramInterface> open_interface(qmp::Transport& /*transport*/) {
    return nullptr;
  }

  /// What node `node`'s software looks for lost nodes with; null: the machine has nothing.
  virtual std::unique_ptr<host::LossProbe> open_probe(int /*node*/) { return nullptr; }
  /// What makes soft errors in node `node`; null: its memories have nothing to be tried.
  virtual std::unique_ptr<host::SoftErrorSite> open_soft_errors(int /*node*/) { return nullptr; }
  /// Of all nodes' programs so far.
  const host::SoftErrorTotals& soft_errors_made() const { return soft_error_totals_; }

  /// All errors of all cables; finalizes their ledgers.
  sim::ErrorTotals close_ledgers();

  /// Those of the cables that end in one partition; after close_ledgers(). All processes must ask.
  sim::ErrorTotals partition_errors(int partition) {
    return sum_over_ranks(own_partition_errors(partition));
  }

  /// Node-cycles of the whole machine, windows of this process.
  sim::Kernel::Statistics statistics();

  /// Closes wave files, as a destructor would.
  void close_traces();
  /// What each node did when the last run was stopped, from outside or at its limit; may have
  /// several lines each. Empty if it came to its end.
  const std::vector<std::string>& states_at_stop() const { return states_at_stop_; }

 protected:
  explicit Machine(const sim::KernelOptions& options);

  /// MPI rank that simulates node `node`, by lay_out().
  unsigned owner_of(int node);
  /// The MPI rank this process is, 0 without MPI.
  unsigned own_rank() const { return ranks_ == nullptr ? 0 : ranks_->rank(); }
  /// What stops permanently; before nodes are added. Throws UsageError for what the machine does
  /// not have.
  void plan_losses(const Losses& losses, int nodes);
  const Losses& losses() const { return losses_; }
  /// What of it has stopped until `time`, with the nodes that failed by themselves, and what nodes
  /// said of it, by node.
  LossReport loss_report(std::vector<std::optional<host::LossStatement>> said, Picoseconds time,
                         const std::vector<Fault>& faults) const;
  /// Bits that flip while programs run.
  void plan_soft_errors(const host::SoftErrors& soft_errors, std::uint64_t seed);
  const host::SoftErrors& soft_errors() const { return soft_errors_; }
  std::uint64_t soft_error_seed() const { return soft_error_seed_; }
  /// What this process' nodes made; all processes must say it.
  void add_soft_errors(const host::SoftErrorTotals& more);
  /// Fills in, by node, how those of other processes ended, but for what was thrown there; all
  /// processes must ask.
  void share_ends(std::vector<NodeEnd>& ends) const;

  /// Adds the next node of shape(): what `make` makes, if it is simulated here.
  void add_node(const std::function<std::unique_ptr<ProgramNode>(int node)>& make);

  /// Plugs in a cable that carries what kernel node `from` sends to kernel node `to`; the kernel's.
  template <class Cable, class... More>
  Cable* plug(sim::CableOptions options, std::size_t from, std::size_t to, const More&... more) {
    auto owned = std::make_unique<Cable>(std::move(options), more...);
    Cable* const cable = owned.get();
    kernel_.add_cable(std::move(owned), from, to);
    return cable;
  }
  /// Nodes, links and neighbours, for drawing errors.
  CableGrid cable_grid() const;

  /// What a local node's driver reaches its hardware through: the node, or, with noise, one whose
  /// operating system interrupts its program. Asked once a node.
  host::HardwarePort& driver_port(int node, const std::optional<host::OsNoise>& noise);

  /// Starts `body(node)` on the fibre of every local node that works; it is copied.
  void start_bodies(const std::function<void(int node)>& body);
  /// Runs until all programs have ended and the network is at rest, at the latest until `limit`;
  /// false if it was stopped. None of the programs outlives the call. With `failed` some programs
  /// gave up: then links may be stuck for ever with what was not fetched, and rest is not waited
  /// for long.
  bool run_to_end(Picoseconds limit, const std::function<bool()>& failed = {});

  /// partition_errors() of the cables that end in this process.
  virtual sim::ErrorTotals own_partition_errors(int partition) const;

  /// Sums over the processes of a run what each counted for itself.
  template <typename T>
  T sum_over_ranks(const T& mine);
  /// Puts together what each process knows a part of, the rest being zero bytes.
  void merge_ranks(std::span<std::byte> bytes);

  /// What nodes have seen of their cables goes into these cables' ledgers.
  void tell_ledgers();

  bool distributed() const { return ranks_ != nullptr; }

 private:
  void note_states();
  std::string explain(const std::vector<host::SilentLink>& silent) const;
  bool names(const std::vector<host::SilentLink>& silent, const Loss& loss) const;
  sim::RankExchange* ranks_;
  sim::Kernel kernel_;
  std::vector<unsigned> owners_;     ///< by node; empty until the first is added
  std::vector<ProgramNode*> nodes_;  ///< owned by the kernel; null if simulated by another rank
  std::vector<std::unique_ptr<host::NoisyPort>> noisy_ports_;
  std::vector<std::string> states_at_stop_;
  Losses losses_;  ///< in order of time
  host::SoftErrors soft_errors_;
  std::uint64_t soft_error_seed_ = 0;
  host::SoftErrorTotals soft_error_totals_;
};

/// Throws away what Machine::start_everywhere() started and has not ended, also when whoever drives
/// the kernel throws: before what these programs refer to goes.
class StartedPrograms {
 public:
  explicit StartedPrograms(Machine& machine) : machine_(machine) {}
  ~StartedPrograms() { machine_.abandon(); }
  StartedPrograms(const StartedPrograms&) = delete;
  StartedPrograms& operator=(const StartedPrograms&) = delete;

 private:
  Machine& machine_;
};

template <typename T>
T Machine::sum_over_ranks(const T& mine) {
  if (ranks_ == nullptr) return mine;
  std::vector<T> all(ranks_->ranks());
  all[ranks_->rank()] = mine;
  ranks_->merge(std::as_writable_bytes(std::span(all)));
  T sum{};
  for (const T& one : all) sum += one;
  return sum;
}

}  // namespace ht::machine
