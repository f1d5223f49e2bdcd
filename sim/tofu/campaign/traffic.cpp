// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/campaign/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "sw/tofu/registers.hpp"

namespace ht::campaign {
namespace {

namespace tbi = tofu::registers::tbi;
namespace link_regs = tofu::registers::link;
constexpr Picoseconds look_again = 60'000;
// A dead cable's links give up training after 26 us.
constexpr Picoseconds watch_again = 2'000'000;
constexpr std::uint32_t train_timeout = 0x2000;

// What the scoreboard knows a result by: what it is of, and its bits.
std::array<std::byte, 3 + sizeof(tofu::StateBytes)> content(std::size_t channel,
                                                            std::size_t operation, bool empty,
                                                            const tofu::StateBytes& data) {
  std::array<std::byte, 3 + sizeof(tofu::StateBytes)> bytes{};
  bytes[0] = static_cast<std::byte>(channel);
  bytes[1] = static_cast<std::byte>(operation);
  bytes[2] = static_cast<std::byte>(empty);
  std::ranges::copy(data, bytes.begin() + 3);
  return bytes;
}

}  // namespace

TofuTraffic::TofuTraffic(const TofuScenario& scenario, int node, check::DeliveryScoreboard& board,
                         std::vector<std::byte*>& regions, std::vector<tofu::TniCause>& ends,
                         Picoseconds patience)
    : scenario_(scenario),
      node_(node),
      board_(board),
      patience_(patience),
      remote_(scenario.remote, node, regions, ends),
      node_events_(scenario, node) {
  for (std::size_t c = 0; c < scenario_.channels.size(); ++c) {
    const TofuChannel& channel = scenario_.channels[c];
    const auto at = std::ranges::find(channel.nodes, node);
    mine_.push_back({static_cast<int>(at - channel.nodes.begin()), 0, false});
    times_.emplace_back(channel.operations.size());
    for (std::size_t i = 0; i < channel.operations.size(); ++i) {
      const TofuOperation& o = channel.operations[i];
      board_.sent(flow(channel), i, content(c, i, o.empty, o.result));
    }
  }
}

void TofuTraffic::wire(tofu::Icc& icc) {
  for (std::size_t c = 0; c < scenario_.channels.size(); ++c) {
    const TofuChannel& channel = scenario_.channels[c];
    tofu::GateCollectives::Options o;
    o.algorithm = channel.algorithm;
    o.channel = channel.channel;
    o.first_gate = channel.first_gate;
    o.group = channel.group;
    wired_.push_back(std::make_unique<tofu::GateCollectives>(
        icc.barrier(), icc.place().machine.places(channel.nodes), mine_[c].rank, o));
  }
  remote_.set_up(icc);
  if (scenario_.put_back == 0) return;
  for (const int link : icc.links().cabled())
    icc.port().write_register(link_regs::train_timeout(static_cast<std::uint32_t>(link)),
                              train_timeout);
}

// Notes links that went down; when the cable is back they begin a new session. Whether that is
// still to come, or links still train.
bool TofuTraffic::watch_links(tofu::Icc& icc) {
  host::HardwarePort& port = icc.port();
  if (scenario_.put_back == 0 || port.now() < watched_) return scenario_.put_back > 0 && !up_again_;
  watched_ = port.now() + watch_again;
  const bool resumes = !resumed_ && port.now() >= scenario_.put_back;
  bool up = true;
  for (const int number : icc.links().cabled()) {
    const auto link = static_cast<std::uint32_t>(number);
    const std::uint32_t state =
        link_regs::status_state.get(port.read_register(link_regs::status(link)));
    up = up && state == link_regs::status_state_up;
    if (!resumed_ && state == link_regs::status_state_down) down_ |= 1U << link;
    if (!resumes || (down_ >> link & 1U) == 0) continue;
    port.write_register(link_regs::error(link), port.read_register(link_regs::error(link)));
    port.write_register(link_regs::epoch(link), port.read_register(link_regs::epoch(link)) + 1);
    port.write_register(link_regs::control(link), link_regs::control_enable.mask);
  }
  up_again_ = resumed_ && up;
  resumed_ = resumed_ || resumes;
  return !up_again_;
}

void TofuTraffic::start(tofu::BarrierInterface& gates, const TofuChannel& channel,
                        const TofuOperation& o, const TofuContribution& mine) {
  switch (mine.form) {
    case TofuForm::None:
      return gates.start(channel.channel, o.operation);
    case TofuForm::Word:
      return gates.start(channel.channel, o.operation, mine.word);
    case TofuForm::Double:
      return gates.start_sum(channel.channel, std::bit_cast<double>(mine.word));
    case TofuForm::State:
      return gates.start_state(channel.channel, o.operation, mine.state);
  }
}

void TofuTraffic::ended(std::size_t c, const tofu::GateResult& result) {
  const TofuChannel& channel = scenario_.channels[c];
  const std::size_t i = mine_[c].next;
  if (!result.good())
    complaints_.push_back(
        fmt::format("channel {}, operation {}: {}", channel.channel, i, result.error));
  board_.arrived(flow(channel), i, content(c, i, result.empty, result.data));
}

// Whether there is more to do.
bool TofuTraffic::step(tofu::Icc& icc, std::size_t c) {
  const TofuChannel& channel = scenario_.channels[c];
  Mine& m = mine_[c];
  if (m.next == channel.operations.size()) return false;
  const TofuOperation& o = channel.operations[m.next];
  const TofuContribution& mine = o.of[static_cast<std::size_t>(m.rank)];
  if (m.busy) {
    if (const auto result = icc.barrier().poll(channel.channel)) {
      times_[c][m.next].ended = icc.port().now();
      ended(c, *result);
      m.busy = false;
      ++m.next;
    }
  } else if (icc.port().now() >= mine.start) {
    times_[c][m.next].started = icc.port().now();
    start(icc.barrier(), channel, o, mine);
    m.busy = true;
  }
  return m.next < channel.operations.size();
}

void TofuTraffic::run(tofu::Icc& icc) {
  for (bool more = true; more && icc.port().now() < patience_;) {
    more = false;
    for (std::size_t c = 0; c < mine_.size(); ++c) more = step(icc, c) || more;
    more = remote_.step(icc.port().now()) || more;
    more = watch_links(icc) || more;
    node_events_.happen(icc.port(), icc.port().now());
    if (more) icc.port().advance(look_again);
  }
  const Picoseconds now = icc.port().now();
  if (now < scenario_.quiet) icc.port().advance(scenario_.quiet - now);
}

void TofuTraffic::account_gates(tofu::Icc& icc) {
  const auto read = [&icc](std::uint32_t address) {
    return icc.port().read_register(tbi::base + address);
  };
  std::uint32_t in = 0, out = 0;
  for (std::size_t c = 0; c < mine_.size(); ++c) {
    const TofuChannel& channel = scenario_.channels[c];
    const auto operations = static_cast<std::uint32_t>(channel.operations.size());
    const auto gates =
        tofu::BarrierPattern(channel.algorithm, static_cast<int>(channel.nodes.size()))
            .gates(mine_[c].rank);
    for (std::size_t g = 0; g < gates.size(); ++g) {
      const auto gate = static_cast<std::uint32_t>(
          g == 0 ? channel.channel : channel.first_gate + static_cast<int>(g) - 1);
      in += gates[g].remote_source ? operations : 0;
      out += gates[g].remote_destination ? operations : 0;
      const std::uint32_t fired = tbi::gate_state_sequence.get(read(tbi::gate_state(gate)));
      if (scenario_.put_back > 0 ? fired > operations : fired != operations)
        complaints_.push_back(fmt::format("gate {} of channel {} fired {} times in {} operations",
                                          gate, channel.channel, fired, operations));
    }
  }
  const std::uint32_t came = read(tbi::packets_in), went = read(tbi::packets_out);
  const bool all = came == in && went == out;
  if (scenario_.put_back > 0 ? came > in || went > out : !all)
    complaints_.push_back(
        fmt::format("its gates took {} packets and sent {}, not {} and {}", came, went, in, out));
  packets_ = came;
  if (const std::uint32_t error = read(tbi::error))
    complaints_.push_back(fmt::format("its barrier interface reports errors {:#x}", error));
}

void TofuTraffic::account(tofu::Icc& icc) {
  account_gates(icc);
  if (scenario_.put_back > 0 && !up_again_)
    complaints_.push_back("links did not come up again when the cable was there again");
  // Of a link that went down it is known that it lost something.
  for (const int number : icc.links().cabled()) {
    const auto link = static_cast<std::uint32_t>(number);
    if ((down_ >> link & 1U) == 0) continue;
    icc.port().write_register(link_regs::error(link),
                              icc.port().read_register(link_regs::error(link)));
  }
  node_events_.account();
  remote_.account();
  complaints_.insert(complaints_.end(), remote_.complaints().begin(), remote_.complaints().end());
}

}  // namespace ht::campaign
