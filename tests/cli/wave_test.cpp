// SPDX-License-Identifier: Apache-2.0
// Waves: the save file fits the wave file, names are those of what is on the wire, and --trace-on
// finds its event again.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/cli/program.hpp"
#include "tests/cli/wave_file.hpp"

using ht::test::names_checked;
using ht::test::Outcome;
using ht::test::run_json;
using ht::test::run_program;
using ht::test::ScratchFolder;
using ht::test::WaveFile;
using Json = nlohmann::json;

namespace {

const std::vector<std::string> small{"--nodes", "2x1x1",       "--lattice",
                                     "4x4x4x4", "--tolerance", "1e-6"};

std::vector<std::string> with(std::vector<std::string> more) {
  more.insert(more.begin(), small.begin(), small.end());
  return more;
}

bool has(const std::set<std::string>& names, const std::string& part) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& n) { return n.find(part) != std::string::npos; });
}

// The value a signal had at a time.
std::uint64_t at(const std::vector<WaveFile::Change>& changes, std::uint64_t time) {
  std::uint64_t value = 0;
  for (const auto& c : changes) {
    if (c.time <= time) value = c.value;
  }
  return value;
}

// First time at which the signal is 1; 0 if it never is.
std::uint64_t first_set(const WaveFile& wave, const std::string& signal) {
  for (const auto& c : wave.changes(signal)) {
    if (c.value == 1) return c.time;
  }
  return 0;
}

std::string link_of(const Json& waves) {
  const std::string name = waves["link"];
  const auto number = 2 * std::string("xyz").find(name[1]) + (name[0] == '-' ? 1 : 0);
  return "node" + waves["node"].dump() + ".qpace_nwp.g_link[" + std::to_string(number) + "].link.";
}

}  // namespace

TEST_CASE("every signal of a save file is in its wave file, whatever the scope") {
  struct Scope {
    std::vector<std::string> options, present, absent;
  };
  const std::vector<Scope> scopes{
      {{}, {".credits.", ".g_link[5].link.u_parser."}, {}},
      {{"--trace-links", "+x,-y"},
       {".g_link[0].link.u_parser.", ".g_link[3].", "node1.pw_in_valid"},
       {".g_link[1].", ".credits.", "node1.mx."}},
      {{"--trace-depth", "1"}, {"node1.pw_in_valid", "node1.px."}, {".qpace_nwp."}},
      {{"--trace-depth", "2"}, {".qpace_nwp.link_up"}, {".credits.", ".g_link["}},
      {{"--trace-depth", "4"}, {".credits.", ".g_link[0].link.up"}, {".u_parser."}},
      {{"--trace-depth", "4", "--trace-links", "-x"}, {".g_link[1].link.up"}, {".u_parser."}},
  };
  for (const Scope& scope : scopes) {
    const ScratchFolder folder;
    std::vector<std::string> options{"--trace",    folder.file("w"), "--trace-from",  "20us",
                                     "--trace-to", "22us",           "--trace-nodes", "1"};
    options.insert(options.end(), scope.options.begin(), scope.options.end());
    run_json(with(options));
    const auto names = names_checked(folder.file("w.node1"));
    for (const std::string& part : scope.present) {
      INFO(part);
      CHECK(has(names, part));
    }
    for (const std::string& part : scope.absent) {
      INFO(part);
      CHECK(!has(names, part));
    }
  }
}

TEST_CASE("waves begin where they should, with values, though the node may rest there") {
  const auto time = [](std::uint64_t us) { return std::to_string(us) + "us"; };
  for (const char* machine : {"qpace", "qcdoc", "tofu"}) {
    for (const std::uint64_t from : {21, 25, 29, 30}) {
      INFO(machine << " from " << from);
      const ScratchFolder folder;
      run_json({machine, "--nodes", "2", "--lattice", "4x2x2x2", "--trace", folder.file("w"),
                "--trace-from", time(from), "--trace-to", time(from + 1), "--stop-at",
                time(from + 1), "--trace-nodes", "0"},
               130);
      const WaveFile wave(folder.file("w.node0.fst"));
      constexpr std::uint64_t us = 1'000'000, clock = 10'000;
      CHECK(wave.first_time() >= from * us);
      CHECK(wave.first_time() < from * us + clock);
      CHECK(wave.last_time() < (from + 1) * us);
      int states = 0;
      for (const std::string& name : wave.names()) {
        if (!name.ends_with(".state[1:0]") || std::ranges::count(name, '.') != 2) continue;
        const auto& changes = wave.changes(name);
        REQUIRE(!changes.empty());
        CHECK(changes.front().time == wave.first_time());
        ++states;
      }
      CHECK(states > 0);
    }
  }
  const ScratchFolder folder;
  std::vector<std::string> words =
      with({"--trace", folder.file("w"), "--trace-from", "1s", "--trace-nodes", "0"});
  words.insert(words.begin(), "run");
  const Outcome outcome = run_program(words);
  CHECK(outcome.code == 0);
  CHECK(outcome.out.find("waves          none: the machine was stopped before --trace-from "
                         "1000000.000 us") != std::string::npos);
}

