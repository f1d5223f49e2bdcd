// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/inject/campaign_file.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "sim/cli/common/machine_json.hpp"
#include "sim/cli/common/phy_options.hpp"
#include "sim/cli/inject/campaign_json.hpp"
#include "sim/output/document.hpp"
#include "sim/output/read_document.hpp"
#include "sim/plugin/build.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/fingerprint.hpp"

namespace ht::cli {
namespace {

using campaign::CampaignResult;
using campaign::NumberRanges;
using Json = nlohmann::ordered_json;

constexpr const char* format_name = "hypertorus campaign";

std::string fingerprint(std::string_view bytes) {
  return fmt::format("{:016x}", host::fingerprint(bytes));
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

// Names the first of the things that make a campaign in which they differ.
void require_same(const std::string& named, const Json& theirs, const Json& ours) {
  for (const auto& [key, value] : ours.items()) {
    const Json& other = theirs.at(key);
    if (other == value) continue;
    if (key == "build")
      throw UsageError(fmt::format(
          "{}: its runs are of another build of the program; begin anew with another file", named));
    const auto text = [](const Json& j) { return j.is_string() ? j.get<std::string>() : j.dump(); };
    throw UsageError(
        fmt::format("{}: its runs have {} {}, and this campaign {}; give equal options, or "
                    "another file",
                    named, key, text(other), text(value)));
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

CampaignFile::CampaignFile(const InjectSetup& setup, std::string option,
                           const std::vector<std::string>& files)
    : setup_(setup), option_(std::move(option)), file_(files.front()), held_(file_, "campaign") {
  const campaign::ScenarioOptions& s = setup.scenario;
  std::vector<std::string> kinds;
  for (const campaign::Trouble t : s.troubles) kinds.emplace_back(campaign::name(t));
  campaign_ = {{"machine", setup.type->name()},
               {"nodes", s.shape},
               {"set", rtl_values_json(s.set)},
               {"phy", phy_json(s.phy)},
               {"seed", s.seed},
               {"kinds", kinds},
               {"forged-every", s.forged_every},
               {"no-checksums", s.ignore_checksums},
               {"soak", s.soak},
               {"build", build_of(setup)}};
  check_writable(file_);
  held_.hold();
  for (const std::string& file : files) {
    if (&file != &files.front() || std::filesystem::exists(file)) read(file);
  }
  save_now(so_far_);
}

void CampaignFile::read(const std::string& file) {
  const std::string named = option_ + " " + file;
  if (!std::filesystem::is_regular_file(file))
    throw DataError(fmt::format(
        "{}: {}", named, std::filesystem::exists(file) ? "is not a regular file" : "no such file"));
  Json document, theirs;
  CampaignResult more;
  try {
    document = read_document(content_of(file));
    if (document.at("format") != format_name) throw DataError("it is something else");
    if (const int v = document.at("version").get<int>(); v != version)
      throw DataError(fmt::format("its version is {}, not {}", v, version));
    if (document.at("fingerprint") !=
        fingerprint(document.at("campaign").dump() + document.at("result").dump()))
      throw DataError("it was changed");
    theirs = document.at("campaign");
    require_same(named, theirs, campaign_);
    more = campaign_result(document.at("result"));
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception& e) {
    const bool ours = dynamic_cast<const DataError*>(&e) != nullptr;
    throw DataError(
        fmt::format("{}: this is no file of finished runs that can be used "
                    "({}); give one that {} wrote, or a new name",
                    named, ours ? e.what() : "not the JSON it should be", option_));
  }
  const std::uint64_t first = setup_.campaign.first, end = first + setup_.campaign.runs;
  if (!more.runs.empty() && (more.runs.lowest() < first || more.runs.highest() >= end))
    throw UsageError(
        fmt::format("{}: it has runs {} to {}, and runs {} to {} are asked for; set --runs "
                    "and --shard so that they are among them",
                    named, more.runs.lowest(), more.runs.highest(), first, end - 1));
  const auto ranges = more.runs.ranges();
  for (const auto& [other, runs] : read_) {
    if (const auto* twice = common(ranges, runs))
      throw UsageError(fmt::format("{}: {} has runs of {} to {}, too; leave one of them out", named,
                                   other, twice->first, twice->second));
  }
  read_.emplace_back(file, more.runs);
  campaign::add_result(so_far_, std::move(more), setup_.campaign.most_findings);
}

void CampaignFile::save(const CampaignResult& result) {
  if (std::chrono::steady_clock::now() - saved_ >= std::chrono::seconds(1)) save_now(result);
}

void CampaignFile::save_now(const CampaignResult& result) {
  held_.check();
  const Json r = campaign_json(result);
  write_document({{"format", format_name},
                  {"version", version},
                  {"fingerprint", fingerprint(campaign_.dump() + r.dump())},
                  {"campaign", campaign_},
                  {"result", r}},
                 file_);
  held_.hold();
  saved_ = std::chrono::steady_clock::now();
}

}  // namespace ht::cli
