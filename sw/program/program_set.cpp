// SPDX-License-Identifier: Apache-2.0
#include "sw/program/program_set.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "sw/host/errors.hpp"

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

}  // namespace

ProgramSet::ProgramSet(const std::string& path, int nodes, RunRecord& record)
    : file_(path), guard_([this](const host::Fibre* fibre) -> LoadedProgram* {
        for (const auto& program : programs_) {
          if (program->fibre() == fibre) return program.get();
        }
        return nullptr;
      }) {
  const Folder folder;
  for (int rank = 0; rank < nodes; ++rank) {
    const fs::path copy = folder.path() / fmt::format("node{}.so", rank);
    std::error_code error;
    if (!fs::copy_file(path, copy, error))
      throw DataError(
          fmt::format("cannot copy {} to {}, once for each node: {}; set TMPDIR to a folder with "
                      "more room",
                      path, copy.string(), error.message()));
    programs_.push_back(std::make_unique<LoadedProgram>(rank, file_, copy.string(), record));
    fs::remove(copy, error);
  }
}

void ProgramSet::stop_on(const std::atomic<bool>& stop) {
  for (const auto& program : programs_) program->stop_on(stop);
}

void ProgramSet::limit_turns(double seconds) {
  for (const auto& program : programs_) program->limit_turns(seconds);
}

std::vector<int> ProgramSet::exit_codes() const {
  std::vector<int> codes;
  for (const auto& program : programs_) codes.push_back(program->exit_code());
  return codes;
}

void ProgramSet::print_output(const std::function<void()>& first) {
  std::vector<OutputLine> lines;
  for (const auto& program : programs_) {
    auto more = program->output().take();
    std::move(more.begin(), more.end(), std::back_inserter(lines));
  }
  if (first && !lines.empty()) first();
  printer_.print(std::move(lines));
}

std::vector<ProgramSet::Group> ProgramSet::groups(
    const std::function<bool(const LoadedProgram&)>& which) const {
  std::vector<Group> groups;
  for (const auto& program : programs_) {
    if (!which(*program)) continue;
    const std::string description = program->description();
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& g) { return g.description == description; });
    if (group == groups.end()) group = groups.insert(group, {description, {}});
    group->ranks.push_back(program->rank());
  }
  return groups;
}

std::string ProgramSet::states(bool crashed) const {
  std::string text;
  for (const Group& group : groups([&](const LoadedProgram& p) {
         return crashed || p.state() != LoadedProgram::State::Crashed;
       }))
    text += fmt::format("\n  {}: {}", name_nodes(group.ranks), group.description);
  return text;
}

std::string ProgramSet::ended_early() const {
  const auto list = [&](LoadedProgram::State state) {
    std::string text;
    for (const Group& g : groups([&](const LoadedProgram& p) { return p.state() == state; }))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_nodes(g.ranks), g.description);
    return text;
  };
  const std::string ended = list(LoadedProgram::State::Ended);
  const std::string waiting = list(LoadedProgram::State::Running);
  if (ended.empty() || waiting.empty()) return {};
  return fmt::format("{}, while others wait: {}", ended, waiting);
}

std::string ProgramSet::failed() const {
  std::vector<int> ranks;
  for (const auto& program : programs_) {
    if (program->exit_code() != 0) ranks.push_back(program->rank());
  }
  return ranks.empty() ? std::string() : name_nodes(ranks);
}

std::string ProgramSet::refused() const {
  std::vector<int> ranks;
  for (const auto& program : programs_) {
    if (!program->refusals().empty()) ranks.push_back(program->rank());
  }
  return ranks.empty() ? std::string() : name_nodes(ranks);
}

std::string ProgramSet::crashed() const {
  std::string text;
  for (const auto& program : programs_) {
    if (program->state() == LoadedProgram::State::Crashed)
      text += fmt::format("{}node {} {}", text.empty() ? "" : "\n", program->rank(),
                          program->description());
  }
  return text;
}

std::string name_nodes(std::span<const int> ranks) {
  std::string text = ranks.size() == 1 ? "node" : "nodes";
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += fmt::format("{} {}", i == 0 ? "" : ",", ranks[i]);
    if (last > i) text += fmt::format("-{}", ranks[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace ht::program
