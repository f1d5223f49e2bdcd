// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <atomic>
#include <concepts>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/kernel/agreement.hpp"
#include "sim/machine/machine.hpp"
#include "sim/machine/soft_error_source.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/loss_watch.hpp"

namespace ht::machine {

/// What the two ends of a direction counted, in full.
template <class Counters>
struct FullLinkReport : LinkReport {
  Counters sender;  ///< its transmit side belongs to this direction
  Counters receiver;
};

/// A machine whose nodes are all of one kind and have the same driver: how programs run over these
/// drivers, and how what the links counted is read through them.
///
/// Driver has `place().node`, the node's number, `bring_up()` and `read_counters(link)`, of which
/// `sent`, `retransmitted`, `accepted`, `tx_checksum` and `rx_checksum` are shown of every machine;
/// if it has `check_errors()`, that throws for errors of the node's hardware that nobody met; if it
/// is a qmp::Transport, applications can run over it. Node is a ProgramNode.
template <class Driver, class Node>
class DriverMachine : public Machine {
 public:
  /// A program that knows its machine.
  using DriverProgram = std::function<void(Driver&)>;
  using Report = FullLinkReport<decltype(std::declval<Driver&>().read_counters(0))>;

  /// A local node.
  Node& node(int number) { return static_cast<Node&>(processor(number)); }
  const Node& node(int number) const { return static_cast<const Node&>(processor(number)); }

  int rank_of(int number) override {
    if constexpr (std::derived_from<Driver, qmp::Transport>) return driver(number).rank();
    return number;
  }
  bool run_everywhere(const Program& program, Picoseconds limit = sim::kNever) override {
    return run(numbered(program), limit);
  }
  void start_everywhere(const Program& program) override { start(numbered(program)); }
  /// What fails in one partition ends its programs, and no others: the host that started them
  /// notifies them 100 us later, while they wait or compute.
  std::vector<std::exception_ptr> run_partitions(const Program& program, bool* finished) override;

  /// Runs `program` on every node as straight-line code in a fibre, over that node's driver, until
  /// all have returned and the network is at rest. The first call brings the links up. Throws what
  /// a program or the kernel throws. False if it was stopped from outside, or at time `limit`.
  bool run(const DriverProgram& program, Picoseconds limit = sim::kNever) {
    return run_programs(program, limit);
  }
  /// As start_everywhere().
  void start(const DriverProgram& program) {
    launch([this, program](Driver& d) {
      if (!up_) bring_up(d);
      program(d);
      linger(d);
    });
  }

  /// Reads every link's counters over the nodes' register buses; the machine must be at rest. One
  /// report a direction, by the sender's node and link. Throws what a driver's check_errors() does,
  /// but in partitions whose programs failed.
  std::vector<Report> read_links();
  std::vector<LinkReport> report_links() override {
    const std::vector<Report> full = read_links();
    return {full.begin(), full.end()};
  }

 protected:
  using Machine::Machine;

  /// Makes the local nodes' drivers, after the nodes.
  void add_drivers(const std::function<std::unique_ptr<Driver>(int node)>& make) {
    for (int i = 0; i < size(); ++i) drivers_.push_back(is_local(i) ? make(i) : nullptr);
  }
  /// A local node's.
  Driver& driver(int number) { return *drivers_[static_cast<std::size_t>(number)]; }

  /// On the node's fibre, before its first program.
  virtual void bring_up(Driver& driver) { driver.bring_up(); }
  /// Fills in what reports show of both ends' counters besides what all machines' have: `counts`.
  virtual void describe(Report& report) const = 0;

  /// What run() does.
  virtual bool run_programs(const DriverProgram& program, Picoseconds limit) {
    if (!losses().empty() || soft_errors().rate > 0) return run_watched(program, limit);
    start(program);
    return finish(limit);
  }
  /// The same with nodes that watch for lost ones. Throws LossError, when every node that is
  /// left has ended, if something was lost until then.
  bool run_watched(const DriverProgram& program, Picoseconds limit);
  /// Starts it without bringing links up; it is copied.
  void launch(const DriverProgram& program) {
    start_bodies([this, program](int i) { program(driver(i)); });
  }
  /// run_to_end() of programs that brought the links up.
  bool finish(Picoseconds limit, const std::function<bool()>& failed = {}) {
    const bool finished = run_to_end(limit, failed);
    up_ = up_ || finished;
    return finished;
  }
  bool up() const { return up_; }
  /// Links are down, and the next run brings them up.
  void set_down() { up_ = false; }
  /// What run_partitions() returns.
  void note_failures(const std::vector<std::exception_ptr>& errors) {
    failed_.assign(errors.size(), false);
    for (std::size_t p = 0; p < errors.size(); ++p) failed_[p] = errors[p] != nullptr;
  }

