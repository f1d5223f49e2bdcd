// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/tshark.hpp"

#include <catch2/catch.hpp>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>

namespace ht::test {

bool no_tshark() {
  if (std::string(HYPERTORUS_TSHARK) != "") return false;
  std::cout << "SKIPPED: tshark is not installed\n";
  return true;
}

std::vector<Row> dissect(const std::string& options, const std::string& file,
                         const std::vector<std::string>& fields) {
  std::string command = std::string("'") + HYPERTORUS_TSHARK + "' " + options + " -r '" + file +
                        "' -T fields -E separator='|'";
  for (const std::string& f : fields) command += " -e " + f;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((command + " 2>/dev/null").c_str(), "r"),
                                                   &pclose);
  REQUIRE(pipe != nullptr);
  std::vector<Row> rows;
  std::string line;
  for (int c = fgetc(pipe.get()); c != EOF; c = fgetc(pipe.get())) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    Row row;
    std::istringstream words(line);
    for (const std::string& f : fields) std::getline(words, row[f], '|');
    rows.push_back(row);
    line.clear();
  }
  return rows;
}

}  // namespace ht::test
