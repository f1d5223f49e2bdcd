// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "sim/cli/common/command.hpp"
#include "sim/cli/pair/pair_report.hpp"

namespace ht::cli {
namespace {

class ReportCommand final : public Command {
 public:
  void declare(CLI::App& app, const machine::MachineCatalog& /*catalog*/) override {
    app.add_option("a", arguments_.a, "written by --json of run or exec")
        ->required()
        ->type_name("A");
    app.add_option("b", arguments_.b, "likewise")->required()->type_name("B");
    app.add_option("--rows", arguments_.rows, "links, and pairs of nodes, in each table")
        ->capture_default_str();
    app.add_option("--json", arguments_.json, "write the numbers to FILE");
  }
  bool stops_in_order() override { return false; }
  int run(Session& session) override { return pair_report(arguments_, session.results); }

 private:
  PairArguments arguments_;
};

}  // namespace
}  // namespace ht::cli

extern "C" ht::cli::Command* hypertorus_command() {
  static ht::cli::ReportCommand command;
  return &command;
}
