// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/cli/sweep/sweep_file.hpp"

namespace ht::cli {

/// One process of a sweep. FOLDER/runs/STEP-HASH.json is there once it has ended: `words`,
/// `inputs`, `exit_code`, `error` (its last words on standard error), `seconds`, and `result`, the
/// JSON that it wrote. The hash is over words, the program's build and the machines' hardware; of a
/// program of the user's, over its file, or an interpreter's and the script's behind it. Which
/// files that its words name are inputs shows when it runs: those that it leaves as they were,
/// which are in `inputs` with fingerprints.
struct SweepRun {
  const Sweep::Step* step = nullptr;
  std::vector<std::string> words;
  std::filesystem::path stem;                  ///< of its files
  std::map<std::string, std::uint64_t> files;  ///< that it may read; as they were before
  nlohmann::ordered_json document;             ///< null: not yet run
  bool kept = false;                           ///< it was there before

  int exit_code() const { return document.is_null() ? -1 : document.at("exit_code").get<int>(); }
  bool good() const { return exit_code() == 0; }
};

/// All that a sweep runs, and which points share what.
class SweepRuns {
 public:
  /// Looks into `folder` for what is done already. Throws DataError.
  SweepRuns(const Sweep& sweep, std::filesystem::path folder);

  const std::vector<SweepPoint>& points() const { return points_; }
  const std::vector<SweepRun>& runs() const { return runs_; }
  /// The run of step `step` at point `point`.
  const SweepRun& at(std::size_t point, std::size_t step) const {
    return runs_[of_point_[point][step]];
  }

  /// Runs what is missing or failed, `jobs` at a time. Throws InterruptedError once `stop` is set;
  /// what was complete by then is kept.
  void run(int jobs, bool quiet, const std::atomic<bool>& stop);

 private:
  std::uint64_t fingerprint_of(const std::filesystem::path& file);
  std::uint64_t hash_of(const Sweep::Step& step, const std::vector<std::string>& words);
  void look();  ///< for runs that are there
  std::size_t index_of(const Sweep::Step& step, const SweepPoint& point);
  void finish(SweepRun& run, int code, double seconds) const;

  const Sweep& sweep_;
  std::filesystem::path folder_;
  std::vector<SweepPoint> points_;
  std::vector<SweepRun> runs_;
  std::vector<std::vector<std::size_t>> of_point_;
  std::map<std::filesystem::path, std::uint64_t> fingerprints_;  ///< of files, read once
};

}  // namespace ht::cli
