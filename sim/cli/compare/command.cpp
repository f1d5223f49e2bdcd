// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/command.hpp"
#include "sim/cli/compare/compare_command.hpp"
#include "sim/cli/compare/compare_options.hpp"

namespace ht::cli {
namespace {

class CompareCommand final : public Command {
 public:
  void declare(CLI::App& app, const machine::MachineCatalog& catalog) override {
    catalog_ = &catalog;
    declare_compare_options(app, arguments_, catalog);
  }
  bool spreads() const override { return true; }
  int run(Session& session) override {
    return compare_command(check_compare_options(arguments_, *catalog_), session);
  }

 private:
  CompareArguments arguments_;
  const machine::MachineCatalog* catalog_ = nullptr;
};

}  // namespace
}  // namespace ht::cli

extern "C" ht::cli::Command* hypertorus_command() {
  static ht::cli::CompareCommand command;
  return &command;
}
