// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>

#include "sim/plugin/catalog.hpp"
#include "sim/plugin/options.hpp"

namespace CLI {
class App;
}

namespace ht::cli {

using machine::MachineArguments;
using machine::MachineCatalog;
using machine::MachineDescription;
using machine::MachineOptions;

/// The machine itself, as the first word; without one it is the first of the tree's.
void declare_machine_word(CLI::App& app, std::string& word, const MachineCatalog& catalog);
// Options that several commands share, in groups, to be stored in `arguments`.
void declare_machine_options(CLI::App& app, MachineArguments& arguments,
                             const MachineCatalog& catalog);
/// --set; what is given is for parse_rtl_values().
void declare_set_option(CLI::App& app, std::vector<std::string>& set,
                        const char* group = "Options");
void declare_error_options(CLI::App& app, MachineArguments& arguments,
                           const MachineCatalog& catalog);
void declare_simulation_options(CLI::App& app, MachineArguments& arguments);
/// --kill and --cut, of commands that survive them; checked by check_machine_options().
void declare_loss_options(CLI::App& app, MachineArguments& arguments);
/// --soft-errors, of commands that survive them.
void declare_soft_error_options(CLI::App& app, MachineArguments& arguments);
/// --stop-at, of commands that can end a run at a time.
void declare_stop_option(CLI::App& app, MachineArguments& arguments);
/// Options of machines' own; those that are declared already are left out.
void declare_own_options(CLI::App& app, std::span<const machine::OwnOption> options,
                         machine::OwnArguments& arguments);

/// Reads and checks them for the subcommand `command`. Throws UsageError naming the option and the
/// remedy.
MachineOptions check_machine_options(const std::string& command, const MachineArguments& arguments,
                                     const MachineCatalog& catalog);

/// "A, B or C": names of all machines.
std::string machine_names(const MachineCatalog& catalog);

}  // namespace ht::cli
