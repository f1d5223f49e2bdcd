// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/line_code.hpp"

#include "verif/model/qpace/wire.hpp"

namespace ht::sim {

bool QpaceLineCode::is(const Symbol& s, Target target) {
  if (target == Target::Idle) return s == idle();
  const std::uint8_t code = target == Target::Packet    ? model::qpace::kStart
                            : target == Target::Command ? model::qpace::kCommand
                                                        : model::qpace::kHello;
  return model::qpace::starts_with(s, code);
}

}  // namespace ht::sim
