// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sw/host/time.hpp"

namespace ht::bench {

/// Payload in GB/s that go-back-N can carry one way over a line whose coded bits are wrong with
/// probability b, the reverse direction idle.
///
/// A packet is 34 words of four lanes of ten coded bits, sent in 34 cycles, and arrives whole with
/// probability 1 - p = (1 - b)^1360. Each packet that does not costs the time L from its header to
/// the header of its repetition; those sent in between are thrown away. A packet fails p / (1 - p)
/// times on average before it succeeds, so that
///
///     rate = 128 bytes / (34 cycles + L p / (1 - p)).
///
/// L: the packet's 34 cycles; the way there; 4 cycles from the last word's arrival until the NACK
/// is on the wire; the way back; 5 cycles from its arrival until a header can be
/// (rtl/qpace/README.md, Timing); less one, since 34 words are 33 cycles from the first to the
/// last. That is rounded up to whole packets, because the sender ends the one it is at. 170 cycles
/// with 250 ns each way.
///
/// The NACK is lost with probability q = 1 - (1 - b)^40. The sender's timer then expires
/// ACK_TIMEOUT (1024 cycles) after the last command it accepted, so that L grows by 1024 q on
/// average.
///
/// Left out: a damaged start code is noticed only when the next packet comes, one packet later; one
/// error can damage two packets. Both make it slower.
double go_back_n_rate(double bit_error_rate, Picoseconds cable_delay);

}  // namespace ht::bench
