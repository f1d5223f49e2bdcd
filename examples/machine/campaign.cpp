// SPDX-License-Identifier: Apache-2.0
// The fault campaign, `hypertorus inject grid`: random messages with random faults over a fresh
// machine, until all has arrived; then every message, every error and every counter is accounted
// for. The program finds it in hypertorus-campaign-grid.so.
#include <numeric>

#include "machine.hpp"
#include "sim/campaign/description.hpp"
#include "sim/campaign/machine_run.hpp"

namespace ht::grid {
namespace {

using campaign::Class;
using campaign::Draw;

// When what happens. Links are up within 4 us.
constexpr Picoseconds links_up = 4'000'000, busy_until = 18'000'000, longest_pause = 2'000'000;
constexpr Picoseconds first_error = 400'000, last_error = 20'000'000, longest_outage = 4'000'000;
enum Purpose : std::uint32_t { Traffic, Choice, Places, Pauses = 0x1000, Content = 0x2000 };

struct Message : campaign::Route {
  qmp::Channel channel{};
  int round = 0;  ///< nodes wait for all messages of a round before the next
  std::vector<std::byte> content = {};
};

struct Scenario : campaign::Scenario {
  int rounds = 1;
  std::vector<Message> messages;
};

std::vector<Message> draw_messages(const campaign::ScenarioOptions& o, std::uint64_t run,
                                   Draw& draw, int rounds) {
  std::vector<Message> messages;
  const int ports = machine::node_count(o.shape) * links;
  const std::uint64_t busy_of_8 = 1 + draw.below(8);
  for (int i = 0; i < rounds * ports * 2; ++i) {
    const int from = i / 2 % ports / links, link = i / 2 % links;
    if (i > 0 && draw.below(8) >= busy_of_8) continue;
    Message m{{from, machine::torus_neighbour(o.shape, from, link), link},
              static_cast<qmp::Channel>(i % 2),
              i / 2 / ports};
    m.content.resize(line_bytes * static_cast<std::size_t>(draw.between(1, 12)));
    Draw content(o.seed, run, Content + static_cast<std::uint32_t>(i));
    for (std::byte& b : m.content) b = static_cast<std::byte>(content.below(256));
    messages.push_back(std::move(m));
  }
  return messages;
}

Scenario draw_scenario(const campaign::ScenarioOptions& o, std::uint64_t run) {
  Scenario s;
  Draw draw(o.seed, run, Traffic);
  s.ignore_checksums = o.ignore_checksums;
  s.world.cable_delay = draw.between(3, 60) * 4'000;
  s.rounds = static_cast<int>(draw.between(1, 6));
  s.messages = draw_messages(o, run, draw, s.rounds);
  s.faults.resize(static_cast<std::size_t>(machine::node_count(o.shape) * links));
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
    const Message& m = s.messages[draw.below(s.messages.size())];
    s.forged_cable = m.from * links + m.link;
    s.faults[static_cast<std::size_t>(s.forged_cable)].forced.push_back(
        forged_frame(draw.below(m.content.size() / line_bytes),
                     static_cast<unsigned>(draw.below(8 * line_bytes))));
  }
  s.quiet = last_error + longest_outage;
  return s;
}

MachineOptions options_of(const campaign::ScenarioOptions& o, const Scenario& s,
                          std::uint64_t run) {
  auto m = campaign::machine_options<MachineOptions>(o, s, run);
  m.shape = o.shape;
  m.node.memory_bytes = std::size_t{1} << 20;
  return m;
}

class Run final : public campaign::MachineRun {
 public:
  /// A flow of the scoreboard is a message.
  Run(const campaign::ScenarioOptions& options, std::uint64_t number, campaign::Closer* closer,
      Scenario drawn)
      : MachineRun(options, number, closer,
                   std::make_unique<Machine>(options_of(options, drawn, number)),
                   drawn.messages.size()),
        scenario_(std::move(drawn)),
        machine_(static_cast<Machine&>(machine())),
        seed_(options.seed) {
    for (std::size_t i = 0; i < scenario_.messages.size(); ++i)
      board().sent(i, 0, scenario_.messages[i].content);
  }

 private:
  const campaign::Scenario& scenario() const override { return scenario_; }
  const char* unit() const override { return "message"; }
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
        const std::size_t bytes = m.content.size();
        if (m.round == round && m.from == driver.rank()) {
          void* const buffer = driver.allocate(bytes, line_bytes);
          std::memcpy(buffer, m.content.data(), bytes);
          ids.push_back(driver.declare_send(m.link, m.channel, buffer, bytes));
        }
        if (m.round == round && m.to == driver.rank()) {
          received.emplace_back(i, static_cast<std::byte*>(driver.allocate(bytes, line_bytes)));
          ids.push_back(
              driver.declare_receive(m.link ^ 1, m.channel, received.back().second, bytes));
        }
      }
      driver.start_all(ids);
      for (const qmp::MessageId id : ids) driver.wait(id);
      for (const auto& [i, buffer] : received)
        board().arrived(i, 0, {buffer, scenario_.messages[i].content.size()});
    }
    time.advance(std::max<Picoseconds>(0, scenario_.quiet - time.now()));
  }
  void simulate() override {
    try {
      if (!machine_.run([this](Driver& driver) { exchange(driver); }, longest()))
        found(-1, -1, it_moves());
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
    tally().counters["frames sent again"] += r.retransmitted;
    tally().counters["frames without a place"] += r.receiver.busy_sent;
    tally().counters["duplicates dropped"] += r.receiver.duplicates;
  }
  Class classify(int cable, const sim::InjectedError& e) override {
    if (e.fate == sim::Fate::Harmless) return Class::Harmless;
    if (e.fate == sim::Fate::Detected)
      return e.complaint == sim::Complaint::Check     ? Class::Check
             : e.complaint == sim::Complaint::Framing ? Class::Framing
                                                      : Class::Code;
    if (e.kind != sim::ErrorKind::Forced) return Class::Undetected;
    // Where the checksums agree it was a copy of a frame that was not accepted.
    return checksums_differ(cable) ? Class::Caught : Class::Harmless;
  }
  bool checksums_explained(int cable) override { return cable == scenario_.forged_cable; }
  Outlet outlet(std::size_t flow) const override {
    const Message& m = scenario_.messages[flow];
    return {m.to, m.link ^ 1, unit()};
  }
  bool excused(const Delivery& t) override {
    const Message& m = scenario_.messages[t.flow];
    return t.kind == check::DeliveryScoreboard::Kind::Altered && forged_caught() &&
           checksums_explained(m.from * links() + m.link);
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
      "messages",
      "2x2",
      1,
      false,
      "",
      "forged frames",
      "forged",
      {{campaign::Class::Code, "code"},
       {campaign::Class::Framing, "framing"},
       {campaign::Class::Check, "CRC"},
       {campaign::Class::Harmless, "harmless"},
       {campaign::Class::Undetected, "undetect."},
       {campaign::Class::Caught, "checksum"}},
      {},  // no lanes
      {},
      [](const campaign::ScenarioOptions& options, std::uint64_t run, campaign::Closer* closer) {
        return grid::Run(options, run, closer, grid::draw_scenario(options, run)).outcome();
      }};
  return &description;
}
