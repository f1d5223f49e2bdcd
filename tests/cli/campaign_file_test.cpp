// SPDX-License-Identifier: Apache-2.0
// Campaigns in shards, and resumed after an end from outside.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/cli/program.hpp"

using ht::test::Outcome;
using ht::test::run_program;
using ht::test::run_program_in;
using ht::test::ScratchFolder;
using ht::test::Surroundings;

namespace {

using Words = std::vector<std::string>;

Words inject(const std::string& machine, const Words& more) {
  Words words = {"inject", machine, "--nodes", "2", "--seed", "3", "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

ino_t inode_of(const std::string& file) {
  struct stat status {};
  stat(file.c_str(), &status);
  return status.st_ino;
}

// What a campaign came to, without what depends on the clock on the wall and on pieces.
nlohmann::json sums(const std::string& machine, Words more, int code = 0) {
  const ScratchFolder folder;
  const std::string file = folder.file("c.json");
  more.insert(more.end(), {"--json", file});
  const Outcome o = run_program(inject(machine, more));
  INFO(o.out << o.err);
  REQUIRE(o.code == code);
  auto j = nlohmann::json::parse(text_of(file));
  for (const char* key : {"seconds", "first_run", "verdict"}) j.erase(key);
  return j;
}

}  // namespace

TEST_CASE("inject: shards and files of finished runs come to the same as one campaign") {
  // Some fail, so that findings are put together, too.
  const Words base = {"--runs", "14", "--kinds", "hellos", "--forged-every", "4", "--no-checksums"};
  const auto with = [&](const Words& more) {
    Words words = base;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const auto whole = sums("qpace", with({}), 1);
  CHECK(whole["runs"] == 14);
  CHECK(whole["findings"].size() >= 3);
  for (const int pieces : {1, 3}) {
    const ScratchFolder folder;
    Words merge;
    for (int i = 1; i <= pieces; ++i) {
      const std::string file = folder.file("piece" + std::to_string(i));
      const Outcome o = run_program(inject(
          "qpace",
          with({"--shard", std::to_string(i) + "/" + std::to_string(pieces), "--resume", file})));
      INFO(o.out << o.err);
      CHECK((o.code == 0 || o.code == 1));
      merge.insert(merge.end(), {"--resume", file});
    }
    Words all = {"--resume", folder.file("all")};
    all.insert(all.end(), merge.begin(), merge.end());
    CHECK(sums("qpace", with(all), 1) == whole);
    // The first has become the sum of them, and of runs that nobody had done.
    CHECK(sums("qpace", with({"--resume", folder.file("all")}), 1) == whole);
    if (pieces == 3)
      CHECK(sums("qpace",
                 with({"--resume", folder.file("piece2"), "--resume", folder.file("piece3")}),
                 1) == whole);
  }
}

TEST_CASE("inject: a soak is kept in its file, in pieces, each of which can be done again") {
  const ScratchFolder folder;
  const auto file = [&](int i) { return folder.file("piece" + std::to_string(i)); };
  const auto part = [&](int i, const Words& more) {
    Words words = {"--runs", "2", "--soak", file(i)};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const auto whole = sums("qpace", part(0, {}));
  // 261 on each channel of six links of two nodes, whatever happens to them.
  CHECK(whole["packets"]["sent"] == 2 * 2 * 6 * 8 * 261);
  for (const char* way : {"NACKs", "BUSYs", "duplicates dropped", "packets sent again"}) {
    INFO(way);
    CHECK(whole["hardware"][way] > 0);
  }
  for (int i = 1; i <= 2; ++i) sums("qpace", part(i, {"--shard", std::to_string(i) + "/2"}));
  CHECK(sums("qpace", part(3, {"--soak", file(1), "--soak", file(2)})) == whole);
  auto pieces = sums("qpace", {"--soak", file(9), "--replay", "0"});
  const auto last = sums("qpace", {"--soak", file(9), "--replay", "1"});
  CHECK_FALSE(std::filesystem::exists(file(9)));
  CHECK(pieces["packets"]["sent"] == last["packets"]["sent"]);
  for (const auto& [name, value] : last["hardware"].items())
    CHECK(whole["hardware"][name] == pieces["hardware"].value(name, 0) + value.get<int>());

  const auto refused = [&](const Words& words, const std::string& why) {
    const Outcome o = run_program(inject("qpace", words));
    INFO(o.err);
    CHECK(o.code == 2);
    CHECK(o.err.find(why) != std::string::npos);
  };
  refused({"--runs", "2", "--resume", file(0)}, "soak true, and this campaign false");
  refused(part(0, {"--forged-every", "4"}), "forged-every 50, and this campaign 4");
  refused(part(0, {"--resume", file(8)}), "leave --resume out");
  refused(part(0, {"--kinds", "upsets"}), "leave --kinds upsets out");
}

TEST_CASE("inject: a file that another campaign writes is refused") {
  const ScratchFolder folder;
  const std::string file = folder.file("runs");
  const Words words = {"--runs", "2", "--resume", file};
  REQUIRE(run_program(inject("qpace", words)).code == 0);
  // What is done already is not done in no time.
  Words loud = inject("qpace", words);
  std::erase(loud, "--quiet");
  const std::string again = run_program(loud).out;
  INFO(again);
  CHECK(again.find("time           0 runs in ") != std::string::npos);
  CHECK(again.find(" 0.0 runs/s; 2 were done before\n") != std::string::npos);
  const std::string before = text_of(file);
  const auto refused = [&](const Outcome& o) {
    INFO(o.err);
    CHECK(o.code == 3);
    CHECK(o.err.find("another campaign writes it, too; give each a file of its own") !=
          std::string::npos);
  };
  const int held = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(flock(held, LOCK_EX) == 0);
  refused(run_program(inject("qpace", words)));
  CHECK(text_of(file) == before);
  close(held);
  CHECK(run_program(inject("qpace", words)).code == 0);
  // Replaced in mid-campaign by somebody who does not ask.
  const std::string other = folder.file("other");
  std::ofstream(other) << before;
  std::thread replacer([&, of = inode_of(file)] {
    while (inode_of(file) == of) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::filesystem::rename(other, file);
  });
  const Outcome o =
      run_program(inject("qpace", {"--runs", "5000", "--threads", "2", "--resume", file}));
  replacer.join();
  refused(o);
  CHECK(text_of(file) == before);
}

TEST_CASE("inject: a soak of each machine keeps all cables busy, with errors") {
  struct Case {
    std::string machine, nodes, unit;
    int least;
  };
  // QCDOC: four links of two nodes, 2,084 words each; Tofu: what gates end with at two nodes.
  for (const auto& [machine, nodes, unit, least] :
       {Case{"qcdoc", "2", "words", 4 * 2'084}, Case{"tofu", "2x1x1", "results", 2 * 60}}) {
    INFO(machine);
    const ScratchFolder folder;
    Words words = {"inject",         machine,  "--nodes", nodes,    "--soak",
                   folder.file("s"), "--runs", "2",       "--json", folder.file("j")};
    const Outcome o = run_program(words);
    INFO(o.out << o.err);
    CHECK(o.code == 0);
    const auto j = nlohmann::json::parse(text_of(folder.file("j")));
    CHECK(j[unit]["sent"] >= least);
    CHECK(j["errors"]["injected"] > 100);
    CHECK(nlohmann::json::parse(text_of(folder.file("s")))["campaign"]["soak"] == true);
  }
}

TEST_CASE("inject: ended from outside, a campaign goes on where it was") {
  const Words base = {"--runs", "30", "--threads", "2"};
  const auto whole = sums("qpace", base);
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    const ScratchFolder folder;
    const std::string file = folder.file("runs");
    Words words = base;
    words.insert(words.end(), {"--resume", file});
    for (int tries = 0; tries < 3; ++tries) {
      Surroundings s;
      s.signal = signal;
      s.signal_after = 0.4 + 0.4 * tries;
      run_program_in(s, inject("qpace", words));
      // Whole, whenever it was looked at; the name of what was being written may be left.
      if (std::filesystem::exists(file))
        CHECK(nlohmann::json::parse(text_of(file))["format"] == "hypertorus campaign");
    }
    CHECK(sums("qpace", words) == whole);
    CHECK(nlohmann::json::parse(text_of(file))["result"]["runs"] == "0-29");
  }
}

TEST_CASE("inject: a file of other runs is refused in a line, and stays as it is") {
  const ScratchFolder folder;
  const std::string file = folder.file("runs");
  const Words base = {"--runs", "2", "--kinds", "bits"};
  const auto with = [&](Words words, const Words& more) {
    words.insert(words.end(), {"--resume", file});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  REQUIRE(run_program(inject("qpace", with(base, {}))).code == 0);
  const std::string before = text_of(file);
  const auto refused = [&](const Words& words, int code, const std::string& why) {
    const Outcome o = run_program(words);
    INFO(o.err);
    CHECK(o.code == code);
    CHECK(o.err.find(why) != std::string::npos);
    CHECK(std::count(o.err.begin(), o.err.end(), '\n') == 1);
  };
  refused(inject("qcdoc", with(base, {})), 2, "machine qpace, and this campaign qcdoc");
  refused({"inject", "qpace", "--nodes", "2", "--runs", "2", "--kinds", "bits", "--seed", "4",
           "--resume", file},
          2, "seed 3, and this campaign 4");
  refused(inject("qpace", with({"--runs", "2"}, {})), 2, "kinds");
  refused({"inject", "qpace", "--runs", "2", "--kinds", "bits", "--seed", "3", "--nodes", "2x2",
           "--resume", file},
          2, "nodes [2], and this campaign [2,2");
  refused(inject("qpace", with(base, {"--forged-every", "3"})), 2, "forged-every 50");
  refused(inject("qpace", with(base, {"--no-checksums"})), 2, "no-checksums false");
  refused(inject("qpace", with({"--runs", "1", "--kinds", "bits"}, {})), 2, "--runs");
  refused(inject("qpace", with(base, {"--resume", file})), 2, "leave one of them out");
  refused(inject("qpace", with(base, {"--resume", folder.file("none")})), 3, "no such file");
  CHECK(text_of(file) == before);

  // Of another build, changed, cut short, or something else.
  const auto written = [&](const std::string& text) { std::ofstream(file) << text; };
  auto j = nlohmann::ordered_json::parse(before);
  auto changed = j;
  changed["result"]["deliveries"][2] = 1;
  written(changed.dump(1));
  refused(inject("qpace", with(base, {})), 3, "it was changed");
  changed = j;
  changed["version"] = 99;
  written(changed.dump(1));
  refused(inject("qpace", with(base, {})), 3, "its version is 99");
  changed = j;
  changed["format"] = "tar";
  written(changed.dump(1));
  refused(inject("qpace", with(base, {})), 3, "something else");
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{1}, before.size() / 2, before.size() - 3}) {
    written(before.substr(0, length));
    refused(inject("qpace", with(base, {})), 3, "give one that --resume wrote");
    CHECK(text_of(file) == before.substr(0, length));
  }
  written(before);
  CHECK(run_program(inject("qpace", with(base, {}))).code == 0);
}
