// SPDX-License-Identifier: Apache-2.0
// How runs end: whatever the end, the JSON document has it.
#include <signal.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/cli/output_runs.hpp"

using namespace ht::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

TEST_CASE("every run that began leaves its JSON with its exit code") {
  const ScratchFolder folder;
  const std::string json = folder.file("json");
  const auto check = [&](const Outcome& outcome, int code, const std::string& verdict) {
    INFO(outcome.err);
    CHECK(outcome.code == code);
    REQUIRE(fs::exists(json));
    const Json document = Json::parse(content(json));
    CHECK(document["schema_version"] == 1);
    CHECK(document["exit_code"] == code);
    CHECK(document["verdict"] == verdict);
    CHECK(document["error"].is_null() == outcome.err.empty());
    CHECK(document["options"]["nodes"] == Json({2}));
    fs::remove(json);
  };
  const Words run = with(simulated, {"--json", json});
  check(run_program(run), 0, "bit-exact");
  check(run_program({"run", "qcdoc", "--nodes", "2", "--lattice", "4x2x2x2", "--tolerance", "1e-3",
                     "--quiet", "--ber", "0", "--bursts", "0", "--forged", "1", "--error-span",
                     "10us", "--json", json}),
        1, "mismatch");
  check(run_program(with(run, {"--timeout", "1us"})), 4, "failed");
  check(run_program(with(run, {"--max-iterations", "1"})), 6, "bit-exact");
}

namespace {

void trains_for_ever(const std::string& machine, const std::string& rate,
                     const std::string& seconds, const std::string& link) {
  INFO(machine << " at " << rate);
  const ScratchFolder folder;
  const std::string json = folder.file("json");
  const Outcome outcome =
      run_program({"run", machine, "--nodes", "2", "--lattice", "4x2x2x2", "--tolerance", "1e-3",
                   "--threads", "1", "--quiet", "--ber", rate, "--bursts", "0",
                   "--processor-timeout", seconds, "--json", json});
  INFO(outcome.err);
  CHECK(outcome.code == 4);
  CHECK(outcome.err.find(link) != std::string::npos);
  CHECK(outcome.err.find("of processor time") != std::string::npos);
  const Json document = Json::parse(content(json));
  CHECK(document["exit_code"] == 4);
  CHECK(document["errors"]["injected"] > 0);
  CHECK(document["errors"]["retransmissions"].is_null());
  CHECK(document["true_residual"].is_null());
  CHECK(document["wall_seconds"] > 0);
}

}  // namespace

TEST_CASE("links that train for ever end the run with code 4 and their names") {
  trains_for_ever("tofu", "0.1", "1s", "X+");
  trains_for_ever("qpace", "0.1", "1s", "+x");
}

TEST_CASE("links that train for ever where every other bit is wrong", "[nightly]") {
  trains_for_ever("tofu", "0.5", "2s", "X+");
  trains_for_ever("qpace", "0.5", "1s", "+x");
}

TEST_CASE("a run that --stop-at ends has state, waves, packets and page as they are") {
  for (const char* machine : {"qpace", "qcdoc", "tofu"}) {
    // Before links are up, and afterwards.
    for (const int us : {1, 12}) {
      INFO(machine << " until " << us << " us");
      const ScratchFolder folder;
      const std::string json = folder.file("json");
      const Outcome outcome = run_program({"run",           machine,
                                           "--nodes",       "2",
                                           "--lattice",     "4x2x2x2",
                                           "--tolerance",   "1e-3",
                                           "--threads",     "1",
                                           "--stop-at",     std::to_string(us) + "us",
                                           "--json",        json,
                                           "--report",      folder.file("r.html"),
                                           "--trace",       folder.file("w"),
                                           "--trace-nodes", "0",
                                           "--pcap",        folder.file("p")});
      INFO(outcome.out << outcome.err);
      CHECK(outcome.code == 130);
      const Json document = Json::parse(content(json));
      CHECK(document["exit_code"] == 130);
      CHECK(document["verdict"] == "stopped");
      CHECK(document["states"].size() == 2);
      CHECK(document["machine_time_ps"] == us * 1'000'000);
      // There is no answer, so nothing is said of one.
      for (const char* key :
           {"field", "lattice", "local_lattice", "plaquette", "true_residual", "solution_crc32"})
        CHECK(document[key].is_null());
      CHECK(document["wall_seconds"] > 0);
      CHECK(outcome.out.find("node 1") != std::string::npos);
      for (const char* file : {"r.html", "w.node0.fst", "p.pcapng"})
        CHECK(fs::exists(folder.file(file)));
    }
  }
}