TEST_CASE("waves show kinds of words and states of links by name") {
  const ScratchFolder folder;
  run_json(with({"--trace", folder.file("w"), "--trace-to", "30us", "--trace-nodes", "0"}));
  const WaveFile wave(folder.file("w.node0.fst"));
  const auto states = wave.enumeration("node0.px.state[1:0]");
  const auto kinds = wave.enumeration("node0.px.tx_kind[3:0]");
  REQUIRE(states.size() == 3);
  REQUIRE(kinds.size() == 12);
  CHECK(wave.enumeration("node0.px.rx_kind[3:0]") == kinds);
  CHECK(wave.named_values("node0.px.state[1:0]") ==
        std::vector<std::string>{"DOWN", "TRAIN", "UP"});

  // What the wire format (rtl/qpace/README.md) says of every word, at a time when nothing changes.
  const std::string link = "node0.qpace_nwp.g_link[0].link.";
  std::map<std::string, int> found;
  for (const char* side : {"tx", "rx"}) {
    const auto& data = wave.changes(link + "xgmii_" + side + "d[31:0]");
    const auto& control = wave.changes(link + "xgmii_" + side + "c[3:0]");
    const auto& kind = wave.changes(std::string("node0.px.") + side + "_kind[3:0]");
    for (const auto& k : kind) {
      // Inputs are set before the edge that takes them, so look at the edge's own time.
      const std::string name = kinds.at(k.value);
      const std::uint64_t word = at(data, k.time), marks = at(control, k.time);
      const std::uint64_t code = word & 0xFF, type = word >> 8 & 3;
      INFO(side << " " << name << " at " << k.time << ": " << std::hex << word << " " << marks);
      ++found[name];
      if (name == "IDLE") CHECK((word == 0x07070707 && marks == 0xF));
      if (name == "PACKET") CHECK((code == 0xFB && marks == 1));
      if (name == "HELLO") CHECK((code == 0x9C && marks == 1));
      if (name == "ACK") CHECK((code == 0x5C && marks == 1 && type == 0));
      if (name == "NACK") CHECK((code == 0x5C && marks == 1 && type == 1));
      if (name == "PAYLOAD" || name == "IDENTITY" || name == "CHECK") CHECK(marks == 0);
      CHECK(name != "DAMAGED");  // the first error comes later
    }
  }
  for (const char* name : {"IDLE", "PACKET", "PAYLOAD", "CHECK", "HELLO", "IDENTITY", "ACK"}) {
    INFO(name);
    CHECK(found[name] > 3);
  }
}

TEST_CASE("option --trace-on retransmit traces the window before the first one") {
  const ScratchFolder folder;
  const Json run = run_json(
      with({"--trace", folder.file("w"), "--trace-on", "retransmit", "--trace-last", "300"}));
  std::uint64_t first = 0;
  for (const Json& link : run["links"]) {
    const Json& time = link["first_retransmission_ps"];
    if (!time.is_null() && (first == 0 || time.get<std::uint64_t>() < first)) first = time;
  }
  REQUIRE(first > 0);
  const Json& waves = run["waves"];
  CHECK(waves["event"] == "retransmit");
  CHECK(waves["time_ps"] == first);
  CHECK(waves["from_ps"] == first - 300 * 4000);
  CHECK(waves["nodes"].size() == 2);
  for (const Json& node : waves["nodes"]) {
    const WaveFile wave(folder.file("w.node" + node.dump() + ".fst"));
    CHECK(wave.first_time() >= waves["from_ps"]);
    CHECK(wave.first_time() < first);
    CHECK(wave.last_time() > first);
    CHECK(wave.last_time() < waves["to_ps"]);
    if (node == waves["node"]) CHECK(first_set(wave, link_of(waves) + "obs_retransmit") == first);
  }
}

