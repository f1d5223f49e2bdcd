// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <exception>
#include <stdexcept>
#include <utility>

#include "sim/kernel/agreement.hpp"
#include "sim/kernel/free_cores.hpp"
#include "sim/kernel/worker_pool.hpp"
#include "sw/host/errors.hpp"

namespace ht::sim {
namespace {

/// Charged compute time that lasts longer than watchdog / kPollShare is work, not polling.
constexpr Picoseconds kPollShare = 100;

/// Of all threads of this process.
std::int64_t processor_ns() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// Adds the time of its life to `sum`, in seconds.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum), begin_(Clock::now()) {}
  ~Stopwatch() { sum_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& sum_;
  Clock::time_point begin_;
};

}  // namespace

WindowVote& WindowVote::operator+=(const WindowVote& other) {
  unfinished += other.unfinished;
  progress += other.progress;
  pauses += other.pauses;
  in_flight += other.in_flight;
  sent += other.sent;
  restless += other.restless;
  stop += other.stop;
  failed += other.failed;
  news |= other.news;
  wake = std::min(wake, other.wake);
  node_wake = std::min(node_wake, other.node_wake);
  computing_until = std::max(computing_until, other.computing_until);
  processor_ns = std::max(processor_ns, other.processor_ns);
  safe_window = std::min(safe_window, other.safe_window);
  return *this;
}

struct Kernel::State {
  struct Node {
    std::unique_ptr<SimNode> sim;  ///< null: another rank's
    unsigned rank = 0;
    std::exception_ptr error;
  };
  struct Link {
    std::unique_ptr<CableBase> cable;
    std::size_t from, to;
    std::exception_ptr error;
  };
  enum class Goal { Finish, Rest };

  KernelOptions options;
  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<RankExchange::Crossing> crossings;
  std::function<void(Picoseconds)> callback;
  struct News {
    std::function<bool()> any;
    std::function<void()> exchange;
  };
  std::vector<News> news;
  std::unique_ptr<WorkerPool> pool;
  std::vector<std::size_t> mine;    ///< local nodes
  std::vector<char> borders;        ///< by node: it has a cable to another rank's node
  bool inner = false;               ///< some local node has none
  std::vector<unsigned> thread_of;  ///< by node; of other ranks' nodes, no thread
  Picoseconds now = 0, window = 0;
  std::uint64_t windows = 0, skipped = 0;
  double seconds = 0, waiting = 0;  ///< of this computer
  std::uint64_t sent_bytes = 0;
  std::uint64_t progress = 0, pauses = 0;
  Picoseconds progress_time = 0, pause_time = 0;
  std::int64_t progress_ns = 0;  ///< processor time then
  Picoseconds longest = 0;       ///< of the cables' safe windows
  std::uint64_t sent = 0;        ///< symbols, when somebody last sent one
  Picoseconds quiet_since = 0;   ///< the end of that window
  std::vector<char> rested;      ///< by node: slept since what was sent has arrived

  unsigned rank() const { return options.ranks != nullptr ? options.ranks->rank() : 0; }
  bool here(std::size_t node) const { return nodes[node].rank == rank(); }

  void prepare();
  RunEnd run(Goal goal, Picoseconds limit);
  WindowVote vote();
  Picoseconds next_end(const WindowVote& v, Picoseconds limit) const;
  void begin_exchange();
  void end_exchange();
  void share_out(unsigned threads);
  void advance(Picoseconds end);
  void rethrow() const;
  void watch(const WindowVote& v);
  void watch_processor(const WindowVote& v);
  void look_for_rest(const WindowVote& v);
  [[noreturn]] void time_out(const std::string& why) const;
};

/// Threads and window length, once nodes and cables are known.
void Kernel::State::prepare() {
  if (pool) return;
  mine.clear();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (here(i)) mine.push_back(i);
  }
  borders.assign(nodes.size(), 0);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const bool out = here(links[i].from), in = here(links[i].to);
    if (out == in) continue;
    const unsigned peer = nodes[out ? links[i].to : links[i].from].rank;
    crossings.push_back({links[i].cable.get(), i, peer, out});
    borders[out ? links[i].from : links[i].to] = 1;
  }
  inner = std::ranges::any_of(mine, [this](std::size_t i) { return borders[i] == 0; });
  WindowVote v;
  for (const Link& l : links) {
    v.safe_window = std::min(v.safe_window, l.cable->safe_window());
    longest = std::max(longest, l.cable->safe_window());
  }
  if (options.ranks != nullptr) v = options.ranks->combine(v);
  // Without cables nodes never meet; a window then only decides how often the kernel looks.
  const Picoseconds safe = v.safe_window == kNever ? 1'000'000 : v.safe_window;
  if (options.window < 0 || options.window > safe) {
    throw UsageError(
        fmt::format("window of {} ps: must be from 1 to {} ps, the shortest cable's delay "
                    "less one symbol (0 chooses that)",
                    options.window, safe));
  }
  window = options.window == 0 ? safe : options.window;
  unsigned threads = options.threads;
  if (threads == 0) threads = static_cast<unsigned>(usable_cores());
  threads = std::min(threads, static_cast<unsigned>(std::max<std::size_t>(1, mine.size())));
  share_out(threads);
  pool = std::make_unique<WorkerPool>(threads);
}

