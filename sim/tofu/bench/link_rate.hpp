// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ht::bench {

/// Share of a Tofu link's beats that are payload, both directions busy with full packets, whose
/// receivers free their buffers at once: the slower direction, over so many packets each way.
/// `cable`: PHYs and cable, cycles. Throws std::logic_error if a packet comes other than it was
/// sent, or anything is sent twice.
double tofu_payload_fraction(unsigned cable, unsigned packets);

}  // namespace ht::bench
