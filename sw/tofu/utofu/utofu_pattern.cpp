// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/utofu/utofu_pattern.hpp"

#include <fmt/format.h>

#include "sw/host/errors.hpp"

namespace ht::tofu {

std::vector<utofu_vbg_setting> settings(const BarrierPattern& pattern, int rank,
                                        const std::vector<std::vector<utofu_vbg_id_t>>& ids) {
  const auto id = [&](int r, int gate) {
    const auto i = static_cast<std::size_t>(r), g = static_cast<std::size_t>(gate);
    if (i >= ids.size() || g >= ids[i].size())
      throw UsageError(fmt::format("{} over {} ranks: gate {} of rank {} was not allocated",
                                   text(pattern.algorithm()), pattern.ranks(), gate, r));
    return ids[i][g];
  };
  const auto local = [&](const std::optional<int>& gate) {
    return gate ? id(rank, *gate) : UTOFU_VBG_ID_NULL;
  };
  const auto remote = [&](const std::optional<RemoteGate>& gate) {
    return gate ? id(gate->rank, gate->gate) : UTOFU_VBG_ID_NULL;
  };
  std::vector<utofu_vbg_setting> result;
  int number = 0;
  for (const GateWiring& g : pattern.gates(rank)) {
    utofu_vbg_setting s{};
    s.vbg_id = id(rank, number++);
    s.src_lcl_vbg_id = local(g.local_source);
    s.src_rmt_vbg_id = remote(g.remote_source);
    s.dst_lcl_vbg_id = local(g.local_destination);
    s.dst_rmt_vbg_id = remote(g.remote_destination);
    s.dst_path_coords[0] = UTOFU_PATH_COORD_NULL;
    result.push_back(s);
  }
  return result;
}

}  // namespace ht::tofu
