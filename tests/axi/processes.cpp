// SPDX-License-Identifier: Apache-2.0
#include "tests/axi/processes.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace ht::test {

std::string Processes::file(std::size_t number) const {
  return (folder_ / fmt::format("process{}.txt", number)).string();
}

void Processes::start(const std::vector<std::string>& words) {
  const std::string said = file(children_.size());
  children_.push_back(std::make_unique<machine::ChildProcess>(
      words, machine::ChildProcess::Files{said + ".out", said}));
}

std::vector<Processes::End> Processes::wait() {
  constexpr std::chrono::minutes patience{2};  // what they wait for has ended
  std::vector<End> ends;
  for (std::size_t i = 0; i < children_.size(); ++i) {
    const auto code = children_[i]->code_within(patience);
    if (!code) throw std::runtime_error(fmt::format("process {} does not end", i));
    std::ifstream in(file(i));
    ends.push_back({*code, std::string(std::istreambuf_iterator<char>(in), {})});
  }
  children_.clear();
  return ends;
}

}  // namespace ht::test
