// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace ht::cli {

// Parts of a report's page, which is XHTML with inline SVG.

/// A number as people read it, with the exact value of the JSON file beside it.
std::string data(std::string_view id, const nlohmann::ordered_json& value, std::string_view shown);

/// 1234567 in groups of three digits.
std::string grouped(std::uint64_t n);

/// A number (markup, as data() makes it) and what it is.
std::string tile(const std::string& value, std::string_view what);

/// `content` (markup) under a heading; nothing if it is empty.
std::string section(std::string_view title, const std::string& content, std::string_view note = "");

/// The counters of links as link_json() has them; nothing if there are none.
std::string links_table(const nlohmann::ordered_json& links);

/// All before the first part, and all after the last.
std::string page_begin(std::string_view title);
std::string page_end();

}  // namespace ht::cli
