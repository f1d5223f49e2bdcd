// SPDX-License-Identifier: Apache-2.0
// The driver's global operations: words that circulate on rings, or spread from one node.
#include <algorithm>

#include "sw/qcdoc/driver_plan.hpp"

namespace ht::qcdoc {
namespace {

constexpr std::size_t plans_kept = 32;
constexpr std::uint32_t most_words = 65535;  ///< of a descriptor's block, or that a set passes on

}  // namespace

// Waits until every word of this node is on its way out on a link, so that none is overtaken by
// words that are passed through.
void Driver::passed_on(int link) {
  Engine& e = engine(send_engine(link));
  run_until([&] { return e.tasks.empty(); }, "own words of a global operation");
  // Almost always at the first look; if not, a neighbour's neighbour may be late by any time.
  for (int looks = 0; scu_.words_sent(link) != cable(link).sent_total; ++looks) {
    attend();
    if (looks > 16) port_.advance(options_.scu.poll_cost);
  }
}

// -------------------------------------------------------------------------------------------------
// Rounds

std::vector<Descriptor> arrivals(const Ring& ring, int sign, int steps) {
  const auto block = [&](int coordinate) {
    return ring.address + ring.stride * static_cast<std::uint64_t>(coordinate);
  };
  const std::int64_t pitch = -sign * static_cast<std::int64_t>(ring.stride);
  std::vector<Descriptor> pieces;
  for (int first = ring.here - sign; steps > 0;) {
    first = (first + ring.length) % ring.length;
    const int to_the_edge = sign > 0 ? first + 1 : ring.length - first;
    const int blocks = std::min(steps, to_the_edge);
    pieces.push_back({block(first), ring.words, static_cast<std::uint32_t>(blocks), pitch});
    first -= sign * blocks;
    steps -= blocks;
  }
  return pieces;
}

void Driver::run_round(Round& round) {
  for (const Way& way : round.ways) {
    if (way.forwards == 0) continue;
    Mask outputs = 0;
    for (const int link : way.outputs) outputs |= bit(link);
    scu_.prepare_set(way.set, {way.input, outputs, way.forwards});
  }
  std::vector<Transfer*> together;
  int pending = 0;
  const auto add = [&](Transfer& t) {
    engine(t.engine).tasks.push_back({&t, nullptr, nullptr, 0, &pending});
    ++pending;
    if (engine(t.engine).tasks.size() == 1) together.push_back(&t);
  };
  for (Way& way : round.ways) {
    for (Transfer& t : way.sends) add(t);
    if (way.forwards == 0 && way.input >= 0) add(way.receive);
  }
  store_.align(together);
  pump();
  // Own words go out first, then what is passed on; and what came before the operation is in
  // memory before anything is.
  for (Way& way : round.ways) {
    if (way.forwards == 0) continue;
    for (const int link : way.outputs) passed_on(link);
    const Engine& e = engine(receive_engine(way.input));
    run_until([&] { return e.tasks.empty(); }, "messages from before a global operation");
    scu_.enable_set(way.set);
    add(way.receive);
    pump();
  }
  run_until([&] { return pending == 0; }, "words of a global operation");
  // A word is in memory only after all outputs have it.
  for (Way& way : round.ways) {
    if (way.forwards == 0) continue;
    scu_.disable_set(way.set);
    for (const int link : way.outputs) cable(link).sent_total += way.forwards;
  }
}

// Receives that made way go on.
void Driver::end_operation(Mask which) {
  for (int link = 0; link < links; ++link) {
    if ((which & bit(link)) == 0) continue;
    Agreement& c = cable(link);
    for (const Task& task : c.deferred) engine(receive_engine(link)).tasks.push_back(task);
    c.deferred.clear();
  }
  pump();
}

void Driver::run(Plan& plan) {
  Mask inputs = 0, outputs = 0;
  for (const Way& way : plan.rounds.front().ways) {
    if (way.input >= 0) inputs |= bit(way.input);
    for (const int link : way.outputs) outputs |= bit(link);
  }
  // Making way first: the neighbour may be waiting for that before it does so itself.
  for (int link = 0; link < links; ++link) {
    if ((inputs & bit(link)) != 0) agree_to_receive(link);
  }
  for (int link = 0; link < links; ++link) {
    if ((outputs & bit(link)) != 0) agree_to_send(link);
  }
  for (Round& round : plan.rounds) run_round(round);
  end_operation(inputs);
}

// -------------------------------------------------------------------------------------------------
// Plans

Driver::Plan* Driver::find_plan(int axis, std::uint64_t address, std::size_t stride) {
  const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const auto& p) {
    return p->axis == axis && p->address == address && p->stride == stride;
  });
  if (found == plans_.end()) return nullptr;
  plans_.splice(plans_.begin(), plans_, found);
  return plans_.front().get();
}

void Driver::drop_plan() {
  for (Round& round : plans_.back()->rounds) {
    for (Way& way : round.ways) {
      for (Transfer& t : way.sends) store_.forget(t);
      store_.forget(way.receive);
    }
  }
  plans_.pop_back();
}

