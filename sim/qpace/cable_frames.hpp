// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "sim/machine/frame_cutter.hpp"

namespace ht::machine {

/// A packet, hello or command as it was put on a QPACE cable, and what arrived of it.
struct CableFrame : WordFrame {
  /// Words of the frame that begins with this one; 0: none does.
  static std::size_t length(const model::Word& word);
  bool carries_data() const;
  /// The receiver takes a damaged frame for a good one of the same length and kind.
  bool unseen() const;
};

/// Cuts what goes over one direction of a QPACE cable into frames.
using CableFrames = FrameCutter<CableFrame>;

}  // namespace ht::machine
