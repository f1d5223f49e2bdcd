// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/inject/inject_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "sim/campaign/campaign.hpp"
#include "sim/campaign/shrink.hpp"
#include "sim/cli/common/machine_json.hpp"
#include "sim/cli/common/machine_options.hpp"
#include "sim/cli/common/phy_options.hpp"
#include "sim/cli/common/ranks.hpp"
#include "sim/cli/inject/campaign_file.hpp"
#include "sim/cli/inject/inject_report.hpp"
#include "sim/cli/inject/spread.hpp"
#include "sim/output/distinct_files.hpp"
#include "sim/output/exit_codes.hpp"
#include "sim/output/progress_line.hpp"
#include "sim/plugin/parse.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/nearest.hpp"

namespace ht::cli {
namespace {

using campaign::CampaignDescription;
using campaign::Trouble;
using machine::parse_shape;

constexpr std::int64_t usual_runs = 100;
constexpr int usual_forged_every = 50;

// Names of all troubles but one.
std::vector<std::string> troubles_but(Trouble left_out) {
  std::vector<std::string> names;
  for (const Trouble trouble : campaign::troubles()) {
    if (trouble != left_out) names.emplace_back(campaign::name(trouble));
  }
  return names;
}

std::vector<Trouble> parse_kinds(const std::string& text, const machine::MachineTraits& traits,
                                 const CampaignDescription& machine,
                                 const std::optional<machine::Phy>& phy) {
  const unsigned lanes = phy ? phy->lanes.shape.lanes : traits.lanes;
  std::vector<Trouble> choice;
  std::vector<std::string> known;
  for (const Trouble trouble : campaign::troubles()) {
    if (!machine.reports_down && trouble == Trouble::Unplugged) continue;
    choice.push_back(trouble);
    known.emplace_back(campaign::name(trouble));
  }
  std::vector<Trouble> kinds;
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const auto it = std::ranges::find(known, word);
    if (it == known.end())
      throw UsageError(fmt::format("--kinds {}: {} is none of {}{}", text, word,
                                   fmt::join(known, ", "), host::did_you_mean(word, known)));
    kinds.push_back(choice[static_cast<std::size_t>(it - known.begin())]);
    if (phy && campaign::looks_for_words(kinds.back()))
      throw UsageError(
          fmt::format("--kinds {}: {} looks for words on a cable, and with --phy lanes cables "
                      "carry bits; leave one of the two out",
                      text, word));
    if (const unsigned least = campaign::least_lanes(kinds.back()); lanes < least)
      throw UsageError(
          fmt::format("--kinds {}: {} takes {} lanes, and a cable of {} has {}; leave it out, or "
                      "take a machine "
                      "whose cables have more",
                      text, word, least, traits.title, lanes));
    begin = end + 1;
  }
  std::ranges::sort(kinds);
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  if (kinds.size() > 1 && std::ranges::find(kinds, Trouble::Upsets) != kinds.end())
    throw UsageError(fmt::format(
        "--kinds {}: what a flipped bit does is seen where nothing else goes wrong: ask for upsets "
        "alone",
        text));
  return kinds;
}

// Runs [first, first + runs) of piece I of N.
void take_shard(const std::string& text, campaign::CampaignOptions& c) {
  std::uint64_t piece = 0, pieces = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, piece);
  bool good = first.ec == std::errc{} && first.ptr != end && *first.ptr == '/';
  if (good) {
    const auto second = std::from_chars(first.ptr + 1, end, pieces);
    good = second.ec == std::errc{} && second.ptr == end;
  }
  if (!good || piece < 1 || piece > pieces || pieces > c.runs)
    throw UsageError(
        fmt::format("--shard {}: write I/N, as in 2/8 for the second of eight pieces; there are {} "
                    "runs to be shared",
                    text, c.runs));
  c = part_of(c, piece, pieces);
}

