// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace ht::machine {

/// Throws DataError unless the wave file (FST) is complete: its blocks follow one another to its
/// last byte, and names and times of the signals are among them. On a full disk Verilator's writer
/// leaves out what did not fit, and says nothing.
void check_wave_file(const std::string& file);

}  // namespace ht::machine
