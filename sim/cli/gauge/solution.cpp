// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/command.hpp"
#include "sim/cli/gauge/solution_command.hpp"

namespace ht::cli {
namespace {

class SolutionCommand final : public Command {
 public:
  void declare(CLI::App& app, const machine::MachineCatalog& /*catalog*/) override {
    declare_solution_options(app, arguments_);
  }
  bool stops_in_order() override { return false; }
  int run(Session& session) override { return solution_command(arguments_, session.results); }

 private:
  SolutionArguments arguments_;
};

}  // namespace
}  // namespace ht::cli

extern "C" ht::cli::Command* hypertorus_command() {
  static ht::cli::SolutionCommand command;
  return &command;
}
