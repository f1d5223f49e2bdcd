// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/icc.hpp"

#include <fmt/format.h>

#include "sw/host/causes.hpp"
#include "sw/host/errors.hpp"
#include "sw/tofu/registers.hpp"

namespace ht::tofu {

void Icc::check_router() {
  namespace icc = registers::icc;
  const std::uint32_t error = port_.read_register(icc::router_error);
  if (error == 0) return;
  port_.write_register(icc::router_error, error);
  const std::uint32_t lost = error & ~icc::router_error_corrected.mask;
  if (lost == 0) return;
  throw HardwareError(fmt::format("{}: router: {} (register ROUTER_ERROR {:#x})", name_,
                                  host::causes(icc::router_error_causes, lost), lost));
}

void Icc::set_group(int group) {
  namespace icc = registers::icc;
  for (unsigned link = 0; link < links_per_node; ++link)
    port_.write_register(icc::port_group(link), static_cast<std::uint32_t>(group));
}

std::uint32_t Icc::strayed() {
  return port_.read_register(registers::icc::router_strayed);
}

void Icc::check_errors() {
  check_router();
  links_.check_errors();
  barrier_.check_errors();
  for (BarrierInterface& barrier : more_barriers_) barrier.check_errors();
}

}  // namespace ht::tofu
