// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "sw/host/time.hpp"

namespace ht::cli {

/// The machines that can be simulated.
enum class MachineKind { Qpace, Qcdoc, Tofu };

/// What commands know of a kind of machine without building one.
struct MachineTraits {
  const char* name;          ///< as in commands: "qpace"
  const char* title;         ///< "QPACE"
  std::size_t axes;          ///< at the most
  int links;                 ///< of a node
  std::string (*link)(int);  ///< name of a link: "+x"
  const char* every_cable;   ///< links that reach every cable once, as --pcap-links has them
  const char* nodes;         ///< default of --nodes
  double bit_error_rate;     ///< default of --ber
  int bursts;                ///< default of --bursts
  const char* cable_delay;   ///< default of --cable-delay
  Picoseconds least_delay;   ///< two symbols
  int wire_bits;             ///< of a link, one way, in a period of its clock; uncoded
};

const MachineTraits& traits(MachineKind kind);

/// All of them.
std::span<const MachineKind> machine_kinds();

/// "qpace".
inline const char* name(MachineKind kind) {
  return traits(kind).name;
}

/// The machine that `command` was asked for. Throws UsageError listing those that there are.
MachineKind parse_machine_kind(const std::string& command, const std::string& text);

/// Number of the link of that name, or -1.
int link_number(const MachineTraits& machine, std::string_view name);

}  // namespace ht::cli