// Of nodes that run at the same time, and take as long, each thread gets as many.
void Kernel::State::share_out(unsigned threads) {
  thread_of.assign(nodes.size(), threads);
  for (const bool border : {true, false}) {
    for (const bool light : {false, true}) {
      std::vector<std::size_t> alike;
      std::ranges::copy_if(mine, std::back_inserter(alike), [&](std::size_t i) {
        return (borders[i] != 0) == border && nodes[i].sim->light() == light;
      });
      for (std::size_t i = 0; i < alike.size(); ++i)
        thread_of[alike[i]] = static_cast<unsigned>(i * threads / alike.size());
    }
  }
}

WindowVote Kernel::State::vote() {
  WindowVote v;
  if (options.watchdog_seconds > 0) v.processor_ns = processor_ns();
  v.stop = options.stop != nullptr && options.stop->load(std::memory_order_relaxed) ? 1 : 0;
  for (std::size_t i = 0; i < news.size(); ++i)
    v.news |= std::uint64_t{news[i].any() ? 1U : 0U} << i;
  for (const std::size_t i : mine) {
    const SimNode& n = *nodes[i].sim;
    v.unfinished += n.finished() ? 0 : 1;
    v.progress += n.progress();
    v.pauses += n.pauses();
    v.node_wake = std::min(v.node_wake, n.asleep_until());
    v.wake = std::min(v.wake, n.next_housekeeping());
    v.computing_until = std::max(v.computing_until, n.computing_until());
    v.failed += nodes[i].error ? 1 : 0;
    v.restless += rested[i] ? 0 : 1;
  }
  v.wake = std::min(v.wake, v.node_wake);
  for (const Link& l : links) {
    if (here(l.from)) v.sent += l.cable->sent();
    if (!here(l.to)) continue;
    v.wake = std::min({v.wake, l.cable->next_arrival(), l.cable->next_fault_arrival()});
    v.in_flight += l.cable->in_flight();
    v.failed += l.error ? 1 : 0;
  }
  if (options.ranks == nullptr) return v;
  const Stopwatch waits(waiting);
  return options.ranks->combine(v);
}

RunEnd Kernel::State::run(Goal goal, Picoseconds limit) {
  prepare();
  const Stopwatch runs(seconds);
  const Picoseconds begin = now;
  progress_time = pause_time = now;
  bool first = true;
  quiet_since = now;
  rested.assign(nodes.size(), 0);
  for (;;) {
    const WindowVote v = vote();
    if (std::exchange(first, false)) progress_ns = v.processor_ns;
    for (std::size_t i = 0; i < news.size(); ++i) {
      if ((v.news >> i & 1) != 0) news[i].exchange();
    }
    if (v.failed != 0) rethrow();
    if (v.stop != 0) return RunEnd::Stopped;
    const bool rest = v.node_wake == kNever && v.in_flight == 0;
    if (goal == Goal::Finish && v.unfinished == 0) return RunEnd::Finished;
    if (goal == Goal::Rest && (rest || v.restless == 0)) return RunEnd::Finished;
    if (now >= limit) return RunEnd::TimeLimit;
    if (goal == Goal::Finish) {
      if (rest) time_out("every node waits and nothing is in flight");
      watch(v);
    } else if (options.watchdog > 0 && now - begin > options.watchdog) {
      time_out(fmt::format("the hardware did not come to rest within {} us",
                           static_cast<double>(options.watchdog) * 1e-6));
    }
    watch_processor(v);
    if (goal == Goal::Rest) look_for_rest(v);
    advance(next_end(v, limit));
    if (callback) callback(now);
  }
}

