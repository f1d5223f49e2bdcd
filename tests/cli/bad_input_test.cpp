// SPDX-License-Identifier: Apache-2.0
// Bad input: one line that names the thing and the remedy, the documented exit code, nothing
// written.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/cli/program.hpp"

using ht::test::Outcome;
using ht::test::run_program;
using ht::test::ScratchFolder;

namespace {

void check_refused(std::vector<std::string> arguments, int code, const std::string& names) {
  const ScratchFolder folder;
  const std::string json = folder.file("run.json");
  arguments.insert(arguments.begin(), "run");
  arguments.insert(arguments.end(), {"--json", json});
  const Outcome outcome = run_program(arguments);
  INFO(outcome.err);
  CHECK(outcome.code == code);
  CHECK(outcome.err.find(names) != std::string::npos);
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  // Whoever reads the document knows the exit code.
  if (std::filesystem::exists(json))
    CHECK(nlohmann::json::parse(std::ifstream(json))["exit_code"] == code);
}

std::string write(const std::string& file, const std::string& text) {
  std::ofstream(file) << text;
  return file;
}

}  // namespace

TEST_CASE("bad options are refused with exit code 2") {
  check_refused({"--no-such-option"}, 2, "--no-such-option");
  check_refused({"--ber", "1.5"}, 2, "--ber");
  check_refused({"--ber", "-1e-6"}, 2, "--ber");
  check_refused({"--ber", "0.51"}, 2, "--ber");
  check_refused({"--ber", "often"}, 2, "--ber");
  check_refused({"--nodes", "2x0x2"}, 2, "--nodes");
  check_refused({"--threads", "99999999999"}, 2,
                "--threads = 99999999999: the number is too large");
  check_refused({"--network", "functional", "--source", "gaussian:0,0,0,0:1e200:30"}, 2,
                "choose a smaller width");
  check_refused({"--nodes", "2x2x2x2"}, 2, "--nodes");
  check_refused({"--nodes", "2x2x2", "--machine", "4x2x1"}, 2, "--machine");
  check_refused({"--cable-spread", "far"}, 2, "--cable-spread");
  check_refused({"--cable-delay", "600ns", "--cable-spread", "500ns"}, 2, "--cable-spread");
  check_refused({"--memory-latency", "11us"}, 2, "--memory-latency");
  check_refused({"qcdoc", "--memory-latency", "0ns"}, 2, "--memory-latency");
  check_refused({"tofu", "--memory-spread", "1ms"}, 2, "--memory-spread");
  check_refused({"--kappa", "0"}, 2, "--kappa");
  check_refused({"--boundary", "1,1,1"}, 2, "--boundary");
  check_refused({"--operator", "overlap"}, 2, "--operator");
  check_refused({"--operator", "staggered", "--kappa", "0.1"}, 2, "--kappa");
  check_refused({"--operator", "staggered", "--columns", "4"}, 2, "--columns");
  check_refused({"--operator", "staggered", "--mass", "0"}, 2, "--mass");
  check_refused({"--operator", "asqtad", "--u0", "0"}, 2, "--u0");
  check_refused({"--operator", "clover", "--csw", "strong"}, 2, "--csw");
  check_refused({"--operator", "clover", "--solver", "full"}, 2, "--solver");
  check_refused({"--operator", "dwf", "--mass", "1"}, 2, "--mass");
  check_refused({"--operator", "dwf", "--Ls", "0"}, 2, "--Ls");
  check_refused({"--operator", "dwf", "--M5", "5"}, 2, "--M5");
  check_refused({"--mass", "0.1"}, 2, "--mass");
  check_refused({"--shifts", "0,1"}, 2, "--solver multishift");
  check_refused({"--solver", "multishift"}, 2, "--shifts");
  check_refused({"--solver", "multishift", "--shifts", "0,-1"}, 2, "--shifts");
  check_refused({"--solver", "mixed", "--precision", "single"}, 2, "--precision");
  check_refused({"--operator", "dwf", "--checkpoint", "4"}, 2, "--checkpoint");
  // Naik's term reaches three sites; nodes here have two.
  check_refused({"--operator", "asqtad", "--lattice", "4x4x4x4"}, 2, "use fewer nodes there");
  // What a node's memory cannot hold.
  check_refused({"--operator", "dwf", "--Ls", "64", "--lattice", "64x64x64x64"}, 2, "smaller --Ls");
  check_refused({"qcdoc", "--lattice", "64x64x64x64", "--nodes", "2"}, 2, "use more nodes");
  check_refused({"--source", "wall:0"}, 2, "--source");
  check_refused({"--source", "point:0,0,0,9"}, 2, "source");
  check_refused({"--columns", "13"}, 2, "--columns");
  check_refused({"--precision", "half"}, 2, "--precision");
  check_refused({"--trace-nodes", "1"}, 2, "--trace");
  check_refused({"--trace", "x", "--trace-nodes", "8"}, 2, "--trace-nodes");
  check_refused({"--trace-on", "error"}, 2, "--trace");
  check_refused({"--trace", "x", "--trace-on", "luck"}, 2, "--trace-on");
  check_refused({"--trace", "x", "--trace-on", "error", "--trace-to", "9us"}, 2, "--trace-on");
  check_refused({"--trace", "x", "--trace-from", "5us", "--trace-to", "1us"}, 2, "--trace-to 1us");
  check_refused({"--trace", "x", "--trace-links", "+w"}, 2, "--trace-links");
  check_refused({"--trace", "x", "--trace-depth", "-1"}, 2, "--trace-depth");
  check_refused({"--trace", "x", "--network", "functional"}, 2, "--trace");
  check_refused({"--pcap-links", "+x"}, 2, "--pcap");
  check_refused({"--pcap", "x", "--pcap-links", "8:+x"}, 2, "--pcap-links");
  check_refused({"--pcap", "x", "--pcap-links", "0:x"}, 2, "--pcap-links");
  check_refused({"--config", "a", "--lattice", "4x4x4x4"}, 2, "--config");
  for (const char* partition :
       {"z", "z:8", "z:3+5", "z:4+4+0", "w:4+4", "z4+4", "z:4+x", "z:-4+12", "z:2+2", "x:1+0"})
    check_refused({"--nodes", "1x1x8", "--partition", partition}, 2, "--partition");
  check_refused({"--nodes", "8", "--partition", "z:4+4"}, 2, "--partition");
  check_refused({"--nodes", "1x3x1", "--partition", "y:1+2"}, 2, "--partition");
  check_refused({"--nodes", "8", "--partition", "x:4+4", "--network", "functional"}, 2,
                "--partition");
  check_refused({"--nodes", "8", "--partition", "x:4+4", "--report", "x"}, 2, "--report");
  check_refused({"--nodes", "8", "--partition", "x:4+4", "--pcap", "x"}, 2, "--pcap");
  check_refused({"--barrier", "wires"}, 2, "--barrier");
  check_refused({"tofa"}, 2, "tofu");
  check_refused({"--noise", "1ms"}, 2, "--noise");
  check_refused({"--noise", "1ms,20us,often"}, 2, "--noise");
  check_refused({"--noise", "1ms,50us,20us"}, 2, "noise");
  check_refused({"--noise", "1ms,20us,50us", "--network", "functional"}, 2, "--noise");
}

