// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace ht::cli {

/// A file, and the option or argument that names it; or several, whose names it begins.
struct NamedFile {
  std::string option, file;  ///< empty `file`: none
  std::vector<std::string> endings{""};
};

/// Throws UsageError if two outputs are the same file, or one of them is an input: one would take
/// the other's place. Devices, FIFOs and "-" may be named as often as one likes.
void check_distinct(const std::vector<NamedFile>& outputs,
                    const std::vector<NamedFile>& inputs = {});

}  // namespace ht::cli
