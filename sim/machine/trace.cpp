// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/trace.hpp"

#include <Vqpace_nwp.h>
#include <fmt/format.h>
#include <verilated_fst_c.h>

#include <fstream>

#include "sw/host/errors.hpp"

namespace ht::machine {

NodeTrace::NodeTrace(Vqpace_nwp& top, const std::string& file, Picoseconds from, Picoseconds to)
    : file_(std::make_unique<VerilatedFstC>()), from_(from), to_(to) {
  // Verilator's writer does not say why it failed, so try the file first.
  if (!std::ofstream(file))
    throw DataError(
        fmt::format("cannot write the trace {}: does its folder exist, and is it "
                    "writable?",
                    file));
  file_->set_time_unit("1ps");
  file_->set_time_resolution("1ps");
  constexpr int all_levels = 99;
  top.trace(file_.get(), all_levels);
  file_->open(file.c_str());
  if (!file_->isOpen()) throw DataError(fmt::format("cannot open the trace {}", file));
}

NodeTrace::~NodeTrace() {
  file_->close();
}

void NodeTrace::dump(Picoseconds now) {
  if (now < from_ || now >= to_ || now <= last_) return;
  last_ = now;
  file_->dump(static_cast<std::uint64_t>(now));
}

}  // namespace ht::machine
