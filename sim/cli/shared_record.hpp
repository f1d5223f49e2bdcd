// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>
#include <zlib.h>

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "sw/program/run_record.hpp"

namespace ht::cli {

/// What the simulator leaves for the process that watches over it (supervisor.hpp): memory that
/// both have. Plain storage, so that it can be written from a signal handler, and be read after the
/// writer's death whatever it died of.
struct SharedRecord {
  pid_t simulator = 0;                 ///< a copy that a program forked has another id
  std::atomic<int> end = 0;            ///< 0: it has not come to its end; else 1 + exit code
  std::atomic<bool> stopping = false;  ///< it has seen a signal that asks it to end
  std::array<char, 4096> json{};       ///< see name_json()
  uLong json_check = check(json);
  std::array<char, 32> command{};   ///< subcommand
  std::array<char, 512> message{};  ///< for standard error, of a process that could not print it

  program::RunRecord programs;

  template <std::size_t size>
  static void copy(std::array<char, size>& to, std::string_view text) {
    const std::size_t length = text.size() < size ? text.size() : size - 1;
    for (std::size_t i = 0; i < length; ++i) to[i] = text[i];
    to[length] = '\0';
  }
  template <std::size_t size>
  static std::string_view text(const std::array<char, size>& from) {
    std::size_t length = 0;
    while (length < size && from[length] != '\0') ++length;
    return {from.data(), length};
  }

  /// The file of --json, still to be written; or empty.
  void name_json(std::string_view file) {
    json.fill('\0');
    copy(json, file);
    json_check = check(json);
  }
  /// That; nothing if a program has damaged it.
  std::optional<std::string> json_file() const {
    if (json_check != check(json)) return std::nullopt;
    return std::string(text(json));
  }

  /// It has none, and no program has damaged that.
  bool no_json() const { return json_check == check(json) && json[0] == '\0'; }

  void finish(int code) { end = 1 + code; }

 private:
  static uLong check(const std::array<char, 4096>& name) {
    return crc32_z(0, reinterpret_cast<const Bytef*>(name.data()), name.size());
  }
};

}  // namespace ht::cli