Driver::Plan& Driver::keep_plan(std::unique_ptr<Plan> plan) {
  if (plans_.size() == plans_kept) drop_plan();
  plans_.push_front(std::move(plan));
  return *plans_.front();
}

void Driver::begin_circulation() {
  Mask used = 0;
  for (int axis = 0; axis < static_cast<int>(shape().size()); ++axis) {
    if (shape()[static_cast<std::size_t>(axis)] > 1)
      used |= bit(link_of(qmp::direction_of(axis, +1))) | bit(link_of(qmp::direction_of(axis, -1)));
  }
  announce(used, Circulation);
}

void Driver::circulate(int axis, void* blocks, std::size_t bytes) {
  const std::uint64_t address = offset_of(blocks);
  Plan* known = find_plan(axis, address, bytes);
  if (known == nullptr) {
    auto plan = std::make_unique<Plan>();
    plan->axis = axis;
    plan->address = address;
    plan->stride = bytes;
    const auto a = static_cast<std::size_t>(axis);
    Ring ring{shape()[a], coordinates_[a], address, bytes, 1};
    const int plus = options_.doubled ? ring.length / 2 : ring.length - 1;
    const int minus = options_.doubled ? (ring.length - 1) / 2 : 0;
    const std::size_t words = bytes / word_bytes;
    const std::size_t most = plus > 1 ? words_a_round : most_words;
    for (std::size_t first = 0; first < words; first += most) {
      ring.words = static_cast<std::uint32_t>(std::min(most, words - first));
      ring.address = address + first * word_bytes;
      Round& round = plan->rounds.emplace_back();
      for (const int sign : {+1, -1}) {
        const int steps = sign > 0 ? plus : minus;
        if (steps == 0) continue;
        Way& way = round.ways.emplace_back();
        const int out = link_of(qmp::direction_of(axis, sign));
        way.input = link_of(qmp::direction_of(axis, -sign));
        way.outputs = {out};
        way.set = sign > 0 ? 0 : 1;
        way.forwards = static_cast<std::uint32_t>(steps - 1) * ring.words;
        Transfer& own = way.sends.emplace_back();
        own.engine = send_engine(out);
        own.pieces = {
            {ring.address + ring.stride * static_cast<std::uint64_t>(ring.here), ring.words, 1, 0}};
        way.receive.engine = receive_engine(way.input);
        way.receive.pieces = arrivals(ring, sign, steps);
      }
    }
    known = &keep_plan(std::move(plan));
  }
  run(*known);
}

// From the origin along x both ways, from all of those along y, and so on.
void Driver::broadcast(void* buffer, std::size_t bytes) {
  const std::uint64_t address = offset_of(buffer);
  Plan* known = find_plan(-1, address, bytes);
  if (known == nullptr) {
    auto plan = std::make_unique<Plan>();
    plan->axis = -1;
    plan->address = address;
    plan->stride = bytes;
    const int axes = static_cast<int>(shape().size());
    const auto length = [&](int axis) { return shape()[static_cast<std::size_t>(axis)]; };
    const auto here = [&](int axis) { return coordinates_[static_cast<std::size_t>(axis)]; };
    std::vector<int> outputs;
    int input = -1;
    // It comes along the last axis on which this node is away from the origin.
    int axis = axes - 1;
    while (axis >= 0 && here(axis) == 0) --axis;
    if (axis >= 0) {
      const int half = length(axis) / 2;
      const int sign = here(axis) <= half ? +1 : -1;  // the way it travels
      input = link_of(qmp::direction_of(axis, -sign));
      const bool last = sign > 0 ? here(axis) == half : here(axis) == half + 1;
      if (!last) outputs.push_back(link_of(qmp::direction_of(axis, sign)));
    }
    for (int other = axis + 1; other < axes; ++other) {
      if (length(other) > 1) outputs.push_back(link_of(qmp::direction_of(other, +1)));
      if (length(other) > 2) outputs.push_back(link_of(qmp::direction_of(other, -1)));
    }
    const std::size_t words = bytes / word_bytes;
    for (std::size_t first = 0; first < words; first += most_words) {
      const auto part =
          static_cast<std::uint32_t>(std::min<std::size_t>(most_words, words - first));
      Way& way = plan->rounds.emplace_back().ways.emplace_back();
      way.input = input;
      way.outputs = outputs;
      const Descriptor piece{address + first * word_bytes, part, 1, 0};
      if (input >= 0) {
        way.forwards = outputs.empty() ? 0 : part;
        way.receive.engine = receive_engine(input);
        way.receive.pieces = {piece};
      } else {
        for (const int link : outputs) {
          Transfer& t = way.sends.emplace_back();
          t.engine = send_engine(link);
          t.pieces = {piece};
        }
      }
    }
    known = &keep_plan(std::move(plan));
  }
  Mask used = 0;
  for (const Way& way : known->rounds.front().ways) {
    if (way.input >= 0) used |= bit(way.input);
    for (const int link : way.outputs) used |= bit(link);
  }
  announce(used, Broadcast);
  run(*known);
}

}  // namespace ht::qcdoc
