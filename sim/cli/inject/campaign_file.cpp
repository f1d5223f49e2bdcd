// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/inject/campaign_file.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "sim/output/document.hpp"
#include "sim/plugin/build.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

using campaign::CampaignResult;
using campaign::Classes;
using campaign::NumberRanges;
using campaign::Tally;
using Json = nlohmann::ordered_json;

constexpr const char* format_name = "hypertorus campaign";

// FNV-1a, 64 bits: distinguishes copies, no more.
std::string fingerprint(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) throw DataError(file + ": cannot be read");
  return text;
}

// The library that `inside` lies in: the hash of the build does not cover hardware.
std::string library_of(const void* inside) {
  Dl_info info{};
  if (dladdr(inside, &info) == 0 || info.dli_fname == nullptr) return "unknown";
  return fingerprint(content_of(info.dli_fname));
}

std::string build_of(const InjectSetup& setup) {
  const auto* const machine = *reinterpret_cast<void* const* const*>(setup.type);
  return fmt::format("{}-{}-{}", machine::build_hash(),
                     library_of(static_cast<const void*>(machine)), library_of(setup.machine));
}

std::uint64_t number(const Json& j) {
  if (!j.is_number_unsigned()) throw DataError("a number is none");
  return j.get<std::uint64_t>();
}

void read_classes(const Json& j, Classes& c) {
  for (std::size_t i = 0; i < campaign::kClasses; ++i) c.count[i] = number(j.at(i));
}

Json json_of(const CampaignResult& r) {
  Json j;
  j["runs"] = r.runs.text();
  j["failed"] = r.failed;
  for (const Classes& c : r.tally.by_kind) j["by_kind"].push_back(c.count);
  for (const campaign::Detection& d : r.tally.noticed)
    j["noticed"].push_back({d.errors, d.sum, d.longest, d.longest_run});
  j["by_place"] = Json::object();
  for (const auto& [place, c] : r.tally.by_place) j["by_place"][place] = c.count;
  const check::Deliveries& p = r.tally.packets;
  j["deliveries"] = {p.sent, p.delivered, p.lost, p.doubled, p.altered, p.misordered, p.misrouted};
  j["forged"] = {r.tally.forced, r.tally.forced_delivered};
  j["counters"] = r.tally.counters;
  j["findings"] = Json::array();
  for (const campaign::Finding& f : r.findings)
    j["findings"].push_back({{"run", f.run}, {"node", f.node}, {"link", f.link}, {"what", f.what}});
  return j;
}

CampaignResult result_of(const Json& j) {
  CampaignResult r;
  r.runs = NumberRanges::parse("runs", j.at("runs").get<std::string>());
  r.done = r.runs.size();
  r.failed = number(j.at("failed"));
  for (std::size_t k = 0; k < sim::kErrorKinds; ++k)
    read_classes(j.at("by_kind").at(k), r.tally.by_kind[k]);
  for (std::size_t k = 0; k < sim::kErrorKinds; ++k) {
    const Json& d = j.at("noticed").at(k);
    r.tally.noticed[k] = {number(d.at(0)), static_cast<Picoseconds>(number(d.at(1))),
                          static_cast<Picoseconds>(number(d.at(2))), number(d.at(3))};
  }
  for (const auto& [place, c] : j.at("by_place").items()) read_classes(c, r.tally.by_place[place]);
  check::Deliveries& p = r.tally.packets;
  std::size_t i = 0;
  for (auto* count :
       {&p.sent, &p.delivered, &p.lost, &p.doubled, &p.altered, &p.misordered, &p.misrouted})
    *count = number(j.at("deliveries").at(i++));
  r.tally.forced = number(j.at("forged").at(0));
  r.tally.forced_delivered = number(j.at("forged").at(1));
  for (const auto& [counter, value] : j.at("counters").items())
    r.tally.counters[counter] = number(value);
  for (const Json& f : j.at("findings"))
    r.findings.push_back({number(f.at("run")), f.at("node").get<int>(), f.at("link").get<int>(),
                          f.at("what").get<std::string>()});
  return r;
}