// Options that would have no effect, or no meaning, beside others.
void check_together(const InjectArguments& a) {
  if (!a.trace.empty() && !a.replay)
    throw UsageError("--trace: name the run to look at, as in --replay 17");
  if (!a.keep.empty() && !a.replay)
    throw UsageError("--keep: name the run that is to keep only these, as in --replay 17");
  if (!a.keep.empty() && a.shrink)
    throw UsageError("--shrink: it looks for what --keep is to be; leave --keep out");
  if (a.replay && !a.shard.empty())
    throw UsageError("--shard: with --replay there is one run; leave --shard out");
  if (a.replay && a.runs)
    throw UsageError("--runs: with --replay there is one run; leave --runs out");
  if (a.replay && !a.resume.empty())
    throw UsageError("--resume: with --replay there is one run; leave --resume out");
  if (!a.soak.empty() && !a.resume.empty())
    throw UsageError("--soak: it keeps its runs in its own file; leave --resume out");
  for (const auto& [asked, option] : {std::pair{a.replay.has_value(), "--replay"},
                                      {a.shrink, "--shrink"},
                                      {!a.resume.empty(), "--resume"},
                                      {!a.soak.empty(), "--soak"}})
    if (asked && Ranks::several())
      throw UsageError(
          fmt::format("{}: one process does that; start it without mpirun{}", option,
                      a.resume.empty() && a.soak.empty()
                          ? ""
                          : ", or give each computer a --shard and a file of its own"));
}

// Files of --resume and --soak: the first is written, and all are read.
void check_files(const InjectArguments& a) {
  std::vector<NamedFile> read;
  for (const auto& [option, files] : {std::pair{"--resume", &a.resume}, {"--soak", &a.soak}}) {
    for (const std::string& file : *files) read.push_back({option, file});
  }
  check_distinct({{"--json", a.json}}, read);
}

InjectSetup check(const InjectArguments& a, const machine::MachineDescription& type,
                  const CampaignDescription& machine, std::optional<machine::Phy> phy,
                  machine::RtlValues set) {
  InjectSetup s;
  s.type = &type;
  s.machine = &machine;
  const std::string shape = a.nodes.empty() ? machine.nodes : a.nodes;
  if (!a.soak.empty() && machine.soak_runs == 0)
    throw UsageError(
        fmt::format("--soak: the campaign of {} draws none; leave it out", type.title()));
  const std::int64_t runs = a.runs.value_or(a.soak.empty() ? usual_runs : machine.soak_runs);
  if (runs < 1 || runs > 100'000'000)
    throw UsageError(fmt::format("--runs {}: take 1 to 100000000", runs));
  const bool lanes = phy.has_value();
  const int forged_every = a.forged_every.value_or(lanes ? 0 : usual_forged_every);
  if (forged_every < 0)
    throw UsageError(fmt::format("--forged-every {}: take 0 (none) or more", forged_every));
  if (lanes && forged_every > 0)
    throw UsageError(
        fmt::format("--forged-every {}: lanes code words before their cable, so that none can be "
                    "damaged there unseen; leave it out, or --phy lanes",
                    forged_every));
  if (a.threads < 0 || a.threads > 1024)
    throw UsageError(fmt::format("--threads {}: 0 (all cores) to 1024 threads", a.threads));
  if (a.replay && *a.replay < 0)
    throw UsageError(fmt::format("--replay {}: runs count from 0", *a.replay));
  check_together(a);
  s.scenario.shape = parse_shape("--nodes", shape, 1, type.traits().axes);
  int nodes = 1;
  for (const int length : s.scenario.shape) nodes = std::min(nodes * length, 1000);
  if (nodes > 64)
    throw UsageError(
        fmt::format("--nodes {}: take up to 64 nodes; many small runs find more than "
                    "a few large ones",
                    shape));
  if (nodes < machine.least_nodes)
    throw UsageError(fmt::format("--nodes {}: a {} campaign takes {} nodes at least", shape,
                                 type.title(), machine.least_nodes));
  if (machine.check_shape != nullptr) machine.check_shape(s.scenario.shape);
  s.scenario.seed = a.seed;
  s.scenario.forged_every = static_cast<unsigned>(forged_every);
  s.scenario.phy = std::move(phy);
  s.scenario.set = std::move(set);
  if (lanes && machine.check_phy != nullptr) machine.check_phy(s.scenario);
  s.scenario.ignore_checksums = a.no_checksums;
  s.scenario.troubles = parse_kinds(a.kinds, type.traits(), machine, s.scenario.phy);
  if (s.scenario.upsets()) {
    if (a.forged_every.value_or(0) > 0)
      throw UsageError(
          fmt::format("--forged-every {}: what a flipped bit does is seen where nothing else goes "
                      "wrong; leave it out, or --kinds upsets",
                      forged_every));
    s.scenario.forged_every = 0;
  }
  s.scenario.soak = !a.soak.empty();
  if (s.scenario.soak && s.scenario.upsets())
    throw UsageError(
        "--soak: one flipped bit a run needs no more traffic; leave --kinds upsets out");
  s.campaign.first = static_cast<std::uint64_t>(a.replay.value_or(0));
  s.campaign.runs = a.replay ? 1 : static_cast<std::uint64_t>(runs);
  if (!a.shard.empty()) take_shard(a.shard, s.campaign);
  s.campaign.threads = a.threads > 0      ? static_cast<unsigned>(a.threads)
                       : Ranks::several() ? 1  // mpirun takes a process a core
                                          : std::max(1U, std::thread::hardware_concurrency());
  // What repeats a run: everything that decides what is drawn.
  s.again = fmt::format("hypertorus inject {} --seed {}", type.name(), a.seed);
  s.again += phy_words(a.phy);
  for (const std::string& word : a.set) s.again += " --set " + word;
  if (!a.nodes.empty()) s.again += " --nodes " + a.nodes;
  if (!a.kinds.empty()) s.again += " --kinds " + a.kinds;
  if (a.forged_every) s.again += fmt::format(" --forged-every {}", forged_every);
  if (a.no_checksums) s.again += " --no-checksums";
  if (s.scenario.soak) s.again += " --soak " + a.soak.front();
  if (!a.keep.empty()) {
    s.scenario.keep = campaign::NumberRanges::parse("--keep", a.keep == "none" ? "" : a.keep);
    s.again += " --keep " + a.keep;
  }
  s.nodes = shape;
  return s;
}

