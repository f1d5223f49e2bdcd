// SPDX-License-Identifier: Apache-2.0
// Packet captures as Wireshark reads them, with the dissector.
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "tests/cli/program.hpp"
#include "tests/cli/tshark.hpp"
#include "verif/model/common/crc.hpp"

using ht::test::no_tshark;
using ht::test::Row;
using ht::test::run_json;
using ht::test::ScratchFolder;
using Json = nlohmann::json;

namespace {

std::vector<Row> dissect(const std::string& file, const std::vector<std::string>& fields) {
  return ht::test::dissect(std::string("-X 'lua_script:") + HYPERTORUS_DISSECTOR + "'", file,
                           fields);
}

std::string name_of(const Row& row, const char* end) {
  static const char* const links[] = {"+x", "-x", "+y", "-y", "+z", "-z",
                                      "+t", "-t", "+u", "-u", "+v", "-v"};
  return row.at(std::string("hypertorus.") + end + ".node") + ' ' +
         links[std::stoul(row.at(std::string("hypertorus.") + end + ".link"))];
}

std::string name_of(const Json& link) {
  return link["from"].dump() + ' ' + link["link"].get<std::string>();
}

// Rows come in order of time, from `last` on; damage has a comment, and none of it goes unseen.
// Whether this row is damaged.
bool check_row(const Row& row, std::uint64_t& last) {
  const std::uint64_t time = std::stoull(row.at("hypertorus.time"));
  CHECK(time >= last);
  last = time;
  const bool damaged = row.at("hypertorus.damaged") == "1";
  CHECK(damaged == !row.at("frame.comment").empty());
  CHECK(row.at("hypertorus.unseen") != "1");
  return damaged;
}

using Counts = std::map<std::string, unsigned>;

// A capture holds as many packets as the links sent and sent again, and no more damage than the
// run counted; there is some of both. Counts are by the end that sends.
void check_links(const Json& links, Counts& packets, Counts& hellos, Counts& damaged) {
  unsigned damaged_frames = 0, retransmissions = 0;
  for (const Json& link : links) {
    const std::string name = name_of(link);
    INFO(name);
    CHECK(packets[name] ==
          link["packets"].get<unsigned>() + link["retransmissions"].get<unsigned>());
    CHECK(hellos[name] > 2);
    // Each error the link found damaged a frame, or noise between frames.
    CHECK(damaged[name] <= link["errors_injected"]);
    damaged_frames += damaged[name];
    retransmissions += link["retransmissions"].get<unsigned>();
  }
  CHECK(damaged_frames > 0);
  CHECK(retransmissions > 0);
}

std::uint32_t crc_of(const Row& row) {
  ht::model::Crc32c crc;
  const auto header = static_cast<std::uint32_t>(std::stoul(row.at("qpace.offset")) |
                                                 std::stoul(row.at("qpace.sequence")) << 15 |
                                                 std::stoul(row.at("qpace.channel")) << 21);
  for (unsigned i = 0; i < 3; ++i) crc.add(static_cast<std::byte>(header >> (8 * i)));
  const std::string& payload = row.at("qpace.payload");
  REQUIRE(payload.size() == 256);
  for (std::size_t i = 0; i < payload.size(); i += 2)
    crc.add(static_cast<std::byte>(std::stoul(payload.substr(i, 2), nullptr, 16)));
  return crc.value();
}

const std::vector<std::string> all_fields{
    "frame.time_epoch",   "frame.interface_name", "frame.packet_flags_direction",
    "frame.comment",      "hypertorus.from.node", "hypertorus.from.link",
    "hypertorus.to.node", "hypertorus.to.link",   "hypertorus.time",
    "hypertorus.damaged", "hypertorus.unseen",    "hypertorus.cut",
    "qpace.kind",         "qpace.channel",        "qpace.sequence",
    "qpace.offset",       "qpace.payload",        "qpace.crc",
    "qpace.command",      "qpace.expected",       "qpace.hello.node",
    "qpace.hello.port",   "qpace.hello.version",  "qpace.hello.next_expected",
    "hypertorus.arrived", "hypertorus.sent",      "_ws.col.Info"};

const std::vector<std::string> small{"--nodes", "2x2x1",       "--lattice",
                                     "4x4x4x4", "--tolerance", "1e-6"};

std::vector<std::string> with(std::vector<std::string> more) {
  more.insert(more.begin(), small.begin(), small.end());
  return more;
}

}  // namespace

