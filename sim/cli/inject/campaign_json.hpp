// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>

#include "sim/campaign/campaign.hpp"

namespace ht::cli {

/// Finished runs, their sums and findings, whole.
nlohmann::ordered_json campaign_json(const campaign::CampaignResult& result);
/// The same back. Throws DataError, or what the JSON library throws, if `json` is something else.
campaign::CampaignResult campaign_result(const nlohmann::ordered_json& json);

}  // namespace ht::cli
