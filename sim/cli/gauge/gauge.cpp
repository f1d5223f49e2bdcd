// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/command.hpp"
#include "sim/cli/gauge/gauge_command.hpp"

namespace ht::cli {
namespace {

class GaugeCommand final : public Command {
 public:
  void declare(CLI::App& app, const machine::MachineCatalog& /*catalog*/) override {
    declare_gauge_options(app, arguments_);
  }
  int run(Session& session) override { return gauge_command(arguments_, session); }

 private:
  GaugeArguments arguments_;
};

}  // namespace
}  // namespace ht::cli

extern "C" ht::cli::Command* hypertorus_command() {
  static ht::cli::GaugeCommand command;
  return &command;
}
