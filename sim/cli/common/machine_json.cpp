// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/machine_json.hpp"

#include <optional>

#include "sim/cli/common/phy_options.hpp"

namespace ht::cli {

using nlohmann::ordered_json;

namespace {

ordered_json noise_json(const std::optional<host::OsNoise>& noise) {
  if (!noise) return nullptr;
  return {{"mean_interval_ps", noise->mean_interval},
          {"shortest_ps", noise->shortest},
          {"longest_ps", noise->longest}};
}

}  // namespace

ordered_json rtl_values_json(const machine::RtlValues& values) {
  ordered_json json = ordered_json::object();
  for (const auto& [name, value] : values) json[name] = value;
  return json;
}

ordered_json losses_json(const machine::Losses& losses, const machine::MachineDescription& type) {
  ordered_json list = ordered_json::array();
  for (const machine::Loss& loss : losses)
    list.push_back({{"node", loss.node},
                    {"link", loss.link ? type.link_name(*loss.link) : ""},
                    {"time_ps", loss.time}});
  return list;
}

ordered_json machine_json(const machine::MachineOptions& o) {
  ordered_json json = {{"machine", o.type->name()},
                       {"network", o.rtl ? "rtl" : "functional"},
                       {"nodes", o.nodes},
                       {"machine_nodes", o.machine},
                       {"set", rtl_values_json(o.set)},
                       {"far", o.far},
                       {"ber", o.errors.bit_error_rate}};
  for (const auto& [key, value] : machine::settings(o.errors)) json[key] = value;
  json.update(
      {{"seed", o.seed},
       {"threads", o.threads},
       {"skip", o.skip_idle},
       {"cable_delay_ps", o.cable_delay},
       {"cable_spread_ps", o.cable_spread},
       {"memory_latency_ps", o.memory_latency},
       {"memory_spread_ps", o.memory_spread},
       {"random_phases", o.random_phases},
       {"random_state", o.random_state},
       {"partition", o.partition},
       {"partitions", o.partitions},
       {"phy", phy_json(o.phy)},
       {"noise", noise_json(o.noise)},
       {"losses", losses_json(o.losses, *o.type)},
       {"soft_errors", {{"rate", o.soft_errors.rate}, {"two_bits", o.soft_errors.two_bits}}}});
  for (const machine::Setting& setting : o.type->settings(o))
    json[setting.key] = ordered_json::parse(setting.json);
  return json;
}

}  // namespace ht::cli
