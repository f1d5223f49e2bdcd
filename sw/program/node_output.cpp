// SPDX-License-Identifier: Apache-2.0
#include "sw/program/node_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <tuple>
#include <utility>

#include "sw/host/errors.hpp"

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

NodeOutput::NodeOutput(int rank) : rank_(rank), process_(getpid()) {
  streams_[0] = open_stream(*this, write_stream<1>, _IOLBF);
  streams_[1] = open_stream(*this, write_stream<2>, _IONBF);
}

NodeOutput::~NodeOutput() {
  for (FILE* stream : streams_) std::fclose(stream);
}

void NodeOutput::set_clock(std::function<Picoseconds()> clock) {
  const std::lock_guard lock(mutex_);
  clock_ = std::move(clock);
}

void NodeOutput::redirect(std::function<void(std::string_view)> sink) {
  const std::lock_guard lock(mutex_);
  sink_ = std::move(sink);
}

ssize_t NodeOutput::write(int descriptor, const void* data, std::size_t bytes) {
  if (is_forked()) return ::write(descriptor, data, bytes);
  std::unique_lock lock(mutex_);
  if (sink_ && descriptor == 1) {
    const auto sink = sink_;
    lock.unlock();  // it may block the fibre
    sink({static_cast<const char*>(data), bytes});
    return static_cast<ssize_t>(bytes);
  }
  std::string& line = unfinished_[descriptor == 2 ? 1 : 0];
  const char* text = static_cast<const char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (text[i] != '\n') {
      line += text[i];
      continue;
    }
    lines_.push_back(
        {clock_ ? clock_() : 0, rank_, descriptor == 2, std::exchange(line, {}), true});
  }
  return static_cast<ssize_t>(bytes);
}

void NodeOutput::end_lines() {
  for (FILE* stream : streams_) std::fflush(stream);
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (!unfinished_[i].empty())
      lines_.push_back(
          {clock_ ? clock_() : 0, rank_, i == 1, std::exchange(unfinished_[i], {}), false});
  }
}

bool NodeOutput::has_lines() const {
  const std::lock_guard lock(mutex_);
  return !lines_.empty();
}

std::vector<OutputLine> NodeOutput::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(lines_, {});
}

std::string file_of_node(const std::string& folder, int rank, bool error) {
  return (std::filesystem::path(folder) / fmt::format("node{}.{}", rank, error ? "err" : "out"))
      .string();
}

LinePrinter::LinePrinter(OutputStyle style, std::string folder, int nodes)
    : style_(style), folder_(std::move(folder)) {
  if (style_ != OutputStyle::Files) return;
  std::error_code error;
  place_ = std::filesystem::absolute(folder_, error).string();
  std::filesystem::create_directories(folder_, error);
  first_ = std::make_unique<host::HeldFile>(file_of_node(folder_, 0, false), "run");
  first_->hold();
  for (int rank = 0; rank < nodes; ++rank) {
    file(rank, false);
    std::filesystem::remove(file_of_node(folder_, rank, true), error);  // of a run before
  }
  first_->hold();
}

std::ofstream& LinePrinter::file(int rank, bool error) {
  const auto [at, first] = files_.try_emplace({rank, error});
  if (first) {
    at->second.open(file_of_node(place_, rank, error));
    if (!at->second)
      throw DataError(fmt::format("{}: cannot be written; --output-dir names another folder",
                                  file_of_node(folder_, rank, error)));
  }
  return at->second;
}

void LinePrinter::print(std::vector<OutputLine> lines) {
  if (lines.empty()) return;
  std::stable_sort(lines.begin(), lines.end(), [](const OutputLine& a, const OutputLine& b) {
    return std::tie(a.time, a.rank) < std::tie(b.time, b.rank);
  });
  for (const OutputLine& line : lines) {
    const char* const end = line.ended ? "\n" : "";
    if (style_ == OutputStyle::Files) {
      std::ofstream& out = file(line.rank, line.error);
      out << line.text << end << std::flush;
      if (!out)
        throw DataError(fmt::format("{}: cannot be written to its end; is the disk full?",
                                    file_of_node(folder_, line.rank, line.error)));
      continue;
    }
    // A reader that has both in one place sees them in this order.
    if (line.error) std::fflush(stdout);
    FILE* const out = line.error ? stderr : stdout;
    if (style_ == OutputStyle::Prefix) {
      fmt::print(out, "[{}] {}\n", line.rank, line.text);
      continue;
    }
    if (in_line_) fmt::print(out, "\n");
    fmt::print(out, "{}{}", line.text, end);
    in_line_ = !line.ended;
  }
  std::fflush(stdout);
}

}  // namespace ht::program
