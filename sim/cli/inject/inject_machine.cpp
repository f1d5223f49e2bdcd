// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/inject/inject_machine.hpp"

#include "sim/qcdoc/campaign/run.hpp"
#include "sim/qpace/campaign/run.hpp"
#include "sim/tofu/campaign/run.hpp"

namespace ht::cli {

using campaign::Class;

const InjectMachine& inject_machine_qpace() {
  static const InjectMachine machine{
      .kind = MachineKind::Qpace,
      .unit = "packets",
      .nodes = "2x1x1",
      .least_nodes = 1,
      .gives_up = false,
      .but = "",
      .caught = "forged packets",
      .told = "forged",
      .columns = {{Class::Code, "code"},
                  {Class::Framing, "framing"},
                  {Class::Check, "CRC"},
                  {Class::Command, "cmd CRC"},
                  {Class::Gap, "gap"},
                  {Class::Timeout, "timeout"},
                  {Class::Retrain, "retrain"},
                  {Class::Harmless, "harmless"},
                  {Class::Undetected, "undetect."},
                  {Class::Caught, "checksum"}},
      // As a packet passes by, not as the alphabet has it.
      .places = {"idle", "header", "payload", "CRC", "command", "hello"},
      .run = campaign::run_qpace,
  };
  return machine;
}

const InjectMachine& inject_machine_qcdoc() {
  static const InjectMachine machine{
      .kind = MachineKind::Qcdoc,
      .unit = "words",
      .nodes = "2",
      .least_nodes = 2,
      .gives_up = true,
      .but = " but what checksums or a link's report tell",
      .caught = "of them",
      .told = "told of",
      .columns = {{Class::Header, "header"},
                  {Class::Parity, "parity"},
                  {Class::Marks, "marks"},
                  {Class::Training, "training"},
                  {Class::Down, "down"},
                  {Class::Harmless, "harmless"},
                  {Class::Passed, "passed"},
                  {Class::Undetected, "undetect."},
                  {Class::Caught, "checksum"}},
      .places = {},
      .run = campaign::run_qcdoc,
  };
  return machine;
}

const InjectMachine& inject_machine_tofu() {
  static const InjectMachine machine{
      .kind = MachineKind::Tofu,
      .unit = "results",
      .nodes = "2x1x1x2x1x1",
      .least_nodes = 2,
      .gives_up = false,
      .but = "",
      .caught = "forged packets",
      .told = "of forged packets",
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
                  {Class::Caught, "checksum"}},
      .places = {"idle", "header", "payload", "CRC", "command", "hello"},
      .run = campaign::run_tofu,
  };
  return machine;
}

}  // namespace ht::cli
