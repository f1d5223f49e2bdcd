// SPDX-License-Identifier: Apache-2.0
// Programs whose nodes talk to nodes that are no neighbours, on every machine.
#include <catch2/catch.hpp>

#include "tests/cli/program.hpp"

using Catch::Matchers::Contains;
using ht::test::Outcome;
using ht::test::run_exec;
using ht::test::ScratchFolder;

namespace {

const std::vector<std::vector<std::string>> networks = {
    {"qpace", "--network", "functional"}, {"qpace"}, {"qcdoc"}, {"tofu"}};

}  // namespace

TEST_CASE("a message past nodes that have ended arrives, and may be shorter than its receive") {
  const ScratchFolder folder;
  const std::string program = ht::test::compile_program(folder, "tests/cli/programs/anywhere.c");
  for (auto network : networks) {
    INFO(network.front() << ' ' << network.size());
    network.insert(network.end(), {"--nodes", "4x2"});
    const Outcome past = run_exec(network, {program, "past"});
    INFO(past.err);
    CHECK(past.code == 0);
    CHECK_THAT(past.out, Contains("received"));
  }
}

TEST_CASE("a receive that is too short is named in one line, with its nodes, call and lengths") {
  const ScratchFolder folder;
  const std::string program = ht::test::compile_program(folder, "tests/cli/programs/anywhere.c");
  for (auto network : networks) {
    INFO(network.front() << ' ' << network.size());
    network.insert(network.end(), {"--nodes", "4x2"});
    const Outcome outcome = run_exec(network, {program, "short"});
    CHECK(outcome.code == 5);
    CHECK_THAT(outcome.err, Contains("node 5 receives 50 bytes from node 0, which sends 100"));
    CHECK_THAT(outcome.err, Contains("QMP_"));
  }
}

TEST_CASE("between neighbours a receive may be longer, where links do not say it by an option") {
  const ScratchFolder folder;
  const std::string program = ht::test::compile_program(folder, "tests/cli/programs/anywhere.c");
  for (const auto& network : networks) {
    INFO(network.front() << ' ' << network.size());
    for (const bool option : {false, true}) {
      for (const char* what : {"near", "near empty", "near short"}) {
        auto options = network;
        options.insert(options.end(), {"--nodes", "2x2"});
        if (option) options.emplace_back("--any-lengths");
        const Outcome outcome = run_exec(options, {program, what});
        INFO(what << ' ' << option << ": " << outcome.err);
        const bool agree = !option && (network.front() == "qpace" || network.front() == "qcdoc") &&
                           network.size() == 1;
        if (std::string(what) == "near short") {
          CHECK(outcome.code == 5);
          CHECK_THAT(outcome.err,
                     Contains("node 1 receives 50 bytes from node 0, which sends 100"));
        } else if (agree) {
          CHECK(outcome.code == 5);
          CHECK_THAT(outcome.err, Contains("node 1 receives 50 bytes from its neighbour node 0, "
                                           "which sends ") &&
                                      Contains("--any-lengths"));
        } else {
          CHECK(outcome.code == 0);
        }
      }
    }
  }
}

TEST_CASE("messages of no bytes keep their place among the others") {
  const ScratchFolder folder;
  const std::string program = ht::test::compile_program(folder, "tests/cli/programs/anywhere.c");
  for (auto network : networks) {
    for (const char* nodes : {"4x2", "2"}) {  // over others, and between neighbours
      auto options = network;
      options.insert(options.end(), {"--nodes", nodes, "--any-lengths"});
      const Outcome outcome = run_exec(options, {program, "empty"});
      INFO(network.front() << ' ' << network.size() << ' ' << nodes << ": " << outcome.err);
      CHECK(outcome.code == 0);
    }
  }
}

TEST_CASE("messages of no bytes keep their place among those that one call starts") {
  const ScratchFolder folder;
  const std::string program = ht::test::compile_program(folder, "tests/cli/programs/anywhere.c");
  for (auto network : networks) {
    for (const char* what : {"empty receives", "empty sends"}) {
      auto options = network;
      options.insert(options.end(), {"--nodes", "4x2"});
      const Outcome outcome = run_exec(options, {program, what});
      INFO(network.front() << ' ' << network.size() << ' ' << what << ": " << outcome.err);
      CHECK(outcome.code == 0);
    }
  }
}

TEST_CASE("a message that nobody receives fails the run on every network") {
  const ScratchFolder folder;
  const std::string program = ht::test::compile_program(folder, "tests/cli/programs/anywhere.c");
  for (const auto& network : networks) {
    for (const bool option : {false, true}) {
      auto options = network;
      options.insert(options.end(), {"--nodes", "2x2"});
      if (option) options.emplace_back("--any-lengths");
      const Outcome outcome = run_exec(options, {program, "orphan"});
      INFO(network.front() << ' ' << network.size() << ' ' << option << ": " << outcome.err);
      CHECK(outcome.code == 4);
      if (!option && network.size() == 1 && network.front() != "tofu")
        CHECK_THAT(outcome.err, Contains("node 0 has sent 8 bytes to node 1, whose program ended "
                                         "without receiving them"));
    }
  }
}

TEST_CASE("nodes that wait for one that has ended say so, with call and lengths: exit code 4") {
  const ScratchFolder folder;
  const std::string program = ht::test::compile_program(folder, "tests/cli/programs/anywhere.c");
  for (auto network : networks) {
    INFO(network.front() << ' ' << network.size());
    network.insert(network.end(), {"--nodes", "2x2"});
    const Outcome outcome = run_exec(network, {program, "early"});
    INFO(outcome.err);
    CHECK(outcome.code == 4);
    CHECK_THAT(outcome.err, Contains("hypertorus: nodes 0-2 ended with exit code 0, while others "
                                     "wait: node 3 in QMP_wait(), called from early()"));
    CHECK_THAT(outcome.err, Contains("node 3") && Contains("receiving 50 bytes from "));
    CHECK_THAT(outcome.err, Contains("nodes 0-2: ended with exit code 0"));
  }
}

TEST_CASE("a long message that is received later keeps no others, or the way out is named") {
  const ScratchFolder folder;
  const std::string program = ht::test::compile_program(folder, "tests/cli/programs/anywhere.c");
  for (const auto& network : networks) {
    for (const bool option : {false, true}) {
      auto options = network;
      options.insert(options.end(), {"--nodes", "4x2"});
      if (option) options.emplace_back("--any-lengths");
      const Outcome outcome = run_exec(options, {program, "ahead"});
      INFO(network.front() << ' ' << network.size() << ' ' << option << ": " << outcome.err);
      // Messages and packets share the transmit FIFOs of QPACE.
      if (network.front() == "qpace" && network.size() == 1 && !option) {
        CHECK(outcome.code == 4);
        CHECK_THAT(outcome.err, Contains("start their receives first, or use --any-lengths"));
      } else {
        CHECK(outcome.code == 0);
      }
    }
  }
}
