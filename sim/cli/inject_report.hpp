// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "sim/campaign/campaign.hpp"
#include "sim/campaign/trouble.hpp"

namespace ht::cli {

/// What differs between machines in what a campaign shows.
struct InjectMachine {
  struct Column {
    campaign::Class of;
    const char* heading;
  };
  const char* name;  ///< "qpace"
  const char* unit;  ///< "packets"
  std::vector<Column> columns;
  std::vector<const char*> places;  ///< rows by what was on the line; empty: not known
};
const InjectMachine& inject_machine_qpace();
const InjectMachine& inject_machine_qcdoc();

/// A checked campaign.
struct InjectSetup {
  const InjectMachine* machine = nullptr;
  std::vector<int> shape;
  std::uint64_t seed = 1;
  unsigned forged_every = 0;
  std::vector<campaign::Trouble> troubles;
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
