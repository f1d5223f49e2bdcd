// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/campaign/traffic.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace ht::campaign {
namespace {

// So often a program looks around while it waits for a time.
constexpr Picoseconds poll = 300'000;

auto bytes_of(const std::uint64_t& word) {
  return std::as_bytes(std::span(&word, 1));
}

// Word `i` of a message, in words from its first.
std::uint32_t place_of(const QcdocMessage& m, std::uint32_t i) {
  return i / m.block_words * (m.block_words + m.gap) + i % m.block_words;
}

}  // namespace

QcdocTraffic::QcdocTraffic(const QcdocScenario& scenario, int number, std::uint64_t seed,
                           std::uint64_t run, check::DeliveryScoreboard& board)
    : scenario_(scenario), number_(number), seed_(seed), run_(run), board_(board) {
  const auto flow = [number](const Route& r, bool supervisor) {
    return static_cast<std::size_t>(number * flows + (supervisor ? qcdoc::links : 0) +
                                    (r.link ^ 1));
  };
  std::array<int, qcdoc::engines> slots{};
  const auto order = [&](int engine, const QcdocMessage& m, Picoseconds at) {
    const auto e = static_cast<std::size_t>(engine);
    orders_[e].push_back({at, &m, slots[e]++});
  };
  for (const QcdocMessage& m : scenario.messages) {
    if (m.from == number) order(qcdoc::send_engine(m.link), m, m.send);
    if (m.to != number) continue;
    order(qcdoc::receive_engine(m.link ^ 1), m, m.receive);
    for (std::uint32_t i = 0; i < m.words(); ++i) {
      const std::uint64_t word = word_content(seed, run, m, false, m.first + i);
      board.sent(flow(m, false), m.first + i, bytes_of(word));
    }
  }
  for (const QcdocSupervisorWord& w : scenario.supervisor) {
    if (w.from == number) to_say_.push_back(&w);
    if (w.to != number) continue;
    ++to_hear_;
    const std::uint64_t word = word_content(seed, run, w, true, w.number);
    board.sent(flow(w, true), w.number, bytes_of(word));
  }
  std::ranges::stable_sort(to_say_, {}, [](const auto* w) { return w->send; });
}

void QcdocTraffic::set_up(qcdoc::Driver& driver, machine::ScuNode& node) {
  for (int engine = 0; engine < qcdoc::engines; ++engine) {
    for (const Order& o : orders_[static_cast<std::size_t>(engine)]) {
      const QcdocMessage& m = *o.message;
      const std::size_t words = m.blocks * (m.block_words + m.gap);
      auto* const region =
          static_cast<std::byte*>(node.memory().allocate(words * qcdoc::word_bytes, 8));
      qcdoc::Descriptor d;
      d.address = *node.memory().offset_of(region);
      d.block_words = m.block_words;
      d.blocks = m.blocks;
      d.pitch = static_cast<std::int64_t>(m.block_words + m.gap) * 8;
      driver.scu().store(engine, o.slot, d);
      for (std::uint32_t i = 0; i < m.words(); ++i) {
        if (engine < qcdoc::links) {
          const std::uint64_t word = word_content(seed_, run_, m, false, m.first + i);
          std::memcpy(region + 8 * place_of(m, i), &word, sizeof word);
        } else {
          places_[d.address + 8 * place_of(m, i)] = {
              static_cast<std::size_t>(number_ * flows + engine - qcdoc::links), m.first + i};
        }
      }
    }
  }
  driver.on_supervisor([this](qmp::Direction direction, std::uint64_t word) {
    if (to_hear_ > 0) --to_hear_;
    const auto link = static_cast<std::size_t>(direction);
    board_.arrived(static_cast<std::size_t>(number_ * flows) + qcdoc::links + link, heard_[link]++,
                   bytes_of(word));
  });
}

void QcdocTraffic::written(const machine::MemoryAccess& access) {
  if (!access.write) return;
  const auto it = places_.find(access.offset);
  if (it == places_.end()) {
    board_.arrived(check::DeliveryScoreboard::kUnknown, access.offset, bytes_of(access.data));
  } else {
    board_.arrived(it->second.flow, it->second.index, bytes_of(access.data));
  }
}

// Whether some engine has not been given all its instructions.
bool QcdocTraffic::start_engines(qcdoc::Scu& scu, Picoseconds now) {
  const qcdoc::Mask done = scu.done(started_);
  std::array<qcdoc::Mask, qcdoc::slots> start{};
  bool left = false;
  for (std::size_t e = 0; e < orders_.size(); ++e) {
    auto& orders = orders_[e];
    const qcdoc::Mask engine = qcdoc::bit(static_cast<int>(e));
    const bool free = (started_ & engine) == 0 || (done & engine) != 0;
    if (!orders.empty() && free && orders.front().at <= now) {
      start[static_cast<std::size_t>(orders.front().slot)] |= engine;
      started_ |= engine;
      orders.pop_front();
    }
    left = left || !orders.empty();
  }
  for (std::size_t slot = 0; slot < start.size(); ++slot) {
    if (start[slot] != 0) scu.start(start[slot], static_cast<int>(slot));
  }
  return left;
}

bool QcdocTraffic::send_words(qcdoc::Driver& driver, Picoseconds now) {
  while (!to_say_.empty() && to_say_.front()->send <= now) {
    const QcdocSupervisorWord& w = *to_say_.front();
    to_say_.pop_front();
    driver.send_supervisor(w.link, word_content(seed_, run_, w, true, w.number));
  }
  return !to_say_.empty();
}

void QcdocTraffic::run(qcdoc::Driver& driver, machine::ScuNode& node) {
  set_up(driver, node);
  const Picoseconds begin = node.now();
  for (;;) {
    const bool engines = start_engines(driver.scu(), node.now() - begin);
    const bool words = send_words(driver, node.now() - begin);
    if (!engines && !words) break;
    node.advance(poll);
  }
  driver.scu().wait(started_, "words of the campaign");
  // What the neighbours have to say, and until nothing can go wrong any more.
  while (to_hear_ > 0 || node.now() < scenario_.quiet) {
    node.advance(std::max(poll, to_hear_ > 0 ? 0 : scenario_.quiet - node.now()));
    driver.scu().serve();
  }
}

}  // namespace ht::campaign