// A campaign's progress on the line that every command has.
class Progress {
 public:
  /// `before` of the runs were done when it began.
  Progress(ProgressLine& line, std::uint64_t runs, std::uint64_t before)
      : line_(line), begin_(std::chrono::steady_clock::now()) {
    line.stage("fault campaign");
    line.expect_work(static_cast<double>(runs), "runs", static_cast<double>(before));
  }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  void show(std::uint64_t done, std::uint64_t failed) {
    if (failed != failed_) line_.stage(fmt::format("fault campaign, {} runs failed", failed));
    failed_ = failed;
    line_.work(static_cast<double>(done));
  }

 private:
  ProgressLine& line_;
  std::uint64_t failed_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

// The run that failed, made smaller.
campaign::Shrunk shrink(const InjectSetup& setup, std::uint64_t run, ProgressLine& line) {
  std::uint64_t tried = 0;
  line.stage("making the failing run smaller");
  return campaign::shrink(
      [&](const campaign::NumberRanges* keep, campaign::Closer& closer) {
        campaign::ScenarioOptions options = setup.scenario;
        options.stop = nullptr;
        if (keep != nullptr) options.keep = *keep;
        line.stage(fmt::format("making run {} smaller, {} tried", run, tried++));
        return campaign::run_one(
            [&](std::uint64_t n) { return setup.machine->run(options, n, &closer); }, run);
      },
      2000, setup.campaign.stop);
}

// What is asked for instead of a campaign has no use for a campaign's options.
void refuse_beside(const InjectArguments& a, const std::string& option) {
  for (const std::string& given : a.given) {
    if (given == option || given == "--json" || given == "--quiet") continue;
    throw UsageError(fmt::format("{}: no effect with {}; leave it out", given, option));
  }
}

}  // namespace

void declare_inject_options(CLI::App& app, InjectArguments& a,
                            const machine::MachineDescription& machine) {
  app.add_option("--runs", a.runs,
                 fmt::format("random runs, each on a fresh machine (default: {}; with --soak 10^8 "
                             "packets or words, or 10^7 of long packets)",
                             usual_runs));
  app.add_option("--seed", a.seed, "with the run's number it determines the run")
      ->capture_default_str();
  app.add_option("--nodes", a.nodes,
                 "node grid, x first (default: the campaign's, eight nodes on the machines of the "
                 "tree)");
  app.add_option(
      "--kinds", a.kinds,
      fmt::format(
          "of faults to draw from, as in bits,lost: {}, and unplugged where links report it "
          "(default: what the link is made to detect)",
          fmt::join(troubles_but(Trouble::Unplugged), " ")));
  app.add_option("--forged-every", a.forged_every,
                 "every Nth run also has a packet or word damaged so that its check fits; 0: "
                 "none (default: 50; over lanes 0)");
  app.add_flag("--no-checksums", a.no_checksums,
               "do not compare the links' checksums at the end: forged ones then are findings");
  app.add_option("--threads", a.threads, "runs at a time (same result); 0: all cores")
      ->capture_default_str();
  app.add_option("--replay", a.replay, "only this run, from 0, and what became of each error");
  app.add_option(
      "--keep", a.keep,
      "with --replay: of the run's errors and messages only those of these numbers, as in "
      "3,17-20, or none; --shrink finds them");
  app.add_flag(
      "--shrink", a.shrink,
      "make the first failing run smaller: as few errors and messages as still lead to the "
      "same finding");
  app.add_option(
      "--shard", a.shard,
      "I/N: only the I-th of N parts of the runs, for N computers; together they are all runs");
  app.add_option(
      "--resume", a.resume,
      "keep finished runs in FILE, and go on from there; several: those of the others, as "
      "of shards, are added to the first");
  app.add_option(
      "--soak", a.soak,
      "runs of hundreds of microseconds, with traffic on all cables and errors as long as it "
      "lasts; kept in FILE, as by --resume");
  app.add_option("--trace", a.trace, "with --replay: TRACE.node<N>.fst, for GTKWave");
  app.add_option("--json", a.json, "write all numbers and findings to FILE");
  app.add_flag("--quiet", a.quiet, "print findings and the verdict only");
  declare_set_option(app, a.set);
  declare_phy_options(app, a.phy, "Lanes");
  declare_own_options(app, machine.campaign_options(), a.own);
}

