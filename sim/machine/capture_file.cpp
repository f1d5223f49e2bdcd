// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/capture_file.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/machine/gather.hpp"

namespace ht::machine {

using Json = nlohmann::json;

CaptureFile::CaptureFile(Machine& machine, const std::string& file) : ranks_(machine.ranks()) {
  if (ranks_ == nullptr || ranks_->rank() == 0) file_.emplace(file, "hypertorus");
  if (ranks_ != nullptr)
    machine.kernel().on_news([this] { return !seen_.empty(); }, [this] { exchange(); });
}

std::uint32_t CaptureFile::add_interface(const std::string& name, const std::string& description,
                                         PcapngFile::LinkType type) {
  if (file_) file_->add_interface(name, description, type);
  return interfaces_++;
}

void CaptureFile::add(const Source& source, Picoseconds time, std::vector<std::uint8_t> data,
                      std::string comment) {
  Record record{source, time, std::move(data), std::move(comment)};
  if (ranks_ == nullptr) {
    keep(std::move(record));
  } else {
    seen_.push_back(std::move(record));
  }
}

void CaptureFile::complete_until(Picoseconds horizon) {
  horizon_ = horizon;
  if (ranks_ == nullptr) write_until(horizon);
}

void CaptureFile::finish() {
  horizon_ = sim::kNever;
  if (ranks_ == nullptr) {
    write_until(horizon_);
  } else {
    exchange();
  }
  if (file_) file_->flush();
}

void CaptureFile::keep(Record record) {
  const std::size_t number = record.source.number;
  if (number >= kept_.size()) kept_.resize(number + 1);
  kept_[number].push_back(std::move(record));
}

void CaptureFile::exchange() {
  Json mine = Json::array({Json::array({horizon_})});
  for (Record& r : seen_)
    mine.push_back({r.source.number, r.source.interface, r.source.direction, r.time,
                    Json::binary(std::move(r.data)), r.comment});
  seen_.clear();
  const Json all = gather_lists(ranks_, std::move(mine));
  if (!file_) return;
  Picoseconds horizon = sim::kNever;
  for (const Json& one : all) {
    if (one.size() == 1) {
      horizon = std::min(horizon, one[0].get<Picoseconds>());
    } else {
      keep({{one[0], one[1], one[2].get<PcapngFile::Direction>()},
            one[3],
            one[4].get_binary(),
            one[5]});
    }
  }
  write_until(horizon);
}

void CaptureFile::write_until(Picoseconds horizon) {
  for (;;) {
    std::deque<Record>* next = nullptr;
    for (std::deque<Record>& records : kept_) {
      if (records.empty() || records.front().time >= horizon) continue;
      if (next == nullptr || records.front().time < next->front().time) next = &records;
    }
    if (next == nullptr) return;
    const Record& r = next->front();
    file_->write(r.source.interface, r.time, r.source.direction, r.data, r.comment);
    next->pop_front();
  }
}

}  // namespace ht::machine
