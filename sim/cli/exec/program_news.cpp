// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/exec/program_news.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "sim/cli/common/ranks.hpp"
#include "sim/kernel/agreement.hpp"
#include "sim/machine/gather.hpp"
#include "sim/machine/torus.hpp"

namespace ht::cli {

using Json = nlohmann::json;

namespace {

enum class What { Line, Collective, Message, Wrong };

}  // namespace

ProgramNews::ProgramNews(const ExecOptions& options, machine::Machine& machine,
                         program::ProgramSet& programs, sim::RankExchange* ranks,
                         std::function<void()> before)
    : options_(options),
      machine_(machine),
      programs_(programs),
      ranks_(ranks),
      before_(std::move(before)),
      here_(static_cast<std::size_t>(options.partitions)) {
  for (int node = 0; node < machine.size(); ++node) {
    if (!machine.is_local(node)) continue;
    if (const int rank = machine.rank_of(node); rank >= 0) here_[job_of(node)].insert(rank);
  }
  for (const std::set<int>& here : here_) {
    collectives_.emplace_back(
        machine::node_count(options.partitions > 1 ? options.job_nodes : options.nodes),
        ranks != nullptr);
    if (ranks == nullptr) {
      messages_.emplace_back();
    } else {
      messages_.emplace_back([&here](int rank) { return here.contains(rank); });
    }
  }
}

int ProgramNews::program_of(const ExecOptions& options, machine::Machine& machine, int node) {
  return options.partitions > 1 ? node : machine.rank_of(node);
}

std::size_t ProgramNews::job_of(int node) const {
  return options_.partitions > 1 ? static_cast<std::size_t>(machine_.partition_of(node)) : 0;
}

bool ProgramNews::any() const {
  return !wrong_.empty() || programs_.has_output() ||
         std::ranges::any_of(collectives_, &qmp::CollectiveLog::has_news) ||
         std::ranges::any_of(messages_, &qmp::MessageLog::has_news);
}

void ProgramNews::finish() {
  exchange();
  if (ranks_ != nullptr) exchange();  // what was found to be wrong just now
}

void ProgramNews::exchange() {
  if (ranks_ == nullptr) {
    print(programs_.take_output());
    return;
  }
  const Json all = machine::gather_lists(ranks_, take());
  std::vector<program::OutputLine> lines;
  std::optional<Error> wrong;
  for (const Json& one : all) {
    switch (one[0].get<What>()) {
      case What::Line:
        lines.push_back({one[2], one[3], one[4], one[5], one[6]});
        break;
      case What::Wrong:
        if (!wrong) wrong.emplace(one[2].get<ExitCode>(), one[3].get<std::string>());
        break;
      default:
        if (one[1] != ranks_->rank()) compare(one);
    }
  }
  print(std::move(lines));
  if (!wrong) return;
  ranks_->end_together();
  throw *wrong;
}

std::string ProgramNews::unreceived() const {
  std::vector<sim::Numbered> found;
  for (const qmp::MessageLog& messages : messages_) {
    if (const auto one = messages.unreceived())
      found.push_back(
          {static_cast<std::size_t>(one->from),
           fmt::format("node {} has sent {} bytes to node {}", one->from, one->bytes, one->to)});
  }
  found = sim::gather_numbered(ranks_, std::move(found));
  return found.empty() ? "" : std::move(found.front().text);
}

void ProgramNews::check_left() {
  const std::string message = unreceived();
  std::optional<std::string> operation;
  for (const qmp::CollectiveLog& collectives : collectives_) {
    if (!operation) operation = collectives.left();
  }
  if (message.empty() && !operation) return;
  if (ranks_ != nullptr) ranks_->end_together();
  if (!message.empty())
    throw TimeoutError(message + ", whose program ended without receiving them");
  throw ProtocolError(*operation);
}

// What this process has to say: what it is, of which process, and the rest.
Json ProgramNews::take() {
  const unsigned own = ranks_->rank();
  Json mine = Json::array();
  for (const auto& l : programs_.take_output())
    mine.push_back({What::Line, own, l.time, l.rank, l.error, l.text, l.ended});
  for (std::size_t job = 0; job < collectives_.size(); ++job) {
    for (const auto& e : collectives_[job].take_news())
      mine.push_back({What::Collective, own, job, e.rank, e.members, e.operation, e.bytes});
    for (const auto& e : messages_[job].take_news())
      mine.push_back({What::Message, own, job, e.send, e.from, e.to, e.stream, e.bytes});
  }
  for (const Error& e : std::exchange(wrong_, {}))
    mine.push_back({What::Wrong, own, e.exit_code(), e.what()});
  return mine;
}

// Not all processes find what does not fit: thrown by all, once all know.
void ProgramNews::compare(const Json& other) {
  const std::size_t job = other[2];
  try {
    if (other[0] == What::Collective) {
      collectives_[job].enter_other({other[3], other[4], other[5], other[6]});
    } else {
      messages_[job].start_other({other[3], other[4], other[5], other[6], other[7]});
    }
  } catch (const Error& e) {
    wrong_.push_back(e);
  }
}

void ProgramNews::print(std::vector<program::OutputLine> lines) {
  if (!Ranks::reports() || lines.empty()) return;
  before_();
  programs_.print(std::move(lines));
}

}  // namespace ht::cli
