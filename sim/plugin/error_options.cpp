// SPDX-License-Identifier: Apache-2.0
#include "sim/plugin/error_options.hpp"

#include <fmt/format.h>

#include "sim/plugin/description.hpp"
#include "sim/plugin/parse.hpp"

namespace ht::machine {
namespace {

constexpr int most_errors = 1'000'000;

}  // namespace

int default_count(sim::ErrorKind kind, const MachineTraits& machine) {
  const auto& counted = sim::error_kind(kind).counted;
  return counted && counted->machine_default ? machine.bursts : 0;
}

CableErrors check_error_options(const ErrorArguments& a, const MachineTraits& machine) {
  CableErrors errors;
  errors.bit_error_rate = a.bit_error_rate.value_or(machine.bit_error_rate);
  require(
      errors.bit_error_rate >= 0 && errors.bit_error_rate <= 0.5, "--ber", errors.bit_error_rate,
      "a bit error rate lies in 0..0.5, as in 1e-6; a line that is wrong more often is one whose "
      "wires are swapped");
  for (const auto& kind : sim::error_kinds()) {
    if (!kind.counted) continue;
    const std::string option = fmt::format("--{}", kind.counted->option);
    int& count = errors[kind.kind].count;
    count =
        a.count[static_cast<std::size_t>(kind.kind)].value_or(default_count(kind.kind, machine));
    require(count >= 0 && count <= most_errors, option.c_str(), count, "a count of errors from 0");
    if (count > 0)
      sim::require_lanes(kind.kind, machine.lanes, fmt::format("{} {}", option, count));
  }
  for (const auto& kind : sim::error_kinds()) {
    if (!kind.counted || kind.counted->size.option == nullptr) continue;
    const sim::CountedError::Size& size = kind.counted->size;
    const std::int64_t value = a.size[static_cast<std::size_t>(kind.kind)].value_or(size.value);
    require(value >= size.least && value <= size.most, fmt::format("--{}", size.option).c_str(),
            value, size.remedy);
    errors[kind.kind].size = value;
  }
  errors.until = errors.from + parse_time("--error-span", a.span);
  return errors;
}

std::vector<std::pair<std::string, std::int64_t>> settings(const CableErrors& errors) {
  std::vector<std::pair<std::string, std::int64_t>> values;
  for (const auto& kind : sim::error_kinds()) {
    if (!kind.counted) continue;
    values.emplace_back(kind.counted->option, errors[kind.kind].count);
    if (kind.counted->size.key != nullptr)
      values.emplace_back(kind.counted->size.key, errors[kind.kind].size);
  }
  values.emplace_back("error_span_ps", errors.until - errors.from);
  return values;
}

std::string describe(const CableErrors& errors) {
  using Listed = sim::CountedError::Listed;
  std::string text = fmt::format("bit error rate {}", errors.bit_error_rate);
  for (const auto& kind : sim::error_kinds()) {
    if (!kind.counted || kind.counted->listed == Listed::Never) continue;
    const int count = errors[kind.kind].count;
    if (count > 0 || kind.counted->listed == Listed::Always)
      text += fmt::format(", {} {}", count, kind.counted->option);
  }
  return text;
}

}  // namespace ht::machine
