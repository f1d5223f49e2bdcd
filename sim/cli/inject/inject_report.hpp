// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "sim/campaign/campaign.hpp"
#include "sim/campaign/description.hpp"
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
  /// With an empty name nothing is written. Throws DataError if `file` could not be.
  InjectReport(std::string file, const InjectSetup& setup, bool quiet);

  void print_setup() const;
  void print(const campaign::CampaignResult& result, double seconds) const;
  /// Throws DataError.
  void write(const campaign::CampaignResult& result, double seconds) const;

 private:
  std::string verdict(const campaign::CampaignResult& result) const;
  void print_head(const char* what) const;
  void print_row(const std::string& name, const campaign::Classes& classes) const;

  std::string file_;
  const InjectSetup& setup_;
  bool quiet_;
};

}  // namespace ht::cli
