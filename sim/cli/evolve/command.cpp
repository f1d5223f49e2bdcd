// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/command.hpp"
#include "sim/cli/evolve/evolve_command.hpp"
#include "sim/cli/evolve/evolve_options.hpp"

namespace ht::cli {
namespace {

class EvolveCommand final : public Command {
 public:
  void declare(CLI::App& app, const machine::MachineCatalog& catalog) override {
    catalog_ = &catalog;
    declare_evolve_options(app, arguments_, catalog);
  }
  int run(Session& session) override {
    return evolve_command(check_evolve_options(arguments_, *catalog_), session);
  }

 private:
  EvolveArguments arguments_;
  const machine::MachineCatalog* catalog_ = nullptr;
};

}  // namespace
}  // namespace ht::cli

extern "C" ht::cli::Command* hypertorus_command() {
  static ht::cli::EvolveCommand command;
  return &command;
}
