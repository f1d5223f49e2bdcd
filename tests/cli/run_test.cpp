// SPDX-License-Identifier: Apache-2.0
// The main job: bit-exact over bad cables, whatever the computer does meanwhile.
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/cli/program.hpp"
#include "tests/support/test_seed.hpp"

using ht::test::contains;
using ht::test::Outcome;
using ht::test::run_json;
using ht::test::run_program;
using ht::test::ScratchFolder;
using Json = nlohmann::json;

namespace {

// What must not depend on how a run was made.
void check_same_answer(const Json& a, const Json& b) {
  CHECK(a["verdict"] == "bit-exact");
  CHECK(b["verdict"] == "bit-exact");
  CHECK(a["solution_crc32"] == b["solution_crc32"]);
  CHECK(a["iterations"] == b["iterations"]);
  CHECK(a["true_residual"] == b["true_residual"]);
  CHECK(a["correlator"] == b["correlator"]);
  CHECK(a["plaquette"] == b["plaquette"]);
}

// What must not depend on how the simulation was made, given the same machine and errors.
void check_same_machine(const Json& a, const Json& b) {
  check_same_answer(a, b);
  CHECK(a["machine_time_ps"] == b["machine_time_ps"]);
  CHECK(a["errors"] == b["errors"]);
  CHECK(a["links"] == b["links"]);
  CHECK(a["times_s"] == b["times_s"]);
}

}  // namespace

TEST_CASE("the main job is bit-exact and accounts for every error") {
  const ScratchFolder folder;
  const Outcome outcome = run_program({"run", "--json", folder.file("run.json")});
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.out.find("verdict        bit-exact") != std::string::npos);
  const Json run = Json::parse(std::ifstream(folder.file("run.json")));
  const Json& errors = run["errors"];
  CHECK(errors["injected"] > 100);
  CHECK(errors["injected"] == errors["detected"].get<int>() + errors["harmless"].get<int>());
  CHECK(errors["undetected"] == 0);
  // Nearly every flipped line bit shows. Were the observation port's latency taken wrong, most
  // errors would seem harmless.
  CHECK(errors["harmless"].get<int>() * 20 < errors["injected"].get<int>());
  CHECK(errors["retransmissions"] > 0);
  CHECK(run["links"].size() == 48);
  for (const Json& link : run["links"]) {
    CHECK(link["packets"] > 0);
    CHECK(link["packets"] == link["accepted"]);
    CHECK(link["tx_checksum"] == link["rx_checksum"]);
  }
}

TEST_CASE("a packet damaged so that no CRC sees it ends in a mismatch that names the link") {
  const ScratchFolder folder;
  const Outcome outcome = run_program({"run", "--forged", "1", "--ber", "0", "--bursts", "0",
                                       "--nodes", "1x1x2", "--json", folder.file("run.json")});
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.code == 1);
  const Json run = Json::parse(std::ifstream(folder.file("run.json")));
  CHECK(run["verdict"] == "mismatch");
  CHECK(run["errors"]["undetected"] == 1);
  int differ = 0;
  for (const Json& link : run["links"]) {
    if (link["tx_checksum"] == link["rx_checksum"]) continue;
    ++differ;
    const std::string cable = "node " + link["from"].dump() + " " +
                              link["link"].get<std::string>() + " to node " + link["to"].dump();
    CHECK(contains(outcome.out, "    checksums disagree: " + cable + ", "));
    // Which error it was, and when.
    REQUIRE(run["undetected"].size() == 1);
    const auto undetected = run["undetected"][0].get<std::string>();
    CHECK(undetected.starts_with(cable + ": forced at "));
    CHECK(contains(outcome.out, "    went undetected: " + undetected + "\n"));
  }
  CHECK(differ == 1);
}

