// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sw/program/crash_guard.hpp"
#include "sw/program/loaded_program.hpp"
#include "sw/program/program_states.hpp"

namespace ht::program {

/// A program on the nodes of a machine that this process simulates.
class ProgramSet {
 public:
  /// Reads the file. Throws DataError if it is no program linked by hypertorus-cc. `record` must
  /// outlive it.
  ProgramSet(const std::string& path, int nodes, RunRecord& record);

  /// Copies the file once for each of these nodes, in ascending order, and loads the copies. They
  /// lie in TMPDIR (or /tmp) and are removed as soon as they are loaded. Throws DataError if they
  /// cannot be made.
  void load(std::span<const int> ranks);

  /// When `stop` is set, programs that do not wait for the network give way. It must outlive this.
  void stop_on(const std::atomic<bool>& stop);

  /// Programs that keep their turn for longer, in seconds of processor time, are ended: exit
  /// code 4. 0: none.
  void limit_turns(double seconds);

  /// How print() does, from now on; see LinePrinter. `folder` is for Files.
  void set_output(OutputStyle style, const std::string& folder) {
    printer_ = LinePrinter(style, folder, size());
  }

  const ProgramFile& file() const { return file_; }
  int size() const { return static_cast<int>(by_rank_.size()); }  ///< nodes, here or not
  bool is_loaded(int rank) const { return by_rank_[static_cast<std::size_t>(rank)] != nullptr; }
  LoadedProgram& operator[](int rank) { return *by_rank_[static_cast<std::size_t>(rank)]; }
  /// What each that is here does, in ascending order.
  std::vector<ProgramState> states() const;

  /// The lines that nodes have written since they were last taken. No node may run meanwhile.
  bool has_output() const;
  std::vector<OutputLine> take_output();
  /// Prints such lines, of whichever process.
  void print(std::vector<OutputLine> lines) { printer_.print(std::move(lines)); }

 private:
  ProgramFile file_;
  RunRecord& record_;
  std::vector<std::unique_ptr<LoadedProgram>> programs_;  ///< those that are here
  std::vector<LoadedProgram*> by_rank_;                   ///< null: not here
  CrashGuard guard_;
  LinePrinter printer_;
};

}  // namespace ht::program
