// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/campaign/campaign.hpp"
#include "sim/cli/inject/inject_report.hpp"
#include "sw/host/held_file.hpp"

namespace ht::cli {

/// What `inject --resume FILE` and `--soak FILE` keep: finished runs and their sums. It is
/// rewritten as a whole, at most once a second, so that it holds a state of the campaign whatever
/// ends the program. A file belongs to a machine, its nodes, seed and options, and a build of the
/// program.
class CampaignFile {
 public:
  /// Of its layout.
  static constexpr int version = 2;

  /// `option`: that names them. `files`: the first is written, and need not exist yet; the others
  /// are added to it. Throws DataError if one cannot be used, UsageError if it is of another
  /// campaign or build, or has runs that this campaign has not or that another file has too, and
  /// DataError while another process has the first.
  CampaignFile(const InjectSetup& setup, std::string option, const std::vector<std::string>& files);

  /// What was read.
  const campaign::CampaignResult& so_far() const { return so_far_; }
  /// Writes it, unless that was done less than a second ago. Throws DataError.
  void save(const campaign::CampaignResult& result);
  void save_now(const campaign::CampaignResult& result);

 private:
  void read(const std::string& file);

  const InjectSetup& setup_;
  std::string option_, file_;
  host::HeldFile held_;
  nlohmann::ordered_json campaign_;  ///< what it belongs to
  campaign::CampaignResult so_far_;
  std::vector<std::pair<std::string, campaign::NumberRanges>> read_;
  std::chrono::steady_clock::time_point saved_;
};

}  // namespace ht::cli