TEST_CASE("where damage leaves no number the errors that went undetected are named") {
  const ScratchFolder folder;
  const std::vector<std::string> base{"--nodes", "2",       "--lattice",
                                      "4x2x2x2", "--quiet", "--threads",
                                      "1",       "--json",  folder.file("run.json")};
  struct Case {
    std::vector<std::string> words;
    int code;
    std::string verdict;
  };
  // A sum of the gauge field on both nodes; the source's norm on one of them, which then solves
  // nothing while the other one waits for it.
  const Case cases[] = {
      {{"run", "qcdoc", "--forged", "6", "--error-span", "600us", "--seed", "21"}, 1, "mismatch"},
      {{"run", "qpace", "--barrier", "torus", "--forged", "9", "--error-span", "160us", "--seed",
        "23"},
       4,
       "failed"}};
  for (const Case& c : cases) {
    std::vector<std::string> words = c.words;
    words.insert(words.end(), base.begin(), base.end());
    const Outcome outcome = run_program(words);
    INFO(words[1] << outcome.out << outcome.err);
    CHECK(outcome.code == c.code);
    const Json run = Json::parse(std::ifstream(folder.file("run.json")));
    CHECK(run["verdict"] == c.verdict);
    CHECK(run["errors"]["undetected"] > 0);
    CHECK(run["undetected"].size() == run["errors"]["undetected"]);
    CHECK(contains(outcome.out, "    went undetected: node "));
  }
}

TEST_CASE("threads, skipping and tracing change no bit of the answer or of the machine") {
  const std::vector<std::string> base{"--nodes", "2x1x1",       "--lattice",
                                      "4x4x4x4", "--tolerance", "1e-6"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return run_json(more);
  };
  const ScratchFolder folder;
  const Json plain = with({"--threads", "1"});
  CHECK(plain["cycles"]["skipped"] > 0);
  check_same_machine(plain, with({"--threads", "2"}));
  const Json all_cycles = with({"--no-skip"});
  CHECK(all_cycles["cycles"]["skipped"] == 0);
  CHECK(all_cycles["cycles"]["total"] == plain["cycles"]["total"]);
  check_same_machine(plain, all_cycles);
  check_same_machine(plain, with({"--trace", folder.file("wave"), "--trace-from", "20us",
                                  "--trace-to", "24us", "--trace-nodes", "1"}));
  CHECK(std::filesystem::file_size(folder.file("wave.node1.fst")) > 1000);
  CHECK(!std::filesystem::exists(folder.file("wave.node0.fst")));
  check_same_machine(plain, with({"--trace", folder.file("scope"), "--trace-to", "50us",
                                  "--trace-links", "+x", "--trace-depth", "4"}));
  check_same_machine(plain, with({"--trace", folder.file("on"), "--trace-on", "retransmit"}));
  check_same_machine(plain, with({"--pcap", folder.file("packets")}));
}

TEST_CASE("errors, clock phases, cable lengths and core clock change no bit of the answer") {
  const std::vector<std::string> base{"--nodes", "2x2x1",       "--lattice",
                                      "4x4x4x4", "--tolerance", "1e-6"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return run_json(more);
  };
  const Json clean = with({"--ber", "0", "--bursts", "0"});
  CHECK(clean["errors"]["injected"] == 0);
  CHECK(clean["errors"]["retransmissions"] == 0);
  check_same_answer(clean, with({"--ber", "1e-5"}));
  check_same_answer(clean, with({"--random-phases"}));
  check_same_answer(clean, with({"--cable-delay", "40ns", "--core-clock", "166"}));
  const Json rough = with({"--lost", "20", "--doubled", "20", "--stuck", "5", "--pulled", "2",
                           "--bursts", "20", "--error-span", "100us"});
  check_same_answer(clean, rough);
  CHECK(rough["errors"]["injected"] >= 67);
}

TEST_CASE(
    "cables of many lengths, what memories came up with and how slow they are change no bit") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> machines{
      {"qpace", {"--memory-latency", "6us", "--memory-spread", "3us"}},
      {"qcdoc", {"--memory-latency", "150ns", "--memory-spread", "250ns"}},
      {"tofu", {"--memory-latency", "150ns", "--memory-spread", "250ns"}}};
  for (const auto& [machine, slow] : machines) {
    const auto with = [&, &name = machine](std::vector<std::string> more) {
      const std::vector<std::string> base{
          name, "--nodes", "2x2", "--lattice", "4x4x2x2", "--tolerance", "1e-3", "--bursts", "0"};
      more.insert(more.begin(), base.begin(), base.end());
      return run_json(more);
    };
    const std::string seed = std::to_string(1 + ht::test::seed_of(0) % 1000);
    INFO(machine << ", seed " << seed);
    const Json clean = with({"--ber", "0", "--seed", seed});
    std::vector<std::string> options{"--seed",         seed,    "--random-state", "--random-phases",
                                     "--cable-spread", "400ns", "--ber",          "1e-6"};
    options.insert(options.end(), slow.begin(), slow.end());
    const Json rough = with(options);
    check_same_answer(clean, rough);
    CHECK(rough["machine_time_ps"] > clean["machine_time_ps"]);
  }
}