TEST_CASE("a capture holds every packet and command, as the links counted them") {
  if (no_tshark()) return;
  const ScratchFolder folder;
  const Json run = run_json(with({"--pcap", folder.file("p"), "--lost", "3"}));
  const auto rows = dissect(folder.file("p.pcapng"), all_fields);
  REQUIRE(rows.size() > 1000);
  Counts packets, hellos, damaged;
  std::uint64_t last = 0, acknowledgements = 0;
  for (const Row& row : rows) {
    const std::string from = name_of(row, "from");
    damaged[from] += check_row(row, last);
    // Nanoseconds, as "0.000054864".
    const std::string& shown = row.at("frame.time_epoch");
    CHECK(std::stoull(shown.substr(shown.find('.') + 1)) == last / 1000);
    const bool plus_end = std::stoul(row.at("hypertorus.from.link")) % 2 == 0;
    CHECK(std::stoul(row.at("frame.packet_flags_direction"), nullptr, 16) == (plus_end ? 2U : 1U));
    std::string interface = "node" + name_of(row, plus_end ? "from" : "to");
    interface.erase(interface.find(' '), 1);
    CHECK(row.at("frame.interface_name") == interface);
    if (row.at("qpace.kind") == "0xfb") {
      ++packets[from];
      CHECK(std::stoul(row.at("qpace.sequence")) < 64);
      CHECK(std::stoul(row.at("qpace.channel")) < 8);
      if (row.at("hypertorus.cut") != "1")
        CHECK(std::stoul(row.at("qpace.crc"), nullptr, 16) == crc_of(row));
    } else if (row.at("qpace.kind") == "0x9c") {
      ++hellos[from];
      CHECK(row.at("qpace.hello.node") == row.at("hypertorus.from.node"));
      CHECK(row.at("qpace.hello.port") == row.at("hypertorus.from.link"));
    } else {
      CHECK(row.at("qpace.kind") == "0x5c");
      CHECK(std::stoul(row.at("qpace.expected")) < 64);
      acknowledgements += row.at("qpace.command") == "0";
    }
  }
  CHECK(acknowledgements > 1000);
  check_links(run["links"], packets, hellos, damaged);
}

TEST_CASE("a packet whose damage its CRC does not see is marked, and shows both versions") {
  if (no_tshark()) return;
  const ScratchFolder folder;
  run_json(with({"--pcap", folder.file("p"), "--ber", "0", "--bursts", "0", "--forged", "1"}), 1);
  unsigned marked = 0;
  for (const Row& row : dissect(folder.file("p.pcapng"), all_fields)) {
    CHECK(row.at("hypertorus.damaged") == row.at("hypertorus.unseen"));
    if (row.at("hypertorus.unseen") != "1") continue;
    ++marked;
    CHECK(row.at("hypertorus.arrived") == "34");
    CHECK(row.at("hypertorus.sent") == "34");
    CHECK(row.at("frame.comment").find("2 words changed") != std::string::npos);
    CHECK(row.at("_ws.col.Info").find("[unseen]") != std::string::npos);
  }
  CHECK(marked == 1);
}

TEST_CASE("option --pcap-links chooses cables by the ports they are plugged into") {
  if (no_tshark()) return;
  const ScratchFolder folder;
  // 0:+x and 1:-x are two ends of one cable; its other end in a ring of two is 1:+x of another.
  run_json(with({"--pcap", folder.file("p"), "--pcap-links", "0:+x,1:-x,2:-y"}));
  Counts cables;
  for (const Row& row : dissect(folder.file("p.pcapng"), all_fields))
    ++cables[name_of(row, "from") + " to " + name_of(row, "to")];
  CHECK(cables.size() == 4);
  CHECK(cables["0 +x to 1 -x"] > 100);
  CHECK(cables["1 -x to 0 +x"] > 100);
  CHECK(cables["0 +y to 2 -y"] > 100);
  CHECK(cables["2 -y to 0 +y"] > 100);
}

