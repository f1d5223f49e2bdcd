// SPDX-License-Identifier: Apache-2.0
#include "sim/output/document.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sw/host/errors.hpp"

namespace ht::cli {

void check_writable(const std::string& file) {
  const auto folder = std::filesystem::absolute(file).parent_path();
  const bool exists = std::filesystem::exists(file);
  if (access(exists ? file.c_str() : folder.c_str(), W_OK) != 0 ||
      std::filesystem::is_directory(file))
    throw DataError(
        fmt::format("cannot write {}: make sure that its folder exists and is writable", file));
}

void write_document(const nlohmann::ordered_json& document, const std::string& file) {
  std::ofstream out(file);
  out << document.dump(1) << '\n';
  if (!out.flush()) throw DataError(fmt::format("cannot write {}: is the disk full?", file));
}

}  // namespace ht::cli