TEST_CASE("lanes exchanged for a time change no bit of the answer") {
  for (const char* machine : {"qpace", "tofu"}) {
    const auto with = [&](std::vector<std::string> more) {
      const std::vector<std::string> base{machine,     "--nodes",  "2x1x1",
                                          "--lattice", "4x2x2x2",  "--tolerance",
                                          "1e-3",      "--bursts", "0"};
      more.insert(more.begin(), base.begin(), base.end());
      return run_json(more);
    };
    const Json clean = with({"--ber", "0"});
    CHECK(clean["options"]["exchanged"] == 0);
    CHECK(clean["errors"]["injected"] == 0);
    for (const char* rate : {"0", "1e-5"}) {
      INFO(machine << ", bit error rate " << rate);
      const Json bad = with({"--exchanged", "30", "--ber", rate, "--error-span", "60us"});
      check_same_answer(clean, bad);
      CHECK(bad["options"]["exchanged"] == 30);
      const Json& exchanged = bad["errors"]["by_kind"]["exchanged"];
      CHECK(exchanged["injected"] >= 5);
      CHECK(exchanged["detected"] >= 3);
      CHECK(bad["errors"]["undetected"] == 0);
      CHECK(bad["errors"]["retransmissions"] > 0);
    }
  }
}

TEST_CASE("operating systems that interrupt programs cost time and change no bit of the answer") {
  for (const char* machine : {"qpace", "qcdoc", "tofu"}) {
    INFO(machine);
    const std::vector<std::string> base{machine,   "--nodes",     "2x1x1", "--lattice",
                                        "4x2x2x2", "--tolerance", "1e-2",  "--ber",
                                        "0",       "--bursts",    "0"};
    const auto with = [&](const char* noise, const char* seed) {
      std::vector<std::string> all = base;
      // The seed draws the field, too.
      all.insert(all.end(), {"--seed", seed});
      if (noise != nullptr) all.insert(all.end(), {"--noise", noise});
      return run_json(all);
    };
    const Json quiet = with(nullptr, "1");
    CHECK(quiet["options"]["noise"].is_null());
    const Json noisy = with("20us,5us,10us", "1");
    CHECK(noisy["options"]["noise"]["longest_ps"] == 10'000'000);
    check_same_answer(quiet, noisy);
    // A quarter of every processor's time, and nodes wait for one another.
    const double longer =
        noisy["machine_time_ps"].get<double>() / quiet["machine_time_ps"].get<double>();
    CHECK(longer > 1.2);
    check_same_machine(noisy, with("20us,5us,10us", "1"));
  }
}

TEST_CASE("single precision and the full solver are bit-exact too") {
  const std::vector<std::string> base{"--nodes", "2x1x1", "--lattice", "4x4x4x4"};
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--precision", "single", "--tolerance", "1e-5"},
        {"--solver", "full", "--tolerance", "1e-6"},
        {"--field", "hot", "--kappa", "0.1", "--tolerance", "1e-4"},
        {"--sum", "fast", "--tolerance", "1e-6"}}) {
    std::vector<std::string> all = base;
    all.insert(all.end(), more.begin(), more.end());
    CHECK(run_json(all)["verdict"] == "bit-exact");
  }
}

TEST_CASE("a solution that is far worse than the tolerance is warned of") {
  const std::vector<std::string> base{"run",   "--network", "functional", "--nodes",
                                      "2x2x1", "--lattice", "4x4x2x2",    "--quiet"};
  const auto warning = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = base;
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = run_program(all);
    CHECK(outcome.code == 0);
    return outcome.err;
  };
  CHECK(contains(warning({"--precision", "single"}), "use --solver mixed"));
  // 38 times as large as asked for.
  CHECK(contains(warning({"--precision", "single", "--tolerance", "1e-9"}), "use --solver mixed"));
  CHECK(warning({"--field", "unit", "--kappa", "0.125", "--boundary", "1,1,1,1", "--tolerance",
                 "1e-10"})
            .find("M is nearly singular") != std::string::npos);
  CHECK(warning({}).empty());
  CHECK(warning({"--precision", "single", "--tolerance", "1e-5"}).empty());
}

