// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "sim/campaign/campaign.hpp"
#include "sim/campaign/description.hpp"
#include "sim/campaign/shrink.hpp"
#include "sim/plugin/description.hpp"

namespace ht::cli {

/// A checked campaign.
struct InjectSetup {
  const machine::MachineDescription* type = nullptr;
  const campaign::CampaignDescription* machine = nullptr;
  campaign::ScenarioOptions scenario;
  campaign::CampaignOptions campaign;
  std::string nodes;
  std::string again;  ///< the command that repeats a run, but for --replay RUN
};

/// What a campaign prints and writes.
class InjectReport {
 public:
  InjectReport(const InjectSetup& setup, bool quiet) : setup_(setup), quiet_(quiet) {}

  void print_setup() const;
  /// `before`: runs of the result that an earlier start did; `shrunk`: the first run that failed,
  /// made smaller, or null.
  void print(const campaign::CampaignResult& result, std::uint64_t before, double seconds,
             const campaign::Shrunk* shrunk = nullptr) const;
  /// What `--json` writes of it.
  nlohmann::ordered_json document(const campaign::CampaignResult& result, double seconds,
                                  const campaign::Shrunk* shrunk = nullptr) const;

 private:
  std::string verdict(const campaign::CampaignResult& result) const;
  void print_detection(const campaign::Tally& tally) const;
  void print_shrunk(const campaign::Shrunk& shrunk) const;
  std::string command_of(const campaign::Shrunk& shrunk) const;
  void print_head(const char* what) const;
  void print_row(const std::string& name, const campaign::Classes& classes) const;

  const InjectSetup& setup_;
  bool quiet_;
};

}  // namespace ht::cli
