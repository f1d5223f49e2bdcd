// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/bench/cell_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "sim/bench/bench_rows.hpp"
#include "sw/host/errors.hpp"
#include "sw/qpace/powerxcell.hpp"

namespace ht::cli {
namespace {

using namespace qpace::powerxcell;

/// How the paper shortened a number.
enum class Digits : std::uint8_t { Rounded, CutOff };

struct Row {
  std::string id, what, unit;
  double value, paper;
  int decimals;  ///< the paper's
  Digits digits = Digits::Rounded;

  double shortened() const {
    const double scale = std::pow(10.0, decimals);
    // A hair's breadth for what rounding made of exact halves and whole numbers.
    return (digits == Digits::Rounded ? std::round(value * scale)
                                      : std::floor(value * scale * (1 + 1e-12))) /
           scale;
  }
  bool agrees() const { return std::fabs(shortened() - paper) < 1e-9 * (1 + std::fabs(paper)); }
};

/// A column of table 1, from [Cell2007]. Thousands of cycles, but for the first two and the last.
struct Column {
  std::string id, title;
  Placement placement;
  Lattice lattice;
  double per;  ///< main memory: all but the efficiency is for a slice of the 4-direction
  std::array<double, 10> paper;
  std::array<int, 10> decimals;
};

const std::array<const char*, 10> kNames = {"A_int", "A_ext", "T_peak", "T_FP",  "T_RF",
                                            "T_mem", "T_int", "T_ext",  "T_EIB", "eps_FP"};
const std::array<const char*, 10> kIds = {"a_int", "a_ext", "t_peak", "t_fp",  "t_rf",
                                          "t_mem", "t_int", "t_ext",  "t_eib", "efficiency"};

std::vector<Column> table_1() {
  const std::array<int, 10> whole{}, one{0, 0, 1, 1, 1, 1, 1, 1, 1, 0},
      two{0, 0, 2, 2, 2, 2, 2, 2, 2, 0};
  return {{"ls_2x2x2x64",
           "LS 2x2x2x64",
           Placement::LocalStore,
           {2, 2, 2, 64},
           1,
           {16, 192, 21, 27, 12, 0, 2, 79, 20, 27},
           whole},
          {"mm_8x8x8",
           "MM 8x8x8",
           Placement::MainMemory,
           {8, 8, 8, 1},
           1,
           {48, 48, 21, 27, 12, 61, 5, 20, 40, 34},
           whole},
          {"mm_4x4x4",
           "MM 4x4x4",
           Placement::MainMemory,
           {4, 4, 4, 1},
           1,
           {12, 12, 2.6, 3.4, 1.5, 7.7, 1.2, 4.9, 6.1, 34},
           one},
          {"mm_2x2x2",
           "MM 2x2x2",
           Placement::MainMemory,
           {2, 2, 2, 1},
           1,
           {3, 3, 0.33, 0.42, 0.19, 0.96, 0.29, 1.23, 1.06, 27},
           two}};
}

std::vector<Row> rows_of(const Column& c) {
  const Neighbours n = neighbours(c.placement, c.lattice);
  const HoppingTimes t = hopping_times(c.placement, c.lattice);
  const double k = 1000 * c.per;
  const std::array<double, 10> value = {n.internal / c.per,   n.external / c.per,  t.peak / k,
                                        t.floating_point / k, t.register_file / k, t.memory / k,
                                        t.internal / k,       t.external / k,      t.eib / k,
                                        100 * t.efficiency()};
  std::vector<Row> rows;
  for (std::size_t i = 0; i < value.size(); ++i) {
    rows.push_back({fmt::format("cell.table1.{}.{}", c.id, kIds[i]),
                    fmt::format("{} {}", c.title, kNames[i]),
                    i < 2    ? "sites"
                    : i == 9 ? "%"
                             : "1000 cycles",
                    value[i], c.paper[i], c.decimals[i]});
  }
  return rows;
}

/// What sections 4 to 6 say in words.
std::vector<Row> text_rows() {
  const HoppingTimes site = hopping_times(Placement::MainMemory, {8, 1, 1, 1});  // one site an SPE
  const LinearTimes memory = linear_times(Placement::MainMemory, 8, 2, 1, 96);
  const LinearTimes store = linear_times(Placement::LocalStore, 8, 2, 1, 96);
  // 8 spinors and 3 x 4 links a site, doubles, in 256 KiB. The paper's "minimal program kernel" has
  // no size there; 4 KiB is what makes its 79 of 80.
  const double fits = (256 - 4) * 1024 / ((8 * 24 + 3 * 4 * 18) * 8.0);
  const double line = dma_cycles(128, 0, 0) - dma_cycles(0, 0, 0);
  using enum Digits;
  return {
      {"cell.text.peak_cycles", "T_peak of a site", "cycles", site.peak, 330, 0},
      {"cell.text.fp_cycles", "T_FP of a site", "cycles", site.floating_point, 420, 0},
      {"cell.text.most_of_peak", "hopping term at most, of peak", "%",
       100 * site.peak / site.floating_point, 78, 0, CutOff},
      {"cell.text.caxpy_memory", "caxpy from main memory, of peak", "%", 100 * memory.efficiency(),
       4.1, 1, CutOff},
      {"cell.text.caxpy_balance", "caxpy in local store, T_peak / T_LS", "1",
       store.peak / store.data, 0.667, 3},
      {"cell.text.caxpy_store", "caxpy in local store, of peak", "%", 100 * store.efficiency(), 50,
       0},
      {"cell.text.sites", "sites in a local store, 4 KiB for the program assumed", "sites", fits,
       79, 0, CutOff},
      {"cell.text.latency", "start and end of a DMA transfer", "cycles", dma_cycles(0, 0, 0), 200,
       0},
      {"cell.text.misaligned", "more for a line that is not aligned", "cycles",
       dma_cycles(128, 0, 16) - dma_cycles(128, 0, 0), 16, 0},
      {"cell.text.misaligned_factor", "by which that reduces the bandwidth", "1",
       (dma_cycles(128, 0, 16) - dma_cycles(0, 0, 0)) / line, 2, 0},
  };
}

void print_table(const std::vector<Column>& columns, const std::vector<std::vector<Row>>& rows) {
  fmt::print("Table 1 of [Cell2007]: model / paper (1000 cycles of 3.2 GHz; MM: a slice)\n{:8}",
             "");
  for (const Column& c : columns) fmt::print("{:>20}", c.title);
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    fmt::print("\n{:8}", kNames[i]);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Row& r = rows[c][i];
      const bool absent = r.value == 0 && r.paper == 0;  // the paper prints a dash
      fmt::print("{:>20}", absent ? std::string("- / -")
                                  : fmt::format("{:.{}f} / {:.{}f}{}", r.value, r.decimals + 1,
                                                r.paper, r.decimals, r.agrees() ? " " : "!"));
    }
  }
  fmt::print("\n\n");
}

