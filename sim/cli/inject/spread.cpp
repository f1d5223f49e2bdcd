// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/inject/spread.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "sim/cli/inject/campaign_json.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

using campaign::CampaignResult;
using Json = nlohmann::ordered_json;

}  // namespace

campaign::CampaignOptions part_of(const campaign::CampaignOptions& whole, std::uint64_t piece,
                                  std::uint64_t pieces) {
  campaign::CampaignOptions part = whole;
  const std::uint64_t begin = whole.runs * (piece - 1) / pieces;
  part.first = whole.first + begin;
  part.runs = whole.runs * piece / pieces - begin;
  return part;
}

CampaignResult run_spread(
    const campaign::CampaignOptions& whole, sim::RankExchange& ranks,
    const std::function<CampaignResult(const campaign::CampaignOptions&)>& work) {
  Json mine;
  try {
    mine["result"] = campaign_json(work(part_of(whole, ranks.rank() + 1, ranks.ranks())));
  } catch (const Error& e) {
    // Whoever left now would leave the others waiting for ever.
    mine = {{"error", e.what()}, {"code", static_cast<int>(e.exit_code())}};
  }
  CampaignResult all;
  const std::vector<std::string> texts = ranks.gather(mine.dump());
  ranks.end_together();  // all know the rest
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    const Json j = Json::parse(texts[rank]);
    if (j.contains("error"))
      throw Error(static_cast<ExitCode>(j["code"].get<int>()),
                  fmt::format("process {}: {}", rank, j["error"].get<std::string>()));
    campaign::add_result(all, campaign_result(j["result"]), whole.most_findings);
  }
  all.interrupted = all.done < whole.runs;
  return all;
}

}  // namespace ht::cli
