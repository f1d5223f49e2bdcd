// SPDX-License-Identifier: Apache-2.0
// The command of fault campaigns: verdict and exit code, table and JSON, one run again.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/cli/program.hpp"

using ht::test::Outcome;
using ht::test::run_program;
using ht::test::ScratchFolder;
using ht::test::skipped_without_mpi;
using ht::test::with;

namespace {

Outcome inject(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"inject", "qpace", "--nodes", "2x1x1"});
  return run_program(arguments);
}

nlohmann::json numbers(std::vector<std::string> arguments) {
  const ScratchFolder folder;
  const std::string file = folder.file("inject.json");
  arguments.insert(arguments.end(), {"--quiet", "--json", file});
  const Outcome o = inject(arguments);
  INFO(o.out << o.err);
  REQUIRE(o.code == 0);
  auto j = nlohmann::json::parse(std::ifstream(file));
  j.erase("seconds");
  return j;
}

}  // namespace

TEST_CASE("inject: a campaign that finds nothing says so, in text and JSON") {
  const Outcome o = inject({"--runs", "12", "--seed", "5", "--forged-every", "6"});
  CHECK(o.code == 0);
  for (const char* text : {"errors by kind", "framing", "cmd CRC", "0 lost, 0 doubled, 0 altered",
                           "nothing lost, doubled, altered, misordered or misrouted"}) {
    INFO(text);
    CHECK(o.out.find(text) != std::string::npos);
  }
  const auto one = numbers({"--runs", "12", "--seed", "5", "--threads", "1"});
  CHECK(one == numbers({"--runs", "12", "--seed", "5", "--threads", "3"}));
  CHECK(one["packets"]["delivered"].get<int>() + one["packets"]["forged_delivered"].get<int>() ==
        one["packets"]["sent"].get<int>());
  CHECK(one["errors"]["injected"].get<int>() > 100);
  CHECK(one["errors"]["undetected"].get<int>() == 0);
  CHECK(one["findings"].empty());
}

