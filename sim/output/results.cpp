// SPDX-License-Identifier: Apache-2.0
#include "sim/output/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "sim/output/document.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/output_file.hpp"

namespace ht::cli {

namespace {

// How every document of Results begins.
constexpr std::string_view first_key = R"({"schema_version":)";

// An older document may be replaced, and what is empty.
void check_replaceable(const std::string& file) {
  if (!std::filesystem::is_regular_file(file) || !host::is_replaced(file)) return;
  std::ifstream there(file);
  std::string begin(first_key.size(), ' ');
  for (char& c : begin) there >> c;  // spaces are left out
  if (begin == first_key || std::ranges::count(begin, ' ') == std::ssize(begin)) return;
  throw DataError(
      fmt::format("--json {}: the file is there and is no document that --json wrote; name another "
                  "one, or remove it",
                  file));
}

}  // namespace

void Results::open(const std::string& name) {
  if (name.empty()) return;
  const std::string file = name == "-" ? "/dev/stdout" : name;
  check_writable(file);
  check_replaceable(file);
  file_ = file;
  if (opened_) opened_(file);
}

void Results::close(const std::string& command, const std::string& version, int code,
                    const std::string& error) {
  if (file_.empty()) return;
  using Json = nlohmann::ordered_json;
  Json whole = {{"schema_version", json_schema_version},
                {"version", version},
                {"subcommand", command},
                {"exit_code", code},
                {"error", error.empty() ? Json(nullptr) : Json(error)}};
  whole.update(document_);
  check_replaceable(file_);
  write_document(whole, file_);
}

}  // namespace ht::cli