TEST_CASE("a run that --stop-at ends hides nothing: errors, waves, what is not known") {
  const ScratchFolder folder;
  const std::string json = folder.file("json");
  const auto stop = [&](const std::vector<std::string>& more) {
    return run_program(with({"run", "qpace", "--nodes", "2", "--lattice", "4x4x4x4", "--threads",
                             "1", "--stop-at", "60us", "--json", json},
                            more));
  };
  const Outcome waves = stop({"--ber", "1e-5", "--trace", folder.file("w"), "--trace-on", "error"});
  INFO(waves.out << waves.err);
  CHECK(waves.code == 130);
  CHECK(waves.out.find("waves          first error at ") != std::string::npos);
  CHECK((fs::exists(folder.file("w.node0.fst")) || fs::exists(folder.file("w.node1.fst"))));
  // Nobody has read how often links sent again.
  CHECK(waves.out.find("links were not read") != std::string::npos);
  CHECK(waves.out.find("retransmissions") == std::string::npos);
  CHECK(Json::parse(content(json))["errors"]["retransmissions"].is_null());

  const Outcome forged = stop({"--ber", "0", "--bursts", "0", "--forged", "3"});
  INFO(forged.out << forged.err);
  CHECK(forged.code == 130);
  const auto undetected = Json::parse(content(json))["errors"]["undetected"].get<int>();
  CHECK(undetected > 0);
  CHECK(forged.out.find("stopped; " + std::to_string(undetected) + " errors undetected") !=
        std::string::npos);

  const Outcome lost = stop({"--ber", "0", "--bursts", "0", "--lost", "5"});
  INFO(lost.out << lost.err);
  CHECK(lost.out.find("lost       ") != std::string::npos);
  CHECK(lost.out.find(" of 5 asked for") != std::string::npos);
}

TEST_CASE("a run that is over before --stop-at is as without") {
  CHECK(run_program(with(simulated, {"--stop-at", "1s"})).code == 0);
}

TEST_CASE("a signal that is ignored, as by nohup, ends nothing") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    INFO("signal " << signal);
    Surroundings around;
    around.signal = around.ignored = signal;
    around.signal_after = 0.5;
    const Outcome outcome = run_program_in(
        around, {"bench", "sim", "--nodes", "8", "--threads", "1", "--seconds", "1"});
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(outcome.out.find("idle, no skipping") != std::string::npos);
  }
}

TEST_CASE("whatever signal ends a run, JSON and code are there") {
  const ScratchFolder folder;
  const std::string json = folder.file("json");
  for (const auto& [words, name] :
       {std::pair<Words, std::string>{
            {"run", "--no-skip", "--columns", "12", "--quiet", "--json", json}, "run"},
        {{"run", "--network", "functional", "--lattice", "16x16x16x16", "--tolerance", "1e-15",
          "--quiet", "--json", json},
         "functional"},
        {{"run", "--network", "functional", "--nodes", "4096", "--lattice", "4096x2x2x2", "--quiet",
          "--json", json},
         "many nodes"},
        {{"bench", "sim", "--nodes", "8", "--threads", "1", "--seconds", "100", "--json", json},
         "bench"},
        {{"inject", "qpace", "--runs", "1000000", "--quiet", "--json", json}, "inject"},
        // A run of many seconds, which is not waited for.
        {{"inject", "qcdoc", "--soak", folder.file("soak"), "--quiet", "--json", json}, "soak"}}) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      if (name != "run" && signal != SIGTERM) continue;
      INFO(name << ", signal " << signal);
      Surroundings around;
      around.signal = signal;
      around.signal_after = 1.5;
      const Outcome outcome = run_program_in(around, words);
      INFO(outcome.err);
      CHECK(outcome.code == 130);
      CHECK(outcome.err.find("killed") == std::string::npos);
      REQUIRE(fs::exists(json));
      const Json document = Json::parse(content(json));
      CHECK(document["exit_code"] == 130);
      if (name == "soak") CHECK(document.value("runs", -1) == 0);
      if (name != "bench" && name != "inject" && name != "soak")
        CHECK(document["verdict"] == "interrupted");
      fs::remove(json);
    }
  }
}
