// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/description.hpp"

#include "sim/tofu/campaign/run.hpp"
#include "sim/tofu/campaign/scenario.hpp"

extern "C" const ht::campaign::CampaignDescription* hypertorus_campaign() {
  using namespace ht;
  using namespace ht::campaign;
  static const CampaignDescription description{
      .unit = "results",
      .nodes = "2x2x2",
      .least_nodes = 2,
      .reports_down = true,
      .exception = " but what checksums or a link's report show",
      .caught = "forged packets",
      .excused = "reported",
      .columns = {{Class::Code, "code"},
                  {Class::Framing, "framing"},
                  {Class::Header, "header"},
                  {Class::Check, "CRC"},
                  {Class::Command, "ctrl CRC"},
                  {Class::Gap, "gap"},
                  {Class::Timeout, "timeout"},
                  {Class::Retrain, "retrain"},
                  {Class::Harmless, "harmless"},
                  {Class::Undetected, "undetect."},
                  {Class::Caught, "checksum"},
                  {Class::Down, "down"}},
      .lane_columns = {{Class::Code, "code"},
                       {Class::Framing, "framing"},
                       {Class::Header, "header"},
                       {Class::Check, "CRC"},
                       {Class::Command, "ctrl CRC"},
                       {Class::Retrain, "retrain"},
                       {Class::Harmless, "harmless"},
                       {Class::Undetected, "undetect."},
                       {Class::Down, "down"}},
      .places = {"idle", "header", "payload", "CRC", "command", "hello"},
      .run = run_tofu,
      .check_shape = [](const std::vector<int>& shape) { tofu_shape(shape); },
      .soak_runs = 400,
  };
  return &description;
}