TEST_CASE("what ran is in the document, every option that changes numbers") {
  const auto options = [](const std::string& machine, std::vector<std::string> more) {
    const std::vector<std::string> base{machine,   "--nodes",   "2", "--lattice",
                                        "4x4x2x2", "--lost",    "1", "--stop-at",
                                        "100ns",   "--threads", "1"};
    more.insert(more.begin(), base.begin(), base.end());
    return run_json(more, 130)["options"];
  };
  for (const auto& [machine, key, words] :
       {std::tuple<const char*, const char*, std::vector<std::string>>{
            "qpace", "cable_spread_ps", {"--cable-spread", "20ns"}},
        {"qpace", "memory_latency_ps", {"--memory-latency", "300ns"}},
        {"qpace", "memory_spread_ps", {"--memory-spread", "20ns"}},
        {"qpace", "random_phases", {"--random-phases"}},
        {"qpace", "random_state", {"--random-state"}},
        {"qpace", "error_span_ps", {"--error-span", "20us"}},
        {"qpace", "max_iterations", {"--max-iterations", "20"}},
        {"qpace", "check_buffers", {"--check-buffers"}},
        {"qcdoc", "boot", {"--boot"}}}) {
    CAPTURE(key);
    const Json usual = options(machine, {}), other = options(machine, words);
    REQUIRE(usual.contains(key));
    CHECK(usual[key] != other[key]);
    Json rest = other;
    rest[key] = usual[key];
    CHECK(rest == usual);
  }
  CHECK(options("qpace", {"--error-span", "20us"})["error_span_ps"] == 20'000'000);
}

TEST_CASE("a residual that is no number is none") {
  const nlohmann::json json =
      run_json({"--network", "functional", "--nodes", "1", "--lattice", "4x4x2x2", "--operator",
                "staggered", "--precision", "single", "--mass", "1e25", "--quiet"},
               6);
  CHECK(json["true_residual"].is_null());
}

TEST_CASE("every operator is bit-exact over bad cables") {
  const std::vector<std::string> base{"--lattice", "6x4x4x4", "--nodes",     "2",
                                      "--ber",     "1e-5",    "--tolerance", "1e-3"};
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--operator", "clover", "--csw", "1.2", "--kappa", "0.12"},
        {"--operator", "asqtad", "--mass", "0.5", "--u0", "0.9"},
        {"--operator", "dwf", "--Ls", "2", "--mass", "0.2", "--solver", "mixed"},
        {"--operator", "staggered", "--mass", "0.5", "--solver", "multishift", "--shifts",
         "0.5,0,1"}}) {
    std::vector<std::string> all = base;
    all.insert(all.end(), more.begin(), more.end());
    const Json run = run_json(all);
    CAPTURE(run["options"]["operator"]);
    CHECK(run["options"]["operator"] == more[1]);
    CHECK(run["verdict"] == "bit-exact");
    CHECK(run["errors"]["injected"] > 0);
    CHECK(run["errors"]["undetected"] == 0);
    if (more[1] == "staggered") {
      CHECK(run["columns"].size() == 3);
      CHECK(run["columns"][0]["shift"] == 0.5);
      CHECK(run["correlator"].empty());
    } else {
      CHECK(run["correlator"].size() == 4);
    }
  }
}

TEST_CASE("a machine spread over two processes gives the same bits") {
  if (ht::test::skipped_without_mpi()) return;
  const std::vector<std::string> options{"--nodes",     "2x2x1", "--lattice", "4x4x4x4",
                                         "--tolerance", "1e-6",  "--threads", "1"};
  check_same_machine(run_json(options), run_json(options, 0, 2));
}

TEST_CASE("Ctrl-C closes trace and JSON in order") {
  const ScratchFolder folder;
  const Outcome outcome =
      run_program({"run", "--no-skip", "--columns", "12", "--json", folder.file("run.json"),
                   "--trace", folder.file("wave"), "--trace-nodes", "0"},
                  4.0);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 130);
  const Json run = Json::parse(std::ifstream(folder.file("run.json")));
  CHECK(run["verdict"] == "interrupted");
  CHECK(std::filesystem::file_size(folder.file("wave.node0.fst")) > 1000);
}
