// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/cable/cable.hpp"
#include "sim/kernel/clock.hpp"
#include "sim/kernel/sim_node.hpp"

namespace ht::sim {

class RankExchange;

struct KernelOptions {
  unsigned threads = 0;                  ///< 0: one a core; never more than nodes
  Picoseconds window = 0;                ///< 0: the longest safe one. Longer than safe: UsageError
  bool jump = true;                      ///< leave out windows in which nothing can happen
  Picoseconds watchdog = 1'000'000'000;  ///< so long without progress is a timeout; 0: never
  /// So much processor time of all threads without progress is a timeout, too: busy hardware takes
  /// long to come to the end of `watchdog`, or of the time that a program gives it. 0: never.
  double watchdog_seconds = 0;
  RankExchange* ranks = nullptr;  ///< other processes of this machine; must outlive the kernel
  const std::atomic<bool>* stop = nullptr;  ///< set from outside (Ctrl-C): ends at the window's end
};

enum class RunEnd { Finished, Stopped, TimeLimit };

/// What the ranks of a machine that is spread over several processes exchange at the end of
/// a window: enough to decide alike what to do next.
struct WindowVote {
  std::uint64_t unfinished = 0;        ///< programs
  std::uint64_t progress = 0;          ///< sum over nodes
  std::uint64_t pauses = 0;            ///< sum over nodes
  std::uint64_t in_flight = 0;         ///< symbols
  std::uint64_t sent = 0;              ///< symbols, ever
  std::uint64_t restless = 0;          ///< nodes not seen at rest since the last symbol was sent
  std::uint64_t stop = 0, failed = 0;  ///< ranks that were asked to stop, or whose node threw
  std::uint64_t news = 0;              ///< a bit for each Kernel::on_news() that has some
  Picoseconds wake = kNever;           ///< earliest time at which anything could happen
  Picoseconds node_wake = kNever;      ///< the same, symbols and faults apart
  Picoseconds computing_until = 0;     ///< latest of all nodes
  std::int64_t processor_ns = 0;       ///< processor time since the run began; the most of all
  Picoseconds safe_window = kNever;    ///< smallest of all cables

  /// Sums, minima and maxima, as said above.
  WindowVote& operator+=(const WindowVote& other);
};

/// How ranks exchange symbols and votes. sim/kernel/mpi_ranks.hpp implements it over MPI.
class RankExchange {
 public:
  virtual ~RankExchange() = default;
  virtual unsigned rank() const = 0;
  virtual unsigned ranks() const = 0;

  /// A cable that crosses between this rank and `peer`. All ranks number cables alike.
  struct Crossing {
    CableBase* cable;
    std::size_t number;
    unsigned peer;
    bool outgoing;
  };
  /// Moves what was sent on the outgoing ones to the peers' copies of the same cables. Between the
  /// two calls nodes may run that have no outgoing one.
  virtual void begin_exchange(const std::vector<Crossing>& crossings) = 0;
  virtual void end_exchange(const std::vector<Crossing>& crossings) = 0;
  /// Sums, minima and maxima over all ranks.
  virtual WindowVote combine(const WindowVote& mine) = 0;
  /// Replaces `bytes`, of equal size on all ranks, by their bitwise or: gathers what each rank
  /// knows a part of, the rest being zero.
  virtual void merge(std::span<std::byte> bytes) = 0;
  /// What each rank says, by rank; on all of them.
  virtual std::vector<std::string> gather(const std::string& mine) = 0;
  /// Of one rank to another, outside of runs: takes what was sent in that order. receive() is
  /// false if `stop` became true before it came.
  virtual void send(unsigned to, std::span<const std::byte> bytes) = 0;
  virtual bool receive(unsigned from, std::span<std::byte> bytes,
                       const std::atomic<bool>& stop) = 0;
  /// Bytes that exchanges have sent so far.
  virtual std::uint64_t bytes_sent() const = 0;

  /// All ranks have thrown the same error, or are about to: each may end in order, and one says
  /// what it was. Of any other error the others do not know.
  void end_together(bool together = true) { ends_together_ = together; }
  bool ends_together() const { return ends_together_; }

 private:
  bool ends_together_ = false;
};

/// Lets nodes advance window by window, and their cables carry symbols between windows. Results
/// depend on nodes and cables only, not on the number of threads; window k is [k W, (k+1) W)
/// whether or not others were left out.
class Kernel {
 public:
  explicit Kernel(KernelOptions options = {});
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  /// Adds a node; returns its number, from 0 in order.
  std::size_t add_node(std::unique_ptr<SimNode> node);
  /// The next node is simulated by rank `rank`, not here.
  std::size_t add_remote_node(unsigned rank);
  /// Adds a cable from node `from` to node `to` (the same node is allowed). Ranks must add the same
  /// cables in the same order, also those between nodes of others.
  void add_cable(std::unique_ptr<CableBase> cable, std::size_t from, std::size_t to);

  /// Runs until every program has finished, or `limit` is reached, or stop was set.
  /// Throws TimeoutError, with every node's status, if no node makes progress for
  /// KernelOptions::watchdog or watchdog_seconds, or if all sleep for ever with nothing in flight;
  /// rethrows what a node threw (of several in one window, the one of the lowest node).
  RunEnd run(Picoseconds limit = kNever);

  /// Runs on after the programs have finished, until all nodes sleep for ever and nothing is in
  /// flight (then last acknowledgements have arrived), or `limit`, or stop. Idle symbols damaged on
  /// the way keep waking nodes: it does if since the last symbol arrived each has slept once.
  RunEnd settle(Picoseconds limit = kNever);

  /// Called at every window's end on the caller's thread, while no node runs: for progress display.
  void on_window(std::function<void(Picoseconds)> callback);

  /// At a window's end at which `any` is true on one rank, `exchange` is called on every rank,
  /// while no node runs, and may use RankExchange; also before an error ends the run. For what
  /// nodes have beside their cables: what programs print. Up to 64, served in the order in which
  /// they were added.
  void on_news(std::function<bool()> any, std::function<void()> exchange);

  Picoseconds now() const;     ///< all nodes have run up to here
  Picoseconds window() const;  ///< length of a window
  unsigned threads() const;    ///< in use
  std::size_t node_count() const;
  /// Throws std::out_of_range for a node that is not simulated here.
  SimNode& node(std::size_t i);
  bool is_local(std::size_t node) const;
  std::size_t cable_count() const;
  CableBase& cable(std::size_t i);

  struct Statistics {
    std::uint64_t windows = 0;          ///< run
    std::uint64_t skipped_windows = 0;  ///< left out because nothing could happen
    double seconds = 0;                 ///< of this computer's time, in run() and settle()
    double waiting_seconds = 0;         ///< of those, for other ranks at windows' ends
    std::uint64_t bytes_sent = 0;       ///< to other ranks, of what cables carry
    SimNode::Cycles cycles;             ///< of all nodes
  };
  Statistics statistics() const;

  /// Sum over the cables whose receiver is simulated here. Closes their ledgers.
  ErrorTotals close_ledgers();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ht::sim
