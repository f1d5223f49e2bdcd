// SPDX-License-Identifier: Apache-2.0
#include "sim/output/document.hpp"

#include <nlohmann/json.hpp>

namespace ht::cli {

void write_document(const nlohmann::ordered_json& document, const std::string& file) {
  using Json = nlohmann::ordered_json;
  host::write_file(file, document.dump(1, ' ', false, Json::error_handler_t::replace) + '\n');
}

}  // namespace ht::cli
