// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <deque>

#include "sim/cli/common/command.hpp"
#include "sim/cli/inject/inject_command.hpp"

namespace ht::cli {
namespace {

class InjectCommand final : public Command {
 public:
  void declare(CLI::App& app, const machine::MachineCatalog& catalog) override {
    catalog_ = &catalog;
    app.require_subcommand(1);
    for (const machine::MachineDescription* machine : catalog.machines()) {
      if (machine->campaign().empty()) continue;
      Campaign& c = campaigns_.emplace_back();
      c.machine = machine;
      c.app = app.add_subcommand(machine->name(), machine->campaign());
      declare_inject_options(*c.app, c.arguments, *machine);
    }
  }
  bool spreads() const override { return true; }
  int run(Session& session) override {
    for (Campaign& c : campaigns_) {
      if (!*c.app) continue;
      for (const CLI::Option* option : c.app->get_options()) {
        if (option->count() > 0) c.arguments.given.push_back(option->get_name());
      }
      return inject_command(c.arguments, *c.machine, *catalog_, session);
    }
    return 0;
  }

 private:
  struct Campaign {
    const machine::MachineDescription* machine = nullptr;
    CLI::App* app = nullptr;
    InjectArguments arguments;
  };
  std::deque<Campaign> campaigns_;  // options refer to the arguments: they must not move
  const machine::MachineCatalog* catalog_ = nullptr;
};

}  // namespace
}  // namespace ht::cli

extern "C" ht::cli::Command* hypertorus_command() {
  static ht::cli::InjectCommand command;
  return &command;
}