namespace {

const std::vector<std::string> qcdoc_fields{
    "frame.interface_name", "frame.comment",      "hypertorus.from.node", "hypertorus.from.link",
    "hypertorus.time",      "hypertorus.to.node", "hypertorus.to.link",   "hypertorus.damaged",
    "hypertorus.unseen",    "qcdoc.kind",         "qcdoc.header",         "qcdoc.parity",
    "qcdoc.word",           "qcdoc.ack",          "qcdoc.marks",          "qcdoc.next",
    "qcdoc.training.port",  "_ws.col.Info"};

std::vector<std::string> qcdoc_with(std::vector<std::string> more) {
  const std::vector<std::string> job{"qcdoc",   "--nodes",     "2x2", "--lattice",
                                     "4x4x2x2", "--tolerance", "0.1"};
  more.insert(more.begin(), job.begin(), job.end());
  return more;
}

}  // namespace

TEST_CASE("a capture of QCDOC's cables holds every word, as the links counted them") {
  if (no_tshark()) return;
  const ScratchFolder folder;
  const Json run = run_json(qcdoc_with({"--pcap", folder.file("p"), "--ber", "2e-6"}));
  const auto rows = dissect(folder.file("p.pcapng"), qcdoc_fields);
  REQUIRE(rows.size() > 1000);
  Counts words, trainings, bursts;
  std::uint64_t last = 0, damaged = 0;
  for (const Row& row : rows) {
    const std::string from = name_of(row, "from");
    damaged += check_row(row, last);
    const std::string& kind = row.at("qcdoc.kind");
    if (kind == "0") {
      ++words[from];
      // The word's parity is the header's: bit 1 over the odd bits, bit 0 inverted over the even.
      const std::uint64_t word = std::stoull(row.at("qcdoc.word"), nullptr, 16);
      const int odd = __builtin_popcountll(word & 0xAAAAAAAAAAAAAAAA) & 1;
      const int even = __builtin_popcountll(word & 0x5555555555555555) & 1;
      CHECK(std::stoi(row.at("qcdoc.parity")) == 2 * odd + (1 - even));
    } else if (kind == "7") {
      ++trainings[from];
      CHECK(row.at("qcdoc.training.port") == row.at("hypertorus.from.link"));
    } else if (kind == "4") {
      ++bursts[from];
      CHECK(std::stoul(row.at("qcdoc.marks")) >= 10);
      CHECK(std::stoul(row.at("qcdoc.next")) < 64);
    }
  }
  CHECK(damaged > 0);
  unsigned resent = 0;
  for (const Json& link : run["links"]) {
    const std::string name = name_of(link);
    if (link["words"] == 0 && words[name] == 0) continue;
    INFO(name);
    CHECK(words[name] == link["words"].get<unsigned>() + link["retransmissions"].get<unsigned>());
    CHECK(trainings[name] > 0);
    CHECK(bursts[name] > 0);
    resent += link["retransmissions"].get<unsigned>();
  }
  CHECK(resent > 0);
}

TEST_CASE("a QCDOC word whose damage its parity does not see is marked") {
  if (no_tshark()) return;
  const ScratchFolder folder;
  run_json(qcdoc_with({"--pcap", folder.file("p"), "--ber", "0", "--bursts", "0", "--forged", "1"}),
           1);
  unsigned marked = 0;
  for (const Row& row : dissect(folder.file("p.pcapng"), qcdoc_fields)) {
    if (row.at("hypertorus.unseen") != "1") continue;
    ++marked;
    CHECK(row.at("qcdoc.kind") == "0");
    CHECK(row.at("frame.comment").find("2 bits changed") != std::string::npos);
    CHECK(row.at("_ws.col.Info").find("[unseen]") != std::string::npos);
  }
  CHECK(marked == 1);
}

namespace {

const std::vector<std::string> tofu_fields{"frame.interface_name",
                                           "frame.interface_id",
                                           "frame.comment",
                                           "hypertorus.from.node",
                                           "hypertorus.from.link",
                                           "hypertorus.time",
                                           "hypertorus.damaged",
                                           "hypertorus.unseen",
                                           "tofu.form",
                                           "tofu.kind",
                                           "tofu.sequence",
                                           "tofu.beats",
                                           "tofu.payload",
                                           "tofu.crc",
                                           "tofu.nullified",
                                           "tofu.to",
                                           "tofu.from",
                                           "tofu.control",
                                           "tofu.hello.node",
                                           "tofu.hello.port",
                                           "tofu.operation",
                                           "tofu.cause",
                                           "_ws.col.Info"};

// X, Y, Z, A, B, C of a node of a machine of 2x1x1x2x1x1.
std::string tofu_place(const std::string& node) {
  static const char* const places[] = {"0,0,0,0,0,0", "0,0,0,1,0,0", "1,0,0,0,0,0", "1,0,0,1,0,0"};
  return places[std::stoul(node)];
}

}  // namespace

