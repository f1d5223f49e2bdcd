// SPDX-License-Identifier: Apache-2.0
#include "sw/program/program_set.hpp"

#include <errno.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "sw/host/errors.hpp"
#include "sw/host/fibre.hpp"
#include "sw/host/mappings.hpp"

namespace ht::program {
namespace {

namespace fs = std::filesystem;

// A folder of our own, removed with what is in it.
class Folder {
 public:
  Folder() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    std::string name = (parent / "hypertorus-exec-XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr)
      throw DataError("cannot make a temporary folder; set TMPDIR to one that can be written");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// What err() and error() begin their lines with.
void name_process(const std::string& path) {
  static std::string name;
  name = path;
  program_invocation_name = name.data();
  const std::size_t slash = name.rfind('/');
  program_invocation_short_name = name.data() + (slash == std::string::npos ? 0 : slash + 1);
}

}  // namespace

ProgramSet::ProgramSet(const std::string& path, int nodes, RunRecord& record)
    : file_(path),
      record_(record),
      by_rank_(static_cast<std::size_t>(nodes), nullptr),
      guard_([this](const host::Fibre* fibre) -> LoadedProgram* {
        for (const auto& program : programs_) {
          if (program->fibre() == fibre) return program.get();
        }
        return nullptr;
      }) {
  host::Fibre::end_copies(static_cast<int>(ExitCode::Protocol));
  name_process(path);
}

void ProgramSet::load(std::span<const int> ranks) {
  const Folder folder;
  std::size_t before = 0;
  for (const int rank : ranks) {
    // The first one has brought the libraries that all share; the others need as much as the
    // second.
    if (programs_.size() == 1) before = host::mappings();
    if (programs_.size() == 2)
      host::require_mappings(ranks.size(), host::mappings() - before + host::fibre_mappings);
    const fs::path copy = folder.path() / fmt::format("node{}.so", rank);
    std::error_code error;
    if (!fs::copy_file(file_.path(), copy, error))
      throw DataError(
          fmt::format("cannot copy {} to {}, once for each node: {}; set TMPDIR to a folder with "
                      "more room",
                      file_.path(), copy.string(), error.message()));
    programs_.push_back(std::make_unique<LoadedProgram>(rank, file_, copy.string(), record_));
    by_rank_[static_cast<std::size_t>(rank)] = programs_.back().get();
    fs::remove(copy, error);
  }
}

void ProgramSet::stop_on(const std::atomic<bool>& stop) {
  for (const auto& program : programs_) program->stop_on(stop);
}

void ProgramSet::limit_turns(double seconds) {
  for (const auto& program : programs_) program->limit_turns(seconds);
}

std::vector<ProgramState> ProgramSet::states() const {
  std::vector<ProgramState> states;
  for (const auto& program : programs_)
    states.push_back({program->rank(), program->state(), program->exit_code(),
                      program->description(), program->refusals()});
  return states;
}

bool ProgramSet::has_output() const {
  return std::ranges::any_of(programs_,
                             [](const auto& program) { return program->output().has_lines(); });
}

std::vector<OutputLine> ProgramSet::take_output() {
  std::vector<OutputLine> lines;
  for (const auto& program : programs_) {
    auto more = program->output().take();
    std::move(more.begin(), more.end(), std::back_inserter(lines));
  }
  return lines;
}

}  // namespace ht::program