// Without errors nothing is sent again for damage; what is sent again is so for lack of room: a
// program that is interrupted posts its receives late.
TEST_CASE("options --trace-on busy and retransmit tell want of room from damage") {
  const ScratchFolder folder;
  for (const std::string on : {"busy", "retransmit"}) {
    const Json run =
        run_json({"--nodes", "2x2x2", "--lattice", "8x8x8x8", "--tolerance", "3e-1", "--bursts",
                  "0", "--ber", "0", "--noise", "100us,30us,60us", "--trace", folder.file(on),
                  "--trace-on", on, "--trace-last", "300"});
    CHECK(run["errors"]["retransmissions"] == 0);
    CHECK(run["errors"]["replays"] > 0);
    CHECK(run["waves"].is_null() == (on == "retransmit"));
    if (on == "retransmit") continue;
    const Json& waves = run["waves"];
    CHECK(waves["event"] == "busy");
    const WaveFile wave(folder.file(on + ".node" + waves["node"].dump() + ".fst"));
    CHECK(first_set(wave, link_of(waves) + "obs_replay") == waves["time_ps"]);
  }
}

TEST_CASE("option --trace-on error traces the window before the first one") {
  const ScratchFolder folder;
  const Json run = run_json(with({"--trace", folder.file("w"), "--trace-on", "error", "--lost", "5",
                                  "--trace-links", "+x,-x", "--trace-depth", "4"}));
  const Json& waves = run["waves"];
  REQUIRE(!waves.is_null());
  const std::uint64_t time = waves["time_ps"];
  const WaveFile wave(folder.file("w.node" + waves["node"].dump() + ".fst"));
  CHECK(first_set(wave, link_of(waves) + "obs_rx_error") == time);
  // Nothing was amiss before: traced from the beginning, the same is the first.
  run_json(with({"--trace", folder.file("all"), "--trace-nodes", "0,1", "--lost", "5", "--trace-to",
                 std::to_string(time + 1) + "ps", "--trace-depth", "1"}));
  for (const char* node : {"node0", "node1"}) {
    const WaveFile all(folder.file(std::string("all.") + node + ".fst"));
    for (const auto& c : all.changes(std::string(node) + ".obs_rx_error[5:0]"))
      CHECK((c.value == 0 || c.time == time));
  }
}

TEST_CASE("option --trace-on mismatch traces what a CRC did not see") {
  const ScratchFolder folder;
  const Json run = run_json(with({"--trace", folder.file("w"), "--trace-on", "mismatch", "--forged",
                                  "1", "--ber", "0", "--bursts", "0"}),
                            1);
  CHECK(run["errors"]["undetected"] == 1);
  const Json& waves = run["waves"];
  REQUIRE(!waves.is_null());
  CHECK(waves["event"] == "mismatch");
  // The receiver found the damaged packet good: it is the one that ends at the event.
  const WaveFile wave(folder.file("w.node" + waves["node"].dump() + ".fst"));
  bool accepted = false;
  for (const auto& c : wave.changes(link_of(waves) + "obs_rx_ok"))
    accepted = accepted || (c.value == 1 && c.time >= waves["time_ps"] &&
                            c.time <= waves["time_ps"].get<std::uint64_t>() + 3 * 4000);
  CHECK(accepted);
  const Json good =
      run_json(with({"--trace", folder.file("no"), "--trace-on", "mismatch", "--ber", "1e-6"}));
  CHECK(good["waves"].is_null());
  CHECK(!std::filesystem::exists(folder.file("no.node0.fst")));
}

TEST_CASE("waves and packets of a run that fails are whole") {
  const ScratchFolder folder;
  std::vector<std::string> options = with({"--ber", "1e-2", "--trace", folder.file("w"),
                                           "--trace-to", "30us", "--pcap", folder.file("p")});
  options.insert(options.begin(), "run");
  const Outcome outcome = run_program(options);
  INFO(outcome.err);
  CHECK(outcome.code == 5);
  CHECK(outcome.err.find("link") != std::string::npos);
  const WaveFile wave(folder.file("w.node0.fst"));
  CHECK(wave.last_time() > 29'000'000);
  CHECK(wave.last_time() < 30'000'000);
  CHECK(std::filesystem::file_size(folder.file("p.pcapng")) > 10'000);

  options[2 + small.size()] = "1e-2";
  options.resize(3 + small.size());
  options.insert(options.end(), {"--trace", folder.file("on"), "--trace-on", "retransmit"});
  const Outcome again = run_program(options);
  INFO(again.err);
  CHECK(again.code == 5);
  CHECK(WaveFile(folder.file("on.node0.fst")).last_time() > 0);
}
