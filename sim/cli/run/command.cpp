// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run/command.hpp"

#include "sim/cli/run/run_command.hpp"
#include "sim/cli/run/run_options.hpp"

namespace ht::cli {
namespace {

class RunCommand final : public Command {
 public:
  void declare(CLI::App& app, const machine::MachineCatalog& catalog) override {
    catalog_ = &catalog;
    declare_run_options(app, arguments_, catalog);
  }
  bool spreads() const override { return true; }
  int run(Session& session) override {
    return run_command(check_run_options(arguments_, *catalog_), session);
  }

 private:
  RunArguments arguments_;
  const machine::MachineCatalog* catalog_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> make_run_command() {
  return std::make_unique<RunCommand>();
}

}  // namespace ht::cli
