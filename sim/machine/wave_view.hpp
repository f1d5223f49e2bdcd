// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <vector>

#include "sim/machine/decoded_signals.hpp"
#include "sim/machine/trace.hpp"

namespace ht::machine {

/// How GTKWave shows a signal.
enum class Shown : std::uint8_t { Bit, Hexadecimal };

/// A signal of the Verilog that a save file shows: "pw_in_addr[31:0]".
struct ShownSignal {
  const char* name;
  Shown as;
};

/// Which signals of a node's Verilog a save file shows. A link's are those of the instance `link`
/// in block g_link[i] of module `top`.
struct WaveLayout {
  const char* top;
  std::span<const ShownSignal> clocks;  ///< the node's pins, first of all
  std::span<const ShownSignal> link;
  std::span<const ShownSignal> ports;  ///< the node's other pins, in a closed group
};

/// Writes NAME.gtkw, a GTKWave save file for NAME.fst: a group for each of `links`, closed ones for
/// the node's ports, enumerations shown by name. Names only signals the wave file has. Format:
/// GTKWave's manual, and the trace flags of its analyzer.h. Throws DataError.
void write_wave_view(const std::string& name, const std::string& node, const WaveLayout& layout,
                     const DecodedSignals& decoded, const std::vector<int>& links,
                     const TraceOptions& options, std::span<const std::string> cables);

}  // namespace ht::machine
