// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/command.hpp"
#include "sim/cli/exec/exec_command.hpp"

namespace ht::cli {
namespace {

class ExecCommand final : public Command {
 public:
  void declare(CLI::App& app, const machine::MachineCatalog& catalog) override {
    catalog_ = &catalog;
    declare_exec_options(app, arguments_, catalog);
  }
  std::vector<std::string>* program() override { return &arguments_.command; }
  // The functional network has nothing to end in order.
  bool stops_in_order() override { return arguments_.network != "functional"; }
  bool spreads() const override { return true; }
  int run(Session& session) override {
    const ExecOptions options = check_exec_options(arguments_, *catalog_);
    catalog_->export_symbols();  // what machines add to what programs can call
    return exec_command(options, session);
  }

 private:
  ExecArguments arguments_;
  const machine::MachineCatalog* catalog_ = nullptr;
};

}  // namespace
}  // namespace ht::cli

extern "C" ht::cli::Command* hypertorus_command() {
  static ht::cli::ExecCommand command;
  return &command;
}
