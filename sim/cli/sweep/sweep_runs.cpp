// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/sweep/sweep_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>

#include "sim/output/document.hpp"
#include "sim/output/exit_codes.hpp"
#include "sim/output/progress_line.hpp"
#include "sim/output/read_document.hpp"
#include "sim/plugin/build.hpp"
#include "sim/plugin/catalog.hpp"
#include "sim/plugin/child_process.hpp"
#include "sim/plugin/folder_lock.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/fingerprint.hpp"
#include "sw/host/input_file.hpp"

namespace ht::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// What a command said of its end: its last line "hypertorus: ...", behind which states of nodes may
// stand; else the last line of all.
std::string last_words(const fs::path& file) {
  std::ifstream in(file);
  std::string line, last, own;
  while (std::getline(in, line)) {
    const auto begin = line.rfind('\r', line.empty() ? 0 : line.size() - 1);
    if (begin != std::string::npos) line = line.substr(begin + 1);
    if (line.find_first_not_of(" \t") != std::string::npos) last = line;
    if (line.starts_with("hypertorus: ") && !line.starts_with("hypertorus: warning: "))
      own = line.substr(std::string_view("hypertorus: ").size());
  }
  return own.empty() ? last : own;
}

fs::path with(const fs::path& stem, const char* suffix) {
  return stem.string() + suffix;
}

std::uint64_t fingerprint_now(const fs::path& file) {
  return host::fingerprint(host::content_of(file));
}

// The file that a word names, as a whole or behind its first "="; empty if none.
fs::path file_in(const std::string& word) {
  std::error_code none;
  if (fs::is_regular_file(word, none)) return word;
  const auto equals = word.find('=');
  if (equals == std::string::npos) return {};
  fs::path file = word.substr(equals + 1);
  return fs::is_regular_file(file, none) ? file : fs::path();
}

// Files that a run's words name and that it may read or write; which it reads shows when it runs.
// A program of the user's, or an interpreter and its script, are in hash_of().
std::map<std::string, std::uint64_t> files_named(const SweepRun& run) {
  std::map<std::string, std::uint64_t> files;
  const std::vector<std::string>& words = run.words;
  std::error_code none;
  const bool script = !run.step->own && words.size() > 1 && fs::is_regular_file(words[1], none);
  for (std::size_t i = script ? 2 : 1; i < words.size(); ++i) {
    if (const fs::path file = file_in(words[i]); !file.empty())
      files.emplace(file.string(), fingerprint_now(file));
  }
  return files;
}

// Whether a run's files are still those that it read.
bool same_inputs(const Json& run) {
  const auto inputs = run.find("inputs");
  if (inputs == run.end() || !inputs->is_object()) return false;
  for (const auto& [file, fingerprint] : inputs->items()) {
    std::error_code none;
    if (!fs::is_regular_file(file, none) ||
        fingerprint != fmt::format("{:016x}", fingerprint_now(file)))
      return false;
  }
  return true;
}

}  // namespace

SweepRuns::SweepRuns(const Sweep& sweep, fs::path folder)
    : sweep_(sweep), folder_(std::move(folder)), points_(points_of(sweep)) {
  std::error_code error;
  fs::create_directories(folder_ / "runs", error);
  if (error)
    throw DataError(
        fmt::format("--output {}: cannot be written: {}", folder_.string(), error.message()));
  for (const SweepPoint& point : points_) {
    std::vector<std::size_t>& of = of_point_.emplace_back();
    for (const Sweep::Step& step : sweep_.steps) of.push_back(index_of(step, point));
  }
  look();
}

// Machines are libraries of many megabytes, and all points run on few of them.
std::uint64_t SweepRuns::fingerprint_of(const fs::path& file) {
  const auto known = fingerprints_.find(file);
  if (known != fingerprints_.end()) return known->second;
  return fingerprints_[file] = fingerprint_now(file);
}

// Results of another build, or of other hardware, are no results: the machines that the words name,
// or the one that is taken where none is named.
std::uint64_t SweepRuns::hash_of(const Sweep::Step& step, const std::vector<std::string>& words) {
  std::uint64_t hash = host::fingerprint(step.name);
  for (const std::string& word : words) hash = host::fingerprint(word + '\n', hash);
  const auto add_file = [this, &hash](const fs::path& file) {
    if (!fs::is_regular_file(file)) return false;
    hash = host::fingerprint(fmt::format("{:016x}", fingerprint_of(file)), hash);
    return true;
  };
  if (!step.own) {  // the program, or an interpreter and its script
    for (std::size_t i = 0; i < std::min<std::size_t>(2, words.size()); ++i) add_file(words[i]);
    return hash;
  }
  hash = host::fingerprint(machine::build_hash(), hash);
  const auto add = [&add_file](const std::string& name) {
    return name.find('/') == std::string::npos &&
           add_file(machine::MachineCatalog::folder() / ("hypertorus-machine-" + name + ".so"));
  };
  if (std::ranges::count_if(words, add) == 0) add(machine::machines_of_the_tree().front());
  return hash;
}

