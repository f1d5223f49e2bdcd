// SPDX-License-Identifier: Apache-2.0
// The fault campaign, `hypertorus inject grid`: random messages with random trouble over a fresh
// machine, until all has arrived; then every message, every error and every counter is accounted
// for. The program finds it in hypertorus-campaign-grid.so.
#include "sim/campaign/description.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "machine.hpp"
#include "sim/campaign/machine_run.hpp"

namespace ht::grid {
namespace {

using campaign::Class;
using campaign::Draw;
using sim::ErrorKind;
using sim::Fate;

constexpr int channels = 2;
// When what happens. Links are up within 4 us.
constexpr Picoseconds links_up = 4'000'000, busy_until = 18'000'000, longest_pause = 2'000'000;
constexpr Picoseconds first_error = 400'000, last_error = 20'000'000, longest_outage = 4'000'000;
enum Purpose : std::uint32_t { Traffic, Choice, Places, Pauses = 0x1000, Content = 0x2000 };

/// A message of a run.
struct Message : campaign::Route {
  int channel = 0, round = 0;
  std::size_t lines = 1;
};

struct Scenario : campaign::Scenario {
  int rounds = 1;
  std::vector<Message> messages;
};

Scenario draw_scenario(const campaign::ScenarioOptions& o, std::uint64_t run) {
  Scenario s;
  s.ignore_checksums = o.ignore_checksums;
  Draw draw(o.seed, run, Traffic);
  s.cable_delay = draw.between(3, 60) * 4'000;
  s.rounds = static_cast<int>(draw.between(1, 6));
  const int ports = machine::node_count(o.shape) * links;
  const std::uint64_t busy_of_8 = 1 + draw.below(8);
  while (s.messages.empty()) {
    for (int i = 0; i < s.rounds * ports * channels; ++i) {
      const int port = i / channels % ports, from = port / links, link = port % links;
      const auto lines = static_cast<std::size_t>(draw.between(1, 12));
      if (draw.below(8) < busy_of_8)
        s.messages.push_back({{from, machine::torus_neighbour(o.shape, from, link), link},
                              i % channels,
                              i / channels / ports,
                              lines});
    }
  }
  s.faults.resize(static_cast<std::size_t>(ports));
  campaign::TroubleLimits limits{.links = links,
                                 .lanes = LineCode::kLanes,
                                 .bits = LineCode::kGroupBits,
                                 .rates = {1e-5, 1e-4, 1e-3},
                                 .longest_burst = 400,
                                 .header = frame_words + 2,
                                 .first_error = first_error,
                                 .last_error = last_error,
                                 .longest_outage = longest_outage,
                                 .links_up = links_up,
                                 .busy_until = busy_until,
                                 .neighbour = [&o](int node, int link) {
                                   return machine::torus_neighbour(o.shape, node, link);
                                 }};
  std::vector<std::size_t> cables(s.faults.size());
  std::iota(cables.begin(), cables.end(), 0U);
  campaign::TroubleDraw faults(Draw(o.seed, run, Places), limits,
                               {s.messages.begin(), s.messages.end()}, cables, s.faults);
  std::vector<campaign::Trouble> choice = o.troubles;
  for (int t = 0; o.troubles.empty() && t <= static_cast<int>(campaign::Trouble::Headers); ++t)
    choice.push_back(static_cast<campaign::Trouble>(t));
  s.troubles = draw_troubles(Draw(o.seed, run, Choice), choice, faults);
  if (o.forged_every > 0 && run % o.forged_every == 0) {
    const Message& m = s.messages[faults.draw().below(s.messages.size())];
    s.forged_cable = m.from * links + m.link;
    s.faults[static_cast<std::size_t>(s.forged_cable)].forced.push_back(forged_frame(
        faults.draw().below(m.lines), static_cast<unsigned>(faults.draw().below(8 * line_bytes))));
  }
  s.quiet = last_error + longest_outage;
  return s;
}

std::unique_ptr<Machine> make_machine(const campaign::ScenarioOptions& o, const Scenario& s,
                                      std::uint64_t run) {
  auto m = campaign::machine_options<MachineOptions>(o, s, run);
  m.shape = o.shape;
  m.node.memory_bytes = std::size_t{1} << 20;
  return std::make_unique<Machine>(std::move(m));
}

class Run final : public campaign::MachineRun {
 public:
  Run(const campaign::ScenarioOptions& options, std::uint64_t number, campaign::Closer* closer,
      Scenario drawn)
      : MachineRun(
            number, closer, make_machine(options, drawn, number),
            static_cast<std::size_t>(machine::node_count(options.shape) * grid::links * channels)),
        scenario_(std::move(drawn)),
        machine_(static_cast<Machine&>(machine())),
        seed_(options.seed) {
    for (std::size_t i = 0; i < scenario_.messages.size(); ++i) {
      const auto content = content_of(i);
      for (std::size_t line = 0; line < scenario_.messages[i].lines; ++line)
        board().sent(flow_of(scenario_.messages[i]), i,
                     std::span(content).subspan(line * line_bytes, line_bytes));
    }
  }

 private:
  static std::size_t flow_of(const Message& m) {
    return static_cast<std::size_t>((m.to * grid::links + (m.link ^ 1)) * channels + m.channel);
  }
  std::vector<std::byte> content_of(std::size_t message) const {
    Draw draw(seed_, number(), Content + static_cast<std::uint32_t>(message));
    std::vector<std::byte> content(scenario_.messages[message].lines * line_bytes);
    for (std::size_t i = 0; i < content.size(); i += 8) {
      const std::uint64_t bits = draw.bits();
      std::memcpy(&content[i], &bits, 8);
    }
    return content;
  }

