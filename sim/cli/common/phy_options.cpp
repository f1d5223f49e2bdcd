// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/phy_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "sim/plugin/parse.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

using machine::choose;
using machine::lanes_parameter;
using machine::parse_time;
using machine::PhyArguments;

// What says more of lanes, as it was given.
std::array<std::pair<const char*, const std::string*>, 5> details(const PhyArguments& a) {
  return {{{"--lanes", &a.lanes},
           {"--ppm", &a.ppm},
           {"--lane-skew", &a.skew},
           {"--lane-jitter", &a.jitter},
           {"--lane-drift", &a.drift}}};
}

std::int64_t parse_ppm(const std::string& text) {
  double ppm = 300;
  if (!text.empty()) {
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, ppm);
    if (error != std::errc() || end != last || !(ppm >= 0 && ppm <= 300))
      throw UsageError(fmt::format(
          "--ppm {}: write a number from 0 to 300; lanes make up for clocks that differ by 600",
          text));
  }
  return std::llround(ppm * 1000);
}

}  // namespace

void declare_phy_options(CLI::App& app, PhyArguments& a, const char* group) {
  app.add_option("--phy", a.phy,
                 "wires: cables carry the links' own line code; lanes: the lanes' Verilog stands "
                 "between each link and its cable, which carries bits")
      ->capture_default_str()
      ->group(group);
  app.add_option("--lanes", a.lanes,
                 "of a cable with --phy lanes: 1, 2, 4 or 8, at most a byte of a word each")
      ->group(group);
  app.add_option("--ppm", a.ppm,
                 "with lanes: each node's oscillator is off by up to this, drawn (default 300)")
      ->group(group);
  app.add_option("--lane-skew", a.skew,
                 "up to this delay is added to each lane, drawn (default 8ns)")
      ->group(group);
  app.add_option("--lane-jitter", a.jitter,
                 "up to this delay is added to each word of a lane, drawn (default 100ps)")
      ->group(group);
  app.add_option("--lane-drift", a.drift,
                 "by this a lane's delay grows and shrinks in 100 us (default 500ps)")
      ->group(group);
}

std::optional<machine::Phy> check_phy_options(const PhyArguments& a,
                                              const machine::MachineDescription& type,
                                              machine::RtlValues& set) {
  const machine::MachineTraits& traits = type.traits();
  const bool lanes = choose("--phy", a.phy, {"wires", "lanes"}) == "lanes";
  for (const auto& [option, value] : details(a)) {
    if (!lanes && !value->empty())
      throw UsageError(
          fmt::format("{} {}: no effect without lanes; add --phy lanes", option, *value));
  }
  if (set.contains(lanes_parameter))
    throw UsageError("--set LANES: --phy lanes sets it, and --lanes says how many; leave it out");
  if (!lanes) return std::nullopt;
  if (traits.lane_bytes == 0)
    throw UsageError(fmt::format("--phy lanes: the links of {} stand before no lanes; leave it out",
                                 traits.title));
  machine::Phy phy;
  phy.lanes.shape = {traits.lane_bytes, traits.lanes};
  if (!a.lanes.empty()) {
    const std::string count = choose("--lanes", a.lanes, {"1", "2", "4", "8"});
    phy.lanes.shape.lanes = static_cast<unsigned>(count[0] - '0');
    if (phy.lanes.shape.lanes > traits.lane_bytes)
      throw UsageError(fmt::format("--lanes {}: a word of {} has {} bytes; take {} lanes at most",
                                   a.lanes, traits.title, traits.lane_bytes, traits.lane_bytes));
  }
  phy.lanes.skew = parse_time("--lane-skew", a.skew.empty() ? "8ns" : a.skew);
  if (phy.lanes.skew > 1'000'000)
    throw UsageError(fmt::format("--lane-skew {}: a cable and its lanes take 1us at most", a.skew));
  phy.lanes.jitter = parse_time("--lane-jitter", a.jitter.empty() ? "100ps" : a.jitter);
  phy.lanes.drift = parse_time("--lane-drift", a.drift.empty() ? "500ps" : a.drift);
  phy.most_off = parse_ppm(a.ppm);
  const auto parameters = type.rtl_parameters();
  if (std::ranges::any_of(parameters, [](const machine::RtlParameter& p) {
        return p.name == std::string_view(lanes_parameter);
      }))
    set[lanes_parameter] = static_cast<long>(phy.lanes.shape.lanes);
  return phy;
}

std::string phy_words(const PhyArguments& a) {
  if (a.phy != "lanes") return {};
  std::string words = " --phy lanes";
  for (const auto& [option, value] : details(a)) {
    if (!value->empty()) words += fmt::format(" {} {}", option, *value);
  }
  return words;
}

nlohmann::ordered_json phy_json(const std::optional<machine::Phy>& phy) {
  if (!phy) return "wires";
  return {{"lanes", phy->lanes.shape.lanes},
          {"most_off_ppb", phy->most_off},
          {"skew_ps", phy->lanes.skew},
          {"jitter_ps", phy->lanes.jitter},
          {"drift_ps", phy->lanes.drift}};
}

}  // namespace ht::cli