TEST_CASE("numbers that another reader takes for others, and no value at all, are refused") {
  for (const char* value : {"", "-1", "010", "0x10", "18446744073709551616", "1e3", "1.0", " 1"})
    check_refused({"--seed", value}, 2, "--seed");
  for (const char* value : {"", "08", "2147483648", "+2", "two"})
    check_refused({"--threads", value}, 2, "--threads");
  for (const char* value : {"", "1e-6x", "0x1p-3", "1,5"})
    check_refused({"--ber", value}, 2, "--ber");
  for (const char* option : {"--nodes", "--lattice", "--config", "--field", "--source", "--report",
                             "--save-solution", "--cable-delay", "--machine", "--network"})
    check_refused({option, ""}, 2, option);
  for (const char* shape : {"2x02x2", "2x2x2x", "x2", "2xx2", "2x2x-2", "4097", "2x2x99999999999"})
    check_refused({"--nodes", shape}, 2, "--nodes");
}

TEST_CASE("a product that no number holds is refused, not wrapped") {
  check_refused({"--lattice", "4096x4096x4096x4096", "--nodes", "1"}, 2, "smaller lattice");
  check_refused({"--nodes", "4096x4096x4096", "--lattice", "4096x4096x4096x8"}, 2,
                "4096x4096x4096");
  check_refused({"qcdoc", "--nodes", "4096x4096x4096x4096", "--lattice", "4096x4096x4096x4096"}, 2,
                "4096x4096x4096x4096");
  check_refused({"--network", "functional", "--nodes", "4096x4096x4096x4096", "--lattice",
                 "4096x4096x4096x4096"},
                2, "4096");
}

