// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

namespace ht::test {

/// Field -> value of one packet.
using Row = std::map<std::string, std::string>;

/// True, and says SKIPPED, where tshark is not installed.
bool no_tshark();

/// What tshark, given `options` besides, says of the named fields of every packet of a capture.
std::vector<Row> dissect(const std::string& options, const std::string& file,
                         const std::vector<std::string>& fields);

}  // namespace ht::test
