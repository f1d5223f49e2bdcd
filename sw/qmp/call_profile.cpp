// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/call_profile.hpp"

namespace ht::qmp {

void CallProfile::add_call(std::string_view name, Picoseconds time) {
  auto entry = calls_.find(name);
  if (entry == calls_.end()) entry = calls_.emplace(name, Calls{}).first;
  ++entry->second.count;
  entry->second.time += time;
}

void CallProfile::add_call(std::string_view name, Picoseconds begin, Picoseconds end) {
  add_call(name, end - begin);
  if (listener_) listener_(name, begin, end);
}

void CallProfile::add_message(int to, std::uint64_t bytes) {
  Traffic& traffic = sent_[to];
  ++traffic.messages;
  traffic.bytes += bytes;
}

void CallProfile::add_calls(std::string_view name, const Calls& calls) {
  Calls& sum = calls_.try_emplace(std::string(name)).first->second;
  sum.count += calls.count;
  sum.time += calls.time;
}

void CallProfile::add_traffic(int to, const Traffic& traffic) {
  sent_[to].messages += traffic.messages;
  sent_[to].bytes += traffic.bytes;
}

CallProfile::Calls CallProfile::total() const {
  Calls sum;
  for (const auto& [name, calls] : calls_) {
    sum.count += calls.count;
    sum.time += calls.time;
  }
  return sum;
}

}  // namespace ht::qmp