/// The end of the next window; further away if nothing can happen until then.
Picoseconds Kernel::State::next_end(const WindowVote& v, Picoseconds limit) const {
  Picoseconds end = (now / window + 1) * window;
  if (options.jump && v.wake > end) {
    // Whole windows only, so that later ones begin where they would have begun anyway.
    const Picoseconds last = std::min(v.wake, limit);
    if (last == kNever) throw std::logic_error("kernel: asked to wait for ever");
    end = std::max(end, last / window * window);
  }
  return std::min(end, limit);
}

void Kernel::State::begin_exchange() {
  const Stopwatch waits(waiting);
  const std::uint64_t before = options.ranks->bytes_sent();
  options.ranks->begin_exchange(crossings);
  sent_bytes += options.ranks->bytes_sent() - before;
}

void Kernel::State::end_exchange() {
  const Stopwatch waits(waiting);
  options.ranks->end_exchange(crossings);
}

void Kernel::State::advance(Picoseconds end) {
  const auto run_nodes = [&](bool border) {
    return [&, border](unsigned thread) {
      for (const std::size_t i : mine) {
        if (thread_of[i] != thread || (borders[i] != 0) != border) continue;
        try {
          nodes[i].sim->run(now, end);
        } catch (...) {
          nodes[i].error = std::current_exception();
        }
      }
    };
  };
  const auto move_symbols = [&](unsigned thread) {
    for (Link& l : links) {
      if (thread_of[l.to] != thread) continue;
      try {
        l.cable->transfer(end);
      } catch (...) {
        l.error = std::current_exception();
      }
    }
  };
  if (options.ranks == nullptr) {
    pool->run(run_nodes(false), move_symbols);
  } else {
    // What others need is sent first, and is under way while the other nodes run. Their symbols
    // must be here before cables move them.
    const auto nothing = [](unsigned) {};
    pool->run(run_nodes(true), nothing);
    begin_exchange();
    if (inner) pool->run(run_nodes(false), nothing);
    end_exchange();
    pool->run(nothing, move_symbols);
  }
  const auto passed = static_cast<std::uint64_t>((end - now + window - 1) / window);
  ++windows;
  skipped += passed - 1;
  now = end;
}

// What the lowest node threw, of whichever rank.
void Kernel::State::rethrow() const {
  std::exception_ptr error;
  std::size_t number = 0;
  for (const Node& n : nodes) {
    if (n.error && !error) error = n.error;
    if (!error) ++number;
  }
  for (const Link& l : links) {
    if (l.error && !error) error = l.error;
    if (!error) ++number;
  }
  throw_together(options.ranks, error, {0, number});
  throw std::logic_error("kernel: a node failed, and nothing was thrown");
}

void Kernel::State::watch(const WindowVote& v) {
  const bool computing = v.computing_until > now + options.watchdog / kPollShare;
  if (v.progress != progress || computing) {
    progress = v.progress;
    progress_time = now;
    progress_ns = v.processor_ns;
  }
  if (v.pauses != pauses) {
    pauses = v.pauses;
    pause_time = now;
  }
  if (options.watchdog > 0 && now - std::max(progress_time, pause_time) > options.watchdog) {
    time_out(fmt::format("no node made progress for {} us",
                         static_cast<double>(options.watchdog) * 1e-6));
  }
}

void Kernel::State::watch_processor(const WindowVote& v) {
  const double seconds = static_cast<double>(v.processor_ns - progress_ns) * 1e-9;
  if (options.watchdog_seconds > 0 && seconds > options.watchdog_seconds)
    time_out(
        fmt::format("no node made progress for {:.3f} us, which took {:.0f} s of processor "
                    "time",
                    static_cast<double>(now - progress_time) * 1e-6, seconds));
}

// On bad cables there may be no time at which all sleep and nothing is in flight.
void Kernel::State::look_for_rest(const WindowVote& v) {
  if (v.sent != sent) {
    sent = v.sent;
    quiet_since = now;
    rested.assign(nodes.size(), 0);
  } else if (now > quiet_since + 3 * longest) {  // more than any delay: at least two symbols
    for (const std::size_t i : mine) {
      if (nodes[i].sim->asleep_until() == kNever) rested[i] = 1;
    }
  }
}

