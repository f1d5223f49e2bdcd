// SPDX-License-Identifier: Apache-2.0
#include "sw/host/link_wait.hpp"

#include <fmt/format.h>

#include <utility>

#include "sw/host/errors.hpp"

namespace ht::host {

LinkWait::LinkWait(HardwarePort& port, std::string node, Names names, Picoseconds timeout,
                   Picoseconds poll)
    : port_(port),
      node_(std::move(node)),
      names_(names),
      timeout_(timeout),
      poll_(poll),
      deadline_(port.now() + timeout) {}

void LinkWait::until_up(const std::function<std::optional<int>()>& missing,
                        const std::function<void()>& meanwhile) {
  while (const std::optional<int> link = missing()) {
    if (port_.now() > deadline_) {
      const auto number = static_cast<std::uint32_t>(*link);
      throw TimeoutError(fmt::format(
          "{}: link {} did not come up within {} us (ERROR {:#x}): is its cable plugged in, and "
          "its peer switched on and of the same protocol version?",
          node_, names_.link(*link), timeout_ / 1'000'000,
          port_.read_register(names_.error_register(number))));
    }
    const Picoseconds next = port_.now() + poll_;
    if (meanwhile) meanwhile();
    if (port_.now() < next) port_.pause(next - port_.now());
  }
}

}  // namespace ht::host
