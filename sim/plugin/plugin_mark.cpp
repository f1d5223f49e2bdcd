// SPDX-License-Identifier: Apache-2.0
// In every plug-in: the build it is of (sim/plugin/build.hpp).
#include "hypertorus_build.hpp"

// Whoever asks for it looks for its characters in the file.
__attribute__((used)) static const char hypertorus_build[] =
    "hypertorus build mark: " HYPERTORUS_BUILD_HASH;
