// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "sim/machine/gather.hpp"
#include "sw/host/errors.hpp"

namespace ht::machine {
namespace {

using nlohmann::ordered_json;

// Rows of a node, which is a process of the format; then three for each link.
constexpr int phase_row = 0, call_row = 1, first_link_row = 2, rows_of_link = 3;
constexpr int packet_row = 0, resend_row = 1, error_row = 2;

// A packet that was damaged this long ago is not what something is sent again for.
constexpr Picoseconds patience = 200'000'000;

double us(Picoseconds time) {
  return static_cast<double>(time) * 1e-6;
}

int row_of(int link, int row) {
  return first_link_row + rows_of_link * link + row;
}

ordered_json slice(std::string_view name, int node, int row, Picoseconds begin, Picoseconds end) {
  return {{"name", name}, {"ph", "X"},       {"pid", node},
          {"tid", row},   {"ts", us(begin)}, {"dur", us(std::max(end, begin) - begin)}};
}

ordered_json metadata(const char* what, int node, int row, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", node}, {"tid", row}, {"args", {{"name", name}}}};
}

// As they are in memory: all processes are of one build.
template <class T>
nlohmann::json to_binary(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&value);
  return nlohmann::json::binary({bytes, bytes + sizeof value});
}

template <class T>
T from_binary(const nlohmann::json& bytes) {
  T value;
  std::memcpy(&value, bytes.get_binary().data(), sizeof value);
  return value;
}

}  // namespace

Timeline::Timeline(Machine& machine, const std::string& file, std::uint64_t most_events)
    : machine_(machine),
      name_(file),
      writes_(machine.ranks() == nullptr || machine.ranks()->rank() == 0),
      held_(file, "run"),
      most_events_(most_events),
      nodes_(static_cast<std::size_t>(machine.size())) {
  if (writes_) {
    held_.hold();
    out_.open(file, std::ios::binary);
  }
  if (!out_)
    throw DataError(fmt::format(
        "cannot write the timeline {}: does its folder exist, and is it writable?", file));
  if (writes_) held_.hold();
  if (writes_) out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  for (int node = 0; node < machine.size(); ++node) {
    if (machine.is_local(node)) machine.processor(node).keep_resends();
    for (int link = 0; link < machine.links(); ++link) {
      if (machine.has_cable(node, link))
        directions_.push_back({node, link, machine.listen_to(node, link), std::nullopt});
    }
  }
  news_ = empty_news();
  if (writes_) name_rows();
  if (machine.ranks() != nullptr)
    machine.kernel().on_news([this] { return has_news_; }, [this] { exchange_news(); });
}

Timeline::~Timeline() {
  if (machine_.ranks() != nullptr) return;  // the others would have to take part
  try {
    finish();
  } catch (const std::exception&) {
    // finish() says so, which nobody called: the run has failed for another reason.
  }
}

void Timeline::listen_to_calls(qmp::CallProfile& profile, int number) {
  profile.listen([&own = node(number)](std::string_view name, Picoseconds begin, Picoseconds end) {
    own.add_call(name, begin, end);
  });
}

void Timeline::name_rows() {
  for (int node = 0; node < machine_.size(); ++node) {
    write(metadata("process_name", node, 0, fmt::format("node {}", node)));
    write(metadata("thread_name", node, phase_row, "phases"));
    write(metadata("thread_name", node, call_row, "calls of the network"));
  }
  for (const Direction& d : directions_) {
    const std::string cable = fmt::format("{} to node {}", machine_.link_name(d.link),
                                          machine_.neighbour(d.node, d.link));
    const auto name = [&](int row, const std::string& what) {
      write(metadata("thread_name", d.node, row_of(d.link, row), cable + ": " + what));
    };
    name(packet_row, machine_.data_unit());
    name(resend_row, "sent again");
    name(error_row, "errors");
  }
}

void Timeline::write(const ordered_json& event) {
  out_ << (std::exchange(first_, false) ? "\n" : ",\n")
       << event.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  if (!out_)
    throw DataError(fmt::format(
        "cannot write {}: is the disk full, a limit of file sizes reached, or has its reader gone?",
        name_));
}

bool Timeline::put(const ordered_json& event) {
  if (events_ >= most_events_) {
    ++left_out_;
    return false;
  }
  ++events_;
  write(event);
  return true;
}

Timeline::News Timeline::empty_news() const {
  return {std::vector<std::vector<Node::Span>>(nodes_.size()),
          std::vector<std::vector<CapturedFrame>>(directions_.size()),
          std::vector<std::vector<ProgramNode::Resend>>(nodes_.size())};
}

void Timeline::collect() {
  take_news();
  if (machine_.ranks() == nullptr && has_news_) process_news();
}