TEST_CASE("lanes that cannot be, or would have no effect, are refused by name") {
  for (const char* option : {"--lanes", "--ppm", "--lane-skew", "--lane-jitter", "--lane-drift"})
    check_refused({option, "1"}, 2, option);
  check_refused({"--phy", "cables"}, 2, "--phy");
  for (const auto& [option, value] : {std::pair<const char*, const char*>{"--lanes", "8"},
                                      {"--lanes", "3"},
                                      {"--ppm", "301"},
                                      {"--ppm", "fast"},
                                      {"--lane-skew", "far"},
                                      {"--forged", "1"}})
    check_refused({"--phy", "lanes", option, value}, 2, option);
  check_refused({"--phy", "lanes", "--lane-skew", "60ns"}, 2, "13 words");
  check_refused({"--phy", "lanes", "--lanes", "1", "--lane-skew", "2us"}, 2, "--lane-skew");
  check_refused({"--set", "LANES=4"}, 2, "LANES");
}

TEST_CASE("options that would have no effect are refused by name") {
  for (const auto& [option, value] : {std::pair<const char*, const char*>{"--ber", "1e-3"},
                                      {"--bursts", "1"},
                                      {"--lost", "2"},
                                      {"--pulled", "1"},
                                      {"--forged", "1"},
                                      {"--burst-bits", "5"},
                                      {"--error-span", "1us"},
                                      {"--cable-delay", "100ns"},
                                      {"--cable-spread", "10ns"},
                                      {"--phy", "lanes"},
                                      {"--memory-spread", "10ns"},
                                      {"--timeout", "2ms"}})
    check_refused({"--network", "functional", option, value}, 2, option);
  for (const auto& [words, option] :
       {std::pair<std::vector<std::string>, std::string>{{"qpace", "--core-clock", "166"},
                                                         "--core-clock"},
        {{"qpace", "--barrier", "torus"}, "--barrier"},
        {{"qcdoc", "--node-clock", "360"}, "--node-clock"},
        {{"qcdoc", "--machine", "2x2x2", "--nodes", "4x2", "--fold", "xy,z"}, "--fold"},
        {{"qcdoc", "--machine", "2x2x2", "--nodes", "4x2"}, "--machine"},
        {{"tofu", "--machine", "2x2x2", "--nodes", "4x2"}, "--machine"},
        {{"qpace", "--threads", "2"}, "--threads"}}) {
    auto all = words;
    all.insert(all.end(), {"--network", "functional"});
    check_refused(all, 2, option + ": no effect on the functional network");
  }
  CHECK(run_program({"run", "qcdoc", "--network", "functional", "--machine", "2x1x2x2", "--nodes",
                     "2x2x2", "--threads", "1", "--lattice", "4x4x4x4", "--quiet"})
            .code == 0);
  for (const char* flag : {"--random-phases", "--random-state", "--no-skip"})
    check_refused({"--network", "functional", flag}, 2, flag);
  check_refused({"--bursts", "0", "--burst-bits", "5"}, 2, "--burst-bits");
  check_refused({"--bursts", "0", "--error-span", "10us"}, 2, "--error-span");
  check_refused({"qcdoc", "--error-span", "10us", "--bursts", "0", "--ber", "1e-6"}, 2,
                "--error-span");
  check_refused({"--nodes", "1x1x2", "--partition", "z:1+1", "--window-report"}, 2,
                "--window-report");
  check_refused({"--trace", "x", "--trace-last", "5"}, 2, "--trace-last");
}

TEST_CASE("a lattice that the node grid does not divide is refused") {
  check_refused({"--nodes", "3x1x1"}, 2, "3");
  check_refused({"--lattice", "4x4x6x8", "--nodes", "1x1x4"}, 2, "4");
}

TEST_CASE("a node grid too large for memory is refused before anything is built") {
  check_refused({"--lattice", "256x256x256x2", "--nodes", "256x256x256"}, 2, "1048576");
  check_refused({"--lattice", "64x64x64x2", "--nodes", "64x64x64"}, 2, "memory");
  check_refused({"tofu", "--lattice", "32x32x32x2", "--nodes", "32x32x32"}, 2, "nodes fit");
}