TEST_CASE("inject: one run again, with what became of each error, and waves") {
  const ScratchFolder folder;
  const std::string waves = folder.file("w");
  const Outcome o = inject({"--replay", "0", "--forged-every", "1", "--trace", waves});
  CHECK(o.code == 0);
  CHECK(o.out.find("run 0: ") != std::string::npos);
  CHECK(o.out.find("forged packet") != std::string::npos);
  CHECK(std::filesystem::file_size(waves + ".node0.fst") > 10'000);
  CHECK(std::filesystem::file_size(waves + ".node1.fst") > 10'000);
}

TEST_CASE("inject: a forged packet is caught by the checksums, and node and link are named") {
  // Nothing else gets in its way but want of room, for which the receiver refuses it in some run.
  int caught = 0;
  for (const char* run : {"0", "1", "2", "3"}) {
    const Outcome o =
        inject({"--replay", run, "--forged-every", "1", "--kinds", "hellos", "--seed", "2"});
    INFO(o.out);
    CHECK(o.code == 0);
    const bool named = o.out.find("caught by the checksums: node ") != std::string::npos;
    CHECK(named == (o.out.find("1 forged packets caught") != std::string::npos));
    CHECK(named == (o.out.find("forced in payload: harmless") == std::string::npos));
    caught += named;
  }
  CHECK(caught >= 2);
}

TEST_CASE("inject: several processes find the same as one, and only what can be spread runs so") {
  if (skipped_without_mpi()) return;
  const ScratchFolder folder;
  const auto found_by = [&folder](int ranks) {
    const std::string file = folder.file("found.json");
    const Outcome o = run_program({"inject", "qpace", "--runs", "7", "--nodes", "2",
                                   "--forged-every", "3", "--threads", "1", "--json", file},
                                  0, ranks);
    INFO(o.out << o.err);
    CHECK(o.code == 0);
    nlohmann::json found = nlohmann::json::parse(std::ifstream(file));
    found.erase("seconds");
    return found;
  };
  const nlohmann::json one = found_by(1);
  CHECK(one.at("runs") == 7);
  for (const int ranks : {2, 3}) CHECK(found_by(ranks) == one);
  // A finding of the last process is everybody's.
  const Outcome o = run_program({"inject", "qpace", "--nodes", "2", "--runs", "4", "--kinds",
                                 "hellos", "--forged-every", "3", "--no-checksums"},
                                0, 4);
  CHECK(o.code == 1);
  CHECK(o.out.find("run 3, node") != std::string::npos);
  CHECK(o.out.find("verdict        FAILED: ") == o.out.rfind("verdict "));
  for (const std::vector<std::string>& refused :
       {std::vector<std::string>{"gauge", "info", "x"}, {"evolve"}}) {
    const Outcome r = run_program(refused, 0, 2);
    CHECK(r.code == 2);
    CHECK(r.err.find(refused.front() + " runs in one process: start it without mpirun") !=
          std::string::npos);
  }
  for (const char* option : {"--shrink", "--replay=0", "--resume=x.runs"}) {
    const Outcome r = run_program({"inject", "qpace", option}, 0, 2);
    CHECK(r.code == 2);
    CHECK(r.err.find("one process does that; start it without mpirun") != std::string::npos);
  }
}

TEST_CASE(
    "inject: over lanes what looks for words, and lanes that cannot be, are refused by name") {
  const auto refused = [](const std::vector<std::string>& more, const std::string& names,
                          const std::string& machine = "qpace") {
    const Outcome o = run_program(ht::test::with({"inject", machine}, more));
    INFO(o.err);
    CHECK(o.code == 2);
    CHECK(o.err.find(names) != std::string::npos);
  };
  for (const std::string kind : {"idle", "commands", "hellos", "headers"})
    refused({"--phy", "lanes", "--kinds", "bits," + kind}, kind + " looks for words");
  refused({"--phy", "lanes", "--forged-every", "7"}, "--forged-every 7");
  refused({"--phy", "lanes", "--lanes", "1", "--kinds", "exchanged"}, "exchanged takes 2 lanes");
  refused({"--phy", "lanes", "--lanes", "8"}, "--lanes 8");
  refused({"--phy", "cables"}, "--phy");
  refused({"--lanes", "2"}, "add --phy lanes");
  refused({"--phy", "lanes", "--lane-skew", "60ns", "--replay", "0"}, "13 words");
}

TEST_CASE("inject: over lanes every error is accounted for, and the command that repeats says so") {
  const std::vector<std::string> campaign{"--phy", "lanes", "--runs", "3", "--seed", "4"};
  const auto one = numbers(ht::test::with(campaign, {"--threads", "1"}));
  CHECK(one == numbers(ht::test::with(campaign, {"--threads", "3"})));
  CHECK(one["phy"]["lanes"] == 4);
  CHECK(one["phy"]["most_off_ppb"] == 300'000);
  const auto& errors = one["errors"];
  CHECK(errors["injected"].get<int>() > 50);
  CHECK(errors["undetected"] == 0);
  // No error is in no column.
  int sum = 0;
  for (const auto& [column, count] : errors.items())
    if (column != "injected") sum += count.get<int>();
  CHECK(sum == errors["injected"].get<int>());
  // Nothing that looks for words was drawn, and no error is said to have hit a certain one.
  CHECK(one["errors_by_kind"]["aimed"]["injected"] == 0);
  CHECK(one["errors_by_kind"]["forced"]["injected"] == 0);
  CHECK(!one.contains("errors_by_place"));
  const Outcome tofu = run_program({"inject", "tofu", "--phy", "lanes", "--lanes", "2", "--nodes",
                                    "2", "--runs", "2", "--quiet"});
  INFO(tofu.out << tofu.err);
  CHECK(tofu.code == 0);
  // A campaign over other lanes is another campaign.
  const ScratchFolder folder;
  const std::string file = folder.file("lanes.runs");
  const auto resume = [&file](const std::vector<std::string>& lanes) {
    return inject(ht::test::with({"--runs", "1", "--resume", file}, lanes));
  };
  CHECK(resume({"--phy", "lanes"}).code == 0);
  for (const auto& other : {std::vector<std::string>{}, {"--phy", "lanes", "--lanes", "2"}}) {
    const Outcome o = resume(other);
    INFO(o.err);
    CHECK(o.code == 2);
    CHECK(o.err.find("phy") != std::string::npos);
  }
}

TEST_CASE("inject: bad options are refused with exit code 2") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> bad = {
      {{"--runs", "0"}, "--runs"},
      {{"--runs", "many"}, "--runs"},
      {{"--nodes", "2x2x2x2"}, "--nodes"},
      {{"--nodes", "16x16"}, "--nodes"},
      {{"--kinds", "bits,bots"}, "did you mean bits"},
      {{"--forged-every", "-1"}, "--forged-every"},
      {{"--threads", "-1"}, "--threads"},
      {{"--replay", "-2"}, "--replay"},
      {{"--replay", "-1"}, "runs count from 0"},
      {{"--trace", "x"}, "--replay"},
      {{"--keep", "1"}, "--replay"},
      {{"--replay", "1", "--keep", "1,x"}, "0,3,17-220"},
      {{"--replay", "1", "--keep", "99999"}, "numbers 0 to "},
      {{"--replay", "1", "--keep", "1", "--shrink"}, "--keep"},
      {{"--replay", "1", "--shard", "1/2"}, "--shard"},
      {{"--replay", "1", "--resume", "x"}, "--resume"},
      {{"--replay", "1", "--runs", "7"}, "--runs"},
      {{"--kinds", "upsets", "--forged-every", "1"}, "--forged-every 1"},
      {{"--shard", "0/2"}, "--shard 0/2"},
      {{"--shard", "3/2"}, "--shard 3/2"},
      {{"--shard", "1"}, "I/N"},
      {{"--shard", "1/2/3"}, "I/N"},
      {{"--shard", "-1/2"}, "I/N"},
      {{"--runs", "3", "--shard", "1/4"}, "3 runs to be shared"},
      {{"--no-such"}, "--no-such"}};
  for (const auto& [arguments, names] : bad) {
    const Outcome o = inject(arguments);
    INFO(o.err);
    CHECK(o.code == 2);
    CHECK(o.err.find(names) != std::string::npos);
  }
  const Outcome o = inject({"--runs", "1", "--json", "/no/such/folder/x.json"});
  CHECK(o.code == 3);
  CHECK(run_program({"inject"}).code == 2);
  const Outcome alone = run_program({"inject", "qcdoc", "--runs", "1", "--nodes", "1"});
  CHECK(alone.code == 2);
  CHECK(alone.err.find("2 nodes at least") != std::string::npos);
  CHECK(run_program({"inject", "tofu", "--nodes", "2x1x1x1x4"}).code == 2);
}

TEST_CASE("inject qcdoc: nothing goes unnoticed, and a forged word is named by its link") {
  const Outcome o = run_program(
      {"inject", "qcdoc", "--nodes", "2", "--runs", "6", "--seed", "5", "--forged-every", "0"});
  INFO(o.out << o.err);
  CHECK(o.code == 0);
  for (const char* text :
       {"campaign       qcdoc, 2 nodes", "header", "parity", "marks", "training", "words  ",
        "nothing lost, doubled, altered, misordered or misrouted but"})
    CHECK(o.out.find(text) != std::string::npos);
  const Outcome forged = run_program({"inject", "qcdoc", "--nodes", "2", "--replay", "0",
                                      "--forged-every", "1", "--kinds", "idle", "--seed", "2"});
  INFO(forged.out << forged.err);
  CHECK(forged.code == 0);
  CHECK(forged.out.find("caught by the checksums: node ") != std::string::npos);
  CHECK(forged.out.find("1 of them caught by the checksums") != std::string::npos);
}

TEST_CASE("inject: waves that cannot be written are no finding about hardware") {
  const ScratchFolder folder;
  const Outcome o =
      inject({"--replay", "0", "--trace", folder.file("no/wave"), "--json", folder.file("j.json")});
  CHECK(o.code == 3);
  CHECK(o.out.find("FOUND") == std::string::npos);
  CHECK(std::count(o.err.begin(), o.err.end(), '\n') == 1);
  CHECK(nlohmann::json::parse(std::ifstream(folder.file("j.json")))["exit_code"] == 3);
}

TEST_CASE("inject: the residual risk is computed and printed") {
  const ScratchFolder folder;
  const std::vector<std::string> residual{"inject", "qpace", "--residual"};
  const Outcome o = run_program(with(residual, {"--json", folder.file("r.json")}));
  CHECK(o.code == 0);
  // 1,060,037 with the start code counted in; this is what the CRC covers.
  CHECK(o.out.find("1080 bits under the CRC-32C: 6 or more") != std::string::npos);
  CHECK(o.out.find("at least 4 inverted line bits") != std::string::npos);
  const auto rows = nlohmann::json::parse(std::ifstream(folder.file("r.json")))["rows"];
  double risk = 0;
  for (const auto& row : rows) {
    if (row["id"] == "qpace.residual.packet_data.ber1e-04") risk = row["value"];
  }
  CHECK(risk == Approx(9.1e-19).epsilon(0.01));
  // A campaign's options say nothing of it.
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--kinds", "nonsense"},
                                               {"--runs", "5"},
                                               {"--seed", "1"},
                                               {"--resume", folder.file("runs")},
                                               {"--replay", "0"},
                                               {"--phy", "lanes"},
                                               {"--shrink"},
                                               {"--set", "RX_SLOTS=2"},
                                               {"--threads", "1"}}) {
    const Outcome beside = run_program(with(residual, more));
    INFO(beside.err);
    CHECK(beside.code == 2);
    CHECK(beside.err.find(more[0] + ": no effect with --residual") != std::string::npos);
    CHECK(std::count(beside.err.begin(), beside.err.end(), '\n') == 1);
  }
  CHECK(run_program(with(residual, {"--quiet"})).code == 0);
  if (ht::test::skipped_without_mpi()) return;
  // The first of several processes says all, once.
  const Outcome two = run_program(residual, 0, 2);
  CHECK(two.code == 0);
  CHECK(two.out == run_program(residual).out);
}

