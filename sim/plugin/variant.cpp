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

// The build tree that the program lies in, bin below it. What goes wrong is said of `option`.
fs::path build_tree(const std::string& option) {
  fs::path tree = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  if (!fs::exists(tree / "hypertorus-machine.cmake"))
    throw UsageError(
        option +
        ": variants are built from sources, and this program is not in its build tree; "
        "start ./hypertorus of a source tree");
  return tree;
}

fs::path source_tree(const fs::path& build, const std::string& option) {
  std::ifstream cache(build / "CMakeCache.txt");
  constexpr std::string_view key = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  for (std::string line; std::getline(cache, line);) {
    if (line.starts_with(key)) return line.substr(key.size());
  }
  throw UsageError(fmt::format("{}: {} names no source tree; configure it anew", option,
                               (build / "CMakeCache.txt").string()));
}

fs::path cache_folder(const std::string& option) {
  const char* const given = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if ((given == nullptr || *given == '\0') && (home == nullptr || *home == '\0'))
    throw DataError(option +
                    ": neither XDG_CACHE_HOME nor HOME says where variants are to be kept");
  const fs::path base =
      given != nullptr && *given != '\0' ? fs::path(given) : fs::path(home) / ".cache";
  return base / "hypertorus" / "variants";
}

// Of all files that a variant is made of, but for what the build's own hash covers.
std::uint64_t hash_of_sources(const fs::path& root, const std::string& machine, bool routed) {
  std::vector<fs::path> files;
  for (const std::string room : {"rtl/common", "rtl/", "verif/model/", "verif/check/", "sw/",
                                 "sim/", "cmake", "fpga/common"}) {
    if (room == "fpga/common" && !routed) continue;
    const fs::path folder = root / (room.ends_with('/') ? room + machine : room);
    if (!fs::is_directory(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const fs::path extension = entry.path().extension();
      if (entry.is_regular_file() && extension != ".md" && extension != ".pyc")
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

// There, and whole: after a power failure it may be damaged.
bool is_built(const fs::path& plugin) {
  return fs::exists(plugin) && build_of(plugin) == build_hash();
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
  constexpr const char* words[] = {"hypertorus: ", "%Error", "%Warning",
                                   "CMake Error",  "error:", "ninja: "};
  std::ifstream in(log);
  std::string line;
  bool found = false;
  while (!found && std::getline(in, line))
    found = std::ranges::any_of(
        words, [&](const char* word) { return line.find(word) != std::string::npos; });
  if (!found) line = "it says nothing";
  std::error_code error;
  const auto disk = fs::space(log.parent_path(), error);
  constexpr std::uintmax_t little = 1 << 20;
  return !error && disk.available < little ? line + "; the disk is full" : line;
}

// The option, for errors.
std::string asked_by(const RtlValues& values, const std::string& far) {
  if (!far.empty()) return "--far " + far;
  return values.size() == 1 && values.contains(lanes_parameter) ? "--phy lanes" : "--set";
}

}  // namespace

VariantFolder::VariantFolder(const std::string& machine, const RtlValues& values,
                             const std::string& far)
    : machine_(machine),
      values_(values),
      far_(far),
      option_(asked_by(values, far)),
      tree_(build_tree(option_)) {
  const fs::path root = source_tree(tree_, option_);
  const std::string options =
      fmt::format("{} {} {} {} {}", build_hash(), root.string(), machine, far,
                  host::content_of(tree_ / "hypertorus-machine.cmake"));
  key_ = fmt::format(
      "{:016x}",
      host::fingerprint(to_string(values),
                        host::fingerprint(options, hash_of_sources(root, machine, !far.empty()))));
  std::string name = machine;
  for (const auto& [parameter, value] : values) name += fmt::format("-{}-{}", parameter, value);
  if (!far.empty()) name += "-" + far;
  path_ = cache_folder(option_) / fmt::format("{}-{}", name, key_);
}

fs::path VariantFolder::plugin(const std::string& part, bool quiet, const std::atomic<bool>* stop) {
  fs::path file = path_ / fmt::format("hypertorus-{}-{}.so", part, machine_);
  if (!is_built(file)) build(part, quiet, stop);
  return file;
}

void VariantFolder::build(const std::string& part, bool quiet, const std::atomic<bool>* stop) {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error)
    throw DataError(
        fmt::format("{}: cannot write {}: {}; XDG_CACHE_HOME names another folder for variants",
                    option_, path_.string(), error.message()));
  const std::string what =
      far_.empty() ? fmt::format("{} with {}", machine_, to_string(values_))
                   : fmt::format("{} with its hardware as routed for an FPGA", machine_);
  const FolderLock lock(path_, what + ": another process builds it; waiting", quiet, stop);
  const std::string name = fmt::format("hypertorus-{}-{}.so", part, machine_);
  const fs::path log = path_ / "build.log", build = path_ / "build";
  if (is_built(path_ / name)) return;  // meanwhile
  fs::remove(log, error);
  cli::ProgressLine progress(quiet, stop);
  if (!quiet) fmt::print(stderr, "hypertorus: building {}, once; log: {}\n", what, log.string());
  const auto step = [&](const std::string& stage, const std::vector<std::string>& words) {
    ChildProcess child(words, {.output = log.string(), .errors = {}});
    while (!child.code_within(milliseconds(300)))
      progress.stage(fmt::format("building {}: {}{}", what, stage, last_step(log)));
    if (*child.code() == 0) return;
    throw cli::BuildError(fmt::format("{}: {} could not be built: {} (log: {})", option_, what,
                                      first_error(log), log.string()));
  };
  std::vector<std::string> values;
  for (const auto& [parameter, value] : values_)
    values.push_back(fmt::format("-G{}={}", parameter, value));
  // What a configuration that failed remembers (a tool that was broken) is not kept.
  if (!fs::exists(build / "build.ninja"))
    step(far_.empty() ? "Verilator" : "placed, routed, Verilator",
         {"cmake", "--fresh", "-G", "Ninja", "-S",
          (source_tree(tree_, option_) / "cmake/variant").string(), "-B", build.string(),
          "-DHYPERTORUS_BUILD=" + tree_.string(), "-DHYPERTORUS_MACHINE=" + machine_,
          fmt::format("-DHYPERTORUS_SET={}", fmt::join(values, ";")), "-DHYPERTORUS_KEY=" + key_,
          "-DHYPERTORUS_FAR=" + far_});
  const fs::path built = build / fmt::format("hypertorus-{}-{}-{}.so", part, machine_, key_);
  // Damaged, it would seem up to date.
  if (!is_built(built)) fs::remove(built);
  step("compiling", {"ninja", "-C", build.string(), fmt::format("{}-{}", part, machine_)});
  progress.clear();
  if (!is_built(built))
    throw cli::BuildError(fmt::format(
        "{}: sources changed while {} was built, and it is of another build than this program; "
        "build the program again",
        option_, what));
  // The name is there at once, with the whole file behind it.
  fs::remove(path_ / name);
  fs::create_hard_link(built, path_ / name);
}

}  // namespace ht::machine