// What this process knows.
void Timeline::take_news() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    auto& spans = nodes_[i].spans_;
    has_news_ = has_news_ || !spans.empty();
    std::ranges::move(std::exchange(spans, {}), std::back_inserter(news_.spans[i]));
    if (!machine_.is_local(static_cast<int>(i))) continue;
    ProgramNode& node = machine_.processor(static_cast<int>(i));
    has_news_ = has_news_ || !node.resends().empty();
    std::ranges::copy(node.resends(), std::back_inserter(news_.resends[i]));
    node.forget_resends();
  }
  for (std::size_t i = 0; i < directions_.size(); ++i) {
    while (directions_[i].frames->next()) {
      CapturedFrame frame = directions_[i].frames->take();
      if (!frame.carries_data) continue;
      frame.data.clear();
      news_.frames[i].push_back(std::move(frame));
      has_news_ = true;
    }
  }
}

// And what the others know: the first process gets all.
void Timeline::exchange_news() {
  enum What { Span, Frame, Resend };
  nlohmann::json mine = nlohmann::json::array();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (const Node::Span& s : news_.spans[i])
      mine.push_back({What::Span, i, s.name, s.begin, s.end, s.call});
    for (const ProgramNode::Resend& r : news_.resends[i])
      mine.push_back({What::Resend, i, r.time, r.link, r.replay});
  }
  for (std::size_t i = 0; i < directions_.size(); ++i) {
    for (const CapturedFrame& f : news_.frames[i])
      mine.push_back({What::Frame, i, f.time, f.length, f.given_up, f.damaged, f.damage});
  }
  news_ = empty_news();
  has_news_ = false;
  const nlohmann::json all = gather_lists(machine_.ranks(), std::move(mine));
  if (!writes_) return;
  for (const auto& one : all) {
    const std::size_t i = one[1];
    if (one[0] == What::Span) {
      news_.spans[i].push_back({one[2], one[3], one[4], one[5]});
    } else if (one[0] == What::Resend) {
      news_.resends[i].push_back({one[2], one[3], one[4]});
    } else {
      CapturedFrame f;
      f.time = one[2];
      f.length = one[3];
      f.given_up = one[4];
      f.damaged = one[5];
      f.damage = one[6];
      news_.frames[i].push_back(std::move(f));
    }
  }
  process_news();
}

void Timeline::process_news() {
  for (int node = 0; node < machine_.size(); ++node) {
    for (const Node::Span& s : news_.spans[static_cast<std::size_t>(node)])
      put(slice(s.name, node, s.call ? call_row : phase_row, s.begin, s.end));
  }
  for (std::size_t i = 0; i < directions_.size(); ++i) {
    process_frames(directions_[i], news_.frames[i]);
    process_resends(directions_[i], i);
  }
  news_ = empty_news();
  has_news_ = false;
  if (left_out_ > 0 && complete_until_ == sim::kNever) complete_until_ = machine_.kernel().now();
}

void Timeline::process_frames(Direction& d, const std::vector<CapturedFrame>& frames) {
  const std::string unit = machine_.data_unit();
  const std::string singular = unit.substr(0, unit.size() - 1);
  for (const CapturedFrame& frame : frames) {
    const Span span{frame.time, frame.time + frame.length};
    ++(frame.given_up ? counts_.given_up : counts_.packets);
    const std::string name = (frame.damaged ? "damaged " : "") + singular;
    auto event = slice(frame.given_up ? name + " given up" : name, d.node,
                       row_of(d.link, packet_row), span.begin, span.end);
    if (frame.damaged) {
      ++counts_.damaged;
      event["args"] = {{"damage", frame.damage}};
      if (!d.damaged) d.damaged = span;
    }
    put(event);
  }
}

void Timeline::process_resends(Direction& d, std::size_t number) {
  const Picoseconds period = machine_.cable_of(d.node, d.link).receiver_clock().period;
  for (const auto& [time, link, replay] : news_.resends[static_cast<std::size_t>(d.node)]) {
    if (static_cast<int>(link) != d.link) continue;
    ++(replay ? counts_.replays : counts_.retransmissions);
    const bool written = put(slice(replay ? "replay" : "retransmission", d.node,
                                   row_of(d.link, resend_row), time, time + period));
    if (replay || !d.damaged || d.damaged->begin >= time) continue;
    if (written && time - d.damaged->begin <= patience)
      arrows_.push_back({number, *d.damaged, time});
    d.damaged.reset();
  }
}