std::size_t SweepRuns::index_of(const Sweep::Step& step, const SweepPoint& point) {
  // The file's name cannot be among the words that it is made of.
  const auto hash = hash_of(step, words_at(sweep_, step, point, "{json}"));
  const fs::path stem = folder_ / "runs" / fmt::format("{}-{:016x}", step.name, hash);
  const auto same = std::ranges::find(runs_, stem, &SweepRun::stem);
  if (same != runs_.end()) return static_cast<std::size_t>(same - runs_.begin());
  SweepRun run;
  run.step = &step;
  run.words = words_at(sweep_, step, point, with(stem, ".part").string());
  run.stem = stem;
  runs_.push_back(std::move(run));
  return runs_.size() - 1;
}

void SweepRuns::look() {
  for (SweepRun& run : runs_) {
    const fs::path file = with(run.stem, ".json");
    if (fs::is_directory(file))
      throw DataError(
          fmt::format("{}: a folder is where a run is kept; remove it, or take another "
                      "--output",
                      file.string()));
    const Json old = read_document(host::content_of(file));
    run.kept = old.is_object() && old.value("words", Json()) == Json(run.words) &&
               old.value("exit_code", -1) == 0 && old.contains("result") && same_inputs(old);
    if (run.kept) run.document = old;
  }
}

void SweepRuns::run(int jobs, bool quiet, const std::atomic<bool>& stop) {
  const machine::FolderLock lock(
      folder_, "runs of another sweep, or left from one, are at work in this folder; waiting",
      quiet, &stop);
  look();  // again: the other sweep may have added some
  struct Job {
    SweepRun* run;
    steady_clock::time_point begin;
    std::unique_ptr<machine::ChildProcess> child;
  };
  std::vector<Job> at_work;
  std::size_t next = 0;
  ProgressLine progress(quiet, &stop);
  const auto start = [&](SweepRun& run) {
    for (const char* const suffix : {".part", ".out", ".log"}) fs::remove(with(run.stem, suffix));
    run.files = files_named(run);
    std::vector<std::string> words = run.words;
    if (run.step->own) {
      words.insert(words.begin(), fs::read_symlink("/proc/self/exe").string());
      const auto dashes = std::ranges::find(words, "--");
      words.insert(dashes, {"--json", with(run.stem, ".part").string()});
    }
    at_work.push_back({&run, steady_clock::now(),
                       std::make_unique<machine::ChildProcess>(
                           words, machine::ChildProcess::Files{with(run.stem, ".out").string(),
                                                               with(run.stem, ".log").string()})});
  };
  while (true) {
    while (at_work.size() < static_cast<std::size_t>(jobs) && next < runs_.size()) {
      SweepRun& run = runs_[next++];
      // What is kept may have read what a run before this one has made anew.
      if (run.kept && !same_inputs(run.document)) {
        run.kept = false;
        run.document = {};
      }
      if (run.document.is_null()) start(run);
    }
    if (at_work.empty()) break;
    at_work.front().child->code_within(milliseconds(100));
    std::erase_if(at_work, [&](Job& job) {
      const auto code = job.child->code();
      if (!code) return false;
      finish(*job.run, *code,
             std::chrono::duration<double>(steady_clock::now() - job.begin).count());
      return true;
    });
    const auto done =
        std::ranges::count_if(runs_, [](const auto& r) { return !r.document.is_null(); });
    progress.stage(
        fmt::format("{} of {} runs done, {} at work", done, runs_.size(), at_work.size()));
  }
}

void SweepRuns::finish(SweepRun& run, int code, double seconds) const {
  Json result = read_document(host::content_of(with(run.stem, ".part")));
  std::string error = code == 0 ? "" : last_words(with(run.stem, ".log"));
  if (code == 0 && result.is_discarded()) {
    code = static_cast<int>(ExitCode::BadData);
    error = "it ended well, and wrote no JSON to the file that {json} names";
  }
  // What has changed meanwhile is what it wrote.
  Json inputs = Json::object();
  for (const auto& [file, before] : run.files) {
    if (fingerprint_now(file) == before) inputs[file] = fmt::format("{:016x}", before);
  }
  run.document = {{"words", run.words}, {"inputs", inputs},
                  {"exit_code", code},  {"error", error},
                  {"seconds", seconds}, {"result", result.is_discarded() ? Json() : result}};
  write_document(run.document, with(run.stem, ".json").string());
  fs::remove(with(run.stem, ".part"));
}

}  // namespace ht::cli
