// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/report/report_library.hpp"

#include "sim/plugin/catalog.hpp"

namespace ht::cli {

const ReportLibrary* report_library() {
  const machine::Plugin plugin(machine::MachineCatalog::folder() / "hypertorus-report.so");
  return plugin.object<const ReportLibrary>("hypertorus_report");
}

}  // namespace ht::cli
