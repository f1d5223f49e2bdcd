// SPDX-License-Identifier: Apache-2.0
#include "sim/plugin/rtl_parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "sim/output/exit_codes.hpp"
#include "sim/plugin/description.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/nearest.hpp"

namespace ht::machine {
namespace {

const RtlParameter& find(const MachineDescription& machine, const RtlParameters& known,
                         const std::string& name) {
  const auto it = std::ranges::find(known, name, &RtlParameter::name);
  if (it != known.end()) return *it;
  std::vector<std::string> names;
  for (const RtlParameter& p : known) names.emplace_back(p.name);
  if (names.empty())
    throw UsageError(fmt::format("--set {}: {} has no parameters to be set; leave it out", name,
                                 machine.name()));
  throw UsageError(fmt::format("--set {}: {} has no such parameter; it has {}{}", name,
                               machine.name(), fmt::join(names, ", "),
                               host::did_you_mean(name, names)));
}

}  // namespace

bool RtlParameter::takes(long value) const {
  if (!values.empty()) return std::ranges::find(values, value) != values.end();
  return value >= least && value <= most && (value - least) % step == 0;
}

std::string RtlParameter::choice() const {
  if (values.empty())
    return fmt::format("{} to {}{}", least, most,
                       step > 1 ? fmt::format(" in steps of {}", step) : "");
  return fmt::format("{} or {}", fmt::join(values.begin(), values.end() - 1, ", "), values.back());
}

RtlValues parse_rtl_values(const MachineDescription& machine,
                           const std::vector<std::string>& words) {
  RtlValues values;
  const RtlParameters known = machine.rtl_parameters();
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const RtlParameter& parameter = find(machine, known, name);
    long value = 0;
    const std::string text = equals == std::string::npos ? "" : word.substr(equals + 1);
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (text.empty() || error != std::errc() || stop != end)
      throw UsageError(fmt::format("--set {}: write a whole number, as in --set {}={}", word, name,
                                   parameter.usual));
    if (!parameter.takes(value))
      throw cli::RefusedError(
          fmt::format("--set {}: the hardware of {} cannot be built so; {} may be {}", word,
                      machine.name(), name, parameter.choice()));
    if (!values.emplace(name, value).second)
      throw UsageError(fmt::format("--set {}: {} is set twice; leave one out", word, name));
  }
  return values;
}

RtlValues unusual(const MachineDescription& machine, const RtlValues& values) {
  RtlValues left = values;
  for (const RtlParameter& p : machine.rtl_parameters()) {
    const auto it = left.find(p.name);
    if (it != left.end() && it->second == p.usual) left.erase(it);
  }
  return left;
}

std::string to_string(const RtlValues& values) {
  std::vector<std::string> words;
  for (const auto& [name, value] : values) words.push_back(fmt::format("{}={}", name, value));
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace ht::machine
