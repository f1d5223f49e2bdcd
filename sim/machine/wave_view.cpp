// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/wave_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "sim/machine/decoded_signals.hpp"
#include "sw/host/errors.hpp"

namespace ht::machine {
namespace {

// GTKWave's trace flags.
constexpr std::uint64_t hexadecimal = 0x22, decimal = 0x24, bit = 0x28;  // right-justified
constexpr std::uint64_t enumeration = 0x100000028;
constexpr std::uint64_t group_begin = 0x800200, group_closed = 0xC00200, group_end = 0x1000200;
constexpr int link_signals_level = 4;  ///< TraceOptions::depth that includes a link's own signals

class SaveFile {
 public:
  explicit SaveFile(std::ofstream& out) : out_(out) {}
  void begin(const std::string& title, bool closed = false) {
    item(closed ? group_closed : group_begin, "-" + title);
  }
  void end(const std::string& title) { item(group_end, "-" + title); }
  void item(std::uint64_t flags, const std::string& name) {
    if (flags != flags_) out_ << fmt::format("@{:x}\n", flags);
    flags_ = flags;
    out_ << name << '\n';
  }

 private:
  std::ofstream& out_;
  std::uint64_t flags_ = 0;
};

struct Named {
  const char* name;
  std::uint64_t flags;
};
constexpr Named link_signals[] = {{"xgmii_txd[31:0]", hexadecimal},
                                  {"xgmii_txc[3:0]", hexadecimal},
                                  {"xgmii_rxd[31:0]", hexadecimal},
                                  {"xgmii_rxc[3:0]", hexadecimal},
                                  {"obs_tx_retransmit", bit},
                                  {"obs_rx_start", bit},
                                  {"obs_rx_ok", bit},
                                  {"obs_rx_command", bit},
                                  {"obs_rx_error", bit},
                                  {"obs_accept", bit},
                                  {"obs_idle", bit}};
constexpr Named clock_signals[] = {{"clk", bit},      {"rst", bit},      {"link_clk", bit},
                                   {"link_rst", bit}, {"obs_idle", bit}, {"irq", bit}};
constexpr Named port_signals[] = {{"pw_in_valid", bit},
                                  {"pw_in_ready", bit},
                                  {"pw_in_addr[31:0]", hexadecimal},
                                  {"pw_in_data[127:0]", hexadecimal},
                                  {"pw_in_last", bit},
                                  {"pw_in_room[5:0]", hexadecimal},
                                  {"pw_out_valid", bit},
                                  {"pw_out_ready", bit},
                                  {"pw_out_addr[38:0]", hexadecimal},
                                  {"pw_out_data[127:0]", hexadecimal},
                                  {"pw_out_last", bit},
                                  {"pw_out_notify", bit},
                                  {"dcr_req", bit},
                                  {"dcr_write", bit},
                                  {"dcr_addr[11:0]", hexadecimal},
                                  {"dcr_wdata[31:0]", hexadecimal},
                                  {"dcr_ack", bit},
                                  {"dcr_rdata[31:0]", hexadecimal},
                                  {"dcr_error", bit}};

}  // namespace

void write_wave_view(const std::string& name, const std::string& node,
                     const std::vector<int>& links, const TraceOptions& o,
                     const std::array<std::string, 6>& cables) {
  namespace fs = std::filesystem;
  const std::string file = name + ".gtkw";
  std::ofstream out(file);
  const auto path = [](const std::string& f) {
    return fs::absolute(f).lexically_normal().string();
  };
  out << "[*] hypertorus: signals of " << node << " by link\n";
  out << fmt::format("[dumpfile] \"{}\"\n[savefile] \"{}\"\n", path(name + ".fst"), path(file));
  // A pixel is 2^12 ps, about a link clock; 26 named markers, none used.
  const Picoseconds start = o.marker < 0 ? o.from : std::max(o.from, o.marker - 2'000'000);
  out << fmt::format("[timestart] {}\n[size] 1400 900\n[pos] -1 -1\n*-12.0 {}", start, o.marker);
  for (int i = 0; i < 26; ++i) out << " -1";
  out << '\n';
  SaveFile save(out);
  for (const Named& s : clock_signals) save.item(s.flags, node + '.' + s.name);
  for (const int link : links) {
    const std::string& title = cables[static_cast<std::size_t>(link)];
    save.begin(title);
    for (const auto& s : DecodedSignals::enumerations(node, link)) save.item(enumeration, s);
    for (const auto& s : DecodedSignals::numbers(node, link)) save.item(decimal, s);
    for (const Named& s : link_signals) {
      if (o.depth == 0 || o.depth >= link_signals_level)
        save.item(s.flags, fmt::format("{}.qpace_nwp.g_link[{}].link.{}", node, link, s.name));
    }
    save.end(title);
  }
  save.begin("ports", true);
  for (const Named& s : port_signals) save.item(s.flags, node + '.' + s.name);
  save.end("ports");
  if (!out.flush()) throw DataError(fmt::format("cannot write {}: is the disk full?", file));
}

}  // namespace ht::machine