int inject_command(const InjectArguments& a, const machine::MachineDescription& machine_type,
                   const machine::MachineCatalog& catalog, Session& session) {
  if (!a.own.all().empty()) {
    const auto& usual =
        *static_cast<const CampaignDescription*>(catalog.part(machine_type, "campaign"));
    if (usual.instead_option != nullptr && a.own.has(usual.instead_option)) {
      refuse_beside(a, usual.instead_option);
      if (!Ranks::reports()) return 0;
      session.results.open(a.json);
      return usual.instead(session.results);
    }
  }
  check_files(a);
  if (Ranks::reports()) session.results.open(a.json);
  machine::RtlValues set = machine::parse_rtl_values(machine_type, a.set);
  std::optional<machine::Phy> phy = check_phy_options(a.phy, machine_type, set);
  session.results.add({{"set", rtl_values_json(set)}});
  const machine::MachineDescription& type = catalog.variant(machine_type, set);
  const auto& machine = *static_cast<const CampaignDescription*>(catalog.part(type, "campaign"));
  session.results.add({{"verdict", "failed"}});
  InjectSetup setup = check(a, type, machine, std::move(phy), std::move(set));
  const InjectReport report(setup, a.quiet);
  setup.campaign.stop = setup.scenario.stop = &session.stop;
  std::optional<CampaignFile> file;
  if (!a.resume.empty()) file.emplace(setup, "--resume", a.resume);
  if (!a.soak.empty() && !a.replay) file.emplace(setup, "--soak", a.soak);
  session.ranks.begin();
  if (Ranks::reports()) report.print_setup();
  campaign::Closer closer;
  closer.trace = a.trace;
  campaign::Closer* look = a.replay ? &closer : nullptr;
  ProgressLine line(a.quiet || !Ranks::reports());
  sim::RankExchange* const others = session.ranks.exchange();
  const std::uint64_t before = file ? file->so_far().done : 0;
  Progress progress(line, setup.campaign.runs / (others == nullptr ? 1 : others->ranks()), before);
  const auto work = [&](const campaign::CampaignOptions& runs) {
    return campaign::run_campaign(
        runs, [&](std::uint64_t run) { return machine.run(setup.scenario, run, look); },
        [&](const campaign::CampaignResult& so_far) {
          progress.show(so_far.done, so_far.failed);
          if (file) file->save(so_far);
        },
        file ? file->so_far() : campaign::CampaignResult{});
  };
  const campaign::CampaignResult result =
      others == nullptr ? work(setup.campaign) : run_spread(setup.campaign, *others, work);
  if (file) file->save_now(result);
  const double seconds = progress.seconds();
  std::optional<campaign::Shrunk> shrunk;
  if (a.shrink && !result.findings.empty())
    shrunk = shrink(setup, result.findings.front().run, line);
  line.clear();
  if (!Ranks::reports()) return 0;  // mpirun takes the exit code of process 0
  for (const std::string& text : closer.lines) fmt::print("{}\n", text);
  report.print(result, before, seconds, shrunk ? &*shrunk : nullptr);
  session.results.add(report.document(result, seconds, shrunk ? &*shrunk : nullptr));
  if (!result.findings.empty()) return static_cast<int>(ExitCode::Mismatch);
  return result.interrupted ? exit_interrupted : 0;
}

}  // namespace ht::cli
