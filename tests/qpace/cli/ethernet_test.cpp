// SPDX-License-Identifier: Apache-2.0
// Jobs that are read over Ethernet, consoles, and Ethernet captures as Wireshark reads them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "tests/cli/program.hpp"
#include "tests/cli/tshark.hpp"

using ht::test::no_tshark;
using ht::test::Outcome;
using ht::test::Row;
using ht::test::run_json;
using ht::test::run_program;
using ht::test::ScratchFolder;
using Json = nlohmann::json;

namespace {

// A small job: two nodes, good torus cables.
std::vector<std::string> small(std::vector<std::string> more = {}) {
  std::vector<std::string> a{"--nodes", "2",        "--lattice", "4x4x2x4",     "--ber",
                             "0",       "--bursts", "0",         "--tolerance", "1e-6"};
  a.insert(a.end(), more.begin(), more.end());
  return a;
}

std::vector<Row> dissect(const std::string& file, const std::vector<std::string>& fields) {
  return ht::test::dissect(
      "-o eth.check_fcs:TRUE -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE -E occurrence=f",
      file, fields);
}

TEST_CASE("a field read over Ethernet gives the same bits as one in memory") {
  const Json memory = run_json(small());
  const Json ethernet = run_json(small({"--load", "ethernet"}));
  CHECK(ethernet["verdict"] == "bit-exact");
  for (const char* key : {"field", "solution_crc32", "plaquette", "correlator", "iterations"})
    CHECK(ethernet[key] == memory[key]);
  CHECK(memory["load"].is_null());
  REQUIRE(ethernet["load"]["nodes"].size() == 2);
  for (const Json& node : ethernet["load"]["nodes"]) {
    CHECK(node["bytes"] > 64 * 576 + 4);  // the boot block as well
    CHECK(node["files"] == 2);
    CHECK(node["repeats"] == 0);
    // no faster than the line, no slower than half of it
    const double megabytes = node["bytes"].get<double>() * 1e6 / node["time_ps"].get<double>();
    CHECK(megabytes < 125);
    CHECK(megabytes > 40);
  }
  CHECK(ethernet["load"]["bad_frames_at_server"] == 0);
  CHECK(ethernet["load"]["server_repeats"] == 0);
}

TEST_CASE("neither threads nor skipping change what happens on Ethernet") {
  Json first;
  for (const auto& how : std::vector<std::vector<std::string>>{
           {"--threads", "1"}, {"--threads", "2"}, {"--threads", "2", "--no-skip"}}) {
    auto arguments = small({"--load", "ethernet", "--ethernet-ber", "1e-6", "--random-phases"});
    arguments.insert(arguments.end(), how.begin(), how.end());
    Json j = run_json(arguments);
    CHECK(j["verdict"] == "bit-exact");
    Json kept{{"load", j["load"]},
              {"crc", j["solution_crc32"]},
              {"errors", j["errors"]},
              {"time", j["machine_time_ps"]}};
    if (first.is_null()) first = kept;
    CHECK(kept == first);
  }
}

TEST_CASE("frames that are damaged or lost are asked for again") {
  const Json j = run_json(small({"--load", "ethernet", "--ethernet-ber", "5e-6", "--seed", "3"}));
  CHECK(j["verdict"] == "bit-exact");
  CHECK(j["errors"]["injected"] > 3);
  CHECK(j["errors"]["undetected"] == 0);
  CHECK(j["errors"]["injected"] ==
        j["errors"]["detected"].get<int>() + j["errors"]["harmless"].get<int>());
  CHECK(j["errors"]["detected"] > 0);
  int repeats = j["load"]["server_repeats"].get<int>();
  for (const Json& node : j["load"]["nodes"]) repeats += node["repeats"].get<int>();
  CHECK(repeats > 0);
}

TEST_CASE("tshark: check sequences, UDP and TFTP of a capture") {
  if (no_tshark()) return;
  ScratchFolder folder;
  const std::string file = folder.file("boot.pcapng");
  const Json j = run_json(small({"--load", "ethernet", "--ethernet-pcap", file}));
  const auto rows =
      dissect(file, {"eth.fcs.status", "ip.checksum.status", "udp.checksum.status", "ip.src",
                     "ip.dst", "udp.dstport", "tftp.opcode", "tftp.source_file", "tftp.block",
                     "frame.interface_name", "eth.src", "frame.time_relative", "frame.len"});
  CHECK(rows.size() == j["load"]["frames_to_server"].get<std::size_t>() +
                           j["load"]["frames_from_server"].get<std::size_t>());
  std::map<std::string, int> operations;
  std::set<std::string> files, sources;
  for (const Row& r : rows) {
    INFO(r.at("frame.interface_name") << " " << r.at("tftp.opcode"));
    CHECK(r.at("eth.fcs.status") == "1");  // good
    CHECK(r.at("ip.checksum.status") == "1");
    CHECK(r.at("udp.checksum.status") == "1");
    ++operations[r.at("tftp.opcode")];
    sources.insert(r.at("ip.src"));
    if (r.at("tftp.opcode") == "1") {
      CHECK(r.at("udp.dstport") == "69");
      CHECK(r.at("ip.dst") == "10.0.255.254");
      files.insert(r.at("tftp.source_file"));
    }
  }
  CHECK(files == std::set<std::string>{"boot", "gauge/0,0,0,0/2x4x2x4", "gauge/2,0,0,0/2x4x2x4"});
  CHECK(sources == std::set<std::string>{"10.0.0.1", "10.0.0.2", "10.0.255.254"});
  // two files a node: requests, option acknowledgements; 36868 bytes are 5 blocks of 8192, the boot
  // block is one
  CHECK(operations["1"] == 4);
  CHECK(operations["6"] == 4);
  CHECK(operations["3"] == 2 * (1 + 5));
  CHECK(operations["4"] == 4 + 2 * (1 + 5));
}

TEST_CASE("tshark: a damaged frame is in the capture as it arrived") {
  if (no_tshark()) return;
  ScratchFolder folder;
  const std::string file = folder.file("boot.pcapng");
  run_json(small(
      {"--load", "ethernet", "--ethernet-pcap", file, "--ethernet-ber", "5e-6", "--seed", "3"}));
  const auto rows = dissect(file, {"eth.fcs.status"});
  CHECK(std::count_if(rows.begin(), rows.end(),
                      [](const Row& r) { return r.at("eth.fcs.status") == "0"; }) > 0);
}

TEST_CASE("a boot that damage ends says so") {
  auto arguments = small({"--load", "ethernet", "--ethernet-ber", "5e-4"});
  arguments.insert(arguments.begin(), "run");
  const Outcome o = run_program(arguments);
  CHECK(o.code == 4);
  CHECK(o.err.find("did not answer 20 times; ") != std::string::npos);
  CHECK(o.err.find(" frames came to the node damaged") != std::string::npos);
  CHECK(o.err.find("; 0 frames came") == std::string::npos);
}

TEST_CASE("nodes speak over their serial lines") {
  auto arguments = small({"--console", "--load", "ethernet", "--quiet"});
  arguments.insert(arguments.begin(), "run");
  const Outcome o = run_program(arguments);
  CHECK(o.code == 0);
  for (const std::string node : {"[node 0] ", "[node 1] "}) {
    CHECK(o.out.find(node + "QPACE torus 2, rank ") != std::string::npos);
    CHECK(o.out.find(node + "boot block read over Ethernet, ") != std::string::npos);
    CHECK(o.out.find(node + "job done\n") != std::string::npos);
  }
  CHECK(o.out.find("\\x") == std::string::npos);
}

TEST_CASE("what cannot go over Ethernet is refused") {
  const auto refused = [](std::vector<std::string> arguments, const std::string& part) {
    arguments.insert(arguments.begin(), "run");
    const Outcome o = run_program(arguments);
    CHECK(o.code == 2);
    CHECK(o.err.find(part) != std::string::npos);
  };
  refused({"--load", "floppy"}, "choose one of memory, ethernet");
  refused({"--load", "ethernet", "--network", "functional"}, "use --network rtl");
  refused({"--console", "--network", "functional"}, "use --network rtl");
  refused({"--ethernet-ber", "1e-6"}, "need --load ethernet");
  refused({"--ethernet-pcap", "x"}, "need --load ethernet");
  refused({"--load", "ethernet", "--ethernet-ber", "0.1"}, "0..1e-3");
}

}  // namespace