void print_dma() {
  fmt::print("Equation 6.1: cycles of a transfer between local stores\n{:>8}{:>12}{:>14}{:>14}\n",
             "bytes", "aligned", "bytes/cycle", "32 to 16");
  for (const std::uint64_t bytes : {0U, 128U, 256U, 512U, 1024U, 1536U, 2048U}) {
    const double aligned = dma_cycles(bytes, 0, 0);
    fmt::print("{:>8}{:>12.0f}{:>14.2f}{:>14.0f}\n", bytes, aligned,
               bytes > 0 ? static_cast<double>(bytes) / (aligned - dma_cycles(0, 0, 0)) : 0.0,
               dma_cycles(bytes, 32, 16));
  }
  fmt::print("\n");
}

}  // namespace

int bench_cell(const BenchOptions& /*options*/, const BenchSession& session) {
  BenchRows json(session.results, &session.stop);
  const std::vector<Column> columns = table_1();
  std::vector<std::vector<Row>> table;
  std::vector<Row> all;
  for (const Column& c : columns) {
    table.push_back(rows_of(c));
    all.insert(all.end(), table.back().begin(), table.back().end());
  }
  print_table(columns, table);
  const std::vector<Row> text = text_rows();
  fmt::print("In the text\n");
  for (const Row& r : text)
    fmt::print("    {:<60}{:>10.2f} / {:.{}f} {}{}\n", r.what, r.value, r.paper, r.decimals, r.unit,
               r.agrees() ? "" : " !");
  fmt::print("\n");
  all.insert(all.end(), text.begin(), text.end());
  print_dma();
  std::size_t good = 0;
  for (const Row& r : all) {
    good += r.agrees() ? 1 : 0;
    json.add(r.id, r.value, r.unit, r.paper);
  }
  fmt::print("{} of {} numbers agree in the digits the paper prints\n", good, all.size());
  return static_cast<int>(good == all.size() ? ExitCode::Ok : ExitCode::Mismatch);
}

}  // namespace ht::cli
