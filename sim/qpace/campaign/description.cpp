// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/description.hpp"

#include "sim/qpace/campaign/residual.hpp"
#include "sim/qpace/campaign/run.hpp"

extern "C" const ht::campaign::CampaignDescription* hypertorus_campaign() {
  using namespace ht;
  using namespace ht::campaign;
  static const CampaignDescription description{
      .unit = "packets",
      .nodes = "2x2x2",
      .least_nodes = 1,
      .reports_down = true,
      .exception = " but what checksums or a link's report show",
      .caught = "forged packets",
      .excused = "reported",
      .columns = {{Class::Code, "code"},
                  {Class::Framing, "framing"},
                  {Class::Check, "CRC"},
                  {Class::Command, "cmd CRC"},
                  {Class::Gap, "gap"},
                  {Class::Timeout, "timeout"},
                  {Class::Retrain, "retrain"},
                  {Class::Down, "down"},
                  {Class::Harmless, "harmless"},
                  {Class::Undetected, "undetect."},
                  {Class::Caught, "checksum"}},
      .lane_columns = {{Class::Code, "code"},
                       {Class::Framing, "framing"},
                       {Class::Check, "CRC"},
                       {Class::Command, "cmd CRC"},
                       {Class::Retrain, "retrain"},
                       {Class::Down, "down"},
                       {Class::Harmless, "harmless"},
                       {Class::Undetected, "undetect."}},
      // As a packet passes by, not as the alphabet has it.
      .places = {"idle", "header", "payload", "CRC", "command", "hello"},
      .run = run_qpace,
      .instead_option = "--residual",
      .instead = cli::inject_residual,
      .soak_runs = 1000,
  };
  return &description;
}
