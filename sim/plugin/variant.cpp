// SPDX-License-Identifier: Apache-2.0
#include "sim/plugin/variant.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <vector>

#include "sim/output/exit_codes.hpp"
#include "sim/output/progress_line.hpp"
#include "sim/plugin/build.hpp"
#include "sim/plugin/child_process.hpp"
#include "sim/plugin/folder_lock.hpp"
#include "sw/host/fingerprint.hpp"
#include "sw/host/input_file.hpp"

namespace ht::machine {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// The build tree that the program lies in, bin below it.
fs::path build_tree() {
  fs::path tree = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  if (!fs::exists(tree / "hypertorus-machine.cmake"))
    throw UsageError(
        "--set: variants are built from sources, and this program is not in its build tree; start "
        "./hypertorus of a source tree");
  return tree;
}

fs::path source_tree(const fs::path& build) {
  std::ifstream cache(build / "CMakeCache.txt");
  constexpr std::string_view key = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  for (std::string line; std::getline(cache, line);) {
    if (line.starts_with(key)) return line.substr(key.size());
  }
  throw UsageError(fmt::format("--set: {} names no source tree; configure it anew",
                               (build / "CMakeCache.txt").string()));
}

fs::path cache_folder() {
  const char* const given = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if ((given == nullptr || *given == '\0') && (home == nullptr || *home == '\0'))
    throw DataError("--set: neither XDG_CACHE_HOME nor HOME says where variants are to be kept");
  const fs::path base =
      given != nullptr && *given != '\0' ? fs::path(given) : fs::path(home) / ".cache";
  return base / "hypertorus" / "variants";
}

// Of all files that a variant is made of, but for what the build's own hash covers.
std::uint64_t hash_of_sources(const fs::path& root, const std::string& machine) {
  std::vector<fs::path> files;
  for (const std::string room :
       {"rtl/common", "rtl/", "verif/model/", "verif/check/", "sw/", "sim/", "cmake"}) {
    const fs::path folder = root / (room.ends_with('/') ? room + machine : room);
    if (!fs::is_directory(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file() && entry.path().extension() != ".md")
        files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  std::uint64_t hash = host::fingerprint("");
  for (const fs::path& file : files)
    hash = host::fingerprint(host::content_of(file),
                             host::fingerprint(file.lexically_relative(root).string(), hash));
  return hash;
}

// "[12/40] Building ..." of Ninja, the last there is; or nothing.
std::string last_step(const fs::path& log) {
  const std::string text = host::content_of(log);
  static const std::regex step(R"(\n\[(\d+)/(\d+)\] )");
  std::string found;
  for (std::sregex_iterator it(text.begin(), text.end(), step), end; it != end; ++it)
    found = fmt::format(", {} of {} steps", (*it)[1].str(), (*it)[2].str());
  return found;
}

// What somebody wants to know of a build that failed: the hardware's or the compiler's first word.
std::string first_error(const fs::path& log) {
  std::ifstream in(log);
  for (std::string line; std::getline(in, line);) {
    for (const char* const word : {"%Error", "%Warning", "CMake Error", "error:", "ninja: "}) {
      if (line.find(word) != std::string::npos) return line;
    }
  }
  return "it says nothing";
}

}  // namespace

VariantFolder::VariantFolder(const std::string& machine, const RtlValues& values)
    : machine_(machine), values_(values), tree_(build_tree()) {
  const fs::path root = source_tree(tree_);
  const std::string options = fmt::format("{} {} {} {}", build_hash(), root.string(), machine,
                                          host::content_of(tree_ / "hypertorus-machine.cmake"));
  key_ = fmt::format("{:016x}",
                     host::fingerprint(to_string(values),
                                       host::fingerprint(options, hash_of_sources(root, machine))));
  std::string name = machine;
  for (const auto& [parameter, value] : values) name += fmt::format("-{}-{}", parameter, value);
  path_ = cache_folder() / fmt::format("{}-{}", name, key_);
}

fs::path VariantFolder::plugin(const std::string& part, bool quiet, const std::atomic<bool>* stop) {
  fs::path file = path_ / fmt::format("hypertorus-{}-{}.so", part, machine_);
  if (!fs::exists(file)) build(part, quiet, stop);
  return file;
}

void VariantFolder::build(const std::string& part, bool quiet, const std::atomic<bool>* stop) {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error)
    throw DataError(
        fmt::format("--set: cannot write {}: {}; XDG_CACHE_HOME names another folder for variants",
                    path_.string(), error.message()));
  const std::string what = fmt::format("{} with {}", machine_, to_string(values_));
  const FolderLock lock(path_, what + ": another process builds it; waiting", quiet, stop);
  const std::string name = fmt::format("hypertorus-{}-{}.so", part, machine_);
  const fs::path log = path_ / "build.log", build = path_ / "build";
  if (fs::exists(path_ / name)) return;  // it was built meanwhile
  fs::remove(log, error);
  cli::ProgressLine progress(quiet, stop);
  if (!quiet) fmt::print(stderr, "hypertorus: building {}, once; log: {}\n", what, log.string());
  const auto step = [&](const std::string& stage, const std::vector<std::string>& words) {
    ChildProcess child(words, {.output = log.string(), .errors = {}});
    while (!child.code_within(milliseconds(300)))
      progress.stage(fmt::format("building {}: {}{}", what, stage, last_step(log)));
    if (*child.code() == 0) return;
    throw cli::BuildError(fmt::format("--set: {} could not be built: {} (log: {})", what,
                                      first_error(log), log.string()));
  };
  std::vector<std::string> values;
  for (const auto& [parameter, value] : values_)
    values.push_back(fmt::format("-G{}={}", parameter, value));
  // What a configuration that failed remembers (a tool that was broken) is not kept.
  if (!fs::exists(build / "build.ninja"))
    step("Verilator",
         {"cmake", "--fresh", "-G", "Ninja", "-S", (source_tree(tree_) / "cmake/variant").string(),
          "-B", build.string(), "-DHYPERTORUS_BUILD=" + tree_.string(),
          "-DHYPERTORUS_MACHINE=" + machine_,
          fmt::format("-DHYPERTORUS_SET={}", fmt::join(values, ";")), "-DHYPERTORUS_KEY=" + key_});
  step("compiling", {"ninja", "-C", build.string(), fmt::format("{}-{}", part, machine_)});
  progress.clear();
  const fs::path built = build / fmt::format("hypertorus-{}-{}-{}.so", part, machine_, key_);
  if (build_of(built) != build_hash())
    throw cli::BuildError(fmt::format(
        "--set: sources changed while {} was built, and it is of another build than this program; "
        "build the program again",
        what));
  // The name is there at once, with the whole file behind it.
  fs::create_hard_link(built, path_ / name);
}

}  // namespace ht::machine
