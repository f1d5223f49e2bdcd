// SPDX-License-Identifier: Apache-2.0
#include "sim/plugin/build.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <fstream>

#include "hypertorus_build.hpp"

namespace ht::machine {
namespace {

// What lies last in a library is the table of its sections: one that was cut off would be loaded,
// and be a bus error later.
bool is_whole(const std::string& bytes) {
  Elf64_Ehdr header{};
  if (bytes.size() < sizeof header || !bytes.starts_with(ELFMAG)) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header.e_shoff + std::uint64_t{header.e_shnum} * header.e_shentsize <= bytes.size();
}

}  // namespace

const char* build_hash() {
  return HYPERTORUS_BUILD_HASH;
}

std::string_view build_mark_prefix() {
  // In two pieces, so that this library holds no mark of its own.
  static const std::string prefix = std::string("hypertorus build ") + "mark: ";
  return prefix;
}

std::string build_of(const std::filesystem::path& plugin) {
  std::string bytes(static_cast<std::size_t>(std::filesystem::file_size(plugin)), '\0');
  if (!std::ifstream(plugin, std::ios::binary)
           .read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    return {};
  if (!is_whole(bytes)) return {};
  const std::string_view mark = build_mark_prefix();
  const void* const at = memmem(bytes.data(), bytes.size(), mark.data(), mark.size());
  if (at == nullptr) return {};
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(at) - bytes.data());
  return bytes.substr(offset + mark.size(), std::string_view(build_hash()).size());
}

const std::vector<std::string>& machines_of_the_tree() {
  static const std::vector<std::string> names{HYPERTORUS_MACHINE_NAMES};
  return names;
}

std::string plugin_folder_beside(const std::string& folder) {
  return folder + "/" HYPERTORUS_PLUGIN_FOLDER;
}

}  // namespace ht::machine
