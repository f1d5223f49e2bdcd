// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/inject/campaign_json.hpp"

#include "sw/host/errors.hpp"

namespace ht::cli {

using campaign::CampaignResult;
using campaign::Classes;
using campaign::NumberRanges;
using Json = nlohmann::ordered_json;

namespace {

std::uint64_t number(const Json& j) {
  if (!j.is_number_unsigned()) throw DataError("a number is none");
  return j.get<std::uint64_t>();
}

void read_classes(const Json& j, Classes& c) {
  for (std::size_t i = 0; i < campaign::kClasses; ++i) c.count[i] = number(j.at(i));
}

}  // namespace

Json campaign_json(const CampaignResult& r) {
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

CampaignResult campaign_result(const Json& j) {
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

}  // namespace ht::cli
