// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>

#include "sim/campaign/campaign.hpp"
#include "sim/kernel/kernel.hpp"

namespace ht::cli {

/// Of the campaign's runs, the `piece`th of `pieces`, from 1; together they are all, in order.
campaign::CampaignOptions part_of(const campaign::CampaignOptions& whole, std::uint64_t piece,
                                  std::uint64_t pieces);

/// A campaign in several processes: `work` does the runs that it is given here, a part of all. What
/// all of them found out is returned in every process, as if one had done all runs. What `work`
/// throws in one is thrown in all.
campaign::CampaignResult run_spread(
    const campaign::CampaignOptions& whole, sim::RankExchange& ranks,
    const std::function<campaign::CampaignResult(const campaign::CampaignOptions& part)>& work);

}  // namespace ht::cli