// From inside the error's slice to inside that of what was sent again: there arrows hold on.
void Timeline::write_arrow(const Arrow& arrow, const sim::InjectedError& error) {
  if (events_ + 2 > most_events_) {
    left_out_ += 2;
    return;
  }
  const Direction& d = directions_[arrow.direction];
  const std::uint64_t id = ++counts_.arrows;
  put({{"name", "sent again"},
       {"cat", "error"},
       {"ph", "s"},
       {"id", id},
       {"pid", d.node},
       {"tid", row_of(d.link, error_row)},
       {"ts", us(error.time)}});
  put({{"name", "sent again"},
       {"cat", "error"},
       {"ph", "f"},
       {"bp", "e"},
       {"id", id},
       {"pid", d.node},
       {"tid", row_of(d.link, resend_row)},
       {"ts", us(arrow.resent)}});
}

// By direction, of all processes: a cable's ledger is where it ends.
std::vector<Timeline::Errors> Timeline::gather_errors() const {
  std::vector<Errors> errors(directions_.size());
  nlohmann::json mine = nlohmann::json::array();
  for (std::size_t i = 0; i < directions_.size(); ++i) {
    const Direction& d = directions_[i];
    if (!machine_.is_local(machine_.neighbour(d.node, d.link))) continue;
    const sim::ErrorLedger& ledger = machine_.cable_of(d.node, d.link).ledger();
    errors[i] = {ledger.totals_so_far(), ledger.errors()};
    if (machine_.ranks() == nullptr) continue;
    mine.push_back({i, to_binary(errors[i].totals)});
    for (const sim::InjectedError& e : errors[i].list) mine.push_back({i, to_binary(e), 0});
  }
  if (machine_.ranks() == nullptr) return errors;
  errors.assign(directions_.size(), {});
  for (const auto& one : gather_lists(machine_.ranks(), std::move(mine))) {
    Errors& of = errors[one[0].get<std::size_t>()];
    if (one.size() == 2) {
      of.totals = from_binary<sim::ErrorTotals>(one[1]);
    } else {
      of.list.push_back(from_binary<sim::InjectedError>(one[1]));
    }
  }
  return errors;
}

void Timeline::write_errors(const Direction& d, std::size_t number, const Errors& errors) {
  const Picoseconds period = machine_.cable_of(d.node, d.link).receiver_clock().period;
  errors_ += errors.totals;
  std::vector<const Arrow*> arrows;
  for (const Arrow& a : arrows_) {
    if (a.direction == number) arrows.push_back(&a);
  }
  for (const sim::InjectedError& e : errors.list) {
    auto event = slice(fmt::format("{}: {}", sim::name(e.kind), sim::name(e.fate)), d.node,
                       row_of(d.link, error_row), e.time, e.time + period);
    event["args"] = {{"kind", sim::name(e.kind)}, {"fate", sim::name(e.fate)}, {"lane", e.lane}};
    if (!put(event)) continue;
    const auto found = std::find_if(arrows.begin(), arrows.end(), [&](const Arrow* a) {
      return a->packet.begin - period <= e.time && e.time <= a->packet.end + period;
    });
    if (found == arrows.end()) continue;
    write_arrow(**found, e);
    arrows.erase(found);
  }
}

void Timeline::finish() {
  if (std::exchange(finished_, true)) return;
  for (const Direction& d : directions_) d.frames->cut();
  collect();
  if (machine_.ranks() != nullptr) exchange_news();
  const std::vector<Errors> errors = gather_errors();
  if (!writes_) return;
  for (std::size_t i = 0; i < directions_.size(); ++i) write_errors(directions_[i], i, errors[i]);
  const ordered_json other = {
      {"program", "hypertorus"},
      {"events", events_},
      {"events_left_out", left_out_},
      {"complete_until_us",
       complete_until_ == sim::kNever ? ordered_json(nullptr) : ordered_json(us(complete_until_))},
      {machine_.data_unit(), counts_.packets},
      {"given_up", counts_.given_up},
      {"damaged", counts_.damaged},
      {"retransmissions", counts_.retransmissions},
      {"replays", counts_.replays},
      {"arrows", counts_.arrows},
      {"errors",
       {{"injected", errors_.injected},
        {"detected", errors_.detected},
        {"harmless", errors_.harmless},
        {"undetected", errors_.undetected}}}};
  out_ << "\n],\"otherData\":" << other.dump() << "}\n";
  out_.flush();
  if (!out_)
    throw DataError(
        fmt::format("cannot write {}: is the disk full, or a limit of file sizes reached?", name_));
}

std::string Timeline::summary() const {
  std::string text = fmt::format("{}: {} events", name_, events_);
  if (left_out_ > 0)
    text += fmt::format(
        ", {} left out: complete until {:.3f} us only; --timeline-events sets the limit", left_out_,
        us(complete_until_));
  return text;
}

}  // namespace ht::machine