  /// A program has ended well: its node still passes on what others need.
  static void linger(Driver& d) {
    if constexpr (std::derived_from<Driver, qmp::Transport>) d.linger();
  }

  /// `program` as one that knows its machine, referring to it; nothing on nodes without a rank.
  static DriverProgram numbered(const Program& program) {
    if constexpr (std::derived_from<Driver, qmp::Transport>) {
      return [&program](Driver& d) {
        if (d.rank() >= 0) program(d, d.place().node);
      };
    } else {
      throw UsageError("this machine's software passes no messages yet");
    }
  }

 private:
  std::vector<std::unique_ptr<Driver>> drivers_;  ///< null where another rank simulates the node
  void share_first_failures();

  bool up_ = false;
  /// In run_partitions(), by partition: when its first program failed, as far as it is known here,
  /// and as it is known to all processes.
  std::vector<std::atomic<Picoseconds>> first_failures_;
  std::vector<Picoseconds> shared_failures_;
  bool shares_failures_ = false;
  std::vector<bool> failed_;  ///< by partition; empty: none did
};

template <class Driver, class Node>
std::vector<std::exception_ptr> DriverMachine<Driver, Node>::run_partitions(const Program& program,
                                                                            bool* finished) {
  struct Told {};
  // Longer than a window, so that it is seen at the same time by any number of threads.
  constexpr Picoseconds told_after = 100'000'000;
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(size()));
  std::vector<Picoseconds> times(failures.size(), sim::kNever);
  auto& first = first_failures_;
  first = std::vector<std::atomic<Picoseconds>>(static_cast<std::size_t>(partitions()));
  for (auto& time : first) time = sim::kNever;
  share_first_failures();
  const DriverProgram own_program = numbered(program);
  start_bodies([&](int number) {
    ProgramNode& own = processor(number);
    const auto n = static_cast<std::size_t>(number);
    auto& failed = first[static_cast<std::size_t>(partition_of(number))];
    own.watch(told_after / 4, [&] {
      if (own.now() - told_after >= failed) throw Told{};
    });
    try {
      if (!up_) bring_up(driver(number));
      own_program(driver(number));
    } catch (const Told&) {
    } catch (const std::exception&) {
      failures[n] = std::current_exception();
      times[n] = own.now();
      Picoseconds before = failed;
      while (times[n] < before && !failed.compare_exchange_weak(before, times[n])) {
      }
    }
    own.watch(0, {});
    if (!failures[n]) linger(driver(number));
  });
  *finished = finish(sim::kNever, [&] {
    return std::ranges::any_of(first, [](const auto& time) { return time < sim::kNever; });
  });
  // The first in time, then the lowest node.
  std::vector<std::exception_ptr> errors(first.size());
  std::vector<std::size_t> nodes(first.size());
  for (int number = size() - 1; number >= 0; --number) {
    const auto n = static_cast<std::size_t>(number);
    const auto p = static_cast<std::size_t>(partition_of(number));
    if (!failures[n] || times[n] != first[p]) continue;
    errors[p] = failures[n];
    nodes[p] = n;
  }
  for (std::size_t p = 0; p < errors.size(); ++p)
    errors[p] = sim::agree_on(ranks(), errors[p], {first[p], nodes[p]});
  note_failures(errors);
  return errors;
}

// At the end of a window in which a program has failed, its partition's nodes elsewhere hear of it.
template <class Driver, class Node>
void DriverMachine<Driver, Node>::share_first_failures() {
  shared_failures_.assign(first_failures_.size(), sim::kNever);
  if (!distributed() || std::exchange(shares_failures_, true)) return;
  kernel().on_news(
      [this] {
        return !std::ranges::equal(first_failures_, shared_failures_, {},
                                   [](const auto& time) { return time.load(); });
      },
      [this] {
        std::vector<Picoseconds> all(ranks()->ranks() * first_failures_.size());
        const std::size_t own = ranks()->rank() * first_failures_.size();
        std::ranges::copy(first_failures_, all.begin() + static_cast<std::ptrdiff_t>(own));
        merge_ranks(std::as_writable_bytes(std::span(all)));
        for (std::size_t i = 0; i < all.size(); ++i) {
          auto& first = first_failures_[i % first_failures_.size()];
          first = std::min<Picoseconds>(first, all[i]);
        }
        std::ranges::copy(first_failures_, shared_failures_.begin());
      });
}

