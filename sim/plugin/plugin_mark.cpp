// SPDX-License-Identifier: Apache-2.0
// In every plug-in: the build it is of (sim/plugin/build.hpp).
#include "hypertorus_build.hpp"

extern "C" {
extern const char hypertorus_build[];
__attribute__((used)) const char hypertorus_build[] =
    "hypertorus build mark: " HYPERTORUS_BUILD_HASH;
}
