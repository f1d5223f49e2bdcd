// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/compare/compare_result.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "sim/bench/gnuplot.hpp"
#include "sim/cli/run/run_json.hpp"
#include "sim/cli/version.hpp"

namespace ht::cli {
namespace {

using Cell = std::function<std::string(const ComparedMachine&)>;

/// Lines of the table, a column a machine.
class Table {
 public:
  explicit Table(const Comparison& comparison) : machines_(comparison.machines) {}

  void line(const std::string& what, const Cell& cell) const {
    fmt::print("{:<44}", what);
    for (const ComparedMachine& m : machines_) fmt::print("{:>22}", cell(m));
    fmt::print("\n");
  }
  void number(const std::string& what, int decimals,
              const std::function<double(const ComparedMachine&)>& value) const {
    line(what,
         [&](const ComparedMachine& m) { return fmt::format("{:.{}f}", value(m), decimals); });
  }
  void count(const std::string& what,
             const std::function<std::uint64_t(const ComparedMachine&)>& value) const {
    line(what, [&](const ComparedMachine& m) { return std::to_string(value(m)); });
  }

 private:
  const std::vector<ComparedMachine>& machines_;
};

void print_solve(const Table& table) {
  constexpr const char* phases[] = {"computing", "waiting for halos", "global sums"};
  table.line("iterations",
             [](const auto& m) { return fmt::format("{}", m.run.job.columns.front().iterations); });
  table.number("time of the solve, us", 3,
               [](const auto& m) { return m.run.job.solve_seconds() * 1e6; });
  for (std::size_t p = 0; p < std::size(phases); ++p) {
    table.line(fmt::format("  {}, us, share", phases[p]), [&](const auto& m) {
      const double seconds = m.run.job.mean_split()[p];
      return fmt::format("{:.3f} {:5.1f} %", seconds * 1e6,
                         100 * seconds / m.run.job.solve_seconds());
    });
  }
  table.line("sustained a node, Gflop/s, of peak", [](const auto& m) {
    const double gflops = m.run.job.sustained_gflops();
    return fmt::format("{:.3f} {:5.2f} %", gflops, 100 * gflops / m.run.peak_gflops);
  });
}

void print_network(const Table& table) {
  table.count("bit errors on the cables", [](const auto& m) { return m.run.errors.injected; });
  table.line("sent by all links, each once",
             [](const auto& m) { return fmt::format("{} {}", m.sent(), m.run.data_unit); });
  table.line("  sent again, share", [](const auto& m) {
    const auto again = m.run.retransmissions();
    return fmt::format("{} {:6.3f} %", again,
                       100 * static_cast<double>(again) / static_cast<double>(m.sent()));
  });
  table.number("a link's wire one way, GB/s", 4, [](const auto& m) { return m.wire_rate; });
  table.line("  of it payload, long messages, share", [](const auto& m) {
    const auto share = m.wire_efficiency();
    return share ? fmt::format("{:.1f} %", 100 * *share) : "-";
  });
}

nlohmann::ordered_json machine_json(const ComparedMachine& m) {
  const auto split = m.run.job.mean_split();
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  for (const bench::MessageTime& t : m.messages)
    messages.push_back({{"bytes", t.bytes},
                        {"half_round_trip_ps", t.half_round_trip},
                        {"gbs", t.gigabytes_a_second()}});
  const auto efficiency = m.wire_efficiency();
  return {{"machine", m.run.options.type->name()},
          {"processor", m.processor},
          {"peak_gflops", m.run.peak_gflops},
          {"sustained_gflops", m.run.job.sustained_gflops()},
          {"solve_s", m.run.job.solve_seconds()},
          {"mean_s", {{"compute", split[0]}, {"halo", split[1]}, {"sum", split[2]}}},
          {"unit", m.run.data_unit},
          {"sent", m.sent()},
          {"retransmissions", m.run.retransmissions()},
          {"wire_gbs", m.wire_rate},
          {"wire_efficiency",
           efficiency ? nlohmann::ordered_json(*efficiency) : nlohmann::ordered_json(nullptr)},
          {"messages", messages},
          {"run", run_document(m.run)}};
}

}  // namespace

std::uint64_t ComparedMachine::sent() const {
  std::uint64_t sum = 0;
  for (const machine::LinkReport& link : run.links) sum += link.sent;
  return sum;
}

std::optional<double> ComparedMachine::wire_efficiency() const {
  if (messages.size() < 2) return std::nullopt;
  const bench::MessageTime &shorter = messages[messages.size() - 2], &longest = messages.back();
  const auto bytes = static_cast<double>(longest.bytes - shorter.bytes);
  const auto ps = static_cast<double>(longest.half_round_trip - shorter.half_round_trip);
  const double share = bytes / ps * 1e3 / wire_rate;
  // Of messages so short that the longer one is not later, or a packet is one size, it says
  // nothing.
  return ps > 0 && share <= 1 ? std::optional(share) : std::nullopt;
}

bool Comparison::bit_exact() const {
  return std::ranges::all_of(machines, [](const ComparedMachine& m) { return m.run.bit_exact(); });
}

void print_comparison(const Comparison& c) {
  const Table table(c);
  table.line("", [](const auto& m) { return m.run.options.type->title(); });
  table.line("processor",
             [](const auto& m) { return m.processor.substr(0, m.processor.find(',')); });
  print_solve(table);
  print_network(table);
  table.line("half a round trip between neighbours", [](const auto&) { return "us        GB/s"; });
  for (std::size_t i = 0; i < c.machines.front().messages.size(); ++i) {
    table.line(fmt::format("  {} bytes", c.machines.front().messages[i].bytes), [&](const auto& m) {
      const bench::MessageTime& t = m.messages[i];
      return fmt::format("{:.3f} {:11.4f}", t.microseconds(), t.gigabytes_a_second());
    });
  }
  fmt::print("\nverdict\n");
  for (const ComparedMachine& m : c.machines) {
    fmt::print("    {:<10}{}: {}\n", m.run.options.type->title(), m.run.verdict(), m.run.grounds());
    for (const std::string& fault : m.run.cable_faults()) fmt::print("              {}\n", fault);
  }
  if (c.bit_exact())
    fmt::print("    the same bits on every machine, and on one node without a network\n");
}

nlohmann::ordered_json comparison_document(const Comparison& c) {
  nlohmann::ordered_json machines = nlohmann::ordered_json::array();
  for (const ComparedMachine& m : c.machines) machines.push_back(machine_json(m));
  return {{"verdict", c.bit_exact() ? "bit-exact" : "mismatch"}, {"machines", machines}};
}

void draw_comparison(const Comparison& c, const std::string& stem) {
  GnuplotFigure f;
  f.title = "A message to a neighbour, memory to memory; dashed: the wire of a link alone";
  f.x_label = "message size (bytes)";
  f.y_label = "half a round trip (us)";
  f.log_base = 2;
  f.more = "set logscale y 10\nset yrange [*:*]\nset key top left\n";
  int number = 0;
  for (const ComparedMachine& m : c.machines) {
    ++number;
    const std::string title = m.run.options.type->title();
    GnuplotFigure::Curve measured{title, fmt::format("linespoints lc {0} pt 7 lw 2", number), {}};
    GnuplotFigure::Curve wire{fmt::format("{}, {:.4g} GB/s", title, m.wire_rate),
                              fmt::format("lines lc {} dt 2", number),
                              {}};
    for (const bench::MessageTime& t : m.messages) {
      const auto bytes = static_cast<double>(t.bytes);
      measured.points.emplace_back(bytes, t.microseconds());
      wire.points.emplace_back(bytes, bytes / m.wire_rate * 1e-3);
    }
    f.curves.push_back(std::move(measured));
    f.curves.push_back(std::move(wire));
  }
  draw_with_gnuplot(f, stem);
}

}  // namespace ht::cli
