// SPDX-License-Identifier: Apache-2.0
#include "sim/output/distinct_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

namespace fs = std::filesystem;

// The one that two names of it have in common, or empty if it takes no file's place.
fs::path place_of(const std::string& file) {
  if (file.empty() || file == "-") return {};
  std::error_code error;
  if (fs::exists(file, error) && !fs::is_regular_file(file, error)) return {};
  fs::path place = fs::weakly_canonical(fs::absolute(file, error), error);
  // A link to a file that is not there yet stays one: it is written through all the same.
  std::error_code none;
  for (int links = 0; !error && fs::is_symlink(place, none) && links < 40; ++links)
    place = fs::weakly_canonical(place.parent_path() / fs::read_symlink(place, error), error);
  return error ? fs::path() : place;
}

}  // namespace

void check_distinct(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
  std::map<fs::path, std::string> options;
  for (const NamedFile& input : inputs) {
    if (const fs::path place = place_of(input.file); !place.empty()) options[place] = input.option;
  }
  for (const NamedFile& output : outputs) {
    if (output.file.empty()) continue;
    for (const std::string& ending : output.endings) {
      const std::string file = output.file + ending;
      const fs::path place = place_of(file);
      if (place.empty()) continue;
      const auto [there, is_new] = options.emplace(place, output.option);
      if (!is_new)
        throw UsageError(fmt::format("{} {}: {} names the same file; name another one",
                                     output.option, file, there->second));
    }
  }
}

}  // namespace ht::cli
