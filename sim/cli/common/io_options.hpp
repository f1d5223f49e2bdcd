// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace CLI {
class App;
}

namespace ht::machine {
struct MachineOptions;
}

namespace ht::cli {

/// What is to go over serial lines and Ethernet, as text.
struct IoArguments {
  std::string load = "memory";
  double ethernet_ber = 0;
  std::string ethernet_pcap;
  bool console = false;
};

/// The same, read and checked.
struct IoOptions {
  bool ethernet = false;      ///< job and field are read over Ethernet
  double ethernet_ber = 0;    ///< bit error rate on its cables
  std::string ethernet_pcap;  ///< file for its frames, or empty
  bool console = false;       ///< what nodes write to their serial port is shown
};

/// Declares them on `app`; without `with_ethernet` only the console.
void declare_io_options(CLI::App& app, IoArguments& arguments, bool with_ethernet);

/// Reads and checks them. Throws UsageError naming the option and the remedy.
IoOptions check_io_options(const IoArguments& arguments, const machine::MachineOptions& machine);

}  // namespace ht::cli
