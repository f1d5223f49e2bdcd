// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sw/host/hardware_port.hpp"

namespace ht::host {

/// Waiting for links that train, for a time that starts when this is made.
class LinkWait {
 public:
  struct Names {
    const char* (*link)(int link);
    std::uint32_t (*error_register)(std::uint32_t link);  ///< its address
  };
  /// `node` says what errors begin with: "node 3"; `poll` lies between two looks.
  LinkWait(HardwarePort& port, std::string node, Names names, Picoseconds timeout,
           Picoseconds poll);

  /// Lets time pass until no link is missing, and calls `meanwhile`, if it is given, between looks.
  /// Throws TimeoutError naming the one that still is.
  void until_up(const std::function<std::optional<int>()>& missing,
                const std::function<void()>& meanwhile = {});

 private:
  HardwarePort& port_;
  std::string node_;
  Names names_;
  Picoseconds timeout_, poll_, deadline_;
};

}  // namespace ht::host