TEST_CASE("a capture of Tofu's cables holds every packet, as the links counted them") {
  if (no_tshark()) return;
  const ScratchFolder folder;
  const Json run = run_json({"tofu", "--machine", "2x1x1x2", "--lattice", "4x4x2x2", "--tolerance",
                             "0.1", "--ber", "1e-5", "--pcap", folder.file("p")});
  const auto rows = dissect(folder.file("p.pcapng"), tofu_fields);
  REQUIRE(rows.size() > 1000);
  static const char* const links[] = {"X+", "X-", "Y+", "Y-", "Z+", "Z-", "A", "B+", "B-", "C"};
  Counts packets, hellos, damaged, kinds, interfaces;
  std::uint64_t last = 0, controls = 0;
  for (const Row& row : rows) {
    const std::string& node = row.at("hypertorus.from.node");
    const std::string from = node + ' ' + links[std::stoul(row.at("hypertorus.from.link"))];
    damaged[from] += check_row(row, last);
    ++interfaces[row.at("frame.interface_name")];
    controls += row.at("tofu.control").empty() ? 0 : 1;
    if (row.at("tofu.form") == "0x9c") {
      ++hellos[from];
      CHECK(row.at("tofu.hello.node") == tofu_place(node));
      CHECK(row.at("tofu.hello.port") == row.at("hypertorus.from.link"));
    } else if (row.at("tofu.form") == "0xfb") {
      if (row.at("tofu.nullified") == "1") continue;
      ++packets[from];
      ++kinds[row.at("tofu.kind")];
      CHECK(row.at("tofu.payload").size() == 32 * std::stoul(row.at("tofu.beats")));
      CHECK(row.at("tofu.to") != row.at("tofu.from"));
      if (row.at("tofu.kind") == "5") CHECK(std::stoul(row.at("tofu.operation")) < 8);
      if (row.at("tofu.kind") == "4") CHECK(row.at("tofu.cause") == "0");
    }
  }
  CHECK(controls > 1000);
  // Each cable once, by its + end; of two ends called A, by the first node.
  CHECK(interfaces.size() == 6);
  for (const char* name : {"node0X+", "node1X+", "node2X+", "node3X+", "node0A", "node2A"})
    CHECK(interfaces.contains(name));
  for (const char* kind : {"0", "4", "5"}) CHECK(kinds[kind] > 0);  // put, response, gate
  check_links(run["links"], packets, hellos, damaged);
}

TEST_CASE("a cable between two links called A is captured once, whichever end is asked for") {
  if (no_tshark()) return;
  const ScratchFolder folder;
  const Json run = run_json({"tofu", "--machine", "2x1x1x2", "--lattice", "4x4x2x2", "--tolerance",
                             "0.1", "--ber", "0", "--bursts", "0", "--pcap", folder.file("p"),
                             "--pcap-links", "3:A,0:A,1:A"});
  // By the first node's name; packets of both directions, each once.
  const std::map<std::string, std::string> interfaces{
      {"0", "node0A"}, {"1", "node0A"}, {"2", "node2A"}, {"3", "node2A"}};
  Counts packets, numbers;
  for (const Row& row : dissect(folder.file("p.pcapng"), tofu_fields)) {
    const std::string& node = row.at("hypertorus.from.node");
    CHECK(row.at("frame.interface_name") == interfaces.at(node));
    ++numbers[row.at("frame.interface_id")];
    if (row.at("tofu.form") == "0xfb" && row.at("tofu.nullified") != "1") ++packets[node];
  }
  for (const Json& link : run["links"]) {
    if (link["link"] == "A") CHECK(packets[link["from"].dump()] == link["packets"]);
  }
  CHECK(packets.size() == 4);
  CHECK((numbers.size() == 2 && numbers.contains("0") && numbers.contains("1")));
}
