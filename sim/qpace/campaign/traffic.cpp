// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/campaign/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/campaign/draw.hpp"
#include "sim/qpace/ethernet_server.hpp"
#include "sw/host/errors.hpp"
#include "sw/net/tftp_client.hpp"
#include "sw/qpace/gmac.hpp"
#include "sw/qpace/registers.hpp"

namespace ht::campaign {
namespace {

namespace nwp = qpace::registers::nwp;
namespace link_regs = qpace::registers::link;
using machine::NwpNode;

constexpr std::uint32_t content_purpose = 0x100;
// So often a program looks around while it waits for a time.
constexpr Picoseconds poll = 300'000;

constexpr std::uint32_t u(std::size_t i) {
  return static_cast<std::uint32_t>(i);
}

std::uint32_t links_up(NwpNode& node) {
  return nwp::link_status_up.get(node.read_register(nwp::link_status));
}

}  // namespace

std::array<std::byte, qpace::line_bytes> packet_content(std::uint64_t seed, std::uint64_t run,
                                                        const CampaignMessage& m,
                                                        std::uint32_t index) {
  // A stream of its own for each packet: places in the machine's memory are unique.
  const auto flow = static_cast<std::uint32_t>((m.from * qpace::links + m.link) * 8 + m.channel);
  Draw draw(seed ^ (std::uint64_t{m.start + index + 1} << 32), run, content_purpose + flow);
  std::array<std::byte, qpace::line_bytes> content;
  for (std::size_t i = 0; i < content.size(); i += 8) {
    const std::uint64_t bits = draw.bits();
    std::memcpy(content.data() + i, &bits, 8);
  }
  return content;
}

QpaceTraffic::QpaceTraffic(const QpaceScenario& scenario, int rank, std::uint64_t seed,
                           std::uint64_t run, check::DeliveryScoreboard& board)
    : scenario_(scenario), rank_(rank), seed_(seed), run_(run), node_events_(scenario, rank) {
  for (const CampaignMessage& m : scenario.messages) {
    if (m.from == rank) events_.push_back({.at = m.send, .message = &m});
    if (m.to != rank) continue;
    events_.push_back({.at = m.credit, .message = &m, .credit = true});
    const int at = (m.link ^ 1) * channels + m.channel;
    Inbox& inbox = inboxes_[static_cast<std::size_t>(at)];
    inbox.flow = static_cast<std::size_t>(rank * qpace::links * channels + at);
    inbox.messages.push_back(&m);
    for (std::uint32_t i = 0; i < m.packets; ++i)
      board.sent(inbox.flow, inbox.lines + i, packet_content(seed, run, m, i));
    inbox.lines += m.packets;
  }
  for (const PortStall& s : scenario.stalls) {
    if (s.node == rank) events_.push_back({.at = s.at, .stall = s.length});
  }
  for (const TreeVote& v : scenario.votes)
    events_.push_back({.at = v.at[static_cast<std::size_t>(rank)], .vote = &v});
  for (const FileRead& f : scenario.files) {
    if (f.node == rank) events_.push_back({.at = f.at, .file = &f});
  }
  // The latest first: they are taken from the end.
  std::stable_sort(events_.begin(), events_.end(),
                   [](const Event& a, const Event& b) { return a.at < b.at; });
  std::reverse(events_.begin(), events_.end());
}

void QpaceTraffic::set_up(NwpNode& node) {
  credit_depth_ = nwp::version_credit_depth.get(node.read_register(nwp::version));
  notify_ = std::uint64_t{node.read_register(nwp::notify_base)} * qpace::line_bytes;
  node.write_register(nwp::credit_limit,
                      scenario_.credits_checked
                          ? static_cast<std::uint32_t>(node.memory().size() / qpace::line_bytes)
                          : 0);
  for (std::uint32_t link = 0; link < qpace::links; ++link) {
    node.write_register(link_regs::ack_timeout(link), scenario_.ack_timeout);
    node.write_register(link_regs::busy_probe(link), scenario_.busy_probe);
  }
  for (std::size_t i = 0; i < inboxes_.size(); ++i) {
    Inbox& inbox = inboxes_[i];
    if (inbox.lines == 0) continue;
    const void* region = node.memory().allocate(inbox.lines * qpace::line_bytes, qpace::line_bytes);
    inbox.first_line = *node.memory().offset_of(region) / qpace::line_bytes;
    node.write_register(nwp::base(u(i / channels), u(i % channels)),
                        static_cast<std::uint32_t>(inbox.first_line));
  }
}

void QpaceTraffic::run(qpace::Driver& driver, NwpNode& node) {
  set_up(node);
  const Picoseconds begin = node.now();
  while (!events_.empty()) {
    const Event event = events_.back();
    const Picoseconds left = begin + event.at - node.now();
    if (left > 0) {
      node.advance(std::min(left, poll));
    } else {
      events_.pop_back();
      happen(driver, node, event);
    }
    node_events_.happen(node, node.now() - begin);
    post_credits(node);
    clear_interrupt(node);
    give_up_links(node);
  }
  // Not before everything has gone wrong that will: a link may still be up by then.
  if (scenario_.put_back > 0) node.advance(std::max<Picoseconds>(0, scenario_.quiet - node.now()));
  while (!complete(node)) {
    if (scenario_.put_back > 0)
      node.advance(poll);
    else
      node.wait("packets of the campaign");
    post_credits(node);
    clear_interrupt(node);
    give_up_links(node);
  }
  resume_links(node);
  node.advance(std::max<Picoseconds>(0, scenario_.quiet - node.now()));
  clear_interrupt(node);
}

// Waits for all nodes: each comes to it, whatever else it does.
void QpaceTraffic::vote(qpace::Driver& driver, const TreeVote& v) {
  if (v.kind == TreeVote::Kind::Barrier) return driver.signal_barrier();
  const bool mine = v.of[static_cast<std::size_t>(rank_)];
  const bool result =
      v.kind == TreeVote::Kind::All ? driver.signal_all(mine) : driver.signal_any(mine);
  if (result != v.result())
    complaints_.push_back(fmt::format("vote {} on the signal tree: {}, not {}",
                                      &v - scenario_.votes.data(), result, v.result()));
}

void QpaceTraffic::read(NwpNode& node, const FileRead& file) {
  const auto number = &file - scenario_.files.data();
  qpace::Gmac gmac(node, machine::node_endpoint(rank_, 0).mac);
  net::TftpClientOptions options;
  options.block_bytes = 512;
  options.timeout = 50'000'000;
  options.attempts = 40;
  const net::TftpTransfer transfer = net::tftp_read(
      gmac, machine::node_endpoint(rank_, static_cast<std::uint16_t>(50'000 + number)),
      machine::server_endpoint(), std::to_string(number), options);
  gmac.close();
  file_repeats_ += static_cast<std::uint64_t>(transfer.repeats);
  const auto due = file_content(file);
  if (transfer.data != due)
    complaints_.push_back(
        fmt::format("file {}: {} bytes came that are not those of the server's {}", number,
                    transfer.data.size(), due.size()));
}

void QpaceTraffic::happen(qpace::Driver& driver, NwpNode& node, const Event& event) {
  if (event.vote != nullptr) return vote(driver, *event.vote);
  if (event.file != nullptr) return read(node, *event.file);
  if (event.message == nullptr) return node.stall_output(node.now() + event.stall);
  const CampaignMessage& m = *event.message;
  if (is_down(event.credit ? m.link ^ 1 : m.link)) return;
  if (event.credit) {
    channels_[static_cast<std::size_t>((m.link ^ 1) * channels + m.channel)].ready.push_back(&m);
    return;
  }
  const std::size_t bytes = m.packets * qpace::line_bytes;
  auto* buffer = static_cast<std::byte*>(node.memory().allocate(bytes, qpace::line_bytes));
  for (std::uint32_t i = 0; i < m.packets; ++i) {
    const auto content = packet_content(seed_, run_, m, i);
    std::memcpy(buffer + i * qpace::line_bytes, content.data(), content.size());
  }
  const std::uint64_t address = std::uint64_t{u(static_cast<std::size_t>(m.link))} << 25 |
                                std::uint64_t{u(static_cast<std::size_t>(m.channel))} << 22 |
                                std::uint64_t{m.remote} * qpace::line_bytes;
  tickets_[static_cast<std::size_t>(m.link)] = node.post_write(
      static_cast<unsigned>(m.link), address, *node.memory().offset_of(buffer), bytes);
}

void QpaceTraffic::post_credits(NwpNode& node) {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    Channel& c = channels_[i];
    while (!c.ready.empty() && c.posted - completed(node, i) < credit_depth_) {
      const CampaignMessage& m = *c.ready.front();
      c.ready.pop_front();
      ++c.posted;
      node.write_register(nwp::credit_offset(u(i / channels), u(i % channels)), m.start - m.remote);
      node.write_register(nwp::credit_post(u(i / channels), u(i % channels)), m.packets);
    }
  }
}

std::uint32_t QpaceTraffic::completed(NwpNode& node, std::size_t channel) const {
  std::uint32_t count = 0;
  std::memcpy(&count, node.memory().data() + notify_ + 16 * channel, sizeof count);
  return count;
}

// As a driver does that has enough: a link that is disabled drops what it has.
void QpaceTraffic::give_up_links(NwpNode& node) {
  if (scenario_.put_back == 0) return;
  constexpr Picoseconds patience = 80'000'000;
  const std::uint32_t up = links_up(node);
  for (int link = 0; link < qpace::links; ++link) {
    Picoseconds& last = up_last_[static_cast<std::size_t>(link)];
    if (last == 0 || (up >> link & 1U) != 0) last = node.now();
    if (is_down(link) || node.now() - last < patience) continue;
    down_ |= 1U << link;
    node.write_register(link_regs::control(static_cast<std::uint32_t>(link)), 0);
    node.drop_puts(static_cast<unsigned>(link));
  }
}

// The cable is back: a new session, in which nothing of the old one is left.
void QpaceTraffic::resume_links(NwpNode& node) {
  if (down_ == 0) return;
  node.advance(std::max<Picoseconds>(0, scenario_.put_back - node.now()));
  for (std::uint32_t link = 0; link < qpace::links; ++link) {
    if (!is_down(static_cast<int>(link))) continue;
    node.write_register(link_regs::epoch(link), node.read_register(link_regs::epoch(link)) + 1);
    node.write_register(link_regs::control(link), link_regs::control_enable.mask);
  }
  while ((links_up(node) & down_) != down_) {
    node.advance(poll);
    clear_interrupt(node);
  }
  node.advance(poll);  // until interrupts are there
}

bool QpaceTraffic::complete(NwpNode& node) const {
  constexpr std::uint32_t all = (1U << qpace::links) - 1;
  if (scenario_.put_back > 0 && (links_up(node) | down_) != all) return false;
  for (std::size_t i = 0; i < inboxes_.size(); ++i) {
    if (is_down(static_cast<int>(i) / channels)) continue;
    if (completed(node, i) != inboxes_[i].messages.size()) return false;
  }
  for (unsigned link = 0; link < qpace::links; ++link) {
    if (is_down(static_cast<int>(link))) continue;
    if (!node.posted_done(link, tickets_[link])) return false;
  }
  return true;
}

void QpaceTraffic::clear_interrupt(NwpNode& node) {
  if (!node.interrupt()) return;
  if (const std::uint32_t error = node.read_register(nwp::error); error != 0) {
    complaints_.push_back(fmt::format("the node refused an access: ERROR {:#x}, INFO {:#x}", error,
                                      node.read_register(nwp::error_info)));
    node.write_register(nwp::error, error);
  }
  for (std::uint32_t link = 0; link < qpace::links; ++link) {
    const std::uint32_t error = node.read_register(link_regs::error(link));
    if (error == 0) continue;
    // A link that is up again after its peer gave it up says that it flushed.
    const std::uint32_t fatal =
        error & ~(link_regs::error_signal_lost.mask | link_regs::error_silent.mask |
                  (scenario_.put_back > 0 ? link_regs::error_peer_changed.mask : 0));
    signal_losses_ += fatal != error ? 1 : 0;
    if (fatal != 0)
      complaints_.push_back(
          fmt::format("link {}: ERROR {:#x}", qpace::link_name(static_cast<int>(link)), fatal));
    node.write_register(link_regs::error(link), error);
  }
}

void QpaceTraffic::notified(std::size_t channel, std::uint32_t count, std::uint64_t arrived) {
  std::uint64_t due = 0;
  const auto& messages = inboxes_.at(channel).messages;
  for (std::size_t i = 0; i < count && i < messages.size(); ++i) due += messages[i]->packets;
  const std::uint32_t expected = ++notified_[channel];
  if (count != expected || count > messages.size() || due != arrived)
    complaints_.push_back(
        fmt::format("link {} channel {}: notification {} came as the {}th, after {} of {} packets",
                    qpace::link_name(static_cast<int>(channel / channels)), channel % channels,
                    count, expected, arrived, due));
}

}  // namespace ht::campaign
