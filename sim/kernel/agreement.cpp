// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/agreement.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "sim/kernel/kernel.hpp"
#include "sw/host/errors.hpp"

namespace ht::sim {
namespace {

template <class T>
void append(std::string& to, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T next(const std::string& from, std::size_t& at) {
  T value;
  if (from.size() - at < sizeof value) throw std::runtime_error("a rank said too little");
  std::memcpy(&value, from.data() + at, sizeof value);
  at += sizeof value;
  return value;
}

// Codes of what is no ht::Error.
constexpr int nothing = -1, internal = -2, no_memory = -3;

struct Failure {
  int code = nothing;
  Precedence precedence;
  std::string text;
};

Failure failure_of(const std::exception_ptr& error, Precedence precedence) {
  if (!error) return {};
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    return {static_cast<int>(e.exit_code()), precedence, e.what()};
  } catch (const std::bad_alloc& e) {
    return {no_memory, precedence, e.what()};
  } catch (const std::exception& e) {
    return {internal, precedence, e.what()};
  }
}

std::exception_ptr error_of(const Failure& failure) {
  if (failure.code == no_memory) return std::make_exception_ptr(std::bad_alloc());
  if (failure.code == internal) return std::make_exception_ptr(std::runtime_error(failure.text));
  return std::make_exception_ptr(Error(static_cast<ExitCode>(failure.code), failure.text));
}

}  // namespace

std::vector<Numbered> gather_numbered(RankExchange* ranks, std::vector<Numbered> mine) {
  if (ranks == nullptr) return mine;
  std::string text;
  for (const Numbered& one : mine) {
    append(text, one.number);
    append(text, one.text.size());
    text += one.text;
  }
  std::vector<Numbered> all;
  for (const std::string& from : ranks->gather(text)) {
    for (std::size_t at = 0; at < from.size();) {
      const auto number = next<std::size_t>(from, at);
      const auto size = next<std::size_t>(from, at);
      if (from.size() - at < size) throw std::runtime_error("a rank said too little");
      all.push_back({number, from.substr(at, size)});
      at += size;
    }
  }
  std::ranges::stable_sort(all, {}, &Numbered::number);
  return all;
}

std::exception_ptr agree_on(RankExchange* ranks, std::exception_ptr mine, Precedence precedence) {
  if (ranks == nullptr) return mine;
  const Failure own = failure_of(mine, precedence);
  std::string text;
  append(text, own.code);
  append(text, own.precedence.first);
  append(text, own.precedence.second);
  text += own.text;
  Failure counts;
  unsigned rank = 0, of_rank = 0;
  for (const std::string& from : ranks->gather(text)) {
    Failure failure;
    std::size_t at = 0;
    failure.code = next<int>(from, at);
    failure.precedence.first = next<Picoseconds>(from, at);
    failure.precedence.second = next<std::size_t>(from, at);
    failure.text = from.substr(at);
    const bool first = counts.code == nothing || failure.precedence < counts.precedence;
    if (failure.code != nothing && first) {
      counts = failure;
      of_rank = rank;
    }
    ++rank;
  }
  if (counts.code == nothing) return nullptr;
  return of_rank == ranks->rank() ? mine : error_of(counts);
}

void throw_together(RankExchange* ranks, std::exception_ptr mine, Precedence precedence) {
  const std::exception_ptr error = agree_on(ranks, std::move(mine), precedence);
  if (!error) return;
  if (ranks != nullptr) ranks->end_together();
  std::rethrow_exception(error);
}

}  // namespace ht::sim
