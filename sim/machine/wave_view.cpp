// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/wave_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "sw/host/output_file.hpp"

namespace ht::machine {
namespace {

// GTKWave's trace flags.
constexpr std::uint64_t hexadecimal = 0x22, decimal = 0x24, bit = 0x28;  // right-justified
constexpr std::uint64_t enumeration = 0x100000028;
constexpr std::uint64_t group_begin = 0x800200, group_closed = 0xC00200, group_end = 0x1000200;
constexpr int link_signals_level = 4;  ///< TraceOptions::depth that includes a link's own signals

class SaveFile {
 public:
  explicit SaveFile(std::ostream& out) : out_(out) {}
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
  std::ostream& out_;
  std::uint64_t flags_ = 0;
};

constexpr std::uint64_t flags_of(Shown as) {
  return as == Shown::Bit ? bit : hexadecimal;
}

}  // namespace

void write_wave_view(const std::string& name, const std::string& node, const WaveLayout& layout,
                     const DecodedSignals& decoded, const std::vector<int>& links,
                     const TraceOptions& o, std::span<const std::string> cables) {
  namespace fs = std::filesystem;
  const std::string file = name + ".gtkw";
  std::ostringstream out;
  const auto path = [](const std::string& f) {
    return fs::absolute(f).lexically_normal().string();
  };
  out << "[*] hypertorus: signals of " << node << " by link\n";
  out << fmt::format("[dumpfile] \"{}\"\n[savefile] \"{}\"\n", path(name + ".fst"), path(file));
  // A pixel is 2^12 ps, a link clock or two; 26 named markers, none used.
  const Picoseconds start = o.marker < 0 ? o.from : std::max(o.from, o.marker - 2'000'000);
  out << fmt::format("[timestart] {}\n[size] 1400 900\n[pos] -1 -1\n*-12.0 {}", start, o.marker);
  for (int i = 0; i < 26; ++i) out << " -1";
  out << '\n';
  SaveFile save(out);
  for (const ShownSignal& s : layout.clocks) save.item(flags_of(s.as), node + '.' + s.name);
  for (const int link : links) {
    const std::string& title = cables[static_cast<std::size_t>(link)];
    save.begin(title);
    for (const auto& s : decoded.enumerations(link)) save.item(enumeration, s);
    for (const auto& s : decoded.numbers(link)) save.item(decimal, s);
    for (const ShownSignal& s : layout.link) {
      if (o.depth == 0 || o.depth >= link_signals_level)
        save.item(flags_of(s.as),
                  fmt::format("{}.{}.g_link[{}].link.{}", node, layout.top, link, s.name));
    }
    save.end(title);
  }
  save.begin("ports", true);
  for (const ShownSignal& s : layout.ports) save.item(flags_of(s.as), node + '.' + s.name);
  save.end("ports");
  host::write_file(file, out.str());
}

}  // namespace ht::machine
