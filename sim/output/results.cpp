// SPDX-License-Identifier: Apache-2.0
#include "sim/output/results.hpp"

#include "sim/output/document.hpp"

namespace ht::cli {

void Results::open(const std::string& file) {
  if (file.empty()) return;
  check_writable(file);
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
  write_document(whole, file_);
}

}  // namespace ht::cli
