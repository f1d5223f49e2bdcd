// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/functional/functional_tofu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <random>
#include <tuple>
#include <utility>

#include "sw/host/errors.hpp"
#include "sw/tofu/functional/functional_port.hpp"

namespace ht::tofu {
namespace {

// Turns of programs with nothing under way between them: of all, and of each.
constexpr std::int64_t patience = 1'000'000, patience_each = 20'000;
constexpr std::int64_t turns_a_look = 16;  // at the processor's time

constexpr auto later = [](const FunctionalEvent& a, const FunctionalEvent& b) {
  return std::pair(a.due, a.number) > std::pair(b.due, b.number);
};

/// Packets of one class on one path between two interfaces stay in order.
auto way_of(const model::TniPacket& p) {
  return std::tuple(p.from, p.source_interface, p.to, p.interface, p.path, p.response());
}

}  // namespace

FunctionalTofu::FunctionalTofu(const Shape& shape, FunctionalTofuOptions options)
    : shape_(shape), options_(std::move(options)) {
  shape_.check();
  for (const Coordinates& node : options_.failed) {
    if (!shape_.contains(node))
      throw UsageError(fmt::format("the failed node {} is not in the machine", text(node)));
  }
  FunctionalNetwork& network = *this;
  for (int n = 0; n < shape_.nodes(); ++n)
    nodes_.push_back(std::make_unique<FunctionalPort>(network, static_cast<std::size_t>(n)));
}

FunctionalTofu::~FunctionalTofu() = default;

host::HardwarePort& FunctionalTofu::port(int node) {
  return *nodes_.at(static_cast<std::size_t>(node));
}

Picoseconds FunctionalTofu::elapsed() const {
  Picoseconds last = 0;
  for (const auto& node : nodes_) last = std::max(last, node->now());
  return last;
}

std::uint64_t FunctionalTofu::register_accesses(int node) const {
  return nodes_.at(static_cast<std::size_t>(node))->accesses;
}

bool FunctionalTofu::link_enabled(const Coordinates& node, int link) const {
  return nodes_[static_cast<std::size_t>(shape_.node(node))]->link_enabled(link);
}

std::optional<int> FunctionalTofu::hops(std::uint32_t from, std::uint32_t to,
                                        std::uint32_t path) const {
  const Path leg{static_cast<int>(path & 1), static_cast<int>(path >> 1 & 3),
                 static_cast<int>(path >> 3 & 1)};
  const Coordinates there = Coordinates::from_address(to);
  for (std::size_t a = 0; a < 3; ++a) {
    if (leg[a] >= shape_.length[3 + a]) return std::nullopt;
  }
  if (!shape_.contains(there)) return std::nullopt;
  const auto places = way(shape_, Coordinates::from_address(from), there, leg);
  const auto failed = [this](const Coordinates& node) {
    return std::find(options_.failed.begin(), options_.failed.end(), node) != options_.failed.end();
  };
  if (std::any_of(places.begin(), places.end(), failed)) return std::nullopt;
  return static_cast<int>(places.size()) - 1;
}

bool FunctionalTofu::leaves(model::TniPacket& packet) {
  ++packets_;
  return !tamper_interface || tamper_interface(packet);
}

void FunctionalTofu::post(Event event) {
  event.number = posted_++;
  events_.push_back(std::move(event));
  if (!options_.shuffle) std::push_heap(events_.begin(), events_.end(), later);
}

void FunctionalTofu::begin(const Program& program) {
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const int node = static_cast<int>(n);
    const auto& failed = options_.failed;
    if (std::find(failed.begin(), failed.end(), shape_.place(node)) != failed.end()) continue;
    FunctionalPort& port = *nodes_[n];
    port.failure = nullptr;
    port.fibre = std::make_unique<host::Fibre>([&program, node, &port] { program(node, port); },
                                               options_.stack_bytes);
  }
}

FunctionalPort* FunctionalTofu::earliest(const std::vector<FunctionalPort*>& ready) const {
  if (ready.empty()) return nullptr;
  FunctionalPort* const next = *std::min_element(
      ready.begin(), ready.end(), [](const auto* a, const auto* b) { return a->now() < b->now(); });
  return events_.empty() || events_.front().due > next->now() ? next : nullptr;
}

/// What may happen in place of an event: the oldest packet of its way.
std::size_t FunctionalTofu::pick(std::size_t event) const {
  const auto* const packet = std::get_if<model::TniPacket>(&events_[event].what);
  if (packet == nullptr) return event;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const auto* const other = std::get_if<model::TniPacket>(&events_[i].what);
    if (other != nullptr && events_[i].number < events_[event].number &&
        way_of(*other) == way_of(*packet))
      event = i;
  }
  return event;
}

void FunctionalTofu::run(const Program& program) {
  std::mt19937 random(options_.shuffle.value_or(0));
  begin(program);
  // However this ends, nobody is left in the middle of a program that is gone.
  const std::unique_ptr<void, std::function<void(void*)>> end(this, [this](void*) {
    for (auto& node : nodes_) node->fibre.reset();
    events_.clear();
  });
  std::vector<FunctionalPort*> ready;
  for (InVain in_vain;;) {
    ready.clear();
    bool finished = true;
    for (auto& node : nodes_) {
      if (node->can_go_on()) ready.push_back(node.get());
      finished = finished && (!node->fibre || node->fibre->finished());
    }
    if (finished && events_.empty()) break;
    if ((ready.empty() && events_.empty()) || (!ready.empty() && too_long(in_vain, ready.size())))
      give_up();

    FunctionalPort* next = nullptr;
    std::size_t event = 0;
    if (options_.shuffle) {
      const std::size_t choice = random() % (ready.size() + events_.size());
      if (choice < ready.size())
        next = ready[choice];
      else
        event = pick(choice - ready.size());
    } else {
      next = earliest(ready);
    }
    if (next != nullptr) {
      resume(*next);
      continue;
    }
    in_vain = {};
    if (!options_.shuffle) {
      std::pop_heap(events_.begin(), events_.end(), later);
      event = events_.size() - 1;
    }
    const Event happening = std::move(events_[event]);
    events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(event));
    nodes_[happening.node]->happen(happening);
  }
}

/// A node's turn; if its program fails, one for each of the others.
void FunctionalTofu::resume(FunctionalPort& node) {
  try {
    node.fibre->resume();
    return;
  } catch (...) {
    node.failure = std::current_exception();
  }
  for (auto& other : nodes_) {
    if (!other->can_go_on()) continue;
    try {
      other->fibre->resume();
    } catch (...) {
      other->failure = std::current_exception();
    }
  }
  for (auto& each : nodes_) {
    if (each->failure) std::rethrow_exception(std::exchange(each->failure, nullptr));
  }
}

bool FunctionalTofu::too_long(InVain& in_vain, std::size_t ready) const {
  if (++in_vain.turns > std::max(patience, patience_each * shape_.nodes())) return true;
  if (options_.processor_timeout <= 0 || in_vain.turns % turns_a_look != 0) return false;
  if (in_vain.turns == turns_a_look) {
    in_vain.since = std::clock();
    return false;
  }
  return static_cast<double>(std::clock() - in_vain.since) >
         options_.processor_timeout * static_cast<double>(CLOCKS_PER_SEC) *
             static_cast<double>(ready);
}

void FunctionalTofu::give_up() {
  std::string who;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (nodes_[n]->fibre && !nodes_[n]->fibre->finished())
      who += fmt::format(" node {} waits for {};", n, nodes_[n]->waiting_for);
  }
  throw TimeoutError("nothing moves any more:" + who);
}

}  // namespace ht::tofu