TEST_CASE("inject tofu: nothing goes wrong, and a forged packet is named by its link") {
  const ScratchFolder folder;
  const std::string file = folder.file("tofu.json");
  const Outcome o = run_program({"inject", "tofu", "--nodes", "2x1x1x2", "--runs", "6", "--seed",
                                 "5", "--forged-every", "3", "--json", file});
  INFO(o.out << o.err);
  CHECK(o.code == 0);
  for (const char* text :
       {"campaign       tofu, 2x1x1x2 nodes", "ctrl CRC", "results  ", "packets to gates",
        "nothing lost, doubled, altered, misordered or misrouted"})
    CHECK(o.out.find(text) != std::string::npos);
  const auto j = nlohmann::json::parse(std::ifstream(file));
  const auto& results = j["results"];
  CHECK(results["sent"] > 100);
  CHECK(results["delivered"].get<int>() + results["forged_delivered"].get<int>() ==
        results["sent"].get<int>());
  CHECK(results["forged"] == 2);
  CHECK(j["errors"]["injected"] > 20);
  CHECK(j["errors"]["undetected"] == 0);
  CHECK(j["findings"].empty());
  const Outcome forged = run_program({"inject", "tofu", "--nodes", "2x1x1x2", "--replay", "0",
                                      "--forged-every", "1", "--kinds", "hellos"});
  INFO(forged.out << forged.err);
  CHECK(forged.code == 0);
  CHECK(forged.out.find("caught by the checksums: node ") != std::string::npos);
}

TEST_CASE("inject: what only checksums notice is a finding if nobody compares them, exit code 1") {
  for (const auto& [machine, kind] :
       {std::pair{"qpace", "hellos"}, std::pair{"qcdoc", "idle"}, std::pair{"tofu", "hellos"}}) {
    const Outcome o = run_program({"inject", machine, "--nodes", "2", "--runs", "2", "--kinds",
                                   kind, "--forged-every", "1", "--no-checksums"});
    INFO(o.out << o.err);
    CHECK(o.code == 1);
    CHECK(o.out.find("was accepted") != std::string::npos);
    CHECK(o.out.find(" altered\n") != std::string::npos);  // and what was delivered, too
    CHECK(o.out.find(std::string("again: hypertorus inject ") + machine) != std::string::npos);
    CHECK(o.out.find("--no-checksums --replay ") != std::string::npos);
    CHECK(o.out.find("FAILED: ") != std::string::npos);
  }
}
