// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/campaign/traffic.hpp"

#include <fmt/format.h>

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

std::span<std::uint64_t> allocate(qcdoc::Driver& driver, std::size_t words) {
  void* const memory = driver.allocate(words * sizeof(std::uint64_t), sizeof(std::uint64_t));
  return {static_cast<std::uint64_t*>(memory), words};
}

}  // namespace

QcdocTraffic::QcdocTraffic(const QcdocScenario& scenario, int number, std::uint64_t seed,
                           std::uint64_t run, check::DeliveryScoreboard& board)
    : scenario_(scenario),
      number_(number),
      seed_(seed),
      run_(run),
      board_(board),
      node_events_(scenario, number) {
  for (const QcdocInterrupts& i : scenario.interrupts) {
    due_interrupts_ |= i.bits;
    if (i.node == number) to_raise_.push_back(&i);
  }
  std::ranges::stable_sort(to_raise_, {}, [](const auto* i) { return i->at; });
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
  if (!access.write || in_global_) return;
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

// Along every axis in turn: in the end a node has the words of all, by rank.
void QcdocTraffic::circulate(qcdoc::Driver& driver, std::size_t number) {
  const std::uint32_t words = scenario_.global[number].words;
  const auto shape = driver.shape();
  std::span<std::uint64_t> all = allocate(driver, words);
  for (std::uint32_t i = 0; i < words; ++i)
    all[i] = global_word(seed_, run_, driver.rank(), number, i);
  driver.begin_circulation();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    const auto blocks = allocate(driver, all.size() * static_cast<std::size_t>(shape[axis]));
    const auto mine = static_cast<std::size_t>(driver.coordinates()[axis]);
    std::ranges::copy(all, blocks.begin() + static_cast<std::ptrdiff_t>(mine * all.size()));
    driver.circulate(static_cast<int>(axis), blocks.data(), all.size_bytes());
    all = blocks;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto rank = static_cast<int>(i / words);
    if (all[i] != global_word(seed_, run_, rank, number, static_cast<std::uint32_t>(i % words)))
      return wrong_.push_back(
          fmt::format("global operation {}: word {} of rank {} is wrong", number, i % words, rank));
  }
}

void QcdocTraffic::broadcast(qcdoc::Driver& driver, std::size_t number) {
  const auto all = allocate(driver, scenario_.global[number].words);
  const auto word = [&](std::size_t i) {
    return global_word(seed_, run_, 0, number, static_cast<std::uint32_t>(i));
  };
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = driver.rank() == 0 ? word(i) : 0;
  driver.broadcast(all.data(), all.size_bytes());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] != word(i))
      return wrong_.push_back(
          fmt::format("global operation {}: word {} of the broadcast is wrong", number, i));
  }
}

// Whether there are more to be raised, or to be seen.
bool QcdocTraffic::raise(qcdoc::Scu& scu, Picoseconds now) {
  constexpr qcdoc::Mask all = 0x7F;
  while (!to_raise_.empty() && to_raise_.front()->at <= now) {
    scu.raise(to_raise_.front()->bits);
    to_raise_.pop_front();
  }
  taken_interrupts_ |= scu.take_partition(all);
  return !to_raise_.empty() || (due_interrupts_ & ~taken_interrupts_) != 0;
}

void QcdocTraffic::run(qcdoc::Driver& driver, machine::ScuNode& node) {
  in_global_ = true;
  for (std::size_t i = 0; i < scenario_.global.size(); ++i)
    scenario_.global[i].broadcast ? broadcast(driver, i) : circulate(driver, i);
  in_global_ = false;
  set_up(driver, node);
  const Picoseconds begin = node.now();
  const auto look_round = [&] {
    node_events_.happen(node, node.now() - begin);
    return raise(driver.scu(), node.now() - begin);
  };
  for (;;) {
    const bool engines = start_engines(driver.scu(), node.now() - begin);
    const bool words = send_words(driver, node.now() - begin);
    look_round();
    if (!engines && !words) break;
    node.advance(poll);
  }
  driver.scu().wait(started_, "words of the campaign");
  // What the neighbours have to say, and until nothing can go wrong any more.
  for (bool more = true; more || to_hear_ > 0 || node.now() < scenario_.quiet;) {
    node.advance(poll);
    driver.scu().serve();
    more = look_round();
  }
  if (const qcdoc::Mask wrong = taken_interrupts_ & ~due_interrupts_; wrong != 0)
    complaints_.push_back(fmt::format("partition interrupts {:#x} came that nobody raised", wrong));
}

}  // namespace ht::campaign
