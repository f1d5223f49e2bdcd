// SPDX-License-Identifier: Apache-2.0
#include "sim/bench/bench_rows.hpp"

#include <utility>

#include "sim/output/document.hpp"

namespace ht::cli {

BenchRows::BenchRows(std::string file) : file_(std::move(file)) {
  if (!file_.empty()) check_writable(file_);
}

void BenchRows::add(const std::string& id, double value, const std::string& unit,
                    std::optional<double> paper, std::optional<double> limit) {
  const auto number = [](std::optional<double> v) {
    return v ? nlohmann::ordered_json(*v) : nlohmann::ordered_json(nullptr);
  };
  rows_.push_back({{"id", id},
                   {"value", value},
                   {"unit", unit},
                   {"paper", number(paper)},
                   {"limit", number(limit)}});
}

void BenchRows::write() const {
  if (!file_.empty()) write_document(rows_, file_);
}

}  // namespace ht::cli