template <class Driver, class Node>
bool DriverMachine<Driver, Node>::run_watched(const DriverProgram& program, Picoseconds limit) {
  std::vector<NodeEnd> ends(static_cast<std::size_t>(size()));
  std::vector<host::SoftErrorTotals> flipped(ends.size());
  // Links are read when programs have ended: what is lost meanwhile is lost, too.
  constexpr Picoseconds reading = 1'000'000'000;
  const auto lost = [this] {
    return !losses().empty() && losses().front().time <= kernel().now() + reading;
  };
  start_bodies([&](int number) {
    ProgramNode& own = processor(number);
    const auto probe = open_probe(number);
    if (!probe) throw UsageError("this machine's software does not look for lost nodes");
    host::LossWatch watch(own, number, *probe, [&own] { return own.progress(); });
    SoftErrorSource flips(soft_errors(), soft_error_seed(), number,
                          soft_errors().rate > 0 ? open_soft_errors(number) : nullptr);
    NodeEnd& end = ends[static_cast<std::size_t>(number)];
    std::string why;
    Picoseconds next_look = 0;
    own.watch(flips.every(host::LossTimes{}.look), [&] {
      flips.look(own.now());
      if (own.now() < next_look) return;
      next_look = own.now() + host::LossTimes{}.look;
      flips.check();
      watch.look();
    });
    try {
      if (!up_) bring_up(driver(number));
      program(driver(number));
    } catch (const std::exception& e) {
      end.error = std::current_exception();
      why = e.what();
    }
    own.watch(0, {});
    flipped[static_cast<std::size_t>(number)] = flips.totals();
    if (!end.error) {
      linger(driver(number));
      return;
    }
    end.time = own.now();
    end.fault = flips.fault();
    if (end.fault.empty())
      end.said = watch.farewell(std::move(why));
    else
      watch.leave();
  });
  const bool finished = finish(limit, [&] {
    return lost() || std::ranges::any_of(ends, [](const auto& e) { return e.error != nullptr; });
  });
  host::SoftErrorTotals all_flipped;
  for (const host::SoftErrorTotals& one : flipped) all_flipped += one;
  add_soft_errors(all_flipped);
  if (!finished) return false;
  share_ends(ends);
  std::vector<Fault> faults;
  for (int number = 0; number < size(); ++number) {
    const NodeEnd& e = ends[static_cast<std::size_t>(number)];
    if (!e.fault.empty()) faults.push_back({e.time, number, e.fault});
  }
  const auto first = std::ranges::min_element(ends, {}, &NodeEnd::time);
  const bool before_losses = losses().empty() || first->time < losses().front().time;
  if (first->time != sim::kNever && faults.empty() && before_losses)
    sim::throw_together(ranks(), first->error, {first->time, 0});
  if (!lost() && faults.empty()) return true;
  std::vector<std::optional<host::LossStatement>> said;
  for (NodeEnd& e : ends) said.push_back(std::move(e.said));
  if (distributed()) ranks()->end_together();
  throw LossError(loss_report(std::move(said), kernel().now() + reading, faults));
}

template <class Driver, class Node>
auto DriverMachine<Driver, Node>::read_links() -> std::vector<Report> {
  // What one node, and the receiving end of a cable, know; zero where another rank knows it.
  struct Known {
    decltype(Report::sender) counters;
    sim::ErrorTotals received;
    Picoseconds first_retransmission = 0;
  };
  static_assert(std::is_trivially_copyable_v<Known>);
  std::vector<Known> known(static_cast<std::size_t>(size() * links()));
  const auto at = [&](int node, int link) -> Known& {
    return known[static_cast<std::size_t>(node * links() + link)];
  };
  start_bodies([&](int number) {
    const bool excused =
        !failed_.empty() && failed_[static_cast<std::size_t>(partition_of(number))];
    if constexpr (requires { driver(number).check_errors(); }) {
      if (!excused) driver(number).check_errors();
    }
    for (int link = 0; link < links(); ++link) {
      at(number, link).counters = driver(number).read_counters(link);
      at(number, link).first_retransmission = processor(number).first_retransmission(link);
    }
  });
  run_to_end(sim::kNever);
  tell_ledgers();
  for (int number = 0; number < size(); ++number) {
    for (int link = 0; link < links(); ++link) {
      if (is_local(neighbour(number, link)))
        at(number, link).received = cable_of(number, link).ledger().totals_so_far();
    }
  }
  merge_ranks(std::as_writable_bytes(std::span(known)));
  std::vector<Report> reports;
  for (int number = 0; number < size(); ++number) {
    for (int link = 0; link < links(); ++link) {
      Report r;
      r.from = number;
      r.to = neighbour(number, link);
      r.link = link;
      r.name = link_name(link);
      r.sender = at(number, link).counters;
      r.receiver = at(r.to, far_link(link)).counters;
      r.errors = at(number, link).received;
      r.first_retransmission = at(number, link).first_retransmission;
      r.sent = r.sender.sent;
      r.retransmitted = r.sender.retransmitted;
      if constexpr (requires { r.sender.replayed; }) r.replayed = r.sender.replayed;
      r.accepted = r.receiver.accepted;
      r.tx_checksum = r.sender.tx_checksum;
      r.rx_checksum = r.receiver.rx_checksum;
      describe(r);
      reports.push_back(std::move(r));
    }
  }
  return reports;
}

}  // namespace ht::machine
