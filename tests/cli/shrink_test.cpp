// SPDX-License-Identifier: Apache-2.0
// Failing runs made smaller, on all machines: what is left fails alike, and nothing less does.
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "tests/cli/program.hpp"

using ht::test::Outcome;
using ht::test::run_program;
using ht::test::ScratchFolder;

namespace {

std::vector<std::string> words_of(const std::string& command) {
  std::istringstream in(command);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  words.erase(words.begin());  // the program's name
  return words;
}

}  // namespace

TEST_CASE("inject --shrink: of a forged packet among other errors the packet is left") {
  for (const char* machine : {"qpace", "qcdoc", "tofu"}) {
    {
      const char* const seed = std::string(machine) == "qpace" ? "2" : "1";
      const ScratchFolder folder;
      const std::string file = folder.file("s.json");
      const Outcome o = run_program({"inject", machine, "--nodes", "2", "--seed", seed, "--runs",
                                     "4", "--forged-every", "1", "--no-checksums", "--shrink",
                                     "--kinds", "bits,idle,hellos", "--json", file});
      INFO(o.out << o.err);
      REQUIRE(o.code == 1);
      const auto j = nlohmann::json::parse(std::ifstream(file));
      const auto& s = j["shrunk"];
      CHECK(s["run"] == j["findings"][0]["run"]);
      CHECK(s["what"] == j["findings"][0]["what"]);
      CHECK(s["smallest"] == true);
      CHECK(s["errors"] == 1);
      CHECK(s["errors_drawn"] > 1);
      CHECK(s["messages"] >= 1);
      CHECK(s["messages"] < s["messages_drawn"]);
      const std::string command = s["command"];
      CHECK(o.out.find("again: " + command) != std::string::npos);
      // The same from the command that repeats it, and from itself again.
      const Outcome again = run_program(words_of(command));
      INFO(command << "\n" << again.out << again.err);
      CHECK(again.code == 1);
      CHECK(again.out.find("was accepted; checksums are not compared") != std::string::npos);
      CHECK(again.out.find(" --keep ") != std::string::npos);
      for (const auto& line : s["lines"]) {
        const std::string kept = line;
        CHECK(again.out.find(kept) != std::string::npos);
      }
      // Without the error, or without messages, nothing is found.
      auto without = words_of(command);
      without.back() = "none";
      CHECK(run_program(without).code == 0);
    }
  }
}

TEST_CASE("inject --shrink: where nothing fails there is nothing to be made smaller") {
  const ScratchFolder folder;
  const std::string file = folder.file("s.json");
  const Outcome o =
      run_program({"inject", "qpace", "--nodes", "2", "--runs", "2", "--shrink", "--json", file});
  CHECK(o.code == 0);
  CHECK(o.out.find("SHRUNK") == std::string::npos);
  CHECK(!nlohmann::json::parse(std::ifstream(file)).contains("shrunk"));
}