// Names the first of the things that make a campaign in which they differ.
void require_same(const std::string& file, const Json& theirs, const Json& ours) {
  for (const auto& [key, value] : ours.items()) {
    const Json& other = theirs.at(key);
    if (other == value) continue;
    if (key == "build")
      throw UsageError(fmt::format(
          "--resume {}: its runs are of another build of the program; begin anew with another file",
          file));
    const auto text = [](const Json& j) { return j.is_string() ? j.get<std::string>() : j.dump(); };
    throw UsageError(fmt::format(
        "--resume {}: its runs have {} {}, and this campaign {}; give equal options, or "
        "another file",
        file, key, text(other), text(value)));
  }
}

// A run that both have, if there is one.
const NumberRanges::Range* common(const std::vector<NumberRanges::Range>& a,
                                  const NumberRanges& b) {
  const auto overlap = [&](const NumberRanges::Range& r) {
    NumberRanges both = b;
    both.add(r.first, r.second);
    return both.size() != b.size() + (r.second - r.first + 1);
  };
  for (const auto& r : a) {
    if (overlap(r)) return &r;
  }
  return nullptr;
}

}  // namespace

CampaignFile::CampaignFile(const InjectSetup& setup, const std::vector<std::string>& files)
    : setup_(setup), file_(files.front()) {
  const campaign::ScenarioOptions& s = setup.scenario;
  std::vector<std::string> kinds;
  for (const campaign::Trouble t : s.troubles) kinds.emplace_back(campaign::name(t));
  campaign_ = {{"machine", setup.type->name()},
               {"nodes", s.shape},
               {"seed", s.seed},
               {"kinds", kinds},
               {"forged-every", s.forged_every},
               {"no-checksums", s.ignore_checksums},
               {"build", build_of(setup)}};
  check_writable(file_);
  for (const std::string& file : files) {
    if (&file != &files.front() || std::filesystem::exists(file)) read(file);
  }
  save_now(so_far_);
}

void CampaignFile::read(const std::string& file) {
  if (!std::filesystem::is_regular_file(file))
    throw DataError(fmt::format("--resume {}: no such file", file));
  Json document, theirs;
  CampaignResult more;
  try {
    document = Json::parse(content_of(file));
    if (document.at("format") != format_name) throw DataError("it is something else");
    if (const int v = document.at("version").get<int>(); v != version)
      throw DataError(fmt::format("its version is {}, not {}", v, version));
    if (document.at("fingerprint") !=
        fingerprint(document.at("campaign").dump() + document.at("result").dump()))
      throw DataError("it was changed");
    theirs = document.at("campaign");
    require_same(file, theirs, campaign_);
    more = result_of(document.at("result"));
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception& e) {
    const bool ours = dynamic_cast<const DataError*>(&e) != nullptr;
    throw DataError(
        fmt::format("--resume {}: this is no file of finished runs that can be used "
                    "({}); give one that --resume wrote, or a new name",
                    file, ours ? e.what() : "not the JSON it should be"));
  }
  const std::uint64_t first = setup_.campaign.first, end = first + setup_.campaign.runs;
  if (!more.runs.empty() && (more.runs.lowest() < first || more.runs.highest() >= end))
    throw UsageError(fmt::format(
        "--resume {}: it has runs {} to {}, and runs {} to {} are asked for; set --runs "
        "and --shard so that they are among them",
        file, more.runs.lowest(), more.runs.highest(), first, end - 1));
  const auto ranges = more.runs.ranges();
  for (const auto& [other, runs] : read_) {
    if (const auto* twice = common(ranges, runs))
      throw UsageError(
          fmt::format("--resume {}: {} has runs of {} to {}, too; leave one of them out", file,
                      other, twice->first, twice->second));
  }
  for (const auto& [a, b] : ranges) so_far_.runs.add(a, b);
  read_.emplace_back(file, more.runs);
  so_far_.done += more.done;
  so_far_.failed += more.failed;
  so_far_.tally += more.tally;
  campaign::add_findings(so_far_.findings, std::move(more.findings), setup_.campaign.most_findings);
}

void CampaignFile::save(const CampaignResult& result) {
  if (std::chrono::steady_clock::now() - saved_ >= std::chrono::seconds(1)) save_now(result);
}

void CampaignFile::save_now(const CampaignResult& result) {
  const Json r = json_of(result);
  write_document({{"format", format_name},
                  {"version", version},
                  {"fingerprint", fingerprint(campaign_.dump() + r.dump())},
                  {"campaign", campaign_},
                  {"result", r}},
                 file_);
  saved_ = std::chrono::steady_clock::now();
}

}  // namespace ht::cli
