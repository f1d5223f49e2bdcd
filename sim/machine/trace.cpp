// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/trace.hpp"

#include <fmt/format.h>
#include <verilated_fst_c.h>

#include <algorithm>
#include <numeric>

#include "sim/machine/decoded_signals.hpp"
#include "sim/machine/wave_file_check.hpp"
#include "sim/machine/wave_view.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/output_file.hpp"

namespace ht::machine {
namespace {

constexpr int all_levels = 99;
constexpr int link_level = 2;  ///< levels from the node down to g_link[i]

std::vector<int> chosen_links(const TraceOptions& o, int count) {
  std::vector<int> links = o.links;
  if (links.empty()) {
    links.resize(static_cast<std::size_t>(count));
    std::iota(links.begin(), links.end(), 0);
  }
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

// dumpvars() selects by scope; the levels given to a model's trace() are ignored by Verilator
// 5.006.
void select(VerilatedFstC& file, const std::string& node, const char* top, const TraceOptions& o,
            const std::vector<int>& links, const DecodedSignals& decoded) {
  if (o.links.empty() && o.depth == 0) return;
  const int depth = o.depth == 0 ? all_levels : o.depth;
  file.dumpvars(o.links.empty() ? depth : 1, node);
  for (const int link : links) {
    file.dumpvars(1, fmt::format("{}.{}", node, decoded.scope(link)));
    if (depth > link_level)
      file.dumpvars(depth - link_level, fmt::format("{}.{}.g_link[{}]", node, top, link));
  }
}

std::string wave_file(const std::string& stem, int rank) {
  return fmt::format("{}.node{}.fst", stem, rank);
}

}  // namespace

NodeTrace::NodeTrace(const TraceTop& top, int rank, const TraceOptions& o,
                     std::span<const std::string> cables)
    : name_(host::link_target(wave_file(o.stem, rank))),
      held_(name_, "run"),
      file_(std::make_unique<VerilatedFstC>()),
      follow_(o.from > top.lead_in ? o.from - top.lead_in : 0),
      from_(o.from),
      to_(o.to) {
  const std::string name = fmt::format("{}.node{}", o.stem, rank);
  // Verilator's writer does not say why it failed, so try the file first.
  check_writable(o.stem, rank);
  held_.hold();
  const std::string node = fmt::format("node{}", rank);
  const std::vector<int> links = chosen_links(o, top.links);
  decoded_ = top.decode(node, links);
  file_->set_time_unit("1ps");
  file_->set_time_resolution("1ps");
  top.attach(file_.get(), all_levels);
  decoded_->attach(*file_->spTrace());
  select(*file_, node, top.layout.top, o, links, *decoded_);
  file_->open(name_.c_str());
  if (!file_->isOpen()) throw DataError(fmt::format("cannot open the trace {}", name_));
  held_.hold();  // another one: Verilator's writer has replaced it
  write_wave_view(name, node, top.layout, *decoded_, links, o, cables);
}

NodeTrace::~NodeTrace() {
  file_->close();
}

void NodeTrace::check_writable(const std::string& stem, int rank) {
  host::check_writable_regular(wave_file(stem, rank));
}

void NodeTrace::close() {
  if (!file_->isOpen()) return;
  file_->close();
  check_wave_file(name_);
}

void NodeTrace::dump(Picoseconds now, bool link_edge) {
  if (now >= to_ || now <= last_ || now < follow_) return;
  if (link_edge) decoded_->step();
  if (now < from_) return;
  last_ = now;
  file_->dump(static_cast<std::uint64_t>(now));
}

void NodeTrace::rest(Picoseconds until) {
  if (last_ < 0 && from_ < until) dump(from_, false);
}

}  // namespace ht::machine