  const campaign::Scenario& scenario() const override { return scenario_; }
  const char* unit() const override { return "frame"; }
  std::string traffic() const override {
    return fmt::format("{} messages", scenario_.messages.size());
  }

  // A node's program: in each round starts all its ends of messages, and waits for them.
  void exchange(Driver& driver) {
    host::Runtime& time = driver.runtime();
    Draw pauses(seed_, number(), Pauses + static_cast<std::uint32_t>(driver.rank()));
    for (int round = 0; round < scenario_.rounds; ++round) {
      std::vector<qmp::MessageId> ids;
      std::vector<std::pair<std::size_t, std::byte*>> received;
      time.advance(pauses.between(0, longest_pause));
      for (std::size_t i = 0; i < scenario_.messages.size(); ++i) {
        const Message& m = scenario_.messages[i];
        const auto channel = static_cast<qmp::Channel>(m.channel);
        const auto content = content_of(i);
        const auto allocate = [&] {
          return static_cast<std::byte*>(driver.allocate(content.size(), line_bytes));
        };
        if (m.round == round && m.from == driver.rank()) {
          std::byte* const buffer = allocate();
          std::ranges::copy(content, buffer);
          ids.push_back(driver.declare_send(m.link, channel, buffer, content.size()));
        }
        if (m.round == round && m.to == driver.rank()) {
          received.emplace_back(i, allocate());
          ids.push_back(
              driver.declare_receive(m.link ^ 1, channel, received.back().second, content.size()));
        }
      }
      driver.start_all(ids);
      for (const qmp::MessageId id : ids) driver.wait(id);
      for (const auto& [i, buffer] : received) {
        for (std::size_t line = 0; line < scenario_.messages[i].lines; ++line)
          board().arrived(flow_of(scenario_.messages[i]), i,
                          std::span(buffer + line * line_bytes, line_bytes));
      }
    }
    time.advance(std::max<Picoseconds>(0, scenario_.quiet - time.now()));
  }

  void simulate() override {
    try {
      if (!machine_.run([this](Driver& driver) { exchange(driver); }, longest))
        found(-1, -1, "it did not come to rest in 3 ms");
      reports_ = machine_.read_links();
    } catch (const std::exception& e) {
      found(-1, -1, fmt::format("it came to no end: {}", e.what()));
    }
  }

  const LinkReport* report(int cable) const override {
    return reports_.empty() ? nullptr : &reports_[static_cast<std::size_t>(cable)];
  }
  void check_counters(int cable) override {
    const LinkReport& r = *report(cable);
    if (r.sent != r.accepted)
      found_at(cable, fmt::format("{} frames acknowledged, {} accepted", r.sent, r.accepted));
    auto& total = tally().counters;
    total["frames sent again"] += r.resent;
    total["frames refused"] += r.receiver.turned_away;
    total["duplicates dropped"] += r.receiver.duplicates;
  }
  Class classify(int cable, const sim::InjectedError& e) override {
    if (e.fate == Fate::Harmless) return Class::Harmless;
    if (e.fate == Fate::Undetected) {
      if (e.kind != ErrorKind::Forced) return Class::Undetected;
      // Without checksums that differ, it was a copy of a frame that was not accepted.
      return checksums_explained(cable) && checksums_differ(cable) ? Class::Caught
                                                                   : Class::Harmless;
    }
    switch (e.complaint) {
      case sim::Complaint::Framing:
        return Class::Framing;
      case sim::Complaint::Check:
        return Class::Check;
      default:
        return Class::Code;
    }
  }
  bool checksums_explained(int cable) override { return cable == scenario_.forged_cable; }
  Outlet outlet(std::size_t flow) const override {
    const int port = static_cast<int>(flow) / channels;
    return {port / links(), port % links(), fmt::format("channel {}, frame", flow % channels)};
  }
  bool excused(const Delivery& t) override {
    const Outlet to = outlet(t.flow);
    return t.kind == check::DeliveryScoreboard::Kind::Altered && forged_caught() &&
           cable_into(to.node, to.link) == scenario_.forged_cable;
  }
  void check_rest() override {}

  Scenario scenario_;
  Machine& machine_;
  std::uint64_t seed_;
  std::vector<LinkReport> reports_;
};

}  // namespace
}  // namespace ht::grid

extern "C" const ht::campaign::CampaignDescription* hypertorus_campaign() {
  using namespace ht;
  static const campaign::CampaignDescription description{
      .unit = "frames",
      .nodes = "2x2",
      .least_nodes = 1,
      .reports_down = false,
      .exception = "",
      .caught = "forged frames",
      .excused = "forged",
      .columns = {{campaign::Class::Code, "code"},
                  {campaign::Class::Framing, "framing"},
                  {campaign::Class::Check, "CRC"},
                  {campaign::Class::Harmless, "harmless"},
                  {campaign::Class::Undetected, "undetect."},
                  {campaign::Class::Caught, "checksum"}},
      .places = {},
      .run = [](const campaign::ScenarioOptions& options, std::uint64_t run,
                campaign::Closer* closer) {
        return grid::Run(options, run, closer, grid::draw_scenario(options, run)).outcome();
      }};
  return &description;
}
