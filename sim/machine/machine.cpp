// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "sim/kernel/agreement.hpp"
#include "sim/machine/layout.hpp"
#include "sim/machine/mortal_node.hpp"
#include "sim/machine/torus.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/mappings.hpp"

namespace ht::machine {
namespace {

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
  return std::numeric_limits<double>::infinity();  // unknown: let the allocation itself fail
}

}  // namespace

void require_memory(const std::vector<int>& shape, std::size_t node_bytes,
                    const sim::RankExchange* ranks) {
  const auto bytes_per_node = static_cast<double>(node_bytes);
  double nodes = 1;
  for (const int length : shape) nodes *= length;
  const double available = available_memory();
  if (nodes * bytes_per_node > available)
    throw UsageError(
        fmt::format("{} nodes need {:.1f} GB of memory and {:.1f} GB are free: take a "
                    "smaller node grid; {:.0f} nodes fit",
                    nodes, nodes * bytes_per_node * 1e-9, available * 1e-9,
                    std::floor(available / bytes_per_node)));
  const double processes = ranks == nullptr ? 1 : ranks->ranks();
  host::require_mappings(static_cast<std::size_t>(std::ceil(nodes / processes)),
                         host::fibre_mappings);
}

Machine::Machine(const sim::KernelOptions& options) : ranks_(options.ranks), kernel_(options) {}

Machine::~Machine() = default;

unsigned Machine::owner_of(int node) {
  if (ranks_ == nullptr) return 0;
  if (owners_.empty()) owners_ = lay_out(shape(), ranks_->ranks());
  return owners_.at(static_cast<std::size_t>(node));
}

host::HardwarePort& Machine::driver_port(int node, const std::optional<host::OsNoise>& noise) {
  if (!noise) return processor(node);
  noisy_ports_.push_back(
      std::make_unique<host::NoisyPort>(processor(node), *noise, static_cast<std::uint32_t>(node)));
  return *noisy_ports_.back();
}

void Machine::add_node(const std::function<std::unique_ptr<ProgramNode>(int node)>& make) {
  const unsigned owner = owner_of(size());
  if (owner != own_rank()) {
    nodes_.push_back(nullptr);
    kernel_.add_remote_node(owner);
    return;
  }
  auto owned = make(size());
  const auto end = std::ranges::find_if(
      losses_, [this](const Loss& loss) { return loss.node == size() && !loss.link; });
  nodes_.push_back(owned.get());
  if (end == losses_.end()) {
    kernel_.add_node(std::move(owned));
  } else {
    kernel_.add_node(std::make_unique<MortalNode>(std::move(owned), end->time));
  }
}

std::string Machine::link_name(int link) const {
  return machine::link_name(link);
}

CableGrid Machine::cable_grid() const {
  CableGrid grid;
  grid.nodes = size();
  grid.links = links();
  grid.neighbour = [this](int node, int link) { return neighbour(node, link); };
  grid.far_link = [this](int link) { return far_link(link); };
  return grid;
}

void Machine::start_bodies(const std::function<void(int node)>& body) {
  for (int i = 0; i < size(); ++i) {
    if (is_local(i) && works(i)) processor(i).start([body, i] { body(i); });
  }
}

// Programs refer to what their caller holds: none may outlive the call that started them.
bool Machine::run_to_end(Picoseconds limit, const std::function<bool()>& failed) {
  try {
    states_at_stop_.clear();
    if (kernel_.run(limit) != sim::RunEnd::Finished) {
      note_states();
      abandon();
      return false;
    }
    const bool gave_up = failed && failed();
    if (sum_over_ranks(gave_up ? 1U : 0U) != 0) {
      constexpr Picoseconds patience = 20'000'000;
      kernel_.settle(std::min(limit, kernel_.now() + patience));
    } else if (kernel_.settle(limit) != sim::RunEnd::Finished) {
      note_states();
      abandon();
      return false;
    }
    for (ProgramNode* n : nodes_) {
      if (n != nullptr && n->lingers()) n->abandon();
    }
    return true;
  } catch (...) {
    abandon();
    throw;
  }
}

