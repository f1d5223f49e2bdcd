// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <string>
#include <vector>

#include "sim/machine/trace.hpp"

namespace ht::machine {

/// Writes NAME.gtkw, a GTKWave save file for NAME.fst: a group for each of `links`, closed ones for
/// the node's ports, enumerations shown by name. Names only signals the wave file has. Format:
/// GTKWave's manual, and the trace flags of its analyzer.h. Throws DataError.
void write_wave_view(const std::string& name, const std::string& node,
                     const std::vector<int>& links, const TraceOptions& options,
                     const std::array<std::string, 6>& cables);

}  // namespace ht::machine
