// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ht::machine {

/// Of the sources that the program and its plug-ins share, the compiler and its options: libraries
/// with equal hashes fit together. 32 hexadecimal digits.
const char* build_hash();
/// What precedes the hash in a plug-in's file.
std::string_view build_mark_prefix();
/// The build that a plug-in's file says it is of, read from it: nothing of another build is run.
/// Empty if it says nothing, or has lost its end.
std::string build_of(const std::filesystem::path& plugin);
/// Names of the machines of this tree; the first is what commands take when given none.
const std::vector<std::string>& machines_of_the_tree();
/// Where plug-ins lie, for a program in that folder.
std::string plugin_folder_beside(const std::string& folder);

}  // namespace ht::machine
