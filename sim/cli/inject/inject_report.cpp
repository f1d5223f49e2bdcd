// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/inject/inject_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/cli/common/phy_options.hpp"

namespace ht::cli {
namespace {

using campaign::CampaignResult;
using campaign::Class;
using campaign::Classes;
using Columns = std::vector<campaign::CampaignDescription::Column>;

const Columns& columns_of(const InjectSetup& setup) {
  return setup.scenario.phy ? setup.machine->lane_columns : setup.machine->columns;
}

std::string where(const campaign::Finding& f, const machine::MachineDescription& type) {
  std::string text = fmt::format("run {}", f.run);
  if (f.node >= 0) text += fmt::format(", node {}", f.node);
  if (f.link >= 0) text += fmt::format(" {}", type.link_name(f.link));
  return text;
}

nlohmann::ordered_json json_of(const Classes& c, const Columns& columns) {
  nlohmann::ordered_json j;
  j["injected"] = c.total();
  for (const auto& column : columns) j[campaign::name(column.of)] = c[column.of];
  return j;
}

nlohmann::ordered_json json_of(const campaign::Detection& d) {
  nlohmann::ordered_json j;
  j["detected"] = d.errors;
  if (d.errors == 0) return j;
  j["mean_ns"] = d.mean() / 1e3;
  j["longest_ns"] = static_cast<double>(d.longest) / 1e3;
  j["longest_run"] = d.longest_run;
  return j;
}

}  // namespace

void InjectReport::print_setup() const {
  if (quiet_) return;
  const auto& c = setup_.campaign;
  fmt::print("campaign       {}, {} nodes, seed {}, ", setup_.type->name(), setup_.nodes,
             setup_.scenario.seed);
  if (c.runs == 1) {
    fmt::print("run {}\n", c.first);
  } else {
    fmt::print("{} runs, {} at a time\n", c.runs, c.threads);
  }
  if (setup_.scenario.phy)
    fmt::print("lanes          {}\n", machine::describe(*setup_.scenario.phy));
}

void InjectReport::print_row(const std::string& name, const Classes& c) const {
  fmt::print("    {:<9}{:>10}", name, c.total());
  for (const auto& column : columns_of(setup_)) fmt::print("{:>10}", c[column.of]);
  fmt::print("\n");
}

void InjectReport::print_head(const char* what) const {
  fmt::print("    {:<9}{:>10}", what, "injected");
  for (const auto& column : columns_of(setup_)) fmt::print("{:>10}", column.heading);
  fmt::print("\n");
}

std::string InjectReport::verdict(const CampaignResult& r) const {
  if (r.failed > 0)
    return fmt::format("FAILED: {} of {} runs, the first is {}", r.failed, r.done,
                       r.findings.front().run);
  if (setup_.scenario.upsets()) {
    using campaign::Upset;
    return fmt::format(
        "{}bits that flipped where no code need be: {} harmless, {} noticed, {} unnoticed",
        r.interrupted ? "interrupted; so far " : "", upsets(r.tally, Upset::Harmless),
        upsets(r.tally, Upset::Noticed), upsets(r.tally, Upset::Unnoticed));
  }
  const Classes errors = r.tally.errors();
  std::string text = fmt::format(
      "{}nothing lost, doubled, altered, misordered or misrouted{}; {} errors accounted for",
      r.interrupted ? "interrupted; so far " : "", setup_.machine->exception, errors.total());
  if (errors[Class::Caught] > 0)
    text += fmt::format(", {} {} caught by the checksums", errors[Class::Caught],
                        setup_.machine->caught);
  return text;
}

void InjectReport::print_detection(const campaign::Tally& t) const {
  const auto row = [](const char* kind, const campaign::Detection& d) {
    if (d.errors > 0)
      fmt::print("    {:<9}{:>10}{:>12.1f}{:>12.1f}{:>12}\n", kind, d.errors, d.mean() / 1e3,
                 static_cast<double>(d.longest) / 1e3, d.longest_run);
  };
  if (t.detection().errors == 0) return;
  fmt::print(
      "\nfrom an error to its detection, in machine time\n    {:<9}{:>10}{:>12}{:>12}{:>12}\n",
      "kind", "detected", "mean ns", "longest ns", "in run");
  for (std::size_t k = 0; k < sim::kErrorKinds; ++k)
    row(sim::name(static_cast<sim::ErrorKind>(k)), t.noticed[k]);
  row("all", t.detection());
}

std::string InjectReport::command_of(const campaign::Shrunk& s) const {
  return fmt::format("{} --replay {} --keep {}", setup_.again, s.finding.run,
                     s.kept.empty() ? "none" : s.kept.text());
}

void InjectReport::print_shrunk(const campaign::Shrunk& s) const {
  if (!s.failed) {
    fmt::print("SHRUNK         nothing: the run did not fail again\n");
    return;
  }
  fmt::print(
      "SHRUNK         run {}: {} of {} errors and {} of {} messages are left after {} runs{}\n"
      "               again: {}\n",
      s.finding.run, s.left.errors, s.drawn.errors, s.left.messages, s.drawn.messages, s.tried,
      s.smallest ? "" : ", not the fewest: it was stopped", command_of(s));
  for (const std::string& line : s.lines) fmt::print("{}\n", line);
}

void InjectReport::print(const CampaignResult& r, std::uint64_t before, double seconds,
                         const campaign::Shrunk* shrunk) const {
  if (!quiet_) {
    fmt::print("\nerrors by kind, and what noticed them first\n");
    print_head("kind");
    for (std::size_t k = 0; k < sim::kErrorKinds; ++k) {
      if (r.tally.by_kind[k].total() > 0)
        print_row(sim::name(static_cast<sim::ErrorKind>(k)), r.tally.by_kind[k]);
    }
    print_row("all", r.tally.errors());
    if (!setup_.machine->places.empty() && !setup_.scenario.phy) {
      fmt::print("\nand by what was on the line\n");
      print_head("place");
    }
    for (const char* place : setup_.machine->places) {
      const auto it = r.tally.by_place.find(place);
      if (it != r.tally.by_place.end()) print_row(place, it->second);
    }
    print_detection(r.tally);
    const check::Deliveries& p = r.tally.packets;
    fmt::print(
        "\n{:<14} {} sent = {} delivered once, in order, unaltered{}; {} lost, {} doubled, "
        "{} altered, {} misordered, {} misrouted\n",
        setup_.machine->unit, p.sent, p.delivered,
        r.tally.forced_delivered > 0
            ? fmt::format(" + {} {}", r.tally.forced_delivered, setup_.machine->excused)
            : "",
        p.lost, p.doubled, p.altered, p.misordered, p.misrouted);
    fmt::print("hardware      ");
    const char* comma = "";
    for (const auto& [counter, value] : r.tally.counters) {
      fmt::print("{} {} {}", comma, value, counter);
      comma = ",";
    }
    const std::uint64_t now = r.done - before;
    fmt::print("\ntime           {} runs in {:.1f} s, {:.1f} runs/s{}\n", now, seconds,
               static_cast<double>(now) / std::max(1e-3, seconds),
               before > 0 ? fmt::format("; {} were done before", before) : "");
  }
  std::uint64_t shown = 0;
  for (const campaign::Finding& f : r.findings) {
    if (++shown > 20) {
      fmt::print("... and more\n");
      break;
    }
    fmt::print(
        "FOUND          seed {}, {}: {}\n               again: {} --replay {} --trace wave\n",
        setup_.scenario.seed, where(f, *setup_.type), f.what, setup_.again, f.run);
  }
  if (shrunk != nullptr) print_shrunk(*shrunk);
  fmt::print("verdict        {}\n", verdict(r));
}

nlohmann::ordered_json InjectReport::document(const CampaignResult& r, double seconds,
                                              const campaign::Shrunk* shrunk) const {
  nlohmann::ordered_json j;
  j["machine"] = setup_.type->name();
  j["nodes"] = setup_.scenario.shape;
  j["seed"] = setup_.scenario.seed;
  j["phy"] = phy_json(setup_.scenario.phy);
  j["first_run"] = setup_.campaign.first;
  j["runs"] = r.done;
  j["failed_runs"] = r.failed;
  j["interrupted"] = r.interrupted;
  j["seconds"] = seconds;
  for (std::size_t k = 0; k < sim::kErrorKinds; ++k)
    j["errors_by_kind"][sim::name(static_cast<sim::ErrorKind>(k))] =
        json_of(r.tally.by_kind[k], columns_of(setup_));
  for (std::size_t k = 0; k < sim::kErrorKinds; ++k)
    j["detection_by_kind"][sim::name(static_cast<sim::ErrorKind>(k))] = json_of(r.tally.noticed[k]);
  j["detection"] = json_of(r.tally.detection());
  for (const auto& [place, classes] : r.tally.by_place)
    j["errors_by_place"][place] = json_of(classes, columns_of(setup_));
  j["errors"] = json_of(r.tally.errors(), columns_of(setup_));
  const check::Deliveries& p = r.tally.packets;
  j[setup_.machine->unit] = {{"sent", p.sent},
                             {"delivered", p.delivered},
                             {"lost", p.lost},
                             {"doubled", p.doubled},
                             {"altered", p.altered},
                             {"misordered", p.misordered},
                             {"misrouted", p.misrouted},
                             {"forged", r.tally.forced},
                             {"forged_delivered", r.tally.forced_delivered}};
  j["hardware"] = r.tally.counters;
  j["findings"] = nlohmann::ordered_json::array();
  for (const campaign::Finding& f : r.findings)
    j["findings"].push_back({{"run", f.run},
                             {"seed", setup_.scenario.seed},
                             {"node", f.node},
                             {"link", f.link < 0 ? "" : setup_.type->link_name(f.link)},
                             {"what", f.what},
                             {"command", fmt::format("{} --replay {}", setup_.again, f.run)}});
  if (shrunk != nullptr && shrunk->failed)
    j["shrunk"] = {{"run", shrunk->finding.run},        {"what", shrunk->finding.what},
                   {"errors", shrunk->left.errors},     {"errors_drawn", shrunk->drawn.errors},
                   {"messages", shrunk->left.messages}, {"messages_drawn", shrunk->drawn.messages},
                   {"smallest", shrunk->smallest},      {"runs", shrunk->tried},
                   {"command", command_of(*shrunk)},    {"lines", shrunk->lines}};
  j["verdict"] = verdict(r);
  return j;
}

}  // namespace ht::cli