void Machine::note_states() {
  std::vector<sim::Numbered> states;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (const ProgramNode* const n = nodes_[i]; n != nullptr)
      states.push_back(
          {i, fmt::format("{}: {}{}", n->name(), n->finished() ? "finished; " : "", n->status())});
  }
  for (sim::Numbered& state : sim::gather_numbered(ranks_, std::move(states)))
    states_at_stop_.push_back(std::move(state.text));
}

std::vector<std::exception_ptr> Machine::run_partitions(const Program& program, bool* finished) {
  *finished = run_everywhere(program);
  return std::vector<std::exception_ptr>(static_cast<std::size_t>(partitions()));
}

void Machine::abandon() {
  for (ProgramNode* n : nodes_) {
    if (n != nullptr) n->abandon();
  }
}

void Machine::close_traces() {
  for (ProgramNode* n : nodes_) {
    if (n != nullptr) n->close_trace();
  }
}

MachineEvent Machine::first_event(EventKind kind) const {
  MachineEvent first;
  const auto candidate = [this, &first](Picoseconds time, int node, int link) {
    if (time < first.time) first = {time, node, link, neighbour(node, link)};
  };
  if (kind == EventKind::Undetected) {
    for (const UndetectedError& e : undetected_errors()) candidate(e.arrival, e.to, e.link);
    return first;
  }
  for (int node = 0; node < size(); ++node) {
    for (int link = 0; link < links() && is_local(node); ++link) {
      const ProgramNode& n = processor(node);
      if (kind == EventKind::Error) candidate(n.first_error(link), node, link);
      if (kind == EventKind::Retransmit) candidate(n.first_retransmission(link), node, link);
      if (kind == EventKind::Replay) candidate(n.first_replay(link), node, link);
    }
  }
  return first;
}

std::vector<UndetectedError> Machine::undetected_errors() const {
  std::vector<UndetectedError> found;
  for (int node = 0; node < size(); ++node) {
    for (int link = 0; link < links() && is_local(node); ++link) {
      const int from = neighbour(node, link);
      const sim::CableBase& cable = cable_of(from, far_link(link));
      for (const sim::InjectedError& error : cable.ledger().errors()) {
        if (error.fate == sim::Fate::Undetected)
          found.push_back({from, node, link, error, cable.receiver_clock().edge(error.last)});
      }
    }
  }
  return found;
}

std::vector<std::string> Machine::say_undetected(int partition) const {
  std::vector<sim::Numbered> own;
  for (const UndetectedError& e : undetected_errors()) {
    if (partition < 0 || partition_of(e.to) == partition)
      own.push_back({static_cast<std::size_t>(e.to),
                     fmt::format("node {} {} to node {}: {} at {:.3f} us", e.from,
                                 link_name(far_link(e.link)), e.to, sim::name(e.error.kind),
                                 static_cast<double>(e.error.time) * 1e-6)});
  }
  std::vector<std::string> all;
  for (sim::Numbered& error : sim::gather_numbered(ranks_, std::move(own)))
    all.push_back(std::move(error.text));
  return all;
}

void Machine::tell_ledgers() {
  for (ProgramNode* n : nodes_) {
    if (n != nullptr) n->tell_ledgers();
  }
}

sim::ErrorTotals Machine::close_ledgers() {
  tell_ledgers();
  return sum_over_ranks(kernel_.close_ledgers());
}

sim::ErrorTotals Machine::own_partition_errors(int partition) const {
  sim::ErrorTotals sum;
  for (int node = 0; node < size(); ++node) {
    for (int link = 0; link < links(); ++link) {
      const int to = neighbour(node, link);
      if (is_local(to) && partition_of(to) == partition)
        sum += cable_of(node, link).ledger().totals();
    }
  }
  return sum;
}

sim::Kernel::Statistics Machine::statistics() {
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

void Machine::merge_ranks(std::span<std::byte> bytes) {
  if (ranks_ != nullptr) ranks_->merge(bytes);
}

}  // namespace ht::machine
