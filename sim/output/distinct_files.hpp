// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace ht::cli {

/// A file, and the option or argument that names it.
struct NamedFile {
  std::string option, file;  ///< empty `file`: none
};

/// What one option writes under names that begin with `stem`; nothing if that is empty.
std::vector<NamedFile> files_of(const std::string& option, const std::string& stem,
                                const std::vector<std::string>& endings);

/// Throws UsageError if two outputs are the same file, or one of them is an input: one would take
/// the other's place. Devices, FIFOs and "-" may be named as often as one likes.
void check_distinct(const std::vector<NamedFile>& outputs,
                    const std::vector<NamedFile>& inputs = {});

}  // namespace ht::cli
