// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/message_table.hpp"

#include <catch2/catch.hpp>

using namespace ht;

TEST_CASE("MessageTable: the lowest free number, and messages stay where they are") {
  qmp::MessageTable<std::string> table([] { return "node 3"; });
  CHECK(table.empty());
  for (int i = 0; i < 100; ++i) CHECK(table.add(std::to_string(i)) == i);
  const std::string* const kept = &table.at(50);
  for (const qmp::MessageId id : {7, 0, 99}) table.remove(id);
  CHECK(table.add("a") == 0);
  CHECK(table.add("b") == 7);
  CHECK(table.add("c") == 99);
  CHECK(table.add("d") == 100);
  CHECK(table.at(7) == "b");
  CHECK(&table.at(50) == kept);
  CHECK(*kept == "50");
  int seen = 0;
  for (const auto& [id, message] : table) CHECK(id == seen++);
  CHECK(seen == 101);
}

TEST_CASE("MessageTable: what cannot be done names its owner, who may change") {
  int node = 3;
  qmp::MessageTable<int> table([&] { return "node " + std::to_string(node); });
  table.remove(table.add(0));
  for (const qmp::MessageId id : {-1, 0, 1}) CHECK_THROWS_AS(table.at(id), UsageError);
  CHECK_THROWS_WITH(table.at(0), "node 3: message 0 was never declared");
  node = 4;
  CHECK_THROWS_AS(table.in_flight("freed", "sending 8 bytes to +x"), std::logic_error);
  CHECK_THROWS_WITH(table.in_flight("freed", "sending 8 bytes to +x"),
                    "node 4: a message in flight was freed: sending 8 bytes to +x");
}