void Kernel::State::time_out(const std::string& why) const {
  std::string text =
      fmt::format("standstill at {:.3f} us: {}", static_cast<double>(now) * 1e-6, why);
  std::vector<Numbered> states;
  for (const std::size_t i : mine) {
    const SimNode& n = *nodes[i].sim;
    states.push_back(
        {i, fmt::format("\n  {}: {}", n.name(), n.finished() ? "finished; " : "") + n.status()});
  }
  for (const Numbered& state : gather_numbered(options.ranks, std::move(states)))
    text += state.text;
  if (options.ranks != nullptr) options.ranks->end_together();
  throw TimeoutError(text);
}

Kernel::Kernel(KernelOptions options) : state_(std::make_unique<State>()) {
  state_->options = options;
}
Kernel::~Kernel() = default;

std::size_t Kernel::add_node(std::unique_ptr<SimNode> node) {
  if (state_->pool) throw std::logic_error("kernel: a node added after the first run");
  state_->nodes.push_back({std::move(node), state_->rank(), nullptr});
  return state_->nodes.size() - 1;
}

std::size_t Kernel::add_remote_node(unsigned rank) {
  if (state_->options.ranks == nullptr || rank == state_->rank() ||
      rank >= state_->options.ranks->ranks()) {
    throw std::logic_error(
        fmt::format("kernel: rank {} is not another rank of this machine", rank));
  }
  state_->nodes.push_back({nullptr, rank, nullptr});
  return state_->nodes.size() - 1;
}

void Kernel::add_cable(std::unique_ptr<CableBase> cable, std::size_t from, std::size_t to) {
  if (state_->pool) throw std::logic_error("kernel: a cable added after the first run");
  if (std::max(from, to) >= state_->nodes.size()) {
    throw std::logic_error(fmt::format("kernel: cable {} between nodes {} and {} of {}",
                                       cable->name(), from, to, state_->nodes.size()));
  }
  state_->links.push_back({std::move(cable), from, to, nullptr});
}

RunEnd Kernel::run(Picoseconds limit) {
  return state_->run(State::Goal::Finish, limit);
}
RunEnd Kernel::settle(Picoseconds limit) {
  return state_->run(State::Goal::Rest, limit);
}

void Kernel::on_window(std::function<void(Picoseconds)> callback) {
  state_->callback = std::move(callback);
}

void Kernel::on_news(std::function<bool()> any, std::function<void()> exchange) {
  if (state_->news.size() == 64) throw std::logic_error("kernel: more news than bits for them");
  state_->news.push_back({std::move(any), std::move(exchange)});
}

Picoseconds Kernel::now() const {
  return state_->now;
}
Picoseconds Kernel::window() const {
  state_->prepare();
  return state_->window;
}
unsigned Kernel::threads() const {
  state_->prepare();
  return state_->pool->threads();
}
std::size_t Kernel::node_count() const {
  return state_->nodes.size();
}
bool Kernel::is_local(std::size_t node) const {
  return state_->nodes.at(node).sim != nullptr;
}
SimNode& Kernel::node(std::size_t i) {
  if (!is_local(i)) throw std::out_of_range(fmt::format("kernel: node {} is another rank's", i));
  return *state_->nodes[i].sim;
}
std::size_t Kernel::cable_count() const {
  return state_->links.size();
}
CableBase& Kernel::cable(std::size_t i) {
  return *state_->links.at(i).cable;
}

Kernel::Statistics Kernel::statistics() const {
  Statistics s;
  s.windows = state_->windows;
  s.skipped_windows = state_->skipped;
  s.seconds = state_->seconds;
  s.waiting_seconds = state_->waiting;
  s.bytes_sent = state_->sent_bytes;
  for (const auto& n : state_->nodes) {
    if (!n.sim) continue;
    const SimNode::Cycles c = n.sim->cycles();
    s.cycles.total += c.total;
    s.cycles.skipped += c.skipped;
  }
  return s;
}

ErrorTotals Kernel::close_ledgers() {
  ErrorTotals totals;
  for (auto& l : state_->links) {
    if (!state_->here(l.to)) continue;
    l.cable->ledger().close();
    totals += l.cable->ledger().totals();
  }
  return totals;
}

}  // namespace ht::sim
