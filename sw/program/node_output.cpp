// SPDX-License-Identifier: Apache-2.0
#include "sw/program/node_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <tuple>
#include <utility>

namespace ht::program {
namespace {

template <int descriptor>
ssize_t write_stream(void* output, const char* data, std::size_t bytes) {
  return static_cast<NodeOutput*>(output)->write(descriptor, data, bytes);
}

FILE* open_stream(NodeOutput& output, cookie_write_function_t* write, int buffering) {
  cookie_io_functions_t functions{};
  functions.write = write;
  FILE* stream = fopencookie(&output, "w", functions);
  if (stream == nullptr) throw std::bad_alloc();
  setvbuf(stream, nullptr, buffering, BUFSIZ);
  return stream;
}

}  // namespace

NodeOutput::NodeOutput(int rank) : rank_(rank) {
  streams_[0] = open_stream(*this, write_stream<1>, _IOLBF);
  streams_[1] = open_stream(*this, write_stream<2>, _IONBF);
}

NodeOutput::~NodeOutput() {
  for (FILE* stream : streams_) std::fclose(stream);
}

ssize_t NodeOutput::write(int descriptor, const void* data, std::size_t bytes) {
  if (sink_ && descriptor == 1) {
    sink_({static_cast<const char*>(data), bytes});
    return static_cast<ssize_t>(bytes);
  }
  std::string& line = unfinished_[descriptor == 2 ? 1 : 0];
  const char* text = static_cast<const char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (text[i] != '\n') {
      line += text[i];
      continue;
    }
    lines_.push_back({clock_ ? clock_() : 0, rank_, descriptor == 2, std::exchange(line, {})});
  }
  return static_cast<ssize_t>(bytes);
}

void NodeOutput::end_lines() {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    std::fflush(streams_[i]);
    if (!unfinished_[i].empty()) write(static_cast<int>(i) + 1, "\n", 1);
  }
}

std::vector<OutputLine> NodeOutput::take() {
  return std::exchange(lines_, {});
}

void print_lines(std::vector<OutputLine> lines) {
  if (lines.empty()) return;
  std::stable_sort(lines.begin(), lines.end(), [](const OutputLine& a, const OutputLine& b) {
    return std::tie(a.time, a.rank) < std::tie(b.time, b.rank);
  });
  for (const OutputLine& line : lines) {
    // A reader that has both in one place sees them in this order.
    if (line.error) std::fflush(stdout);
    fmt::print(line.error ? stderr : stdout, "[{}] {}\n", line.rank, line.text);
  }
  std::fflush(stdout);
}

}  // namespace ht::program
