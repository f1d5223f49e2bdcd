// SPDX-License-Identifier: Apache-2.0
#include "sim/bench/bench_rows.hpp"

#include "sim/output/exit_codes.hpp"

namespace ht::cli {

BenchRows::BenchRows(Results& results, const std::atomic<bool>* stop)
    : results_(results), stop_(stop) {
  results_.add({{"rows", nlohmann::ordered_json::array()}});
}

void BenchRows::add(const std::string& id, double value, const std::string& unit,
                    std::optional<double> paper, std::optional<double> limit) {
  const auto number = [](std::optional<double> v) {
    return v ? nlohmann::ordered_json(*v) : nlohmann::ordered_json(nullptr);
  };
  results_.document()["rows"].push_back({{"id", id},
                                         {"value", value},
                                         {"unit", unit},
                                         {"paper", number(paper)},
                                         {"limit", number(limit)}});
  if (stop_ != nullptr) check_stop(*stop_);
}

}  // namespace ht::cli