TEST_CASE("more nodes than a process may have stacks for are refused before they are made") {
  const ScratchFolder folder;
  const std::string program = ht::test::compile_program(folder, "examples/hello.c");
  const Outcome outcome =
      run_program({"exec", "--network", "functional", "--nodes", "1024x32x32", "--", program});
  INFO(outcome.err);
  CHECK(outcome.code == 2);
  CHECK(outcome.err.starts_with("hypertorus: 1048576 nodes"));
  CHECK(outcome.err.find("vm.max_map_count") != std::string::npos);
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
}

TEST_CASE("bad configurations are refused with exit code 3") {
  const ScratchFolder folder;
  check_refused({"--config", folder.file("missing")}, 3, "missing");
  check_refused({"--config", write(folder.file("text"), "no gauge field")}, 3, "text");
  check_refused({"--config", write(folder.file("short"),
                                   "BEGIN_HEADER\nDATATYPE = 4D_SU3_GAUGE\nDIMENSION_1 = 4\n"
                                   "DIMENSION_2 = 4\nDIMENSION_3 = 4\nDIMENSION_4 = 8\nCHECKSUM = "
                                   "0\nLINK_TRACE = 1\nPLAQUETTE = 1\nFLOATING_POINT = "
                                   "IEEE32BIG\nEND_HEADER\n")},
                3, "short");
}

TEST_CASE("files that cannot be written are named before the run") {
  const Outcome json = run_program({"run", "--json", "/no/such/folder/run.json"});
  CHECK(json.code == 3);
  CHECK(json.err.find("/no/such/folder/run.json") != std::string::npos);
  const Outcome trace = run_program({"run", "--trace", "/no/such/folder/wave"});
  CHECK(trace.code == 3);
  CHECK(trace.err.find("/no/such/folder/wave") != std::string::npos);
  const Outcome on = run_program({"run", "--trace", "/no/such/folder/wave", "--trace-on", "error"});
  CHECK(on.code == 3);
  CHECK(on.err.find("/no/such/folder/wave") != std::string::npos);
  const Outcome packets = run_program({"run", "--pcap", "/no/such/folder/packets"});
  CHECK(packets.code == 3);
  CHECK(packets.err.find("/no/such/folder/packets") != std::string::npos);
}

TEST_CASE("a solver that runs out of iterations ends with exit code 6") {
  const Outcome outcome =
      run_program({"run", "--network", "functional", "--max-iterations", "3", "--quiet"});
  CHECK(outcome.code == 6);
}

TEST_CASE("a right side whose norm is below all numbers is not solved") {
  const std::vector<std::string> base{"--network", "functional", "--lattice", "4x4x4x4",
                                      "--nodes",   "2",          "--quiet",   "--operator"};
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"clover", "--csw", "1e160"},
        {"clover", "--csw", "1e160", "--solver", "mixed"},
        {"clover", "--csw", "1e160", "--solver", "multishift", "--shifts", "0,1"}}) {
    auto all = base;
    all.insert(all.end(), words.begin(), words.end());
    check_refused(all, 6, "not solved");
  }
}

TEST_CASE("without a subcommand the program says what it can do") {
  CHECK(run_program({}).code == 2);
  CHECK(run_program({"walk"}).code == 2);
  const Outcome help = run_program({"--help"});
  CHECK(help.code == 0);
  CHECK(help.out.find("run") != std::string::npos);
  CHECK(run_program({"--version"}).out.find("hypertorus ") == 0);
}

TEST_CASE("a JSON document of endless depth is refused in one line") {
  const ScratchFolder folder;
  constexpr std::size_t deep = 200'000;
  const std::string list = std::string(deep, '[') + std::string(deep, ']');
  const std::string run =
      write(folder.file("run"), R"({"subcommand":"run","lattice":)" + list + "}");
  const std::string what = write(folder.file("what"), R"({"subcommand":)" + list + "}");
  for (const std::string& file : {run, what}) {
    const Outcome outcome = run_program({"report", file, file});
    INFO(outcome.err);
    CHECK(outcome.code == 3);
    CHECK(outcome.err.find("no document of run or exec") != std::string::npos);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
}
