// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ht::cli {

/// The project's version, from CMake's project(), with the commit where one is known.
const char* version();

}  // namespace ht::cli
