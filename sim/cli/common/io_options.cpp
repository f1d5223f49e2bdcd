// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/io_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "sim/cli/common/machine_options.hpp"
#include "sim/plugin/parse.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {

void declare_io_options(CLI::App& app, IoArguments& a, bool with_ethernet) {
  const char* group = "Serial lines and Ethernet";
  app.add_flag("--console", a.console, "show what nodes write to their serial port")->group(group);
  if (!with_ethernet) return;
  app.add_option("--load", a.load, "job and field: from memory, or read over ethernet")
      ->capture_default_str()
      ->group(group);
  app.add_option("--ethernet-ber", a.ethernet_ber, "bit error rate of the Ethernet cables")
      ->capture_default_str()
      ->group(group);
  app.add_option("--ethernet-pcap", a.ethernet_pcap, "write its frames to FILE for Wireshark")
      ->group(group);
}

IoOptions check_io_options(const IoArguments& a, const machine::MachineOptions& machine) {
  IoOptions o;
  o.ethernet = ht::machine::choose("--load", a.load, {"memory", "ethernet"}) == "ethernet";
  o.console = a.console;
  if ((o.ethernet || o.console) && !machine.rtl)
    throw UsageError(
        fmt::format("{}: the functional network has no such hardware; use --network rtl",
                    o.ethernet ? "--load ethernet" : "--console"));
  if ((o.ethernet && !machine.type->has_ethernet()) || (o.console && !machine.type->has_console()))
    throw UsageError(
        fmt::format("{}: {} has no such hardware here; take another machine, or leave "
                    "it out",
                    o.ethernet ? "--load ethernet" : "--console", machine.type->name()));
  if (!(a.ethernet_ber >= 0 && a.ethernet_ber <= 1e-3))
    throw UsageError(fmt::format(
        "--ethernet-ber {}: must lie in 0..1e-3; at 1e-5 half of the long frames are lost",
        a.ethernet_ber));
  if (!o.ethernet && (a.ethernet_ber > 0 || !a.ethernet_pcap.empty()))
    throw UsageError("--ethernet-ber and --ethernet-pcap need --load ethernet");
  o.ethernet_ber = a.ethernet_ber;
  o.ethernet_pcap = a.ethernet_pcap;
  return o;
}

}  // namespace ht::cli
