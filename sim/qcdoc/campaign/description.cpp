// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/description.hpp"

#include "sim/qcdoc/campaign/run.hpp"
#include "sim/qcdoc/campaign/scenario.hpp"
#include "sw/host/errors.hpp"

extern "C" const ht::campaign::CampaignDescription* hypertorus_campaign() {
  using namespace ht;
  using namespace ht::campaign;
  static const CampaignDescription description{
      .unit = "words",
      .nodes = "2x2x2",
      .least_nodes = 2,
      .reports_down = true,
      .exception = " but what checksums or a link's report show",
      .caught = "of them",
      .excused = "reported",
      .columns = {{Class::Header, "header"},
                  {Class::Parity, "parity"},
                  {Class::Marks, "marks"},
                  {Class::Training, "training"},
                  {Class::Down, "down"},
                  {Class::Harmless, "harmless"},
                  {Class::Passed, "passed"},
                  {Class::Undetected, "undetect."},
                  {Class::Caught, "checksum"}},
      .lane_columns = {{Class::Code, "code"},
                       {Class::Link, "link"},
                       {Class::Down, "down"},
                       {Class::Harmless, "harmless"},
                       {Class::Passed, "passed"},
                       {Class::Undetected, "undetect."},
                       {Class::Caught, "checksum"}},
      .places = {},
      .run = run_qcdoc,
      .check_phy =
          [](const ScenarioOptions& options) {
            if (longest_qcdoc_cable(options) < shortest_cable)
              throw UsageError(
                  "--phy lanes: lanes and a cable together would take longer than the links wait "
                  "for an answer; take less --lane-skew, or a larger --set CABLE_BITS");
          },
      .soak_runs = 760,
  };
  return &description;
}
